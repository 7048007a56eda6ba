//! The stories about predicates, as cases: each moment of a story at which its cluster is
//! another one, with each kind of pod that waits in it.
//!
//! A gang is asked about pod by pod, since a predicate knows no gangs: once for the cluster as
//! it is, and once more for the cluster in the end, when all that muster places has its place.

use crate::case::Case;
use crate::{engine, write};
use scheduler_model::event::Event;
use scheduler_model::spec::{
    DaemonSpec, Labels, NamespaceSpec, NodeSpec, PodPhase, PodShape, PodSpec,
};
use scheduler_scenario::{Change, PodName, Scenario};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// Stories of other areas that are about predicates.
const OTHERS: &[&str] = &[
    "bad/a-node-affinity-without-any-term-fits-nowhere",
    "bad/a-node-with-less-than-nothing-takes-nothing",
    "bad/a-number-that-is-none-compares-with-nothing",
    "bad/a-pod-on-a-node-that-nobody-knows-blocks-nobody",
    "bad/a-resource-that-no-node-has-keeps-only-its-own-pods-waiting",
    "bad/a-selector-that-selects-nothing-finds-no-partner-and-refuses-nobody",
    "explain/every-node-gives-one-answer-and-the-counts-add-up",
    "explain/the-scarcest-resource-is-the-one-that-is-named",
    "regress/a-recreated-pod-does-not-mind-that-the-old-one-is-still-terminating",
    "regress/foreign-pods-that-come-and-go-leave-the-exact-room",
];

/// A story and its name.
pub(crate) struct Named {
    /// `area/words-of-the-story`.
    pub(crate) name: String,
    pub(crate) scenario: Scenario,
}

/// All stories that cases are made of.
pub(crate) fn stories() -> Vec<Named> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scheduler/scenario/cases");
    let fit = std::fs::read_dir(folder.join("fit")).expect("the stories are in the checkout");
    let fit = fit.map(|entry| {
        let path = entry.expect("the folder can be read").path();
        let stem = path.file_stem().expect("it has a name").to_string_lossy().into_owned();
        format!("fit/{stem}")
    });
    let mut names: Vec<String> = fit.chain(OTHERS.iter().map(|it| (*it).to_owned())).collect();
    names.sort();
    let read = |name: String| {
        let path = folder.join(format!("{name}.yaml"));
        let text = std::fs::read_to_string(&path).unwrap_or_else(|it| panic!("{path:?}: {it}"));
        let scenario = scheduler_scenario::parse(&name, &text).expect("a story reads");
        Named { name, scenario }
    };
    names.into_iter().map(read).collect()
}

/// The cases of all stories; what stands in two of them is asked once.
pub(crate) fn cases() -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    for Named { name, scenario } in stories() {
        let mut cluster = Cluster::default();
        cluster.add(&scenario.world.events);
        let mut found = cluster.cases(&name);
        found.extend(cluster.end().cases(&format!("{name}, in the end")));
        // A minute after a node came is another matter, and a real clock takes a minute.
        let steps = if cluster.daemons.is_empty() { &scenario.then[..] } else { &[] };
        for (at, step) in steps.iter().enumerate() {
            step.changes.iter().for_each(|change| cluster.change(change));
            found.extend(cluster.cases(&format!("{name}, step {}", at + 1)));
        }
        for case in found {
            if !cases.iter().any(|it| it.asks_the_same_as(&case)) {
                cases.push(case);
            }
        }
    }
    cases
}

/// The objects of a story at one moment.
#[derive(Clone, Default)]
pub(crate) struct Cluster {
    pub(crate) nodes: BTreeMap<String, NodeSpec>,
    pub(crate) pods: BTreeMap<(String, String), PodSpec>,
    namespaces: BTreeMap<String, NamespaceSpec>,
    daemons: BTreeMap<String, DaemonSpec>,
}

impl Cluster {
    pub(crate) fn add(&mut self, events: &[Event]) {
        events.iter().for_each(|event| self.tell(event));
    }

    fn tell(&mut self, event: &Event) {
        match event {
            Event::Node(node) => {
                self.nodes.insert(node.name.clone(), (**node).clone());
            }
            Event::NodeGone(name) => {
                self.nodes.remove(name);
            }
            Event::Pod(pod) => {
                let key = (pod.namespace.clone(), pod.name.clone());
                self.pods.insert(key, (**pod).clone());
            }
            Event::PodGone(uid) => self.pods.retain(|_, pod| pod.uid != *uid),
            Event::Namespace(one) => {
                self.namespaces.insert(one.name.clone(), one.clone());
            }
            Event::Daemon(daemon) => {
                self.daemons.insert(daemon.key.clone(), daemon.clone());
            }
            _ => {}
        }
    }

