//! The key property: what the desk told so far is the world that reading the same objects gives.

use crate::samples::{self, Sample};
use scheduler_kube::desk::{Desk, DeskConfig, Name, News, Source};
use scheduler_kube::read::{self, KINDS};
use scheduler_kube::translate::Context;
use scheduler_model::event::Event;
use scheduler_model::snapshot::Snapshot;
use scheduler_model::spec::{Dialect, GangSpec};
use scheduler_model::time::Time;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The same cases on every machine.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(most).expect("small")).expect("small")
    }

    fn one_in(&mut self, many: usize) -> bool {
        self.below(many) == 0
    }
}

/// What there is, by source and name.
type Cluster = BTreeMap<(Source, String), Sample>;

fn key(sample: &Sample) -> (Source, String) {
    let Name { namespace, name } = sample.name();
    (sample.source, format!("{namespace}/{name}"))
}

/// Lives through a random life; the objects at its end, and what was told.
fn live(seed: u64, steps: usize) -> (Cluster, Vec<Event>) {
    let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let samples = samples::all();
    let config = DeskConfig { kueue_queues: true, ..DeskConfig::default() };
    let (mut desk, mut cluster, mut told) = (Desk::new(config), Cluster::new(), Vec::new());
    for _ in 0..steps {
        let mut sample = samples[dice.below(samples.len())].clone();
        vary(&mut sample, &mut dice);
        match dice.below(10) {
            0..=5 => {
                desk.take(News::Apply(sample.source, sample.object()));
                cluster.insert(key(&sample), sample);
            }
            6 | 7 => {
                desk.take(News::Delete(sample.source, sample.name()));
                cluster.remove(&key(&sample));
            }
            8 => relist(&mut desk, &mut cluster, sample.source, &mut dice),
            _ => {
                desk.take(News::Drop(sample.source));
                cluster.retain(|(source, _), _| *source != sample.source);
            }
        }
        if dice.one_in(4) {
            told.extend(desk.flush().events);
        }
    }
    told.extend(desk.flush().events);
    (cluster, told)
}

/// While the watch was away some objects went; the list has the others, some of them twice.
fn relist(desk: &mut Desk, cluster: &mut Cluster, source: Source, dice: &mut Dice) {
    if dice.one_in(3) {
        // A list that breaks off half-way says nothing about what is gone.
        desk.take(News::ListStart(source));
    }
    cluster.retain(|(of, _), _| *of != source || !dice.one_in(3));
    desk.take(News::ListStart(source));
    for ((of, _), sample) in &*cluster {
        if *of == source {
            for _ in 0..=dice.below(2) {
                desk.take(News::Apply(source, sample.object()));
            }
        }
    }
    desk.take(News::ListEnd(source));
}

/// Objects change, too.
fn vary(sample: &mut Sample, dice: &mut Dice) {
    if dice.one_in(2) {
        return;
    }
    let labels = ["muster.sh/queue", "pool", "muster.sh/min-available", "volcano.sh/preemptable"];
    let values = ["research", "t4", "2", "false"];
    let which = dice.below(labels.len());
    let meta = &mut sample.json["metadata"];
    if meta["labels"].is_object() || meta["labels"].is_null() {
        meta["labels"][labels[which]] = values[which].into();
    }
    if sample.source.kind().kind == "Pod" && dice.one_in(3) {
        sample.json["spec"]["nodeName"] = ["n1", "n3"][dice.below(2)].into();
    }
}

/// The latest of each object that was told, in the order in which reading tells them.
fn fold(told: Vec<Event>) -> Vec<Event> {
    let mut latest: BTreeMap<(u8, String), Option<Event>> = BTreeMap::new();
    for event in told {
        let (key, is_gone) = match &event {
            Event::Node(spec) => ((4, spec.name.clone()), false),
            Event::NodeGone(name) => ((4, name.clone()), true),
            Event::Pod(spec) => ((10, spec.uid.clone()), false),
            Event::PodGone(uid) => ((10, uid.clone()), true),
            Event::Gang(spec) => ((9, format!("{:?}", spec.key)), false),
            Event::GangGone(key) => ((9, format!("{key:?}")), true),
            Event::Queue(spec) => ((3, spec.name.clone()), false),
            Event::QueueGone(name) => ((3, name.clone()), true),
            Event::Topology(spec) => ((2, spec.name.clone()), false),
            Event::TopologyGone(name) => ((2, name.clone()), true),
            Event::PriorityClass(spec) => ((1, spec.name.clone()), false),
            Event::PriorityClassGone(name) => ((1, name.clone()), true),
            Event::Namespace(spec) => ((0, spec.name.clone()), false),
            Event::NamespaceGone(name) => ((0, name.clone()), true),
            Event::Daemon(spec) => ((8, spec.key.clone()), false),
            Event::DaemonGone(key) => ((8, key.clone()), true),
            Event::Claim(spec) => ((5, spec.key.clone()), false),
            Event::ClaimGone(key) => ((5, key.clone()), true),
            Event::Volume(spec) => ((6, spec.name.clone()), false),
            Event::VolumeGone(name) => ((6, name.clone()), true),
            Event::Pool(spec) => ((7, spec.key.clone()), false),
            Event::PoolGone(key) => ((7, key.clone()), true),
            Event::Budget(spec) => ((8, format!("budget {}", spec.key())), false),
            Event::BudgetGone(key) => ((8, format!("budget {key}")), true),
            Event::ListStart(_) | Event::ListEnd(_) => panic!("the desk sweeps by itself"),
        };
        latest.insert(key, (!is_gone).then_some(event));
    }
    latest.into_values().flatten().collect()
}

