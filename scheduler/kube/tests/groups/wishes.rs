//! What groups and pods of every dialect wish where others want their room, and what queues grant.

use crate::{object, said};
use scheduler_kube::translate::{
    Context, coscheduling, muster, native, plain, pod, queue, volcano,
};
use scheduler_model::spec::{Grants, Wishes};
use scheduler_model::time::{Span, Time};

/// All that can be wished, in annotations.
const META: &str = "metadata: {name: g, annotations: {muster.sh/preemptible: \"false\", \
     muster.sh/min-runtime: 30m, muster.sh/preemption-cost: \"600\", \
     muster.sh/checkpointed-at: \"1970-01-01T00:00:05Z\"}}";

fn all() -> Wishes {
    Wishes {
        non_preemptible: true,
        min_runtime: Span::from_secs(1800),
        cooldown: Span::ZERO,
        preemption_cost: Some(600),
        checkpointed_at: Some(Time::from_ms(5000)),
    }
}

fn of_pod(meta: &str) -> (Option<Wishes>, Vec<String>) {
    let read = pod::translate(&object(&format!("metadata: {meta}")), &Context::default());
    (read.value.wishes.as_deref().cloned(), said(&read))
}

#[test]
fn annotations_wish_the_same_on_groups_of_every_dialect_and_on_pods() {
    let policy = "spec: {schedulingPolicy: {gang: {minCount: 1}}}";
    let groups = [
        muster::pod_group(&object(META)),
        native::pod_group(&object(&format!("{META}\n{policy}"))),
        volcano::pod_group(&object(META)),
        volcano::job(&object(META)),
        coscheduling::pod_group(&object(META)),
        plain::job(&object(META)),
    ];
    for group in groups {
        assert_eq!((group.value.wishes.clone(), said(&group)), (all(), vec![]));
    }
    let pod = pod::translate(&object(META), &Context::default());
    assert_eq!((pod.value.wishes.as_deref(), said(&pod)), (Some(&all()), vec![]));
}

#[test]
fn a_pod_that_wishes_nothing_carries_nothing() {
    assert_eq!(of_pod("{name: p, annotations: {muster.sh/preemptible: \"true\"}}"), (None, vec![]));
}

#[test]
fn fields_of_a_muster_group_come_before_its_annotations() {
    let spec = "spec: {preemptible: true, minRuntime: 1h, preemptionCost: 7}";
    let read = muster::pod_group(&object(&format!("{META}\n{spec}")));
    let want = Wishes {
        non_preemptible: false,
        min_runtime: Span::from_secs(3600),
        preemption_cost: Some(7),
        ..all()
    };
    assert_eq!((read.value.wishes.clone(), said(&read)), (want, vec![]));
}

#[test]
fn volcanos_marks_are_labels_or_annotations_of_groups_and_pods() {
    for place in ["labels", "annotations"] {
        let meta = format!(
            "{{name: p, {place}: {{volcano.sh/preemptable: \"false\", \
             volcano.sh/cooldown-time: 600s}}}}"
        );
        let want =
            Wishes { non_preemptible: true, cooldown: Span::from_secs(600), ..Wishes::default() };
        assert_eq!(of_pod(&meta), (Some(want.clone()), vec![]), "{place}");
        let group = volcano::pod_group(&object(&format!("metadata: {meta}")));
        assert_eq!(group.value.wishes, want, "{place}");
    }
}

#[test]
fn a_wish_that_cannot_be_read_is_ignored_and_named_by_its_field() {
    let (wishes, said) = of_pod(
        "{name: p, namespace: a, annotations: {muster.sh/preemptible: never, \
         muster.sh/min-runtime: soon, muster.sh/preemption-cost: \"-1\", \
         muster.sh/checkpointed-at: noon, volcano.sh/preemptable: maybe}, \
         labels: {volcano.sh/cooldown-time: long}}",
    );
    assert_eq!(wishes, None);
    for field in [
        "Pod a/p metadata.annotations[muster.sh/preemptible]",
        "Pod a/p metadata.annotations[muster.sh/min-runtime]",
        "Pod a/p metadata.annotations[muster.sh/preemption-cost]",
        "Pod a/p metadata.annotations[muster.sh/checkpointed-at]",
        "Pod a/p metadata.annotations[volcano.sh/preemptable]",
        "Pod a/p metadata.labels[volcano.sh/cooldown-time]",
    ] {
        assert!(said.iter().any(|it| it.starts_with(field)), "{field}: {said:?}");
    }
    assert_eq!(said.len(), 6, "{said:?}");
}

#[test]
fn fields_of_a_muster_group_that_cannot_be_read_are_ignored_and_said() {
    let spec = "spec: {minRuntime: soon, preemptionCost: many}";
    let read = muster::pod_group(&object(&format!("metadata: {{name: g}}\n{spec}")));
    assert_eq!(read.value.wishes, Wishes::default());
    let fields: Vec<&str> = read.problems.iter().map(|it| &*it.field).collect();
    assert_eq!(fields, ["spec.minRuntime", "spec.preemptionCost"]);
}

#[test]
fn a_muster_queue_says_who_may_evict_whom_and_what_may_be_wished() {
    let spec = "spec: {preempts: false, preemptible: false, minRuntime: 10m, wishes: \
                {nonPreemptible: true, minRuntime: 1h, preemptionCost: 1200}}";
    let read = queue::queue(&object(&format!("metadata: {{name: q}}\n{spec}")));
    assert_eq!(said(&read), Vec::<String>::new());
    let queue = read.value;
    assert_eq!((queue.preempts, queue.preemptible), (false, false));
    assert_eq!(queue.min_runtime, Span::from_secs(600));
    let want = Grants {
        non_preemptible: Some(true),
        min_runtime: Some(Span::from_secs(3600)),
        preemption_cost: Some(1200),
    };
    assert_eq!(queue.grants, want);
}

#[test]
fn a_maximum_that_cannot_be_read_grants_nothing_and_is_said() {
    let spec = "spec: {minRuntime: ever, wishes: {minRuntime: long, preemptionCost: -5}}";
    let read = queue::queue(&object(&format!("metadata: {{name: q}}\n{spec}")));
    assert_eq!(read.value.min_runtime, Span::ZERO);
    let want =
        Grants { non_preemptible: None, min_runtime: Some(Span::ZERO), preemption_cost: Some(0) };
    assert_eq!(read.value.grants, want);
    let fields: Vec<&str> = read.problems.iter().map(|it| &*it.field).collect();
    let want = ["spec.minRuntime", "spec.wishes.minRuntime", "spec.wishes.preemptionCost"];
    assert_eq!(fields, want);
}

#[test]
fn a_volcano_queue_grants_what_volcano_does() {
    let read = volcano::volcano_queue(&object("metadata: {name: q}")).value;
    assert_eq!(read.grants, Grants::FREE);
    assert_eq!((read.preempts, read.preemptible), (true, true));
}

#[test]
fn a_pod_says_whether_it_preempts_or_leaves_it_to_its_class() {
    let of = |spec: &str| {
        let pod = object(&format!("metadata: {{name: p}}\nspec: {{{spec}}}"));
        let read = pod::translate(&pod, &Context::default());
        (read.value.preempts, read.problems.len())
    };
    assert_eq!(of(""), (None, 0));
    assert_eq!(of("preemptionPolicy: null"), (None, 0));
    assert_eq!(of("preemptionPolicy: Never"), (Some(false), 0));
    assert_eq!(of("preemptionPolicy: PreemptLowerPriority"), (Some(true), 0));
    assert_eq!(of("preemptionPolicy: Sometimes"), (Some(false), 1));
}
