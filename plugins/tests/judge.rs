//! The filters against a judge that shares no code with them, and the two scorers that count
//! other pods against a naive count over the specs, on random worlds.

#[allow(dead_code, reason = "each test uses its own part of the shared worlds")]
#[path = "../src/testing.rs"]
mod testing;

use plugins::CATALOGUE;
use scheduler_framework::profile::Profile;
use scheduler_framework::{SCORE_MAX, Verdict};
use scheduler_model::event::Event;
use scheduler_model::explain::NodeReason;
use scheduler_model::ids::{Id, NodeId};
use scheduler_model::snapshot::Snapshot;
use scheduler_model::spec::{
    LabelSelector, Labels, NodeSpec, PodSpec, PodTerm, SelectorOperator, SpreadSpec, TaintEffect,
    Toleration, TolerationOperator, WhenUnsatisfiable,
};
use scheduler_model::time::Time;
use scheduler_sim::checker::{Cluster, Refusal, refusals};
use scheduler_sim::worlds::{Feature, Size, random_of};
use std::collections::BTreeMap;
use std::sync::Arc;
use testing::class_of;

/// Everything that filters and scorers look at.
const FEATURES: &[Feature] = &[
    Feature::Taints,
    Feature::Cordons,
    Feature::NotReady,
    Feature::MissingLabels,
    Feature::Selectors,
    Feature::NodeAffinity,
    Feature::PodAffinity,
    Feature::AntiAffinity,
    Feature::Namespaces,
    Feature::Spread,
    Feature::Ports,
    Feature::Mixed,
    Feature::Plain,
    Feature::Running,
    Feature::Foreign,
    Feature::Terminating,
];

/// The filters that stand for rules of Kubernetes; the judge knows no others.
const JUDGED: [&str; 6] =
    ["unschedulable", "taints", "selectors", "host_ports", "affinity", "spread"];

/// The reasons that each of them may give.
fn is_of(filter: &str, reason: &NodeReason) -> bool {
    match reason {
        NodeReason::Cordoned | NodeReason::NotReady => filter == "unschedulable",
        NodeReason::Taint(_) => filter == "taints",
        NodeReason::NodeAffinity => filter == "selectors",
        NodeReason::HostPort(_) => filter == "host_ports",
        NodeReason::PodAffinity | NodeReason::PodAntiAffinity | NodeReason::RefusedByPod => {
            filter == "affinity"
        }
        NodeReason::Spread(_) | NodeReason::NoSpreadLabel(_) => filter == "spread",
        _ => false,
    }
}

#[test]
fn every_filter_says_what_the_judge_says() {
    let mut counts: BTreeMap<&str, (u32, u32)> = BTreeMap::new();
    for seed in 0..300 {
        let (cluster, snap) = world(seed, &[]);
        for (pod, name, node) in questions(&cluster, &snap) {
            let against: Vec<NodeReason> = refusals(&cluster, pod, name)
                .into_iter()
                .filter_map(|refusal| match refusal {
                    Refusal::Node(reason) => Some(reason),
                    _ => None,
                })
                .collect();
            for (filter, profile) in installed() {
                let Some(it) = profile.filters().first() else { continue };
                if !JUDGED.contains(&filter) {
                    continue;
                }
                let expected: Vec<&NodeReason> =
                    against.iter().filter(|reason| is_of(filter, reason)).collect();
                let verdict = it.accepts(&snap, class_of(&snap, &pod.uid), node);
                let (fits, refused) = counts.entry(filter).or_default();
                match &verdict {
                    Verdict::Fit => *fits += 1,
                    Verdict::Unfit(_) | Verdict::Never(_) => *refused += 1,
                }
                let is_right = match &verdict {
                    Verdict::Fit => expected.is_empty(),
                    Verdict::Unfit(reason) | Verdict::Never(reason) => expected.contains(&reason),
                };
                assert!(
                    is_right,
                    "{filter} says {verdict:?}, the judge {expected:?}: \
                     seed {seed}, pod {}, node {name}",
                    pod.uid
                );
            }
        }
    }
    assert_eq!(counts.len(), JUDGED.len());
    for (filter, (fits, refused)) in counts {
        assert!(
            fits > 200 && refused > 200,
            "{filter} fits {fits}, refuses {refused}: too one-sided"
        );
    }
}

