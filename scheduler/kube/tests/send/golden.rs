//! Every call as the requests that carry it out, in every dialect.

use crate::make::{
    NOW, bind, encoder, explanation, group, lease, pod, record, running, set, waiting,
};
use scheduler_kube::send::request::Request;
use scheduler_kube::send::{Encoder, Served};
use scheduler_kube::wire::explanation as wire;
use scheduler_model::amount::Amount;
use scheduler_model::explain::WaitReason;
use scheduler_model::spec::{Dialect, Ledger};
use scheduler_protocol::call::{Call, CallId, ClaimRef, PodCondition, QueueRef};
use scheduler_protocol::status::{
    About, Counts, EventNote, EventReason, GroupStatus, GroupsByPhase, Phase, QueueStatus,
};

fn encoded(call: &Call) -> Vec<Request> {
    encoder().encode(CallId(7), call)
}

/// Requests as people read them in a trace.
fn show(calls: &[Call]) -> String {
    let requests = calls.iter().flat_map(encoded).map(|request| text(&request));
    requests.collect::<Vec<String>>().join("\n\n")
}

fn text(request: &Request) -> String {
    let access = format!("# {} {} -> {:?}", request.verb, request.resource, request.wants);
    let head = format!("{} {}", request.method, request.path);
    let Some((content, body)) = &request.body else { return format!("{access}\n{head}") };
    let mut body = body.clone();
    if let Some(digest) = body.pointer_mut("/1/value/digest") {
        *digest = "16 digits".into();
    }
    body.sort_all_objects();
    format!("{access}\n{head}\nContent-Type: {}\n{body:#}", content.mime())
}

fn status(dialect: Dialect, status: GroupStatus) -> Call {
    Call::GroupStatus { group: group(dialect), status: Box::new(status) }
}

fn broken() -> GroupStatus {
    GroupStatus {
        phase: Phase::Broken,
        counts: Counts { exist: 3, placed: 3, running: 3, failed: 1, ..Counts::default() },
        ..running()
    }
}

fn done() -> GroupStatus {
    GroupStatus {
        phase: Phase::Done,
        counts: Counts { succeeded: 4, ..Counts::default() },
        ledger: Ledger::default(),
        ..running()
    }
}

fn queue_status(dialect: Dialect, status: QueueStatus) -> Call {
    let queue = QueueRef { dialect, name: "research".to_owned(), uid: "u-9".to_owned() };
    Call::QueueStatus { queue, status: Box::new(status) }
}

#[test]
fn the_status_of_a_queue_is_replaced_on_the_queue_that_was_meant() {
    let amounts = |gpus| {
        let memory = ("memory".to_owned(), Amount::new(64 << 30));
        [memory, ("nvidia.com/gpu".to_owned(), Amount::new(gpus))].into()
    };
    let status = QueueStatus {
        since: NOW,
        used: amounts(8),
        entitled: amounts(4),
        fair: amounts(8),
        waiting: 3,
        ..QueueStatus::default()
    };
    let trouble = ("ParentMissing".to_owned(), "its parent \"x\" does not exist".to_owned());
    let broken = QueueStatus { trouble: Some(trouble), since: NOW, ..QueueStatus::default() };
    let calls = [status, broken].map(|it| queue_status(Dialect::Muster, it));
    insta::assert_snapshot!(show(&calls));
}

#[test]
fn queues_of_others_are_not_written() {
    assert_eq!(encoded(&queue_status(Dialect::Kubernetes, QueueStatus::default())), []);
}

#[test]
fn a_queue_of_volcano_without_a_status_subresource_is_not_written() {
    assert_eq!(encoded(&queue_status(Dialect::Volcano, QueueStatus::default())), []);
}

#[test]
fn numbers_go_into_the_status_of_a_volcano_queue_one_by_one() {
    let groups = GroupsByPhase { pending: 1, admitted: 2, running: 3, broken: 4, done: 5 };
    let used = [("nvidia.com/gpu".to_owned(), Amount::new(8))].into();
    let busy = QueueStatus { used, groups: Some(groups), ..QueueStatus::default() };
    let first = QueueStatus { is_first: true, ..QueueStatus::default() };
    let served = Served { volcano_queues: Some("v1beta1".to_owned()), ..Served::default() };
    let encoder = Encoder { served, ..encoder() };
    let calls = [busy, first].map(|it| queue_status(Dialect::Volcano, it));
    let requests = calls.iter().flat_map(|call| encoder.encode(CallId(7), call));
    let texts: Vec<String> = requests.map(|request| text(&request)).collect();
    insta::assert_snapshot!(texts.join("\n\n"));
}

#[test]
fn a_bind_names_the_uid_and_carries_its_annotations() {
    insta::assert_snapshot!(show(&[bind()]));
}

#[test]
fn pods_are_read_and_deleted_by_uid() {
    insta::assert_snapshot!(show(&[Call::ReadPod(pod()), Call::DeletePod(pod())]));
}

