//! Parts of an object that are created after others.

use crate::{object, said};
use scheduler_kube::controllers::{self, Played};
use scheduler_kube::translate::{Context, Translated};
use scheduler_model::world::{After, Until};

fn volcano(tasks: &str) -> Translated<Played> {
    let yaml = format!(
        "metadata: {{name: j}}\nspec: {{schedulerName: muster, minAvailable: 1, tasks: [{tasks}]}}"
    );
    controllers::volcano_job(&object(&yaml), &Context::default())
}

fn job_set(jobs: &[&str]) -> Translated<Played> {
    let template = "template: {spec: {template: {spec: {schedulerName: muster}}}}";
    let jobs: Vec<String> = jobs.iter().map(|job| format!("{{{job}, {template}}}")).collect();
    let yaml = format!("metadata: {{name: s}}\nspec: {{replicatedJobs: [{}]}}", jobs.join(", "));
    controllers::job_set(&object(&yaml), &Context::default())
}

/// The parts that are played, and what each of them waits for.
fn order(read: &Translated<Played>) -> Vec<(&str, Vec<(&str, Until)>)> {
    read.value
        .workloads
        .iter()
        .map(|workload| (&*workload.part, workload.after.iter().map(short).collect()))
        .collect()
}

fn short(after: &After) -> (&str, Until) {
    (&after.part, after.until)
}

#[test]
fn tasks_wait_until_those_they_depend_on_have_started() {
    let read = volcano(
        "{name: c, replicas: 1, dependsOn: {name: [b, a]}}, {name: a, replicas: 1}, \
         {name: b, replicas: 2, dependsOn: {name: [a]}}",
    );
    let (a, b, c) = ("Job j: a", "Job j: b", "Job j: c");
    assert_eq!(
        order(&read),
        [
            (c, vec![(a, Until::Starts), (b, Until::Starts)]),
            (a, vec![]),
            (b, vec![(a, Until::Starts)])
        ]
    );
    assert_eq!(said(&read), Vec::<String>::new());
}

#[test]
fn a_task_without_pods_keeps_nobody_waiting() {
    let read = volcano(
        "{name: a, replicas: 0}, {name: b, replicas: 1, dependsOn: {name: [a]}}, \
         {name: c, replicas: 1}",
    );
    assert_eq!(order(&read), [("Job j: b", vec![]), ("Job j: c", vec![])]);
    assert_eq!(said(&read), Vec::<String>::new());
}

#[test]
fn a_task_that_waits_for_an_unknown_one_is_not_played_and_that_is_said() {
    let read = volcano("{name: a, replicas: 1}, {name: b, replicas: 1, dependsOn: {name: [x]}}");
    assert_eq!(order(&read), [("Job j: a", vec![])]);
    assert!(said(&read)[0].contains("there is no task \"x\""), "{:?}", said(&read));
}

#[test]
fn tasks_that_wait_for_each_other_are_not_played_and_that_is_said_of_each() {
    let read = volcano(
        "{name: a, replicas: 1}, {name: b, replicas: 1, dependsOn: {name: [c]}}, \
         {name: c, replicas: 1, dependsOn: {name: [b]}}, \
         {name: d, replicas: 1, dependsOn: {name: [c]}}",
    );
    assert_eq!(order(&read), [("Job j: a", vec![])]);
    for index in 1..4 {
        let field = format!("spec.tasks[{index}].dependsOn");
        let problems = read.problems.iter().filter(|problem| problem.field == field);
        assert_eq!(problems.count(), 1, "{:?}", said(&read));
    }
}

#[test]
fn a_task_that_waits_for_one_of_another_scheduler_never_comes_and_that_is_said() {
    let read = volcano(
        "{name: a, replicas: 1, template: {spec: {schedulerName: other}}}, \
         {name: b, replicas: 1, dependsOn: {name: [a]}}",
    );
    let never = "no pods of \"Job j: a\" are played";
    assert!(said(&read).iter().any(|text| text.contains(never)), "{:?}", said(&read));
}

#[test]
fn jobs_of_a_job_set_wait_for_a_start_or_an_end() {
    let read = job_set(&[
        "name: a, replicas: 2",
        "name: b, dependsOn: [{name: a, status: Ready}]",
        "name: c, dependsOn: [{name: b, status: Complete}]",
    ]);
    let (a, b, c) = ("JobSet s: a", "JobSet s: b", "JobSet s: c");
    assert_eq!(
        order(&read),
        [(a, vec![]), (a, vec![]), (b, vec![(a, Until::Starts)]), (c, vec![(b, Until::Succeeds)])]
    );
    assert_eq!(said(&read), Vec::<String>::new());
}

#[test]
fn jobs_that_wait_for_what_does_not_stand_before_them_are_not_played_and_that_is_said() {
    let read = job_set(&["name: b, dependsOn: [{name: a, status: Ready}]", "name: a"]);
    assert_eq!(order(&read), [("JobSet s: a", vec![])]);
    assert!(said(&read)[0].contains("no \"a\" stands before it"), "{:?}", said(&read));
}

#[test]
fn jobs_that_wait_for_no_known_status_are_not_played_and_that_is_said() {
    let read = job_set(&["name: a", "name: b, dependsOn: [{name: a, status: Odd}]"]);
    assert_eq!(order(&read), [("JobSet s: a", vec![])]);
    assert!(said(&read)[0].contains("\"Odd\" is no status"), "{:?}", said(&read));
}