#[test]
fn the_affinity_score_is_what_a_naive_count_gives() {
    compare("affinity", |cluster, pod, node| {
        let sum = pulls(cluster, pod, node);
        SCORE_MAX / 2 + SCORE_MAX / 2 * sum / (sum.abs() + 400)
    });
}

#[test]
fn the_spread_score_is_what_a_naive_count_gives() {
    compare("spread", spreads);
}

/// Compares a scorer's set form with `expected` on softened random worlds.
fn compare(name: &str, expected: impl Fn(&Cluster, &PodSpec, &NodeSpec) -> i64) {
    let (_, profile) = installed().into_iter().find(|(it, _)| *it == name).expect("it exists");
    let (scorer, _) = profile.scorers().first().expect("it scores");
    let mut scores: BTreeMap<i64, u32> = BTreeMap::new();
    for seed in 0..300 {
        let (cluster, snap) = world(seed, &[soften]);
        for (pod, node_name, node) in questions(&cluster, &snap) {
            let class = class_of(&snap, &pod.uid);
            if !scorer.concerns(&snap, class) {
                continue;
            }
            let mut sums = vec![0; snap.nodes().bound()];
            scorer.add_scores(&snap, class, snap.nodes().live(), 1, &mut sums);
            let score = sums[node.index()];
            let want = expected(&cluster, pod, &cluster.nodes[node_name]);
            assert_eq!(score, want, "seed {seed}, pod {}, node {node_name}", pod.uid);
            *scores.entry(score).or_default() += 1;
        }
    }
    assert!(scores.len() > 5, "{name} gave few different scores: {scores:?}");
}

type Change = fn(PodSpec) -> PodSpec;

fn world(seed: u64, changes: &[Change]) -> (Cluster, Snapshot) {
    let events: Vec<Event> = random_of(seed, Size::SMALL, FEATURES)
        .events
        .into_iter()
        .map(|event| match event {
            Event::Pod(pod) => {
                Event::Pod(Box::new(changes.iter().fold(*pod, |pod, change| change(pod))))
            }
            other => other,
        })
        .collect();
    let cluster = Cluster::from_events(&events);
    let mut snap = Snapshot::default();
    for event in events {
        snap.ingest(event, Time::ZERO);
    }
    snap.settle();
    (cluster, snap)
}

/// Required terms become wishes and hard constraints soft, which the generator never draws.
fn soften(pod: PodSpec) -> PodSpec {
    let mut shape = (*pod.shape).clone();
    let wishes = shape.affinity.drain(1.min(shape.affinity.len())..).map(|term| (60, term));
    let fears = shape.anti_affinity.drain(..).map(|term| (-35, term));
    shape.pod_preferences.extend(wishes.chain(fears));
    for constraint in &mut shape.spread {
        constraint.when_unsatisfiable = WhenUnsatisfiable::ScheduleAnyway;
    }
    PodSpec { shape: Arc::new(shape), ..pod }
}

/// Each waiting pod of ours on each node.
fn questions<'a>(
    cluster: &'a Cluster,
    snap: &'a Snapshot,
) -> impl Iterator<Item = (&'a PodSpec, &'a str, NodeId)> {
    let waits = |pod: &&PodSpec| pod.ours && pod.node.is_none() && !pod.phase.is_finished();
    cluster.pods.values().filter(waits).flat_map(move |pod| {
        let nodes = cluster.nodes.keys().filter_map(|name| Some((name, snap.nodes().find(name)?)));
        nodes.map(move |(name, node)| (pod, name.as_str(), node))
    })
}

fn installed() -> Vec<(&'static str, Profile)> {
    CATALOGUE
        .iter()
        .map(|entry| {
            let mut profile = Profile::default();
            (entry.install)(&mut profile);
            (entry.name, profile)
        })
        .collect()
}

/// Sum of the weights of all that pulls `pod` to `node`, in both directions.
fn pulls(cluster: &Cluster, pod: &PodSpec, node: &NodeSpec) -> i64 {
    let mut sum = 0;
    for (other, place) in cluster.holding() {
        let Some(place) = cluster.nodes.get(place) else { continue };
        let is_near = |term: &PodTerm| {
            let here = node.labels.get(&term.topology_key);
            here.is_some() && here == place.labels.get(&term.topology_key)
        };
        let own = pod.shape.pod_preferences.iter();
        let own = own.filter(|(_, term)| is_near(term) && selects(cluster, term, other));
        sum += own.map(|(weight, _)| i64::from(*weight)).sum::<i64>();
        let needs = other.shape.affinity.iter().map(|term| (1, term));
        let wishes = other.shape.pod_preferences.iter().map(|(weight, term)| (*weight, term));
        let theirs = needs.chain(wishes);
        let theirs = theirs.filter(|(_, term)| is_near(term) && selects(cluster, term, pod));
        sum += theirs.map(|(weight, _)| i64::from(weight)).sum::<i64>();
    }
    sum
}

