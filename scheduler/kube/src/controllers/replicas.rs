//! StatefulSets, ReplicaSets and Deployments.

use super::Played;
use super::job::inherit_marks;
use super::template::{self, Identity, Owner, Template, suffix, template_hash};
use crate::names;
use crate::translate::{Context, Translated, count, plain};
use crate::wire::workloads::{Replicas, StatefulSet};
use scheduler_model::spec::PodSpec;
use scheduler_model::world::Pace;

/// An `apps/v1` StatefulSet.
#[must_use]
pub fn stateful_set(object: &StatefulSet, context: &Context) -> Translated<Played> {
    let Translated { value: gang, mut problems } = plain::stateful_set(object);
    let mut played = Played { gangs: vec![gang], workloads: Vec::new() };
    let owner = Owner { kind: "StatefulSet", api_version: "apps/v1", meta: &object.metadata };
    let spec = &object.spec;
    let field = "spec.template";
    if let Some(mut template) = Template::new(&owner, &spec.template, field, context, &mut problems)
    {
        // Numbers that cannot be read were said with the gang already.
        let said = &mut owner.problems();
        let all = count::count(spec.replicas.as_ref(), "spec.replicas", said).unwrap_or(1);
        let all = owner.bounded(all, "spec.replicas", &mut problems);
        let start = count::count(spec.ordinals.start.as_ref(), "spec.ordinals.start", said);
        let first = start.unwrap_or(0);
        let pods: Vec<PodSpec> = (0..all)
            .map(|index| {
                let ordinal = first.saturating_add(index);
                let name = format!("{}-{ordinal}", object.metadata.name);
                template.pod(Identity {
                    labels: vec![
                        (names::STATEFUL_SET_POD, name.clone()),
                        (names::POD_INDEX, ordinal.to_string()),
                    ],
                    name,
                    ..Identity::default()
                })
            })
            .collect();
        problems.append(&mut template.problems);
        let is_parallel = spec.pod_management_policy == "Parallel";
        let pace = if is_parallel { Pace::AtOnce } else { Pace::AfterReady };
        let hints = template::hints(&owner, &spec.template, &mut problems);
        played.workloads.extend(owner.workload(pods, pace, hints));
    }
    Translated { value: played, problems }
}

/// An `apps/v1` ReplicaSet.
#[must_use]
pub fn replica_set(object: &Replicas, context: &Context) -> Translated<Played> {
    let Translated { value: gang, mut problems } = plain::replica_set(object);
    let mut played = Played { gangs: vec![gang], workloads: Vec::new() };
    let owner = Owner { kind: "ReplicaSet", api_version: "apps/v1", meta: &object.metadata };
    let spec = &object.spec;
    let field = "spec.template";
    if let Some(mut template) = Template::new(&owner, &spec.template, field, context, &mut problems)
    {
        // A number that cannot be read was said with the gang already.
        let said = &mut owner.problems();
        let all = count::count(spec.replicas.as_ref(), "spec.replicas", said).unwrap_or(1);
        let all = owner.bounded(all, "spec.replicas", &mut problems);
        let set = &object.metadata.name;
        let pods: Vec<PodSpec> = (0..all)
            .map(|index| {
                template.pod(Identity {
                    name: format!("{set}-{}", suffix(set, index)),
                    generate_name: format!("{set}-"),
                    ..Identity::default()
                })
            })
            .collect();
        problems.append(&mut template.problems);
        let hints = template::hints(&owner, &spec.template, &mut problems);
        played.workloads.extend(owner.workload(pods, Pace::AtOnce, hints));
    }
    Translated { value: played, problems }
}

/// An `apps/v1` Deployment, through the ReplicaSet it would create.
#[must_use]
pub fn deployment(object: &Replicas, context: &Context) -> Translated<Played> {
    let hash = template_hash(&object.metadata.name);
    let mut set = object.clone();
    set.metadata.name = format!("{}-{hash}", object.metadata.name);
    set.metadata.labels.clone_from(&object.spec.template.metadata.labels);
    set.spec.template.metadata.labels.insert(names::TEMPLATE_HASH.to_owned(), hash);
    inherit_marks(&object.metadata, &mut set.metadata);
    let mut read = replica_set(&set, context);
    let made = crate::translate::object_name("ReplicaSet", &set.metadata);
    let written = crate::translate::object_name("Deployment", &object.metadata);
    for problem in &mut read.problems {
        if problem.object == made {
            problem.object.clone_from(&written);
        }
    }
    for workload in &mut read.value.workloads {
        workload.object.clone_from(&written);
    }
    read
}
