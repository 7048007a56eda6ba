//! Pods of different scheduler names may be judged by different plugins.

#[allow(dead_code, reason = "each test uses its own part of the shared worlds")]
#[path = "../src/testing.rs"]
mod testing;

use plugins::{chosen_profile, default_profile};
use scheduler_model::ids::{ClassId, NodeId};
use scheduler_model::snapshot::Snapshot;
use scheduler_model::spec::{PodShape, Taint, TaintEffect};
use testing::{build, node, on, pod, wanting};

/// A pod of each of two names, and nodes `tainted`, `half` (in use) and `idle`.
fn two_names() -> (Snapshot, [ClassId; 2]) {
    let mut tainted = node("tainted");
    tainted.taints =
        vec![Taint { key: "k".to_owned(), value: String::new(), effect: TaintEffect::NoSchedule }];
    let cpu = || wanting(&[("cpu", 1000)]);
    let second = PodShape { profile: 1, ..cpu() };
    let pods = vec![
        on("half", pod("there", &[], cpu())),
        pod("first", &[], cpu()),
        pod("second", &[], second),
    ];
    let snap = build(vec![tainted, node("half"), node("idle")], pods);
    let class = |number: u8| {
        let mut classes = snap.classes().iter();
        classes.find(|(_, class)| class.key.shape.profile == number).expect("it has a pod").0
    };
    let classes = [class(0), class(1)];
    (snap, classes)
}

fn named(snap: &Snapshot, name: &str) -> NodeId {
    snap.nodes().find(name).expect("the node is there")
}

#[test]
fn each_name_is_judged_by_its_own_filters_and_scorers() {
    let (snap, [first, second]) = two_names();
    let lenient = chosen_profile(|name| matches!(name, "taints" | "pack" | "gpu_pack"), |_| None);
    let profile = default_profile().or(lenient);
    let tainted = named(&snap, "tainted");
    assert!(profile.refusal(&snap, first, tainted).is_some());
    assert_eq!(profile.refusal(&snap, second, tainted), None);
    let score = |class, name| profile.score(&snap, class, named(&snap, name));
    assert!(score(first, "half") > score(first, "idle"), "the first name packs");
    assert_eq!(score(second, "half"), score(second, "idle"), "the second does not");
}

#[test]
fn two_names_never_share_a_class_or_a_constraint() {
    let (snap, [first, second]) = two_names();
    assert_ne!(first, second);
    let constraint = |class| snap.classes().get(class).constraint;
    assert_ne!(constraint(first), constraint(second), "masks are kept by constraint");
}

#[test]
fn a_name_without_plugins_of_its_own_is_judged_by_the_first() {
    let (snap, [_, second]) = two_names();
    let profile = default_profile();
    assert!(profile.refusal(&snap, second, named(&snap, "tainted")).is_some());
}
