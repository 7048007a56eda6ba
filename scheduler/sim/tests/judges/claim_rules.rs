//! What volume claims have against a place.

use crate::make::{cluster, node, on, pod, reasons, requirement};
use scheduler_model::amount::Amount;
use scheduler_model::explain::NodeReason;
use scheduler_model::spec::{
    Attach, BoundVolume, ClaimSpec, ClaimState, ClaimUse, Labels, LateClaim, NodeTerm, PodShape,
    PodSpec, Provision, Reach, SelectorOperator, VolumeSpec,
};
use scheduler_sim::checker::{Cluster, Refusal, refusals};

fn using(uid: &str, claims: &[&str]) -> PodSpec {
    let wish = |name: &&str| ClaimUse { name: (*name).to_owned(), is_own: false };
    PodSpec { claims: claims.iter().map(wish).collect(), ..pod(uid, &[], PodShape::default()) }
}

fn near(zone: &str) -> Reach {
    let labels = vec![requirement("zone", SelectorOperator::In, &[zone])];
    Some(vec![NodeTerm { labels, fields: Vec::new() }])
}

fn bound(reach: Reach, handle: &str) -> ClaimState {
    let attach = Some(Attach { driver: "d".to_owned(), handle: handle.to_owned() });
    ClaimState::Bound(BoundVolume { name: handle.to_owned(), reach, attach })
}

fn late(provision: Option<Provision>) -> ClaimState {
    ClaimState::Late(LateClaim {
        class: "c".to_owned(),
        bytes: Amount::new(5),
        modes: Vec::new(),
        is_block: false,
        selector: None,
        provision,
        chosen: None,
    })
}

fn claim(world: &mut Cluster, name: &str, state: ClaimState) {
    let key = format!("blue/{name}");
    let (uid, owner) = (name.to_owned(), None);
    let spec = ClaimSpec { key: key.clone(), uid, owner, is_once_pod: false, state };
    world.claims.insert(key, spec);
}

fn volume(world: &mut Cluster, name: &str, bytes: i64, reach: Reach) {
    let spec = VolumeSpec {
        name: name.to_owned(),
        version: String::new(),
        class: "c".to_owned(),
        bytes: Amount::new(bytes),
        modes: Vec::new(),
        is_block: false,
        labels: Labels::new(),
        reach,
        attach: None,
        kept_for: None,
    };
    world.volumes.insert(name.to_owned(), spec);
}

fn zones(pods: Vec<PodSpec>) -> Cluster {
    cluster(vec![node("a", &[("zone", "a")]), node("b", &[("zone", "b")])], pods)
}

#[test]
fn a_claim_that_is_missing_not_ready_or_of_another_pod_is_refused_anywhere() {
    let mut world = zones(Vec::new());
    let is_refused = |world: &Cluster, pod: &PodSpec| {
        matches!(refusals(world, pod, "a").as_slice(), [Refusal::Claim(_)])
    };
    let mut user = using("p", &["data"]);
    assert!(is_refused(&world, &user));
    claim(&mut world, "data", ClaimState::Unready("is lost".to_owned()));
    assert!(is_refused(&world, &user));
    claim(&mut world, "data", bound(None, "h"));
    assert!(!is_refused(&world, &user));
    user.claims[0].is_own = true;
    assert!(is_refused(&world, &user));
}

#[test]
fn a_claim_for_one_pod_at_a_time_is_refused_while_another_pod_has_it() {
    let mut world = zones(vec![on("b", using("holder", &["data"]))]);
    claim(&mut world, "data", bound(None, "h"));
    let user = using("p", &["data"]);
    assert_eq!(refusals(&world, &user, "a"), []);
    world.claims.values_mut().for_each(|claim| claim.is_once_pod = true);
    assert_eq!(refusals(&world, &user, "a").len(), 1);
}

#[test]
fn a_bound_volume_is_used_only_within_its_reach() {
    let mut world = zones(Vec::new());
    claim(&mut world, "data", bound(near("a"), "h"));
    let user = using("p", &["data"]);
    assert_eq!(reasons(&world, &user, "a"), []);
    assert_eq!(reasons(&world, &user, "b"), [NodeReason::VolumeReach]);
}

#[test]
fn each_volume_serves_one_late_claim_whoever_could_have_it() {
    let mut world = zones(vec![on("a", using("first", &["x"]))]);
    claim(&mut world, "x", late(None));
    claim(&mut world, "y", late(None));
    volume(&mut world, "any", 5, None);
    let user = using("p", &["y"]);
    assert_eq!(reasons(&world, &user, "b"), [NodeReason::NoVolume("c".to_owned())]);
    // The first claim can have this one, so the other is free for the second.
    volume(&mut world, "near-a", 5, near("a"));
    assert_eq!(reasons(&world, &user, "b"), []);
}

#[test]
fn a_volume_that_can_be_made_needs_no_other_where_its_class_allows_it() {
    let mut world = zones(Vec::new());
    let reach = near("b");
    let provision = Some(Provision { driver: "d".to_owned(), reach, counts_room: false });
    claim(&mut world, "data", late(provision));
    let user = using("p", &["data"]);
    assert_eq!(reasons(&world, &user, "a"), [NodeReason::NoVolume("c".to_owned())]);
    assert_eq!(reasons(&world, &user, "b"), []);
}

#[test]
fn a_driver_attaches_a_volume_of_several_pods_once() {
    let mut world = zones(vec![on("a", using("there", &["shared"]))]);
    let limits = &mut world.nodes.get_mut("a").expect("made").attach_limits;
    limits.insert("d".to_owned(), 1);
    claim(&mut world, "shared", bound(None, "one"));
    claim(&mut world, "own", bound(None, "two"));
    assert_eq!(reasons(&world, &using("p", &["shared"]), "a"), []);
    let limit = NodeReason::AttachLimit("d".to_owned());
    assert_eq!(reasons(&world, &using("p", &["own"]), "a"), [limit]);
}
