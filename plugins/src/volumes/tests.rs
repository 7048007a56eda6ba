//! Small worlds in which volumes decide.

use super::Volumes;
use crate::testing::{build, class_of, kept, labelled, node, on, pod, refusal, requirement};
use crate::volume_reach::VolumeReach;
use scheduler_framework::Filter;
use scheduler_model::amount::Amount;
use scheduler_model::event::Event;
use scheduler_model::explain::NodeReason;
use scheduler_model::op::Op;
use scheduler_model::snapshot::Snapshot;
use scheduler_model::spec::{
    Attach, BoundVolume, ClaimSpec, ClaimState, ClaimUse, Labels, LateClaim, NodeSpec, NodeTerm,
    PodShape, PodSpec, PoolSpec, Provision, SelectorOperator, VolumeSpec,
};
use scheduler_model::time::Time;
use scheduler_model::volume::{Service as Given, Source};

fn in_zone(zone: &str) -> Option<Vec<NodeTerm>> {
    let labels = vec![requirement("zone", SelectorOperator::In, &[zone])];
    Some(vec![NodeTerm { labels, fields: Vec::new() }])
}

fn zoned(name: &str, zone: &str) -> NodeSpec {
    labelled(name, &[("zone", zone)])
}

fn limited(name: &str, limit: u32) -> NodeSpec {
    let mut node = node(name);
    node.attach_limits.insert("driver".to_owned(), limit);
    node
}

fn using(name: &str, claims: &[&str]) -> PodSpec {
    let claim = |name: &&str| ClaimUse { name: (*name).to_owned(), is_own: false };
    PodSpec { claims: claims.iter().map(claim).collect(), ..pod(name, &[], PodShape::default()) }
}

fn claim(name: &str, state: ClaimState) -> Event {
    Event::Claim(Box::new(ClaimSpec {
        key: format!("team/{name}"),
        uid: name.to_owned(),
        owner: None,
        is_once_pod: false,
        state,
    }))
}

fn bound(name: &str, reach: Option<Vec<NodeTerm>>) -> Event {
    let attach = Some(Attach { driver: "driver".to_owned(), handle: name.to_owned() });
    claim(name, ClaimState::Bound(BoundVolume { name: name.to_owned(), reach, attach }))
}

fn late(name: &str, bytes: i64, provision: Option<Provision>) -> Event {
    claim(
        name,
        ClaimState::Late(LateClaim {
            class: "class".to_owned(),
            bytes: Amount::new(bytes),
            modes: Vec::new(),
            is_block: false,
            selector: None,
            provision,
            chosen: None,
        }),
    )
}

fn made(reach: Option<Vec<NodeTerm>>) -> Option<Provision> {
    Some(Provision { driver: "driver".to_owned(), reach, counts_room: false })
}

/// By a driver that tells how much room it has.
fn made_in_pools() -> Option<Provision> {
    made(None).map(|it| Provision { counts_room: true, ..it })
}

fn volume(name: &str, bytes: i64, reach: Option<Vec<NodeTerm>>) -> VolumeSpec {
    VolumeSpec {
        name: name.to_owned(),
        version: "1".to_owned(),
        class: "class".to_owned(),
        bytes: Amount::new(bytes),
        modes: Vec::new(),
        is_block: false,
        labels: Labels::new(),
        reach,
        attach: None,
        kept_for: None,
    }
}

fn there(volume: VolumeSpec) -> Event {
    Event::Volume(Box::new(volume))
}

fn with(nodes: Vec<NodeSpec>, pods: Vec<PodSpec>, events: Vec<Event>) -> Snapshot {
    let mut snap = build(nodes, pods);
    events.into_iter().for_each(|event| snap.ingest(event, Time::ZERO));
    snap
}

/// Which volume the pod would take on the node; `None` if one is made.
fn taken(snap: &Snapshot, pod: &str, node: &str) -> Option<String> {
    let node = snap.nodes().find(node).expect("the test made the node");
    let served = snap.serve(class_of(snap, pod), node).expect("the node serves it");
    match &served[0].by {
        Source::Take(name) => Some(name.clone()),
        _ => None,
    }
}

#[test]
fn a_bound_claim_keeps_its_pod_where_the_volume_is() {
    let nodes = vec![zoned("a", "z1"), zoned("b", "z2"), node("c")];
    let snap = with(nodes, vec![using("p", &["data"])], vec![bound("data", in_zone("z1"))]);
    assert_eq!(kept(&VolumeReach, &snap, "p"), ["a"]);
    assert_eq!(refusal(&VolumeReach, &snap, "p", "b"), Some(NodeReason::VolumeReach));
}

#[test]
fn two_bound_claims_must_both_be_near() {
    let nodes = vec![zoned("a", "z1"), zoned("b", "z2")];
    let claims = vec![bound("x", in_zone("z1")), bound("y", in_zone("z2"))];
    let snap = with(nodes, vec![using("p", &["x", "y"])], claims);
    assert!(kept(&VolumeReach, &snap, "p").is_empty());
}

#[test]
fn a_pod_without_claims_is_of_no_concern() {
    let snap = with(vec![node("a")], vec![using("p", &[])], Vec::new());
    let class = class_of(&snap, "p");
    assert!(!VolumeReach.concerns(&snap, class) && !Volumes.concerns(&snap, class));
}