#[test]
fn pod_conditions_and_nominations_leave_those_of_others_alone() {
    let condition = PodCondition {
        kind: "PodScheduled",
        is_true: false,
        reason: "Unschedulable".to_owned(),
        message: "its gang waits for room".to_owned(),
        since: NOW,
    };
    let call = |condition: Option<&PodCondition>, nominated: Option<&str>| Call::PodStatus {
        pod: pod(),
        condition: condition.cloned(),
        nominated: nominated.map(str::to_owned),
    };
    insta::assert_snapshot!(show(&[
        call(Some(&condition), None),
        call(None, Some("n1")),
        call(None, Some("")),
    ]));
}

#[test]
fn a_ledger_on_a_pod_is_an_annotation_and_an_empty_one_takes_it_away() {
    let call = |ledger| Call::PodLedger { pod: pod(), ledger: Box::new(ledger) };
    insta::assert_snapshot!(show(&[call(running().ledger), call(Ledger::default())]));
}

#[test]
fn leases_are_read_made_and_replaced_at_their_version() {
    insta::assert_snapshot!(show(&[
        Call::ReadLease(lease()),
        Call::CreateLease(lease(), Default::default()),
        Call::ReplaceLease(lease(), record()),
    ]));
}

#[test]
fn a_claim_is_told_its_node_and_loses_it_again() {
    let (claim, node) = (claim(), "n1".to_owned());
    insta::assert_snapshot!(show(&[
        Call::SelectNode { claim: claim.clone(), node: node.clone() },
        Call::DeselectNode { claim, node },
    ]));
}

#[test]
fn a_volume_is_taken_for_a_claim_in_the_version_it_was_seen_in() {
    let (volume, version) = ("disk-7".to_owned(), "41".to_owned());
    let (claim, is_kept) = (claim(), false);
    insta::assert_snapshot!(show(&[Call::TakeVolume { volume, version, claim, is_kept }]));
}

#[test]
fn a_volume_that_a_person_kept_for_a_claim_is_not_marked_as_chosen_by_a_machine() {
    let (volume, version) = ("disk-7".to_owned(), "41".to_owned());
    let text = show(&[Call::TakeVolume { volume, version, claim: claim(), is_kept: true }]);
    assert!(text.contains("claimRef"), "{text}");
    assert!(!text.contains("bound-by-controller"), "{text}");
}

fn claim() -> ClaimRef {
    ClaimRef { namespace: "a".to_owned(), name: "data".to_owned(), uid: "u-3".to_owned() }
}

fn note(about: About, reason: EventReason, note: &str) -> Call {
    Call::Event(EventNote { about, reason, note: note.to_owned(), at: NOW })
}

#[test]
fn events_are_about_pods_and_groups_of_every_dialect() {
    let about = |dialect| {
        let group = group(dialect);
        About::Group(group.key, group.uid)
    };
    let mut plain = group(Dialect::Plain);
    plain.key.name = "job/train".to_owned();
    let own = pod();
    insta::assert_snapshot!(show(&[
        note(about(Dialect::Muster), EventReason::Scheduled, "4 members have a node"),
        note(about(Dialect::Kubernetes), EventReason::Waiting, "no room"),
        note(About::Group(plain.key, plain.uid), EventReason::Released, "3rd time"),
        note(About::Pod(own.namespace, own.name, own.uid), EventReason::BindRefused, "gone"),
    ]));
}

#[test]
fn an_event_keeps_to_the_limits_of_the_server() {
    let own = pod();
    let about = About::Pod(own.namespace, "n".repeat(253), own.uid);
    let long = Encoder { instance: "i".repeat(300), ..encoder() };
    let call = note(about, EventReason::Waiting, &"ä".repeat(1_000));
    let request = long.encode(CallId(u64::MAX), &call).remove(0);
    let (_, body) = request.body.expect("an event has a body");
    let length = |path: &str| body.pointer(path).and_then(|it| it.as_str()).map(str::len);
    assert!(length("/metadata/name") <= Some(253));
    assert_eq!(length("/note"), Some(1_000));
    assert_eq!(length("/reportingInstance"), Some(128));
}

#[test]
fn events_of_two_calls_or_two_instances_have_two_names() {
    let own = pod();
    let about = About::Pod(own.namespace, own.name, own.uid);
    let call = note(about, EventReason::Waiting, "");
    let name = |encoder: &Encoder, id| {
        let request = encoder.encode(CallId(id), &call).remove(0);
        request.body.expect("an event has a body").1["metadata"]["name"].clone()
    };
    let other = Encoder { instance: "other".to_owned(), ..encoder() };
    assert_eq!(name(&encoder(), 1), name(&encoder(), 1));
    assert_ne!(name(&encoder(), 1), name(&encoder(), 2));
    assert_ne!(name(&encoder(), 1), name(&other, 1));
}

#[test]
fn the_status_of_a_muster_group_is_replaced_whole() {
    let dialect = Dialect::Muster;
    insta::assert_snapshot!(show(&[
        status(dialect, waiting()),
        status(dialect, running()),
        status(dialect, broken()),
        status(dialect, done()),
    ]));
}

