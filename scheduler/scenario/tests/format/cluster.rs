//! Nodes, topologies, queues, classes, namespaces, DaemonSets.

use crate::{nodes, queues, story};
use scheduler_model::amount::Amount;
use scheduler_model::event::Event;
use scheduler_model::spec::{Grants, Quota, Taint, TaintEffect};
use scheduler_model::time::{Span, Time};

const DAY_MS: i64 = 86_400_000;

#[test]
fn a_node_has_standard_room_a_host_name_and_is_ready_and_old() {
    let scenario = story("nodes: [{ name: a1 }]");
    let [node] = nodes(&scenario.world)[..] else { panic!("one node") };
    assert_eq!(node.labels["kubernetes.io/hostname"], "a1");
    assert_eq!(node.allocatable["cpu"], Amount::new(64_000));
    assert_eq!(node.allocatable["memory"], Amount::new(512 << 30));
    assert_eq!(node.allocatable["pods"], Amount::new(110));
    assert!(node.ready && !node.unschedulable);
    assert_eq!(node.created_at, Time::from_ms(-DAY_MS));
}

#[test]
fn every_key_of_a_node_is_read() {
    let scenario = story(
        "nodes: [{ name: 'n{1..2}', gpu: 8, cpu: 500m, memory: 1.5Gi, pods: 3, amd.com/gpu: 2, \
         ephemeral-storage: 1Ti, labels: { zone: z }, taints: ['a=b:NoExecute'], \
         unschedulable: true, ready: false, flavour: a100, created: -30s }]",
    );
    let [_, node] = nodes(&scenario.world)[..] else { panic!("two nodes") };
    assert_eq!(node.name, "n2");
    let have = |name: &str| node.allocatable[name].units();
    assert_eq!((have("nvidia.com/gpu"), have("amd.com/gpu"), have("pods")), (8, 2, 3));
    assert_eq!((have("cpu"), have("memory")), (500, 3 << 29));
    assert_eq!(have("ephemeral-storage"), 1 << 40);
    assert_eq!(node.labels["zone"], "z");
    let effect = TaintEffect::NoExecute;
    assert_eq!(node.taints, [Taint { key: "a".to_owned(), value: "b".to_owned(), effect }]);
    assert!(node.unschedulable && !node.ready);
    assert_eq!((node.flavour.as_str(), node.created_at.ms()), ("a100", -30_000));
}

