//! Every plugin of the catalogue obeys the laws of its points, on worlds made by hand and on
//! random ones. The worlds are shown to be worth it: each plugin must tell nodes apart.

#[allow(dead_code, reason = "each test uses its own part of the shared worlds")]
#[path = "../src/testing.rs"]
mod testing;

use plugins::{CATALOGUE, Entry};
use scheduler_framework::profile::Profile;
use scheduler_framework::{Cadence, laws};
use scheduler_model::event::Event;
use scheduler_model::ids::ClassId;
use scheduler_model::snapshot::Snapshot;
use scheduler_model::spec::{
    HostPort, NodeSpec, NodeTerm, PodShape, PodSpec, Protocol, SelectorOperator, SpreadSpec, Taint,
    TaintEffect, Toleration, TolerationOperator, WhenUnsatisfiable,
};
use scheduler_model::time::Time;
use scheduler_sim::worlds::{self, Feature, Size};
use std::collections::BTreeSet;
use std::sync::Arc;
use testing::{
    build, labelled, labels, node, on, pod, requirement, selector, sized, term, terminating,
    wanting,
};

const APP: &[(&str, &str)] = &[("app", "web")];
const GPU: &str = "nvidia.com/gpu";

#[test]
fn all_plugins_obey_the_laws_on_worlds_made_by_hand() {
    for (name, snap) in by_hand() {
        check(&snap, name);
    }
}

#[test]
fn all_plugins_obey_the_laws_on_random_worlds() {
    for seed in 0..200 {
        check(&random(seed), &format!("seed {seed}"));
    }
}

#[test]
fn every_filter_refuses_and_every_scorer_tells_apart_in_many_random_worlds() {
    let worlds: Vec<Snapshot> = (0..300).map(random).collect();
    let count = |is_met: &dyn Fn(&Snapshot, ClassId) -> bool| {
        let meets = |snap: &&Snapshot| snap.classes().iter().any(|(class, _)| is_met(snap, class));
        worlds.iter().filter(meets).count()
    };
    for (name, profile) in installed() {
        if !profile.filters().is_empty() {
            let count = count(&|snap, class| refuses(&profile, snap, class));
            assert!(count >= 10, "{name} refuses a node in {count} worlds only");
        }
        if !profile.scorers().is_empty() {
            let count = count(&|snap, class| tells_apart(&profile, snap, class));
            assert!(count >= 10, "{name} tells nodes apart in {count} worlds only");
        }
    }
}

fn check(snap: &Snapshot, world: &str) {
    for (_, profile) in installed() {
        for filter in profile.filters() {
            let law = laws::filter(filter.as_ref(), snap);
            assert_eq!(law, Ok(()), "in world {world}");
        }
        for (scorer, _) in profile.scorers() {
            let law = laws::scorer(scorer.as_ref(), snap);
            assert_eq!(law, Ok(()), "in world {world}");
        }
    }
}

fn installed() -> Vec<(&'static str, Profile)> {
    let install = |entry: &Entry| {
        let mut profile = Profile::default();
        (entry.install)(&mut profile);
        (entry.name, profile)
    };
    CATALOGUE.iter().map(install).collect()
}

fn refuses(profile: &Profile, snap: &Snapshot, class: ClassId) -> bool {
    let mut nodes = snap.nodes().live().iter();
    nodes.any(|node| profile.refusal(snap, class, node).is_some())
}

fn tells_apart(profile: &Profile, snap: &Snapshot, class: ClassId) -> bool {
    let nodes = snap.nodes().live().iter();
    let scores: BTreeSet<i64> = nodes.map(|node| profile.score(snap, class, node)).collect();
    scores.len() > 1
}

/// A random world. Of three, one has a few features and two have all; the last of them with
/// what the generator leaves out: required terms become wishes, constraints and taints soft.
fn random(seed: u64) -> Snapshot {
    let is_soft = seed % 3 == 2;
    let world = if seed.is_multiple_of(3) {
        worlds::random(seed, Size::SMALL)
    } else {
        worlds::random_of(seed, Size::SMALL, &Feature::ALL)
    };
    let mut snap = Snapshot::default();
    for (index, event) in world.events.into_iter().enumerate() {
        let event = match event {
            Event::Pod(pod) if is_soft => Event::Pod(Box::new(softened(*pod, index))),
            Event::Node(node) if is_soft => Event::Node(Box::new(welcoming(*node))),
            other => other,
        };
        snap.ingest(event, Time::ZERO);
    }
    snap.settle();
    snap
}

