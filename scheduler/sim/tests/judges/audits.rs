//! Replays and audits: what each violation needs to be found, and what is not one.

use crate::make::*;
use scheduler_model::amount::Amount;
use scheduler_model::event::{Event, Kind};
use scheduler_model::explain::NodeReason;
use scheduler_model::spec::{
    GangSpec, LevelSpec, Membership, NodeSpec, PodPhase, PodShape, PodSpec, QueueSpec, QuotaSpec,
    RoleSpec, TopologySpec,
};
use scheduler_model::time::Time;
use scheduler_sim::checker::{Cluster, Objects, Refusal, Violation, audit, replay};
use std::collections::BTreeSet;

fn cpu(uid: &str, amount: i64) -> PodSpec {
    pod(uid, &[], requesting(&[("cpu", amount)]))
}

fn steps(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(uid, node)| ((*uid).to_owned(), (*node).to_owned())).collect()
}

fn judge(cluster: &Cluster, gangs: &[GangSpec]) -> Vec<Violation> {
    audit(cluster, gangs, &[], &[], &BTreeSet::new())
}

#[test]
fn each_step_is_judged_on_the_state_just_before_it() {
    let mut world = cluster(vec![node("n", &[])], vec![cpu("p", 5), cpu("q", 5)]);
    let refusals = vec![Refusal::Node(NodeReason::Insufficient("cpu".to_owned()))];
    let wrong = Violation::Refused { uid: "q".to_owned(), node: "n".to_owned(), refusals };
    assert_eq!(replay(&mut world, &steps(&[("p", "n"), ("q", "n")])), [wrong]);
}

#[test]
fn a_partner_must_be_placed_before_the_pod_that_needs_it() {
    let follower = pod("f", &[], affine(&[near("web", "zone")]));
    let web = pod("w", &[("app", "web")], PodShape::default());
    let world = cluster(vec![node("n", &[("zone", "a")])], vec![follower, web]);
    assert_eq!(replay(&mut world.clone(), &steps(&[("w", "n"), ("f", "n")])), []);
    assert_eq!(replay(&mut world.clone(), &steps(&[("f", "n"), ("w", "n")])).len(), 1);
}

#[test]
fn a_step_with_an_unknown_pod_or_a_bound_one_is_wrong() {
    let mut world = cluster(vec![node("n", &[])], vec![cpu("p", 1)]);
    let found = replay(&mut world, &steps(&[("x", "n"), ("p", "n"), ("p", "n")]));
    assert_eq!(found[0], Violation::NoPod { uid: "x".to_owned() });
    assert!(matches!(found[1..], [Violation::Refused { .. }]), "{found:?}");
}

#[test]
fn an_overfilled_node_is_found() {
    let full = cluster(vec![node("n", &[])], vec![on("n", cpu("p", 8))]);
    assert_eq!(judge(&full, &[]), []);
    let over = cluster(vec![node("n", &[])], vec![on("n", cpu("p", 8)), on("n", cpu("q", 1))]);
    let (used, allocatable) = (Amount::new(9), Amount::new(8));
    let (node, resource) = ("n".to_owned(), "cpu".to_owned());
    assert_eq!(judge(&over, &[]), [Violation::Overfull { node, resource, used, allocatable }]);
}

fn below(role: Option<&str>, counted: u32, min: u32) -> Violation {
    Violation::BelowMin { gang: key("g"), role: role.map(str::to_owned), counted, min }
}

#[test]
fn a_gang_with_a_bound_member_must_have_its_minimum() {
    let world = cluster(vec![node("n", &[])], vec![on("n", cpu("p", 1)), cpu("q", 1)]);
    assert_eq!(judge(&world, &[gang("g", 2)]), [below(None, 1, 2)]);
    assert_eq!(judge(&world, &[gang("g", 1)]), []);
    let exempt = BTreeSet::from([key("g")]);
    assert_eq!(audit(&world, &[gang("g", 2)], &[], &[], &exempt), []);
}

#[test]
fn a_gang_that_waits_whole_is_no_violation() {
    let world = cluster(vec![node("n", &[])], vec![cpu("p", 1)]);
    assert_eq!(judge(&world, &[gang("g", 2)]), []);
}

