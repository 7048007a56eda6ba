//! Volcano Jobs: their tasks become pods, and the group that Volcano's controller would make
//! comes along.

use super::template::{self, Identity, Owner, PODS_MAX, Template};
use super::{Played, order};
use crate::names;
use crate::translate::{Context, Translated, count, volcano};
use crate::wire::PodTemplate;
use crate::wire::volcano::{Task, VolcanoJob};
use scheduler_model::world::{Pace, Workload};

/// A `batch.volcano.sh/v1alpha1` Job.
///
/// Tasks that wait for others are created when all pods of those have started; Volcano goes on
/// earlier where a task has a smaller minimum, or where any one task is enough. The gang's own
/// problem says whether its minimum needs pods that are created later.
#[must_use]
pub fn volcano_job(object: &VolcanoJob, context: &Context) -> Translated<Played> {
    let Translated { value: gang, mut problems } = volcano::job(object);
    let mut played = Played { gangs: vec![gang], workloads: Vec::new() };
    let owner =
        Owner { kind: "Job", api_version: "batch.volcano.sh/v1alpha1", meta: &object.metadata };
    let mut left = PODS_MAX;
    let order = order::of_tasks(object, &owner, &mut problems);
    for (index, (task, after)) in object.spec.tasks.iter().zip(order).enumerate() {
        let field = format!("spec.tasks[{index}]");
        let Some(after) = after else { continue };
        let written = template(object, task);
        let place = format!("{field}.template");
        let Some(mut template) = Template::new(&owner, &written, &place, context, &mut problems)
        else {
            continue;
        };
        let mut said = owner.problems();
        let replicas = format!("{field}.replicas");
        let wanted = count::count(task.replicas.as_ref(), &replicas, &mut said).unwrap_or(0);
        problems.extend(said.with(()).problems);
        let wanted = owner.bounded_by(left, wanted, &replicas, &mut problems);
        left -= wanted;
        let name = volcano::task_name(task, index);
        let pods = (0..wanted).map(|number| template.pod(identity(object, &name, number)));
        let pods = pods.collect();
        problems.append(&mut template.problems);
        let hints = template::hints(&owner, &written, &mut problems);
        let workload = owner.workload(pods, Pace::AtOnce, hints);
        let part = order::part(&owner, &name);
        played.workloads.extend(workload.map(|workload| Workload { part, after, ..workload }));
    }
    order::say_unplayed(&owner, &played.workloads, &mut problems);
    Translated { value: played, problems }
}

/// The task's template with what the controller fills in from the Job.
fn template(object: &VolcanoJob, task: &Task) -> PodTemplate {
    let mut template = task.template.clone();
    if template.spec.scheduler_name.is_empty() {
        template.spec.scheduler_name.clone_from(&object.spec.scheduler_name);
    }
    if template.spec.priority_class_name.is_empty() {
        template.spec.priority_class_name.clone_from(&object.spec.priority_class_name);
    }
    template
}

fn identity(object: &VolcanoJob, task: &str, number: u32) -> Identity {
    let job = &object.metadata.name;
    let mut marks = vec![
        (names::VOLCANO_JOB, job.clone()),
        (names::VOLCANO_TASK, task.to_owned()),
        (names::VOLCANO_TASK_INDEX, number.to_string()),
    ];
    if !object.spec.queue.is_empty() {
        marks.push((names::VOLCANO_QUEUE, object.spec.queue.clone()));
    }
    let group = volcano::job_key(&object.metadata).name;
    let mut annotations = marks.clone();
    annotations.push((names::VOLCANO_GROUP_NAME, group));
    Identity {
        name: format!("{job}-{task}-{number}"),
        labels: marks,
        annotations,
        ..Identity::default()
    }
}