fn softened(pod: PodSpec, index: usize) -> PodSpec {
    let mut shape = (*pod.shape).clone();
    let weight = if index % 2 == 1 { 50 } else { -7 };
    let wishes = shape.affinity.drain(..).map(|term| (weight, term));
    shape.pod_preferences.extend(wishes);
    let terms = shape.node_affinity.take().unwrap_or_default();
    shape.node_preferences.extend(terms.into_iter().map(|term| (10, term)));
    for constraint in &mut shape.spread {
        constraint.when_unsatisfiable = WhenUnsatisfiable::ScheduleAnyway;
    }
    PodSpec { shape: Arc::new(shape), ..pod }
}

fn welcoming(mut node: NodeSpec) -> NodeSpec {
    for taint in &mut node.taints {
        taint.effect = TaintEffect::PreferNoSchedule;
    }
    node
}

/// Worlds that between them have everything a plugin can look at.
fn by_hand() -> Vec<(&'static str, Snapshot)> {
    vec![
        ("empty", Snapshot::default()),
        ("no nodes", build(vec![], vec![pod("p", APP, wanting(&[("cpu", 1)]))])),
        ("closed nodes", closed_nodes()),
        ("named nodes", named_nodes()),
        ("ports", ports()),
        ("partners", partners()),
        ("spread", spread()),
        ("accelerators", accelerators()),
        ("nodes that went", nodes_that_went()),
    ]
}

/// `a1`, `a2` in zone a, `b1` in zone b, `x` in none.
fn zones() -> Vec<NodeSpec> {
    vec![
        labelled("a1", &[("zone", "a"), ("disk", "ssd"), ("gen", "7")]),
        labelled("a2", &[("zone", "a")]),
        labelled("b1", &[("zone", "b"), ("gen", "new")]),
        node("x"),
    ]
}

fn closed_nodes() -> Snapshot {
    let taint = |effect| Taint { key: "k".to_owned(), value: "v".to_owned(), effect };
    let tolerate = |key: &str| Toleration {
        key: key.to_owned(),
        operator: TolerationOperator::Exists,
        value: String::new(),
        effect: None,
    };
    let mut nodes = zones();
    nodes[0].unschedulable = true;
    nodes[1].ready = false;
    nodes[2].taints = vec![taint(TaintEffect::NoSchedule), taint(TaintEffect::PreferNoSchedule)];
    nodes[3].taints = vec![taint(TaintEffect::PreferNoSchedule)];
    let shape = |key| PodShape { tolerations: vec![tolerate(key)], ..wanting(&[("cpu", 1)]) };
    let small = pod("small", APP, wanting(&[("cpu", 1)]));
    build(nodes, vec![pod("p", APP, shape("k")), pod("q", APP, shape("")), small])
}

fn named_nodes() -> Snapshot {
    use SelectorOperator::{Exists, Gt, In, NotIn};
    let term = |part| NodeTerm { labels: vec![part], fields: vec![] };
    let fields = vec![requirement("metadata.name", NotIn, &["a1"])];
    let terms = vec![term(requirement("gen", Gt, &["6"])), NodeTerm { labels: vec![], fields }];
    let wanted = PodShape { node_affinity: Some(terms), ..PodShape::default() };
    let nowhere = PodShape { node_affinity: Some(vec![]), ..PodShape::default() };
    let selected = PodShape { node_selector: labels(&[("disk", "ssd")]), ..PodShape::default() };
    let preferences = vec![
        (100, term(requirement("zone", In, &["a"]))),
        (1, term(requirement("disk", Exists, &[]))),
        (-5, term(requirement("gen", Exists, &[]))),
    ];
    let wishing = PodShape { node_preferences: preferences, ..PodShape::default() };
    let shapes = [("wanted", wanted), ("nowhere", nowhere), ("sel", selected), ("wish", wishing)];
    build(zones(), shapes.map(|(name, shape)| pod(name, &[], shape)).into())
}

fn ports() -> Snapshot {
    let port = |ip: &str, port| {
        let host_ports = vec![HostPort { ip: ip.to_owned(), protocol: Protocol::Tcp, port }];
        PodShape { host_ports, ..PodShape::default() }
    };
    let pods = vec![
        on("a1", pod("web", &[], port("", 80))),
        terminating(on("b1", pod("old", &[], port("10.0.0.1", 80)))),
        pod("p", &[], port("10.0.0.2", 80)),
        pod("q", &[], port("", 81)),
    ];
    build(zones(), pods)
}

