//! Makes the pods of one template, one by one.

use crate::translate::{Context, Problems, Translated, hints, object_name, pod, shorten};
use crate::wire::{Meta, OwnerReference, Pod, PodTemplate};
use scheduler_model::problem::Problem;
use scheduler_model::spec::{GangKey, Membership, PodShape, PodSpec};
use scheduler_model::world::{Pace, SimHints, Workload};
use std::sync::Arc;

/// Most pods that are played of one controller; more than the largest known clusters run.
pub(super) const PODS_MAX: u32 = 100_000;

/// A controller as its pods see it.
pub(super) struct Owner<'a> {
    pub kind: &'static str,
    pub api_version: &'static str,
    pub meta: &'a Meta,
}

impl Owner<'_> {
    /// The controller as a person names it.
    pub(super) fn object(&self) -> String {
        object_name(self.kind, self.meta)
    }

    /// An empty list of problems of this controller.
    pub(super) fn problems(&self) -> Problems {
        Problems::of(self.kind, self.meta)
    }

    /// How many of `wanted` pods are played.
    pub(super) fn bounded(&self, wanted: u32, field: &str, problems: &mut Vec<Problem>) -> u32 {
        self.bounded_by(PODS_MAX, wanted, field, problems)
    }

    /// How many of `wanted` pods are played where others of this controller left room for `most`.
    pub(super) fn bounded_by(
        &self,
        most: u32,
        wanted: u32,
        field: &str,
        problems: &mut Vec<Problem>,
    ) -> u32 {
        if wanted > most {
            problems.push(Problem::new(
                self.object(),
                field,
                format!("only the first {most} of {wanted} pods are played"),
                format!("write what is really meant; {PODS_MAX} pods of one object are played"),
            ));
        }
        wanted.min(most)
    }

    /// These pods with their pace; `None` if there are none.
    pub(super) fn workload(
        &self,
        pods: Vec<PodSpec>,
        pace: Pace,
        hints: SimHints,
    ) -> Option<Workload> {
        let gang = gang(pods.first()?);
        let (part, after) = (String::new(), Vec::new());
        Some(Workload { object: self.object(), gang, pods, pace, hints, part, after })
    }
}

/// The gang of a pod that a controller made.
fn gang(pod: &PodSpec) -> GangKey {
    match &pod.membership {
        Membership::Group(key) | Membership::Owner(key) => key.clone(),
        Membership::Alone => unreachable!("each played pod has a controller that groups it"),
    }
}

/// What makes one pod differ from its siblings.
#[derive(Default)]
pub(super) struct Identity {
    pub name: String,
    /// Set where the server would complete the name at random.
    pub generate_name: String,
    /// Labels that the controller adds.
    pub labels: Vec<(&'static str, String)>,
    /// Annotations that the controller adds.
    pub annotations: Vec<(&'static str, String)>,
}

/// A template that pods are made from.
pub(super) struct Template<'a> {
    pod: Pod,
    metadata: Meta,
    context: &'a Context,
    /// Object and field to blame.
    blame: (String, String),
    /// Shape of the first pod: siblings share it, so that it is kept once.
    shape: Option<Arc<PodShape>>,
    /// Problems of the first pod; those of its siblings are the same.
    pub problems: Vec<Problem>,
}

impl<'a> Template<'a> {
    /// The template at `field`; `None` with a problem if its pods are not ours to place.
    pub(super) fn new(
        owner: &Owner<'_>,
        written: &PodTemplate,
        field: &str,
        context: &'a Context,
        problems: &mut Vec<Problem>,
    ) -> Option<Self> {
        let scheduler = written.spec.scheduler_name.as_str();
        if !pod::is_ours(scheduler, context) {
            let scheduler = if scheduler.is_empty() { "the default scheduler" } else { scheduler };
            let ours = context.scheduler_names.first().map_or("muster", String::as_str);
            problems.push(Problem::new(
                owner.object(),
                format!("{field}.spec.schedulerName"),
                format!("its pods are for {}, so they are not played", shorten(scheduler)),
                format!("set schedulerName: {ours}, or give the pods themselves"),
            ));
            return None;
        }
        let mut metadata = written.metadata.clone();
        metadata.namespace = owner.meta.namespace_or_default().to_owned();
        metadata.uid.clear();
        metadata.owner_references = vec![OwnerReference {
            api_version: owner.api_version.to_owned(),
            kind: owner.kind.to_owned(),
            name: owner.meta.name.clone(),
            uid: owner.meta.uid.clone(),
            controller: true,
        }];
        Some(Self {
            pod: Pod { spec: written.spec.clone(), ..Pod::default() },
            metadata,
            context,
            blame: (owner.object(), field.to_owned()),
            shape: None,
            problems: Vec::new(),
        })
    }