#[test]
fn without_a_volume_and_without_a_driver_no_node_serves() {
    let snap = with(vec![node("a")], vec![using("p", &["data"])], vec![late("data", 5, None)]);
    let reason = NodeReason::NoVolume("class".to_owned());
    assert_eq!(refusal(&Volumes, &snap, "p", "a"), Some(reason));
}

#[test]
fn the_smallest_volume_that_is_large_enough_serves_and_then_the_first_by_name() {
    let volumes = [("big", 9), ("second", 6), ("first", 6), ("small", 4)];
    let mut events: Vec<Event> =
        volumes.map(|(name, bytes)| there(volume(name, bytes, None))).into();
    events.push(late("data", 5, made(None)));
    let snap = with(vec![node("a")], vec![using("p", &["data"])], events);
    assert_eq!(taken(&snap, "p", "a").as_deref(), Some("first"));
}

#[test]
fn a_volume_that_a_pod_was_given_serves_nobody_else() {
    let events = vec![there(volume("v", 5, None)), late("x", 5, None), late("y", 5, None)];
    let pods = vec![using("p", &["x"]), using("q", &["y"])];
    let mut snap = with(vec![node("a")], pods, events);
    let before = snap.clone();
    let (class, node) = (class_of(&snap, "p"), snap.nodes().find("a").expect("made"));
    let served = snap.serve(class, node).expect("there is a volume");
    let op = Op::Serve(Given { class, node, served });
    snap.apply(op.clone());
    let reason = NodeReason::NoVolume("class".to_owned());
    assert_eq!(refusal(&Volumes, &snap, "q", "a"), Some(reason));
    snap.revert(op);
    assert_eq!(snap, before);
}

#[test]
fn a_volume_kept_for_a_claim_serves_that_claim_alone() {
    let kept_for = Some("team/x".to_owned());
    let events = vec![
        there(VolumeSpec { kept_for, ..volume("kept", 9, None) }),
        there(volume("free", 5, None)),
        late("x", 5, None),
        late("y", 5, None),
    ];
    let snap = with(vec![node("a")], vec![using("p", &["x"]), using("q", &["y"])], events);
    assert_eq!(taken(&snap, "p", "a").as_deref(), Some("kept"));
    assert_eq!(taken(&snap, "q", "a").as_deref(), Some("free"));
}

#[test]
fn a_driver_makes_volumes_only_where_its_class_allows_it() {
    let nodes = vec![zoned("a", "z1"), zoned("b", "z2")];
    let claims = vec![late("data", 5, made(in_zone("z2")))];
    let snap = with(nodes, vec![using("p", &["data"])], claims);
    assert_eq!(kept(&Volumes, &snap, "p"), ["b"]);
}

#[test]
fn a_driver_that_counts_its_room_makes_volumes_only_where_there_is_enough() {
    let pool = |key: &str, zone: &str, largest: i64| {
        Event::Pool(Box::new(PoolSpec {
            key: key.to_owned(),
            class: "class".to_owned(),
            reach: in_zone(zone),
            largest: Amount::new(largest),
        }))
    };
    let nodes = vec![zoned("a", "z1"), zoned("b", "z2"), zoned("c", "z3")];
    let events = vec![pool("one", "z1", 4), pool("two", "z2", 5), late("data", 5, made_in_pools())];
    let snap = with(nodes, vec![using("p", &["data"])], events);
    assert_eq!(kept(&Volumes, &snap, "p"), ["b"]);
    let reason = NodeReason::StorageRoom("class".to_owned());
    assert_eq!(refusal(&Volumes, &snap, "p", "a"), Some(reason));
}

#[test]
fn a_volume_that_several_pods_of_a_node_use_is_attached_once() {
    let pods = vec![
        on("a", using("there", &["shared"])),
        using("same", &["shared"]),
        using("other", &["own"]),
    ];
    let claims = vec![bound("shared", None), bound("own", None)];
    let snap = with(vec![limited("a", 1)], pods, claims);
    assert_eq!(refusal(&Volumes, &snap, "same", "a"), None);
    let reason = NodeReason::AttachLimit("driver".to_owned());
    assert_eq!(refusal(&Volumes, &snap, "other", "a"), Some(reason));
}

#[test]
fn volumes_to_be_made_count_against_the_limit() {
    let pods = vec![on("a", using("there", &["x"])), using("p", &["y", "z"])];
    let claims = vec![bound("x", None), late("y", 5, made(None)), late("z", 5, made(None))];
    let snap = with(vec![limited("a", 2), limited("b", 2), limited("c", 1)], pods, claims);
    assert_eq!(kept(&Volumes, &snap, "p"), ["b"]);
    let never = NodeReason::TooManyVolumes("driver".to_owned());
    assert_eq!(refusal(&Volumes, &snap, "p", "c"), Some(never));
}

#[test]
fn pods_of_one_template_are_one_class_whatever_their_claims_are_called() {
    let claims = vec![late("x", 5, made(None)), late("y", 5, made(None))];
    let snap = with(vec![node("a")], vec![using("p", &["x"]), using("q", &["y"])], claims);
    assert_eq!(class_of(&snap, "p"), class_of(&snap, "q"));
}
