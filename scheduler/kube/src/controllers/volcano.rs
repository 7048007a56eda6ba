//! Volcano Jobs: their tasks become pods, and the group that Volcano's controller would make
//! comes along.

use super::Played;
use super::template::{self, Identity, Owner, PODS_MAX, Template};
use crate::names;
use crate::translate::{Context, Translated, count, volcano};
use crate::wire::PodTemplate;
use crate::wire::volcano::{Task, VolcanoJob};
use scheduler_model::problem::Problem;
use scheduler_model::world::Pace;

/// A `batch.volcano.sh/v1alpha1` Job.
///
/// Tasks that wait for others are not played: their pods do not exist until those run, and the
/// gang's own problem says whether its minimum needs them.
#[must_use]
pub fn volcano_job(object: &VolcanoJob, context: &Context) -> Translated<Played> {
    let Translated { value: gang, mut problems } = volcano::job(object);
    let mut played = Played { gangs: vec![gang], workloads: Vec::new() };
    let owner =
        Owner { kind: "Job", api_version: "batch.volcano.sh/v1alpha1", meta: &object.metadata };
    let mut left = PODS_MAX;
    for (index, task) in object.spec.tasks.iter().enumerate() {
        let field = format!("spec.tasks[{index}]");
        if task.depends_on.as_ref().is_some_and(|on| !on.name.is_empty()) {
            problems.push(Problem::new(
                owner.object(),
                format!("{field}.dependsOn"),
                "its pods are created after other tasks run, so they are not played",
                "give the pods themselves to see them placed",
            ));
            continue;
        }
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
        played.workloads.extend(owner.workload(pods, Pace::AtOnce, hints));
    }
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