    /// One pod.
    pub(super) fn pod(&mut self, identity: Identity) -> PodSpec {
        let mut metadata = self.metadata.clone();
        metadata.name = identity.name;
        metadata.generate_name = identity.generate_name;
        let owned = |(key, value): (&str, String)| (key.to_owned(), value);
        metadata.labels.extend(identity.labels.into_iter().map(owned));
        metadata.annotations.0.extend(identity.annotations.into_iter().map(owned));
        self.pod.metadata = metadata;
        let Translated { value: mut spec, problems } = pod::translate(&self.pod, self.context);
        match &self.shape {
            Some(shape) if *shape == spec.shape => spec.shape = Arc::clone(shape),
            Some(_) => {}
            None => {
                self.shape = Some(Arc::clone(&spec.shape));
                self.problems = problems.into_iter().map(|problem| self.blamed(problem)).collect();
            }
        }
        spec
    }

    fn blamed(&self, problem: Problem) -> Problem {
        let (object, field) = &self.blame;
        Problem { object: object.clone(), field: format!("{field}.{}", problem.field), ..problem }
    }
}

/// Hints on the controller, else on its template.
pub(super) fn hints(
    owner: &Owner<'_>,
    template: &PodTemplate,
    problems: &mut Vec<Problem>,
) -> SimHints {
    let own = hints::of(owner.kind, owner.meta);
    problems.extend(own.problems);
    let pods =
        hints::of(owner.kind, &Meta { name: owner.meta.name.clone(), ..template.metadata.clone() });
    problems.extend(pods.problems);
    SimHints {
        runtime: own.value.runtime.or(pods.value.runtime),
        arrival: own.value.arrival.or(pods.value.arrival),
    }
}

/// Letters of names that a server completes.
const LETTERS: &[u8; 27] = b"bcdfghjklmnpqrstvwxz2456789";

/// The last part of the name of pod number `index`, five letters, different for each of the
/// first 14 million pods of one controller.
pub(super) fn suffix(owner: &str, index: u32) -> String {
    // 27^5 names; the step shares no factor with it, so that no two numbers meet.
    const NAMES: u64 = 14_348_907;
    const STEP: u64 = 8_867_221;
    let mut rest = (hash(owner) % NAMES + u64::from(index) % NAMES * STEP) % NAMES;
    letters(&mut rest, 5)
}

/// What a server would put between the name of a Deployment and those of its pods.
pub(super) fn template_hash(owner: &str) -> String {
    letters(&mut hash(owner), 10)
}

fn letters(rest: &mut u64, count: usize) -> String {
    let mut text = String::with_capacity(count);
    for _ in 0..count {
        let index = usize::try_from(*rest % 27).expect("it is less than 27");
        text.push(char::from(LETTERS[index]));
        *rest /= 27;
    }
    text
}

/// FNV-1a: small, and the same everywhere and for ever.
fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn no_two_pods_of_a_controller_share_a_name() {
        let names: BTreeSet<String> = (0..50_000).map(|index| suffix("train", index)).collect();
        assert_eq!(names.len(), 50_000);
    }

    #[test]
    fn names_are_the_same_in_every_run() {
        assert_eq!(suffix("train", 0), suffix("train", 0));
        assert_ne!(suffix("train", 0), suffix("other", 0));
    }
}