    fn change(&mut self, change: &Change) {
        match change {
            Change::Event(event) => self.tell(event),
            Change::Add(world) => self.add(&world.events),
            Change::PodSucceeds(name) => self.on_pod(name, |it| it.phase = PodPhase::Succeeded),
            Change::PodFails(name) => self.on_pod(name, |it| it.phase = PodPhase::Failed),
            Change::PodTerminates(name) => self.on_pod(name, |it| it.terminating = true),
            Change::PodDeleted(name) => {
                self.pods.remove(&(name.namespace.clone(), name.name.clone()));
            }
            Change::NodeFails(name) => self.on_node(name, |it| it.ready = false),
            Change::NodeReturns(name) => self.on_node(name, |it| it.ready = true),
            Change::NodeCordoned(name) => self.on_node(name, |it| it.unschedulable = true),
            Change::NodeUncordoned(name) => self.on_node(name, |it| it.unschedulable = false),
            // What whole gangs and queues do changes nothing here.
            _ => {}
        }
    }

    fn on_pod(&mut self, name: &PodName, change: impl Fn(&mut PodSpec)) {
        let pod = self.pods.get_mut(&(name.namespace.clone(), name.name.clone()));
        pod.into_iter().for_each(change);
    }

    fn on_node(&mut self, name: &str, change: impl Fn(&mut NodeSpec)) {
        self.nodes.get_mut(name).into_iter().for_each(change);
    }

    /// Pods that could be placed now: one of each kind.
    fn waiting(&self) -> Vec<&PodSpec> {
        type Kind<'a> = (&'a str, &'a Labels, &'a Arc<PodShape>);
        let mut kinds: Vec<Kind<'_>> = Vec::new();
        let mut waiting = Vec::new();
        let is_ready =
            |pod: &&PodSpec| may_wait(pod) && pod.gates.is_empty() && pod.unsupported.is_empty();
        for pod in self.pods.values().filter(is_ready) {
            let kind = (pod.namespace.as_str(), &pod.labels, &pod.shape);
            if !kinds.contains(&kind) {
                kinds.push(kind);
                waiting.push(pod);
            }
        }
        waiting
    }

    /// All that is there, without the pods that wait.
    fn objects(&self) -> Vec<Value> {
        let namespaces = self.namespaces.values().map(write::namespace);
        let daemons = self.daemons.values().map(write::daemon);
        let nodes = self.nodes.values().map(write::node);
        // One that ended without a node leaves nothing behind, and a scheduler could be faster
        // than its end.
        let is_there =
            |pod: &&PodSpec| !may_wait(pod) && (pod.node.is_some() || !pod.phase.is_finished());
        let pods = self.pods.values().filter(is_there).map(write::pod);
        namespaces.chain(daemons).chain(nodes).chain(pods).collect()
    }

    fn cases(&self, name: &str) -> Vec<Case> {
        let one = |pod: &PodSpec| Case {
            name: format!("{name}: {}", pod.name),
            objects: self.objects(),
            pod: write::pod(pod),
            right: None,
        };
        self.waiting().into_iter().map(one).collect()
    }

    /// The cluster when muster has placed all it can of what waits, as pods without gangs, and
    /// one more of each kind waits.
    fn end(&self) -> Self {
        let mut end = self.clone();
        let mut objects = self.objects();
        let waiting: Vec<&PodSpec> = self.pods.values().filter(|pod| may_wait(pod)).collect();
        objects.extend(waiting.iter().map(|pod| write::pod(pod)));
        let played = engine::play(&objects);
        for pod in waiting {
            let node = played.at_once(&pod.namespace, &pod.name);
            let key = (pod.namespace.clone(), pod.name.clone());
            end.pods.insert(key, PodSpec { node: node.ok(), ..pod.clone() });
        }
        for (at, pod) in self.waiting().into_iter().enumerate() {
            let pod = PodSpec { name: format!("one-more-{at}"), ..pod.clone() };
            end.pods.insert((pod.namespace.clone(), pod.name.clone()), pod);
        }
        end.pods.retain(|_, pod| !may_wait(pod) || pod.name.starts_with("one-more-"));
        end
    }
}

fn may_wait(pod: &PodSpec) -> bool {
    pod.ours && pod.node.is_none() && !pod.phase.is_finished()
}
