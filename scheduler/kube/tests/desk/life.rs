//! What only a live cluster shows.

use crate::samples::{self, Sample};
use scheduler_kube::desk::{Desk, DeskConfig, Name, News, Outcome, Part, Source};
use scheduler_model::event::Event;
use scheduler_model::spec::{BudgetSpec, GangSpec, PodSpec};
use std::sync::Arc;

fn sample(yaml: &str) -> Sample {
    let json = serde_saphyr::from_str(yaml).expect("a sample is YAML");
    samples::sample(json).expect("a sample is read")
}

fn pod(name: &str, uid: &str, more: &str) -> Sample {
    sample(&format!(
        "{{apiVersion: v1, kind: Pod, metadata: {{name: {name}, uid: {uid}}}, \
         spec: {{schedulerName: muster, containers: [{{name: c}}]{more}}}}}"
    ))
}

fn job_pod(name: &str) -> Sample {
    sample(&format!(
        "{{apiVersion: v1, kind: Pod, metadata: {{name: {name}, uid: {name}, ownerReferences: \
         [{{apiVersion: batch/v1, kind: Job, name: train, controller: true}}]}}, \
         spec: {{schedulerName: muster, containers: [{{name: c}}]}}}}"
    ))
}

const JOB: &str = "{apiVersion: batch/v1, kind: Job, metadata: {name: train}, \
    spec: {completionMode: Indexed, parallelism: 2, completions: 2}}";

fn apply(desk: &mut Desk, sample: &Sample) {
    desk.take(News::Apply(sample.source, sample.object()));
}

fn gone(outcome: &Outcome) -> Vec<&str> {
    let gone = outcome.events.iter().filter_map(|event| match event {
        Event::PodGone(uid) => Some(uid.as_str()),
        _ => None,
    });
    gone.collect()
}

fn pods(outcome: &Outcome) -> Vec<&PodSpec> {
    let pods = outcome.events.iter().filter_map(|event| match event {
        Event::Pod(pod) => Some(&**pod),
        _ => None,
    });
    pods.collect()
}

fn gangs(outcome: &Outcome) -> Vec<&GangSpec> {
    let gangs = outcome.events.iter().filter_map(|event| match event {
        Event::Gang(gang) => Some(&**gang),
        _ => None,
    });
    gangs.collect()
}

fn fresh() -> Desk {
    let mut desk = Desk::new(DeskConfig::default());
    desk.flush();
    desk
}

#[test]
fn a_pod_that_was_made_again_under_its_name_is_another_one() {
    let mut desk = fresh();
    apply(&mut desk, &pod("x", "u1", ""));
    desk.flush();
    apply(&mut desk, &pod("x", "u2", ""));
    let outcome = desk.flush();
    assert_eq!(gone(&outcome), ["u1"]);
    assert_eq!(pods(&outcome)[0].uid, "u2");
}

#[test]
fn what_a_fresh_list_does_not_name_is_gone_only_at_its_end() {
    let mut desk = fresh();
    let source = Source::pods(Part::Ours(0));
    apply(&mut desk, &pod("x", "u1", ""));
    apply(&mut desk, &pod("z", "u2", ""));
    desk.flush();
    desk.take(News::ListStart(source));
    apply(&mut desk, &pod("z", "u2", ""));
    assert_eq!(gone(&desk.flush()), Vec::<&str>::new());
    desk.take(News::ListEnd(source));
    assert_eq!(gone(&desk.flush()), ["u1"]);
    assert_eq!(desk.count(source), 1);
}

#[test]
fn a_source_that_is_dropped_takes_its_own_objects_only() {
    let mut desk = fresh();
    let (ours, theirs) = (
        sample("{apiVersion: muster.sh/v1alpha1, kind: Queue, metadata: {name: a}}"),
        sample("{apiVersion: scheduling.volcano.sh/v1beta1, kind: Queue, metadata: {name: b}}"),
    );
    apply(&mut desk, &ours);
    apply(&mut desk, &theirs);
    desk.flush();
    desk.take(News::Drop(theirs.source));
    assert_eq!(desk.flush().events, [Event::QueueGone("b".to_owned())]);
    apply(&mut desk, &theirs);
    assert!(matches!(&desk.flush().events[..], [Event::Queue(queue)] if queue.name == "b"));
}