#[test]
fn each_role_must_have_its_minimum() {
    let worker = PodSpec { role: "worker".to_owned(), ..on("n", cpu("p", 1)) };
    let world = cluster(vec![node("n", &[])], vec![worker]);
    let role = |name: &str| RoleSpec { name: name.to_owned(), min: 1 };
    let both = GangSpec { roles: vec![role("leader"), role("worker")], ..gang("g", 1) };
    assert_eq!(judge(&world, &[both]), [below(Some("leader"), 0, 1)]);
}

#[test]
fn succeeded_members_count_and_failed_evicted_or_terminating_ones_do_not() {
    let runs = on("n", cpu("p", 1));
    let other = on("n", cpu("q", 1));
    let cases = [
        (PodSpec { phase: PodPhase::Succeeded, ..other.clone() }, true),
        (PodSpec { phase: PodPhase::Failed, ..other.clone() }, false),
        (PodSpec { phase: PodPhase::Succeeded, evicted: true, ..other.clone() }, false),
        (PodSpec { terminating: true, ..other.clone() }, false),
    ];
    for (second, counts) in cases {
        let world = cluster(vec![node("n", &[])], vec![runs.clone(), second.clone()]);
        assert_eq!(judge(&world, &[gang("g", 2)]).is_empty(), counts, "{second:?}");
    }
}

#[test]
fn members_of_an_earlier_run_do_not_count() {
    let at = |seconds: i64| Time::from_ms(seconds * 1000);
    let old = |end| PodSpec {
        phase: PodPhase::Succeeded,
        finished_at: Some(at(end)),
        ..on("n", cpu("old", 1))
    };
    let new = PodSpec { created_at: at(20), ..on("n", cpu("new", 1)) };
    let world = |end| cluster(vec![node("n", &[])], vec![old(end), new.clone()]);
    assert_eq!(judge(&world(10), &[gang("g", 2)]), [below(None, 1, 2)]);
    assert_eq!(judge(&world(30), &[gang("g", 2)]), []);
}

#[test]
fn successes_that_only_the_owner_remembers_count() {
    let world = cluster(vec![node("n", &[])], vec![on("n", cpu("p", 1))]);
    assert_eq!(judge(&world, &[GangSpec { succeeded: 1, ..gang("g", 2) }]), []);
}

fn net() -> TopologySpec {
    let level = |name: &str| LevelSpec { name: name.to_owned(), key: format!("{name}-key") };
    TopologySpec { name: "net".to_owned(), levels: vec![level("zone"), level("rack")] }
}

fn apart(required: &str, one: &[(&str, &str)], other: &[(&str, &str)]) -> Vec<Violation> {
    let nodes = vec![node("n", one), node("m", other)];
    let world = cluster(nodes, vec![on("n", cpu("p", 1)), on("m", cpu("q", 1))]);
    let mut gang = gang("g", 1);
    gang.topology.required = Some(required.to_owned());
    audit(&world, &[gang], &[], &[net()], &BTreeSet::new())
}

#[test]
fn a_required_level_means_equal_values_there_and_at_all_wider_levels() {
    let a1 = &[("zone-key", "a"), ("rack-key", "1")][..];
    let a2 = &[("zone-key", "a"), ("rack-key", "2")][..];
    let b1 = &[("zone-key", "b"), ("rack-key", "1")][..];
    assert_eq!(apart("zone", a1, a2), []);
    assert_eq!(apart("rack", a1, a2).len(), 1);
    assert_eq!(apart("rack", a1, a1), []);
    assert_eq!(apart("rack-key", a1, b1).len(), 1, "rack 1 of zone b is another rack");
    assert_eq!(apart("rack", a1, &[]).len(), 1, "a node without labels is in no domain");
    assert_eq!(apart("zone-key", a1, a2), [], "a level may be named by its key");
}

#[test]
fn without_a_topology_that_has_the_level_its_name_is_a_label() {
    assert_eq!(apart("disk", &[("disk", "1")], &[("disk", "1")]), []);
    assert_eq!(apart("disk", &[("disk", "1")], &[("disk", "2")]).len(), 1);
}

