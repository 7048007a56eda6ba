//! Who a pod is, whose it is, and what became of it.

use crate::{from_json, from_spec, said};
use scheduler_kube::translate::{Context, pod};
use scheduler_model::spec::{ClaimUse, Membership, PodPhase, Unsupported};
use scheduler_model::time::{Span, Time};

fn with_status(status: &str) -> scheduler_model::spec::PodSpec {
    from_json(&format!(r#"{{"metadata":{{"name":"p"}},"status":{status}}}"#)).value
}

#[test]
fn only_pods_that_name_one_of_our_schedulers_are_ours() {
    let context = Context::of(vec!["muster".to_owned(), "default-scheduler".to_owned()]);
    for (name, by_default, with_both) in [
        ("muster", true, true),
        ("", false, true),
        ("volcano", false, false),
        ("Muster", false, false),
    ] {
        assert_eq!(pod::is_ours(name, &Context::default()), by_default, "{name}");
        assert_eq!(pod::is_ours(name, &context), with_both, "{name}");
    }
}

#[test]
fn a_hand_written_pod_needs_no_more_than_a_name() {
    let read = from_json(r#"{"metadata":{"name":"p"}}"#);
    assert_eq!(read.problems, []);
    assert_eq!(read.value.uid, "pod:default/p");
    assert_eq!(read.value.namespace, "default");
    assert_eq!(read.value.phase, PodPhase::Pending);
    assert_eq!(read.value.membership, Membership::Alone);
}

#[test]
fn a_pod_without_any_name_is_a_problem() {
    assert_eq!(said(&from_json("{}")), ["Pod  metadata.name: it has no name (give it one)"]);
    assert_eq!(from_json(r#"{"metadata":{"generateName":"a-"}}"#).value.name, "a");
}

#[test]
fn a_pod_of_unknown_phase_holds_its_room() {
    for (text, phase, problems) in [
        ("Pending", PodPhase::Pending, 0),
        ("Running", PodPhase::Running, 0),
        ("Unknown", PodPhase::Running, 0),
        ("Succeeded", PodPhase::Succeeded, 0),
        ("Failed", PodPhase::Failed, 0),
        ("Sleeping", PodPhase::Running, 1),
    ] {
        let json = format!(r#"{{"metadata":{{"name":"p"}},"status":{{"phase":"{text}"}}}}"#);
        let read = from_json(&json);
        assert_eq!((read.value.phase, read.problems.len()), (phase, problems), "{text}");
    }
}

#[test]
fn a_pod_that_is_being_deleted_is_terminating() {
    let read = from_json(r#"{"metadata":{"name":"p","deletionTimestamp":"2026-11-30T06:00:00Z"}}"#);
    assert!(read.value.terminating);
}

#[test]
fn the_times_of_a_life_come_from_conditions_and_containers() {
    let pod = with_status(
        r#"{"phase":"Failed","startTime":"1970-01-01T00:00:02Z",
            "conditions":[{"type":"PodScheduled","status":"True",
                "lastTransitionTime":"1970-01-01T00:00:01Z"}],
            "containerStatuses":[
                {"state":{"terminated":{"finishedAt":"1970-01-01T00:00:09Z"}}},
                {"state":{"terminated":{"finishedAt":"1970-01-01T00:00:07Z"}}}]}"#,
    );
    let seconds = |count: i64| Some(Time::from_ms(count * 1000));
    assert_eq!((pod.scheduled_at, pod.started_at), (seconds(1), seconds(2)));
    assert_eq!(pod.finished_at, seconds(9));
}

#[test]
fn without_container_states_a_pod_ended_when_it_stopped_being_ready() {
    let ready = r#""conditions":[{"type":"Ready","status":"False",
        "lastTransitionTime":"1970-01-01T00:00:05Z"}]"#;
    let ended = with_status(&format!(r#"{{"phase":"Succeeded",{ready}}}"#));
    assert_eq!(ended.finished_at, Some(Time::from_ms(5000)));
    assert_eq!(with_status(&format!(r#"{{"phase":"Running",{ready}}}"#)).finished_at, None);
}

#[test]
fn an_unscheduled_pod_has_no_time_of_scheduling() {
    let pod = with_status(
        r#"{"conditions":[{"type":"PodScheduled","status":"False",
            "lastTransitionTime":"1970-01-01T00:00:01Z"}]}"#,
    );
    assert_eq!(pod.scheduled_at, None);
}

#[test]
fn a_pod_that_lost_its_place_counts_as_evicted() {
    for (status, want) in [
        (r#"{"conditions":[{"type":"DisruptionTarget","status":"True"}]}"#, true),
        (r#"{"conditions":[{"type":"DisruptionTarget","status":"False"}]}"#, false),
        (r#"{"phase":"Failed","reason":"OutOfcpu"}"#, true),
        (r#"{"phase":"Failed","reason":"UnexpectedAdmissionError"}"#, true),
        (r#"{"phase":"Failed","reason":"Evicted"}"#, true),
        (r#"{"phase":"Failed","reason":"DeadlineExceeded"}"#, false),
        (r#"{"phase":"Running","reason":"NodeLost"}"#, false),
    ] {
        assert_eq!(with_status(status).evicted, want, "{status}");
    }
}

#[test]
fn a_deadline_is_an_upper_bound_of_the_run_time() {
    let read = from_spec(r#"{"activeDeadlineSeconds":90}"#);
    assert_eq!(read.value.walltime, Some(Span::from_secs(90)));
    let zero = from_spec(r#"{"activeDeadlineSeconds":0}"#);
    assert_eq!((zero.value.walltime, zero.problems.len()), (None, 1));
}

#[test]
fn a_priority_beyond_its_range_is_cut_and_never_costs_the_pod() {
    let read = from_spec(r#"{"priority":99999999999}"#);
    assert_eq!((read.value.priority, read.problems.len()), (Some(i32::MAX), 1));
    let text = from_spec(r#"{"priority":"high"}"#);
    assert_eq!((text.value.priority, text.problems.len()), (None, 1));
}

#[test]
fn closed_gates_are_listed_in_order() {
    let read = from_spec(r#"{"schedulingGates":[{"name":"b"},{"name":"a"},{"name":"b"}]}"#);
    assert_eq!(read.value.gates, ["a", "b"]);
}

#[test]
fn claims_are_named_and_devices_and_inline_disks_are_not_supported() {
    let read = from_spec(
        r#"{"volumes":[{"name":"a","emptyDir":{}},{"name":"b","hostPath":{"path":"/"}},
            {"name":"c","persistentVolumeClaim":{"claimName":"data"}},
            {"name":"d","ephemeral":{"volumeClaimTemplate":{"spec":{}}}},
            {"name":"e","rbd":{"image":"x"}},{"name":"f","ephemeral":null}],
            "resourceClaims":[{"name":"gpu","resourceClaimTemplateName":"one-gpu"}]}"#,
    );
    let claim = |name: &str, is_own| ClaimUse { name: name.to_owned(), is_own };
    assert_eq!(read.value.claims, [claim("data", false), claim("p-d", true)]);
    assert_eq!(
        read.value.unsupported,
        [
            Unsupported::ResourceClaim("gpu".to_owned()),
            Unsupported::Other("the inline rbd volume e".to_owned()),
        ]
    );
}

#[test]
fn role_and_rank_come_with_the_pod() {
    let read = from_json(
        r#"{"metadata":{"name":"t-ps-4","labels":{"muster.sh/role":"ps","volcano.sh/task-spec":"x"}}}"#,
    );
    assert_eq!((read.value.role.as_str(), read.value.rank), ("ps", Some(4)));
}
