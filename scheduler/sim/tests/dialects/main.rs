//! The same gang, written in every dialect, decides the same: real objects through the
//! translation into the engine, compared member by member.

mod bad;
mod play;
mod queues;
mod table;
mod write;

use play::{Outcome, outcome, outcome_with_problems};
use scheduler_core::view::Standing;
use std::fmt::Write as _;
use write::{Rack, Wish, whole};

/// Nodes of 8 accelerators, each with its rack as label and as Volcano's HyperNode, and what
/// else a cluster has.
fn cluster(racks: &[(&str, &[&str])]) -> String {
    let mut text = String::from(
        "---
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: high}
value: 1000
---
apiVersion: muster.sh/v1alpha1
kind: Queue
metadata: {name: research}
spec: {limit: {nvidia.com/gpu: 24}}
---
apiVersion: v1
kind: Namespace
metadata: {name: team}
",
    );
    for (rack, nodes) in racks {
        let members: Vec<String> = nodes
            .iter()
            .map(|name| format!("{{type: Node, selector: {{exactMatch: {{name: {name}}}}}}}"))
            .collect();
        let _ = write!(
            text,
            "---
apiVersion: topology.volcano.sh/v1alpha1
kind: HyperNode
metadata: {{name: {rack}}}
spec: {{tier: 1, members: [{}]}}
",
            members.join(", ")
        );
        for name in *nodes {
            let _ = write!(
                text,
                "---
apiVersion: v1
kind: Node
metadata: {{name: {name}, labels: {{rack: {rack}, kubernetes.io/hostname: {name}}}}}
status:
  allocatable: {{cpu: 64, memory: 512Gi, pods: 110, nvidia.com/gpu: 8}}
  conditions: [{{type: Ready, status: \"True\"}}]
"
            );
        }
    }
    text
}

fn two_racks() -> String {
    cluster(&[("r1", &["a1", "a2", "a3"]), ("r2", &["b1", "b2", "b3", "b4"])])
}

/// A pod of ours that takes a whole node and waits longer than the gang.
fn rival(name: &str) -> String {
    format!(
        "---
apiVersion: v1
kind: Pod
metadata: {{name: {name}, namespace: team, uid: {name}, creationTimestamp: \"2026-11-30T05:00:00Z\"}}
spec: {{schedulerName: muster, containers: [{{name: c, resources: {{requests: {{nvidia.com/gpu: 8}}}}}}]}}
"
    )
}

fn nodes(outcome: &Outcome) -> Vec<&str> {
    outcome.places.values().map(String::as_str).collect()
}

#[test]
fn a_gang_that_fits_has_the_same_places_in_every_dialect() {
    let found = outcome(&whole(4), &two_racks());
    assert_eq!(found.standing, Standing::Running);
    assert_eq!(found.places.keys().copied().collect::<Vec<_>>(), [0, 1, 2, 3]);
}

#[test]
fn a_gang_that_lacks_room_waits_for_the_same_reason_in_every_dialect() {
    let found = outcome(&whole(8), &two_racks());
    assert_eq!((found.standing, nodes(&found).len()), (Standing::Waiting, 0));
    let why = found.why.expect("it waits");
    assert_eq!((why.placeable, why.needed), (7, 8));
}

#[test]
fn a_gang_with_a_smaller_minimum_starts_with_the_same_members_in_every_dialect() {
    let found = outcome(&Wish { min: 5, ..whole(9) }, &two_racks());
    assert_eq!((found.standing, nodes(&found).len()), (Standing::Partial, 7));
    assert!(found.why.is_some());
}

#[test]
fn a_gang_without_enough_pods_waits_for_the_same_reason_in_every_dialect() {
    let found = outcome(&Wish { min: 4, ..whole(3) }, &two_racks());
    let why = found.why.expect("it waits");
    assert_eq!(why.reason, "3 of 4 pods exist");
}

#[test]
fn a_required_rack_is_the_same_rack_in_every_dialect() {
    let found = outcome(&Wish { rack: Rack::Required, ..whole(3) }, &two_racks());
    assert_eq!(nodes(&found), ["a1", "a2", "a3"]);
    let found = outcome(&Wish { rack: Rack::Required, ..whole(4) }, &two_racks());
    assert_eq!(nodes(&found), ["b1", "b2", "b3", "b4"]);
}

#[test]
fn a_gang_too_large_for_a_rack_waits_for_the_same_reason_in_every_dialect() {
    let found = outcome(&Wish { rack: Rack::Required, ..whole(5) }, &two_racks());
    assert_eq!((found.standing, nodes(&found).len()), (Standing::Waiting, 0));
    let why = found.why.expect("it waits");
    assert_eq!((why.placeable, why.needed), (4, 5));
    assert_eq!(why.missing, Some((1, Some("r2".to_owned()))));
}

#[test]
fn a_priority_class_passes_an_older_pod_in_every_dialect() {
    let objects = cluster(&[("r1", &["a1", "a2"])]) + &rival("old");
    let found = outcome(&whole(2), &objects);
    assert_eq!((found.standing, found.priority), (Standing::Waiting, 0));
    let found = outcome(&Wish { class: Some("high"), ..whole(2) }, &objects);
    assert_eq!((found.standing, found.priority), (Standing::Running, 1000));
    assert_eq!(nodes(&found), ["a1", "a2"]);
}

#[test]
fn a_queue_limits_the_gang_in_every_dialect() {
    let in_queue = |pods| Wish { queue: Some("research"), ..whole(pods) };
    let found = outcome(&in_queue(3), &two_racks());
    assert_eq!((found.standing, found.queue.as_str()), (Standing::Running, "research"));
    let found = outcome(&in_queue(4), &two_racks());
    assert_eq!(found.standing, Standing::Waiting);
    let why = found.why.expect("it waits");
    assert!(why.reason.contains("\"research\" is limited to 24"), "{}", why.reason);
}

#[test]
fn a_queue_that_does_not_exist_is_the_same_reason_in_every_dialect() {
    let wish = Wish { queue: Some("nowhere"), ..whole(2) };
    let found = outcome_with_problems(&wish, &two_racks());
    assert_eq!(found.problems, ["queue \"nowhere\" does not exist, so it waits"]);
    assert!(found.why.expect("it waits").reason.contains("\"nowhere\" does not exist"));
}

#[test]
fn neighbours_in_rank_share_a_preferred_rack_in_every_dialect() {
    let objects = cluster(&[("r1", &["n1", "n3"]), ("r2", &["n2", "n4"])]);
    let found = outcome(&Wish { rack: Rack::Preferred, ..whole(4) }, &objects);
    assert_eq!(nodes(&found), ["n1", "n3", "n2", "n4"]);
}