fn limited(name: &str, parent: Option<&str>, flavour: Option<&str>, cpu: i64) -> QueueSpec {
    let limit = QuotaSpec::limit(flavour, "cpu", Amount::new(cpu));
    let parent = parent.map(str::to_owned);
    QueueSpec { parent, quotas: vec![limit], ..QueueSpec::named(name) }
}

fn over(queues: &[QueueSpec]) -> Vec<String> {
    let fast = NodeSpec { flavour: "fast".to_owned(), ..node("f", &[]) };
    let of = |name: &str, pod: PodSpec| PodSpec { queue: Some(name.to_owned()), ..pod };
    let pods = vec![of("child", on("n", cpu("p", 3))), of("child", on("f", cpu("q", 2)))];
    let world = cluster(vec![node("n", &[]), fast], pods);
    let found = audit(&world, &[gang("g", 1)], queues, &[], &BTreeSet::new());
    found.iter().map(ToString::to_string).collect()
}

#[test]
fn a_limit_counts_everything_below_its_queue() {
    let tree =
        |top, low| [limited("top", None, None, top), limited("child", Some("top"), None, low)];
    assert_eq!(over(&tree(5, 5)), [""; 0]);
    assert_eq!(over(&tree(4, 5)), ["queue \"top\" uses 5m cpu, its limit is 4m cpu"]);
    assert_eq!(over(&tree(5, 4)), ["queue \"child\" uses 5m cpu, its limit is 4m cpu"]);
}

#[test]
fn a_limit_of_a_flavour_counts_only_its_nodes() {
    assert_eq!(over(&[limited("child", None, Some("fast"), 2)]), [""; 0]);
    assert_eq!(over(&[limited("child", None, Some("fast"), 1)]).len(), 1);
    assert_eq!(over(&[limited("child", None, Some(""), 2)]).len(), 1);
}

#[test]
fn a_cycle_of_parents_is_survived() {
    let ring = [limited("child", Some("top"), None, 4), limited("top", Some("child"), None, 4)];
    assert_eq!(over(&ring).len(), 2);
}

#[test]
fn the_latest_news_wins_and_what_a_list_leaves_out_is_gone() {
    let event = |pod: PodSpec| Event::Pod(Box::new(pod));
    let events = [
        Event::Node(Box::new(node("n", &[]))),
        event(cpu("p", 1)),
        event(cpu("q", 1)),
        event(on("n", cpu("p", 1))),
        Event::ListStart(Kind::Pod),
        event(cpu("p", 2)),
        Event::ListEnd(Kind::Pod),
    ];
    let objects = Objects::from_events(&events);
    let left = cluster(vec![node("n", &[])], vec![cpu("p", 2)]);
    assert_eq!((objects.cluster.nodes, objects.cluster.pods), (left.nodes, left.pods));
}

#[test]
fn a_deleted_group_with_running_members_stays_a_gang() {
    let of_running = |pod: PodSpec| {
        let events = [
            Event::Gang(Box::new(gang("g", 2))),
            Event::Pod(Box::new(pod)),
            Event::GangGone(key("g")),
        ];
        Objects::from_events(&events).all_gangs().len()
    };
    assert_eq!(of_running(on("n", cpu("p", 1))), 1);
    assert_eq!(of_running(cpu("p", 1)), 0);
}

#[test]
fn a_member_that_succeeded_counts_after_it_was_deleted() {
    let member = |name, phase| {
        let membership = Membership::Group(key("g"));
        Box::new(PodSpec { membership, phase, ..on("n", cpu(name, 1)) })
    };
    let gone = |phase| {
        let mut objects = Objects::from_events(&[
            Event::Node(Box::new(node("n", &[]))),
            Event::Gang(Box::new(gang("g", 2))),
            Event::Pod(member("p", PodPhase::Running)),
            Event::Pod(member("q", phase)),
        ]);
        objects.observe(&Event::PodGone("q".to_owned()));
        objects.audit(&BTreeSet::new()).len()
    };
    assert_eq!(gone(PodPhase::Succeeded), 0);
    assert_eq!(gone(PodPhase::Failed), 1);
    assert_eq!(gone(PodPhase::Running), 1);
}