#[test]
fn an_object_that_cannot_be_read_keeps_its_last_form_and_is_told_once() {
    let mut desk = fresh();
    let source = Source::of("muster.sh", "Queue").expect("queues are read");
    let queue = sample("{apiVersion: muster.sh/v1alpha1, kind: Queue, metadata: {name: a}}");
    apply(&mut desk, &queue);
    desk.flush();
    let name = Name { namespace: String::new(), name: "a".to_owned() };
    for told in [1, 0] {
        desk.take(News::ListStart(source));
        desk.take(News::Unreadable(source, name.clone(), "expected a list".to_owned()));
        desk.take(News::ListEnd(source));
        let outcome = desk.flush();
        assert_eq!((outcome.events, outcome.problems.len()), (vec![], told));
    }
    apply(&mut desk, &queue);
    assert_eq!(desk.flush().problems, []);
}

#[test]
fn pods_of_one_template_share_one_shape() {
    let mut desk = fresh();
    let more = ", nodeSelector: {pool: a}";
    for name in ["x", "z"] {
        apply(&mut desk, &pod(name, name, more));
    }
    let outcome = desk.flush();
    let told = pods(&outcome);
    assert!(Arc::ptr_eq(&told[0].shape, &told[1].shape));
}

#[test]
fn the_gang_of_a_job_that_was_not_seen_yet_waits_until_it_is() {
    let mut desk = fresh();
    let job = sample(JOB);
    desk.take(News::ListStart(job.source));
    desk.take(News::ListEnd(job.source));
    apply(&mut desk, &job_pod("train-0"));
    let outcome = desk.flush();
    assert!(gangs(&outcome)[0].unsupported[0].contains("not been seen"), "{outcome:?}");
    apply(&mut desk, &job);
    let outcome = desk.flush();
    let gang = gangs(&outcome)[0];
    assert_eq!((gang.min, gang.unsupported.len()), (2, 0));
}

#[test]
fn the_gang_of_a_job_that_was_not_seen_yet_waits_on_when_its_pod_is_told_again() {
    let mut desk = fresh();
    let job = sample(JOB);
    // The pod is the first that is heard of.
    apply(&mut desk, &job_pod("train-0"));
    desk.flush();
    desk.take(News::ListStart(job.source));
    desk.take(News::ListEnd(job.source));
    let outcome = desk.flush();
    assert!(gangs(&outcome)[0].unsupported[0].contains("not been seen"), "{outcome:?}");
    apply(&mut desk, &job_pod("train-0"));
    assert_eq!(gangs(&desk.flush()), Vec::<&GangSpec>::new(), "nothing is known that was not");
}

#[test]
fn the_replica_of_a_set_that_was_not_seen_yet_waits() {
    let mut desk = fresh();
    let source = Source::of("leaderworkerset.x-k8s.io", "LeaderWorkerSet").expect("it is read");
    desk.take(News::ListStart(source));
    desk.take(News::ListEnd(source));
    let labels = ", labels: {leaderworkerset.sigs.k8s.io/name: llm, \
                  leaderworkerset.sigs.k8s.io/group-index: '0'}";
    apply(
        &mut desk,
        &sample(&format!(
            "{{apiVersion: v1, kind: Pod, metadata: {{name: llm-0, namespace: a, uid: x{labels}}}, \
         spec: {{schedulerName: muster}}}}"
        )),
    );
    let outcome = desk.flush();
    let gang = gangs(&outcome)[0];
    assert_eq!(gang.key.name, "lws/llm-0");
    assert!(gang.unsupported[0].contains("not been seen"), "{outcome:?}");
}

#[test]
fn nobody_waits_for_a_job_where_jobs_cannot_be_listed() {
    let mut desk = fresh();
    apply(&mut desk, &job_pod("train-0"));
    assert_eq!(gangs(&desk.flush()), Vec::<&GangSpec>::new());
}

