//! What schedulers are given to do: the same pods for all, in groups of each one's own dialect.

use crate::wire::Wire;
use e2e::{FakePod, Fault};
use serde_json::{Value, json, to_value};
use std::collections::BTreeMap;
use std::fmt;
use tokio::task::JoinSet;

/// Namespace of everything.
pub const NAMESPACE: &str = "load";

/// Objects on their way to the API server at once.
const AT_ONCE: usize = 16;

/// In whose words groups are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// No groups: every pod by itself.
    Plain,
    /// muster's own.
    Muster,
    /// That of Kubernetes 1.37.
    Kubernetes,
    /// Volcano's.
    Volcano,
}

/// Gangs of one size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// How many.
    pub gangs: usize,
    /// Pods of each, all of them needed.
    pub size: usize,
}

impl Shape {
    /// Pods of all gangs.
    #[must_use]
    pub const fn pods(self) -> usize {
        self.gangs * self.size
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}×{}", self.gangs, self.size)
    }
}

/// An object and the collection that it is made in.
pub type Made = (String, Value);

/// What pods look like.
#[derive(Clone, Debug)]
pub struct Cut {
    /// Who shall bind them.
    pub scheduler: &'static str,
    /// In whose words their groups are written.
    pub dialect: Dialect,
    /// Cores of each, as a quantity.
    pub cpu: &'static str,
}

impl Cut {
    /// A gang: its group, then its pods `NAME-0`, `NAME-1`, ….
    #[must_use]
    pub fn gang(&self, name: &str, size: usize) -> Vec<Made> {
        let pods = (0..size).map(|index| self.pod(&format!("{name}-{index}"), Some(name)));
        self.group(name, size).into_iter().chain(pods).collect()
    }

    /// All gangs of a shape, `PREFIX0` and so on.
    #[must_use]
    pub fn gangs(&self, prefix: &str, shape: Shape) -> Vec<Made> {
        (0..shape.gangs)
            .flat_map(|gang| self.gang(&format!("{prefix}{gang}"), shape.size))
            .collect()
    }

    /// A pod, in a group or by itself.
    #[must_use]
    pub fn pod(&self, name: &str, group: Option<&str>) -> Made {
        let pod = FakePod::new(name).scheduler(self.scheduler);
        let pod = pod.request("cpu", self.cpu).request("memory", "1Gi");
        let pod = match (self.dialect, group) {
            (Dialect::Plain, _) | (_, None) => pod,
            (Dialect::Muster, Some(group)) => pod.label("muster.sh/pod-group", group),
            (Dialect::Kubernetes, Some(group)) => pod.native_group(group),
            (Dialect::Volcano, Some(group)) => {
                pod.annotation("scheduling.k8s.io/group-name", group)
            }
        };
        made(&pod)
    }

    /// The group of a gang, if this dialect has such things.
    #[must_use]
    pub fn group(&self, name: &str, size: usize) -> Option<Made> {
        let (version, spec) = match self.dialect {
            Dialect::Plain => return None,
            Dialect::Muster => ("muster.sh/v1alpha1", json!({ "minAvailable": size })),
            Dialect::Kubernetes => (
                "scheduling.k8s.io/v1beta1",
                json!({ "schedulingPolicy": { "gang": { "minCount": size } } }),
            ),
            Dialect::Volcano => {
                ("scheduling.volcano.sh/v1beta1", json!({ "minMember": size, "queue": "default" }))
            }
        };
        let object = json!({
            "apiVersion": version, "kind": "PodGroup", "metadata": { "name": name }, "spec": spec,
        });
        Some((format!("/apis/{version}/namespaces/{NAMESPACE}/podgroups"), object))
    }
}

/// A pod in the namespace of everything.
#[must_use]
pub fn made(pod: &FakePod) -> Made {
    let object = to_value(pod.object()).expect("a pod is JSON");
    (format!("/api/v1/namespaces/{NAMESPACE}/pods"), object)
}

/// The gang of a pod: its name without the last part.
#[must_use]
pub fn gang_of(pod: &str) -> &str {
    pod.rsplit_once('-').map_or(pod, |(gang, _)| gang)
}

/// Members of each gang among these pods.
pub(crate) fn by_gang<'a>(pods: impl IntoIterator<Item = &'a str>) -> BTreeMap<&'a str, usize> {
    let mut gangs = BTreeMap::new();
    for pod in pods {
        *gangs.entry(gang_of(pod)).or_insert(0) += 1;
    }
    gangs
}

/// Makes objects in order, a fixed number on their way at once.
pub async fn submit(wire: &Wire, objects: Vec<Made>) -> Result<(), Fault> {
    let mut running: JoinSet<Result<(), Fault>> = JoinSet::new();
    for (collection, object) in objects {
        if running.len() >= AT_ONCE {
            landed(running.join_next().await)?;
        }
        let wire = wire.clone();
        running.spawn(async move { wire.create(&collection, &object).await });
    }
    while !running.is_empty() {
        landed(running.join_next().await)?;
    }
    Ok(())
}

/// What a piece of work in the background came to.
pub(crate) fn landed(
    done: Option<Result<Result<(), Fault>, tokio::task::JoinError>>,
) -> Result<(), Fault> {
    match done {
        Some(Ok(done)) => done,
        Some(Err(error)) => Err(crate::wire::failed("work in the background", error)),
        None => Ok(()),
    }
}