#[test]
fn a_native_group_gets_its_condition_and_our_annotations() {
    let dialect = Dialect::Kubernetes;
    let mut limited = waiting();
    let why = limited.explanation.as_mut().expect("it waits");
    why.reason = WaitReason::QueueClosed("q".to_owned());
    why.sets.clear();
    let silent = GroupStatus { explanation: None, ..waiting() };
    insta::assert_snapshot!(show(&[
        status(dialect, waiting()),
        status(dialect, limited),
        status(dialect, running()),
        status(dialect, silent),
    ]));
}

#[test]
fn a_volcano_group_gets_its_phases_counts_and_conditions() {
    let dialect = Dialect::Volcano;
    let new = GroupStatus { phase: Phase::Pending, explanation: None, ..waiting() };
    insta::assert_snapshot!(show(&[
        status(dialect, new),
        status(dialect, waiting()),
        status(dialect, running()),
        status(dialect, broken()),
        status(dialect, done()),
    ]));
}

#[test]
fn a_volcano_group_with_a_status_subresource_takes_two_requests() {
    let served = Served { volcano_has_status: true, ..Served::default() };
    let encoder = Encoder { served, ..encoder() };
    let requests = encoder.encode(CallId(7), &status(Dialect::Volcano, running()));
    let of: Vec<&str> = requests.iter().map(|request| request.resource).collect();
    assert_eq!(of, ["podgroups", "podgroups/status"]);
    let has_status = |request: &Request| {
        request.body.as_ref().is_some_and(|(_, body)| body.get("status").is_some())
    };
    assert_eq!(requests.iter().map(has_status).collect::<Vec<bool>>(), [false, true]);
}

#[test]
fn a_coscheduling_group_gets_its_phases_and_counts() {
    let dialect = Dialect::Coscheduling;
    insta::assert_snapshot!(show(&[status(dialect, waiting()), status(dialect, running())]));
}

#[test]
fn phases_of_a_coscheduling_group_follow_its_members() {
    let phase = |status: GroupStatus| {
        let requests = encoded(&self::status(Dialect::Coscheduling, status));
        let (_, body) = requests[1].body.clone().expect("a status has a body");
        body["status"]["phase"].as_str().unwrap_or_default().to_owned()
    };
    let counts = |exist, running, failed| Counts { exist, running, failed, ..Counts::default() };
    let of = |phase, counts| GroupStatus { phase, counts, ..waiting() };
    assert_eq!(phase(of(Phase::Pending, counts(3, 0, 0))), "Pending");
    assert_eq!(phase(of(Phase::Admitted, counts(4, 0, 0))), "Scheduling");
    assert_eq!(phase(of(Phase::Running, counts(4, 3, 0))), "Scheduling");
    assert_eq!(phase(of(Phase::Running, counts(4, 4, 0))), "Running");
    assert_eq!(phase(of(Phase::Broken, counts(4, 3, 0))), "Unknown");
    assert_eq!(phase(of(Phase::Done, counts(0, 0, 1))), "Failed");
    assert_eq!(phase(of(Phase::Done, counts(0, 0, 0))), "Finished");
}

#[test]
fn a_gang_without_a_group_object_makes_no_request() {
    assert_eq!(encoded(&status(Dialect::Plain, running())), []);
    assert_eq!(encoded(&status(Dialect::Pod, running())), []);
    let mut inner = group(Dialect::Kubernetes);
    inner.key.name = "workload/ps".to_owned();
    let call = Call::GroupStatus { group: inner, status: Box::new(running()) };
    assert_eq!(encoded(&call), []);
}

#[test]
fn groups_are_written_in_the_version_that_is_served() {
    let served = Served { kubernetes: "v1alpha3".to_owned(), ..Served::default() };
    let encoder = Encoder { served, ..encoder() };
    let requests = encoder.encode(CallId(7), &status(Dialect::Kubernetes, running()));
    let start = "/apis/scheduling.k8s.io/v1alpha3/namespaces/a/podgroups/train";
    assert!(requests.iter().all(|request| request.path.starts_with(start)), "{requests:?}");
}

#[test]
fn an_explanation_of_any_size_fits_into_a_status() {
    let mut large = explanation();
    large.sets = (0..16).map(|index| set(&format!("role-{index}"), 200)).collect();
    let short = wire::bounded(&large);
    assert!(short.to_string().len() <= wire::BYTES);
    assert_eq!(short["sets"][0]["role"], "role-0", "{short:#}");

    large.reason = WaitReason::Unsupported(vec!["x".repeat(300); 100]);
    large.next_step = "y".repeat(100_000);
    let shortest = wire::bounded(&large);
    assert!(shortest.to_string().len() <= wire::BYTES);
    assert_eq!(shortest["reason"], "unsupported");
}

#[test]
fn an_explanation_that_fits_is_not_shortened() {
    assert_eq!(wire::bounded(&explanation()), wire::value(&explanation()));
}