#[test]
fn a_job_takes_the_queue_of_its_job_set_whichever_comes_first() {
    let set = sample(
        "{apiVersion: jobset.x-k8s.io/v1alpha2, kind: JobSet, metadata: {name: s, labels: \
         {muster.sh/queue: q}}, spec: {replicatedJobs: []}}",
    );
    let job = sample(
        "{apiVersion: batch/v1, kind: Job, metadata: {name: s-r-0, ownerReferences: \
         [{apiVersion: jobset.x-k8s.io/v1alpha2, kind: JobSet, name: s, controller: true}]}, \
         spec: {}}",
    );
    for order in [[&set, &job], [&job, &set]] {
        let mut desk = fresh();
        let mut last = None;
        for one in order {
            apply(&mut desk, one);
            last = gangs(&desk.flush()).last().map(|gang| gang.queue.clone()).or(last);
        }
        assert_eq!(last.flatten().as_deref(), Some("q"));
        desk.take(News::Delete(set.source, set.name()));
        assert_eq!(gangs(&desk.flush())[0].queue, None);
    }
}

#[test]
fn the_name_of_a_kueue_queue_means_nothing_where_kueue_admits() {
    let labelled = |kueue_queues: bool| {
        let mut desk = Desk::new(DeskConfig { kueue_queues, ..DeskConfig::default() });
        desk.flush();
        let pod = sample(
            "{apiVersion: v1, kind: Pod, metadata: {name: x, labels: \
             {kueue.x-k8s.io/queue-name: lq}}, spec: {schedulerName: muster}}",
        );
        let job = sample(
            "{apiVersion: batch/v1, kind: Job, metadata: {name: j, labels: \
             {kueue.x-k8s.io/queue-name: lq}}, spec: {}}",
        );
        apply(&mut desk, &pod);
        apply(&mut desk, &job);
        let outcome = desk.flush();
        (pods(&outcome)[0].queue.clone(), gangs(&outcome)[0].queue.clone())
    };
    let local = Some("default/lq".to_owned());
    assert_eq!(labelled(true), (local.clone(), local));
    assert_eq!(labelled(false), (None, None));
}

#[test]
fn a_priority_class_of_every_cluster_comes_back_when_its_object_goes() {
    let mut desk = fresh();
    let class = sample(
        "{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, \
         metadata: {name: system-node-critical}, value: 7}",
    );
    apply(&mut desk, &class);
    desk.flush();
    desk.take(News::Delete(class.source, class.name()));
    let outcome = desk.flush();
    let value = match &outcome.events[..] {
        [Event::PriorityClass(class)] => class.value,
        other => panic!("{other:?}"),
    };
    assert_eq!(value, 2_000_001_000);
}

#[test]
fn an_object_that_is_told_again_unchanged_is_no_news() {
    let mut desk = fresh();
    for sample in samples::all().iter().filter(|sample| sample.source.kind().kind != "Pod") {
        apply(&mut desk, sample);
    }
    desk.flush();
    for sample in samples::all().iter().filter(|sample| sample.source.kind().kind != "Pod") {
        apply(&mut desk, sample);
    }
    // Objects of one name that stand twice among the samples change to and fro.
    let events = desk.flush().events;
    assert!(events.len() <= 6, "{events:#?}");
}

#[test]
fn of_two_queues_of_one_name_ours_counts_and_the_other_is_told() {
    let mut desk = fresh();
    let yaml = |group: &str, limit: &str| {
        sample(&format!(
            "{{apiVersion: {group}, kind: Queue, metadata: {{name: q}}, spec: {{{limit}}}}}"
        ))
    };
    apply(&mut desk, &yaml("scheduling.volcano.sh/v1beta1", "weight: 5"));
    apply(&mut desk, &yaml("muster.sh/v1alpha1", "weight: 2"));
    let outcome = desk.flush();
    assert!(matches!(&outcome.events[..], [Event::Queue(queue)] if queue.weight == 2));
    assert!(outcome.problems[0].message.contains("that one counts"), "{:?}", outcome.problems);
}

#[test]
fn while_budgets_cannot_be_read_one_stands_for_all_of_them() {
    let mut desk = fresh();
    desk.hide_budgets(true);
    assert_eq!(desk.flush().events, [Event::Budget(BudgetSpec::unreadable())]);
    desk.hide_budgets(true);
    assert_eq!(desk.flush().events, [], "it was told");
    desk.hide_budgets(false);
    assert_eq!(desk.flush().events, [Event::BudgetGone(BudgetSpec::unreadable().key())]);
}