/// The same objects as one input. Of equal names the last counts there, so the kinds that
/// count more stand last.
fn read(cluster: &Cluster) -> Vec<Event> {
    let mut samples: Vec<&Sample> = cluster.values().collect();
    samples.sort_by_key(|sample| std::cmp::Reverse(sample.source));
    let text: String = samples.iter().map(|sample| format!("{}\n", sample.json)).collect();
    let reader = Box::new(std::io::Cursor::new(text.into_bytes()));
    let source = read::Source { name: "cluster".to_owned(), reader };
    read::read(vec![source], &Context::default()).world.events
}

/// Leaves out what only one side can know: gangs of ReplicaSets and Jobs that reading plays,
/// and gangs whose controller a live cluster would still show.
fn comparable(events: Vec<Event>, cluster: &Cluster) -> Vec<Event> {
    let named = |kind: &str| -> BTreeSet<String> {
        let samples = cluster.values().filter(|sample| sample.source.kind().kind == kind);
        samples.map(|sample| sample.name().name).collect()
    };
    let (jobs, sets) = (named("Job"), named("ReplicaSet"));
    let is_known = |gang: &GangSpec| {
        let is_made = gang.key.dialect == Dialect::Plain
            && match gang.key.name.split_once('/') {
                Some(("job", name)) => !jobs.contains(name),
                Some(("replicaset", name)) => !sets.contains(name),
                _ => false,
            };
        let is_unseen = gang.unsupported.iter().any(|what| what.contains("not been seen"));
        !is_made && !is_unseen
    };
    let keep = |event: &Event| match event {
        Event::Gang(gang) => is_known(gang),
        _ => true,
    };
    events.into_iter().filter(keep).collect()
}

fn describe(events: Vec<Event>) -> Vec<String> {
    let mut snapshot = Snapshot::default();
    for event in events {
        snapshot.ingest(event, Time::ZERO);
    }
    snapshot.settle();
    snapshot.describe()
}

fn compare(seed: u64, steps: usize) {
    let (cluster, told) = live(seed, steps);
    let ours = describe(comparable(fold(told), &cluster));
    let theirs = describe(comparable(read(&cluster), &cluster));
    let only = |a: &[String], b: &[String]| -> Vec<String> {
        a.iter().filter(|line| !b.contains(line)).cloned().collect()
    };
    assert!(
        ours == theirs,
        "seed {seed}, {steps} steps\nonly the desk: {:#?}\nonly reading: {:#?}",
        only(&ours, &theirs),
        only(&theirs, &ours)
    );
}

#[test]
fn whatever_the_order_the_desk_tells_what_reading_tells() {
    for seed in 0..400 {
        compare(seed, 5 + usize::try_from(seed).expect("small") % 120);
    }
}

#[test]
fn all_samples_are_told_as_they_are_read() {
    let config = DeskConfig { kueue_queues: true, ..DeskConfig::default() };
    let (mut desk, mut cluster) = (Desk::new(config), Cluster::new());
    for sample in samples::all() {
        desk.take(News::Apply(sample.source, sample.object()));
        cluster.insert(key(&sample), sample);
    }
    let ours = describe(comparable(desk.flush().events, &cluster));
    assert_eq!(ours, describe(comparable(read(&cluster), &cluster)));
    let kinds: BTreeSet<&str> = cluster.keys().map(|(source, _)| source.kind().kind).collect();
    let missing: Vec<&str> =
        KINDS.iter().map(|kind| kind.kind).filter(|kind| !kinds.contains(kind)).collect();
    assert_eq!(missing, Vec::<&str>::new(), "kinds without a sample");
}

#[test]
fn a_fault_of_the_comparison_itself_would_be_seen() {
    let value: Value = serde_json::json!({"apiVersion": "v1", "kind": "Node",
        "metadata": {"name": "x"}});
    let sample = samples::sample(value).expect("a node is read");
    let cluster = Cluster::from([(key(&sample), sample)]);
    assert_ne!(describe(read(&cluster)), describe(read(&Cluster::new())));
}