#[test]
fn a_key_that_names_a_level_is_a_label() {
    let scenario = story(
        "topology: [zone, { name: rack, key: example.com/rack }]\n\
         topologies: [{ name: other, levels: [leaf] }]\n\
         nodes: [{ name: a, zone: z, rack: r1, leaf: 7 }]",
    );
    let labels = &nodes(&scenario.world)[0].labels;
    assert_eq!(labels["zone"], "z");
    assert_eq!(labels["example.com/rack"], "r1");
    assert_eq!(labels["leaf"], "7");
    let names: Vec<&str> = scenario
        .world
        .events
        .iter()
        .filter_map(|event| match event {
            Event::Topology(topology) => Some(topology.name.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(names, ["default", "other"]);
}

#[test]
fn every_key_of_a_queue_is_read() {
    let scenario = story(
        "queues:\n  - { name: top }\n  - { name: q, parent: top, weight: 3, priority: -2, \
         dedicated: { gpu: 1 }, deserved: { gpu: 2 }, limit: { gpu: 4 }, borrowingLimit: { gpu: 3 }, \
         lendingLimit: { gpu: 0 }, on: { a100: { deserved: { gpu: 1 }, limit: { gpu: 2 } } }, open: false, created: -1s }",
    );
    let [top, queue] = queues(&scenario.world)[..] else { panic!("two queues") };
    assert_eq!((top.weight, top.open, &top.parent), (1, true, &None));
    assert_eq!(queue.parent.as_deref(), Some("top"));
    assert_eq!((queue.weight, queue.priority, queue.open), (3, -2, false));
    assert_eq!(queue.created_at.ms(), -1000);
    let units = |amount: Option<Amount>| amount.map(Amount::units);
    let quotas: Vec<_> = queue
        .quotas
        .iter()
        .map(|one| {
            let Quota { dedicated, deserved, limit, borrowing_limit, lending_limit } = one.quota;
            let amounts = [dedicated, deserved, limit, borrowing_limit, lending_limit].map(units);
            (one.flavour.as_deref(), one.resource.as_str(), amounts)
        })
        .collect();
    let gpu = "nvidia.com/gpu";
    let all = [Some(1), Some(2), Some(4), Some(3), Some(0)];
    let of_a100 = [None, Some(1), Some(2), None, None];
    assert_eq!(quotas, [(None, gpu, all), (Some("a100"), gpu, of_a100)]);
}

#[test]
fn what_a_queue_says_of_eviction_is_read() {
    let scenario = story(
        "queues:\n  - { name: q, reclaimable: false, preempts: false, preemptible: false, \
         minRuntime: 10m, wishes: { nonPreemptible: true, minRuntime: 1h, preemptionCost: 5 } }",
    );
    let [queue] = queues(&scenario.world)[..] else { panic!("one queue") };
    assert_eq!((queue.reclaimable, queue.preempts, queue.preemptible), (false, false, false));
    assert_eq!(queue.min_runtime, Span::from_secs(600));
    let want = Grants {
        non_preemptible: Some(true),
        min_runtime: Some(Span::from_secs(3600)),
        preemption_cost: Some(5),
    };
    assert_eq!(queue.grants, want);
}

#[test]
fn classes_namespaces_and_daemon_sets_are_read() {
    let scenario = story(
        "priorityClasses: [{ name: high, value: 100, default: true }]\n\
         namespaces: [{ name: team, labels: { a: b }, queue: q }]\n\
         daemons: [{ name: agent, namespace: system, each: { cpu: 1 }, \
         constraints: { nodeSelector: { a: b } } }, { name: other }]",
    );
    let events = &scenario.world.events;
    assert!(matches!(&events[0], Event::PriorityClass(class)
        if class.name == "high" && class.value == 100 && class.is_default));
    assert!(matches!(&events[1], Event::Namespace(namespace)
        if namespace.labels["a"] == "b" && namespace.queue.as_deref() == Some("q")));
    assert!(matches!(&events[2], Event::Daemon(daemon)
        if daemon.key == "system/agent" && daemon.shape.requests["cpu"] == Amount::new(1000)
            && daemon.shape.node_selector["a"] == "b"));
    assert!(matches!(&events[3], Event::Daemon(daemon) if daemon.key == "default/other"));
}

#[test]
fn labels_and_the_start_of_the_clock_are_read() {
    let scenario = story("labels: [e2e, slow]\nnow: 2026-11-30T00:00:00Z\nnodes: [{ name: a }]");
    assert_eq!(scenario.labels, ["e2e", "slow"]);
    assert_eq!(scenario.start.ms(), 1_795_996_800_000);
    assert_eq!(nodes(&scenario.world)[0].created_at.ms(), 1_795_996_800_000 - DAY_MS);
}

#[test]
fn a_file_may_say_when_the_head_of_a_line_holds_room() {
    assert_eq!(story("holdAfter: 0s").hold_after, Some(Span::from_secs(0)));
    assert_eq!(story("now: 1h").hold_after, None);
}

#[test]
fn a_name_may_be_a_word_that_older_yaml_took_for_yes_or_no() {
    let scenario = story("nodes: [{name: n, cpu: 1}, {name: [on, y], cpu: 1}]");
    let names: Vec<&str> = nodes(&scenario.world).iter().map(|node| &*node.name).collect();
    assert_eq!(names, ["n", "on", "y"]);
}