fn spreads(cluster: &Cluster, pod: &PodSpec, node: &NodeSpec) -> i64 {
    let all = &pod.shape.spread;
    let sum: i64 = all.iter().map(|one| spread_points(cluster, pod, one, node)).sum();
    sum / i64::try_from(all.len()).expect("few constraints")
}

fn spread_points(cluster: &Cluster, pod: &PodSpec, one: &SpreadSpec, node: &NodeSpec) -> i64 {
    let mut domains: BTreeMap<&str, i64> = BTreeMap::new();
    for place in cluster.nodes.values() {
        let has_all = pod.shape.spread.iter().all(|it| place.labels.contains_key(&it.topology_key));
        let is_wanted = !one.honour_affinity || wants(cluster, pod, place);
        let is_open = !one.honour_taints
            || place.taints.iter().all(|taint| {
                taint.effect == TaintEffect::PreferNoSchedule
                    || pod.shape.tolerations.iter().any(|it| tolerates(it, taint))
            });
        if !(has_all && is_wanted && is_open) {
            continue;
        }
        let counted = cluster.holding_on(&place.name).filter(|other| {
            !other.terminating
                && other.namespace == pod.namespace
                && one
                    .selector
                    .as_ref()
                    .is_some_and(|it| !it.requirements.is_empty() && matches(it, &other.labels))
        });
        *domains.entry(&place.labels[&one.topology_key]).or_default() +=
            i64::try_from(counted.count()).expect("few pods");
    }
    let Some(value) = node.labels.get(&one.topology_key) else { return 0 };
    let is_enough = domains.len() >= usize::try_from(one.min_domains).expect("small");
    let least = if is_enough { domains.values().copied().min().unwrap_or(0) } else { 0 };
    let here = domains.get(value.as_str()).copied().unwrap_or(0);
    let slope = i64::from(one.max_skew);
    SCORE_MAX * slope / (slope + (here - least).max(0))
}

/// Node selector and node affinity by the judge's word.
fn wants(cluster: &Cluster, pod: &PodSpec, node: &NodeSpec) -> bool {
    !refusals(cluster, pod, &node.name).contains(&Refusal::Node(NodeReason::NodeAffinity))
}

fn tolerates(it: &Toleration, taint: &scheduler_model::spec::Taint) -> bool {
    let number = |text: &str| text.parse::<i64>().ok();
    let key = it.key.is_empty() || it.key == taint.key;
    let effect = it.effect.is_none_or(|effect| effect == taint.effect);
    let value = match it.operator {
        TolerationOperator::Exists => true,
        TolerationOperator::Equal => it.value == taint.value,
        TolerationOperator::Gt => number(&taint.value) > number(&it.value).or(Some(i64::MAX)),
        TolerationOperator::Lt => {
            number(&taint.value).is_some_and(|has| number(&it.value).is_some_and(|than| has < than))
        }
    };
    key && effect && value
}

fn selects(cluster: &Cluster, term: &PodTerm, pod: &PodSpec) -> bool {
    let named = term.namespaces.names.contains(&pod.namespace);
    let chosen = term.namespaces.selector.as_ref();
    let chosen = chosen.is_some_and(|it| matches(it, &cluster.namespace_labels(&pod.namespace)));
    (named || chosen) && term.selector.as_ref().is_some_and(|it| matches(it, &pod.labels))
}

fn matches(selector: &LabelSelector, labels: &Labels) -> bool {
    selector.requirements.iter().all(|it| {
        let value = labels.get(&it.key);
        match it.operator {
            SelectorOperator::In => value.is_some_and(|value| it.values.contains(value)),
            SelectorOperator::NotIn => !value.is_some_and(|value| it.values.contains(value)),
            SelectorOperator::Exists => value.is_some(),
            SelectorOperator::DoesNotExist => value.is_none(),
            SelectorOperator::Gt | SelectorOperator::Lt => false,
        }
    })
}