fn partners() -> Snapshot {
    let web = || term("zone", APP);
    let host = term("kubernetes.io/hostname", &[("app", "db")]);
    let both = vec![web(), term("kubernetes.io/hostname", &[("tier", "1")])];
    let near = PodShape { affinity: vec![web()], ..PodShape::default() };
    let nearer = PodShape { affinity: both, ..PodShape::default() };
    let far = PodShape { anti_affinity: vec![web(), host.clone()], ..PodShape::default() };
    let wishes = vec![(100, web()), (-30, host)];
    let wishing = PodShape { pod_preferences: wishes, ..PodShape::default() };
    let tiered = &[("app", "web"), ("tier", "1")];
    let pods = vec![
        on("a1", pod("web", tiered, wishing.clone())),
        on("b1", pod("db", &[("app", "db")], far.clone())),
        terminating(on("x", pod("old", APP, near.clone()))),
        pod("near", APP, near.clone()),
        pod("stranger", &[], near),
        pod("nearer", tiered, nearer),
        pod("far", &[("app", "db")], far),
        pod("wish", &[("app", "db")], wishing),
        pod("plain", APP, PodShape::default()),
    ];
    build(zones(), pods)
}

fn spread() -> Snapshot {
    let over = |key: &str, when, min_domains| SpreadSpec {
        max_skew: 1,
        topology_key: key.to_owned(),
        when_unsatisfiable: when,
        selector: Some(selector(APP)),
        min_domains,
        honour_affinity: true,
        honour_taints: true,
    };
    let (hard, soft) = (WhenUnsatisfiable::DoNotSchedule, WhenUnsatisfiable::ScheduleAnyway);
    let host = "kubernetes.io/hostname";
    let shape = |spread| PodShape { spread, ..PodShape::default() };
    let pods = vec![
        on("a1", pod("one", APP, PodShape::default())),
        on("a1", pod("two", APP, PodShape::default())),
        terminating(on("b1", pod("old", APP, PodShape::default()))),
        pod("hard", APP, shape(vec![over("zone", hard, 1), over(host, hard, 9)])),
        pod("soft", APP, shape(vec![over("zone", soft, 1), over(host, soft, 1)])),
        pod("both", &[], shape(vec![over("zone", hard, 1), over(host, soft, 1)])),
    ];
    build(zones(), pods)
}

fn accelerators() -> Snapshot {
    let nodes = vec![
        sized("g8", &[("cpu", 64_000), ("memory", 1 << 40), (GPU, 8), ("rdma/hca", 1000)]),
        sized("g4", &[("cpu", 32_000), ("memory", 1 << 39), (GPU, 4)]),
        sized("cpu", &[("cpu", 7001), ("memory", 12_345_678_901)]),
        sized("bare", &[]),
    ];
    let pods = vec![
        on("g8", pod("busy", &[], wanting(&[("cpu", 999), (GPU, 3)]))),
        on("bare", pod("over", &[], wanting(&[("cpu", i64::MAX), (GPU, i64::MAX)]))),
        pod("one", &[], wanting(&[(GPU, 1), ("cpu", 1)])),
        pod("two", &[], wanting(&[(GPU, 4), ("rdma/hca", 1)])),
        pod("none", &[], wanting(&[("memory", 1 << 30)])),
        pod("absurd", &[], wanting(&[(GPU, i64::MAX), ("memory", i64::MAX)])),
    ];
    build(nodes, pods)
}

fn nodes_that_went() -> Snapshot {
    let mut snap = partners();
    for name in ["a1", "x"] {
        snap.ingest(Event::NodeGone(name.to_owned()), Time::ZERO);
    }
    snap.ingest(Event::Node(Box::new(labelled("b1", &[("zone", "a")]))), Time::ZERO);
    snap.settle();
    snap
}

#[test]
fn filters_that_look_at_placed_pods_say_so() {
    let looks = ["host_ports", "volumes", "affinity", "spread"];
    for (name, profile) in installed() {
        for filter in profile.filters() {
            let is_per_placement = filter.cadence() == Cadence::PerPlacement;
            assert_eq!(is_per_placement, looks.contains(&name), "{name}");
        }
    }
}
