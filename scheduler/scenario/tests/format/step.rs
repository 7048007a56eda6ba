//! Steps and the sentences in them.

use crate::{key, nodes, story};
use scheduler_model::event::Event;
use scheduler_model::spec::{Dialect, GangKey};
use scheduler_scenario::{Change, PodName};

const CLUSTER: &str = "nodes: [{ name: 'n{1..2}' }]\nqueues: [{ name: q }]\n\
    running: [{ gang: g, pods: 2, on: n1 }]\n";

fn changes(sentence: &str) -> Vec<Change> {
    let scenario = story(&format!("{CLUSTER}then: [{{ do: ['{sentence}'] }}]"));
    scenario.then[0].changes.clone()
}

fn gang() -> GangKey {
    key("g", Dialect::Muster)
}

fn pod(name: &str) -> PodName {
    PodName { namespace: "default".to_owned(), name: name.to_owned() }
}

#[test]
fn steps_come_at_or_after_a_moment() {
    let scenario = story("now: 1h\nthen: [{ at: 10m }, { after: 5m }, {}]");
    let times: Vec<i64> = scenario.then.iter().map(|step| step.at.ms() / 60_000).collect();
    assert_eq!(times, [70, 75, 75]);
}

#[test]
fn gangs_and_groups_can_end() {
    assert_eq!(changes("gang g finishes"), [Change::GangFinishes(gang())]);
    assert_eq!(changes("gang muster:default/g fails"), [Change::GangFails(gang())]);
    assert_eq!(changes("gang default/g deleted"), [Change::GangDeleted(gang())]);
    assert_eq!(changes("group g deleted"), [Change::Event(Event::GangGone(gang()))]);
}

#[test]
fn pods_can_end() {
    assert_eq!(changes("pod g-0 succeeds"), [Change::PodSucceeds(pod("g-0"))]);
    assert_eq!(changes("pod g-0 fails"), [Change::PodFails(pod("g-0"))]);
    assert_eq!(changes("pod default/g-0 terminates"), [Change::PodTerminates(pod("g-0"))]);
    let both = [Change::PodDeleted(pod("g-0")), Change::PodDeleted(pod("g-1"))];
    assert_eq!(changes("pod g-{0..1} deleted"), both);
}

#[test]
fn nodes_can_come_and_go() {
    let name = || "n1".to_owned();
    assert_eq!(changes("node n1 fails"), [Change::NodeFails(name())]);
    assert_eq!(changes("node n1 returns"), [Change::NodeReturns(name())]);
    assert_eq!(changes("node n1 cordoned"), [Change::NodeCordoned(name())]);
    assert_eq!(changes("node n1 uncordoned"), [Change::NodeUncordoned(name())]);
    assert_eq!(changes("node n1 removed"), [Change::Event(Event::NodeGone(name()))]);
    assert_eq!(changes("node n{1..2} fails").len(), 2);
}

#[test]
fn gates_and_queues_can_change() {
    let gate = "x".to_owned();
    assert_eq!(changes("gate x opens"), [Change::GateOpens { gate: gate.clone(), gang: None }]);
    assert_eq!(changes("gate x of g opens"), [Change::GateOpens { gate, gang: Some(gang()) }]);
    assert_eq!(changes("queue q closes"), [Change::QueueCloses("q".to_owned())]);
    assert_eq!(changes("queue q opens"), [Change::QueueOpens("q".to_owned())]);
    let gone = Change::Event(Event::QueueGone("q".to_owned()));
    assert_eq!(changes("queue q removed"), [gone]);
}

#[test]
fn objects_can_be_added_and_named_afterwards() {
    let scenario = story(&format!(
        "{CLUSTER}then:\n  - after: 1m\n    do: [{{ add: {{ nodes: [{{ name: n3, gpu: 1 }}], \
         pending: [{{ gang: late }}, {{ gang: g, min: 1, pods: 0 }}] }} }}, node n3 fails]\n    \
         expect: [late: waits]"
    ));
    let Change::Add(world) = &scenario.then[0].changes[0] else { panic!("objects first") };
    assert_eq!(nodes(world)[0].name, "n3");
    let groups: Vec<(&str, u32, i64)> = crate::gangs(world)
        .iter()
        .map(|gang| (gang.key.name.as_str(), gang.min, gang.created_at.ms()))
        .collect();
    assert_eq!(groups, [("late", 1, 59_998), ("g", 1, 59_999)]);
    assert_eq!(scenario.then[0].expect.len(), 1);
}
