//! Gangs, pods, and everything that decides where they may go.

use crate::{gangs, key, pods, story};
use scheduler_model::spec::{
    Dialect, Membership, NodeTerm, PodPhase, SelectorOperator, Unsupported, WhenUnsatisfiable,
    Wishes,
};
use scheduler_model::time::{Span, Time};
use scheduler_model::world::Pace;

#[test]
fn a_gang_is_whole_by_default_and_its_pods_ask_for_nothing() {
    let scenario = story("pending: [{ gang: train, pods: 3 }]");
    let [gang] = gangs(&scenario.world)[..] else { panic!("one gang") };
    assert_eq!((gang.min, &gang.key), (3, &key("train", Dialect::Muster)));
    let pods = pods(&scenario.world);
    let names: Vec<&str> = pods.iter().map(|pod| pod.name.as_str()).collect();
    assert_eq!(names, ["train-0", "train-1", "train-2"]);
    assert_eq!(pods[2].rank, Some(2));
    assert!(pods.iter().all(|pod| pod.shape.requests.is_empty() && pod.ours));
    assert_eq!(pods[0].membership, Membership::Group(key("train", Dialect::Muster)));
}

#[test]
fn every_key_of_the_group_is_read() {
    let scenario = story(
        "pending: [{ gang: g, namespace: team, dialect: volcano, pods: 4, min: 2, queue: q, \
         priority: 7, priorityClass: high, together: rack, prefer: zone, topology: net, \
         walltime: 1h, unbreakable: true, succeeded: 1, groupUnsupported: [subgroups], \
         createsAtOnce: { pods: 1, setting: 'podManagementPolicy: Parallel' }, created: -5m }]",
    );
    let gang = gangs(&scenario.world)[0];
    assert_eq!((gang.key.namespace.as_str(), gang.key.dialect), ("team", Dialect::Volcano));
    assert_eq!((gang.min, gang.priority, gang.succeeded), (2, Some(7), 1));
    assert_eq!((gang.queue.as_deref(), gang.priority_class.as_str()), (Some("q"), "high"));
    assert_eq!(gang.topology.required.as_deref(), Some("rack"));
    assert_eq!(gang.topology.preferred.as_deref(), Some("zone"));
    assert_eq!(gang.topology.topology.as_deref(), Some("net"));
    assert_eq!(gang.walltime, Some(Span::from_secs(3600)));
    assert!(gang.unbreakable);
    assert_eq!(gang.creates_at_once.as_ref().map(|one| one.pods), Some(1));
    assert_eq!(gang.unsupported, ["subgroups"]);
    assert_eq!(gang.created_at.ms(), -300_000);
    let pod = pods(&scenario.world)[0];
    assert_eq!((pod.priority, pod.queue.as_deref(), pod.created_at.ms()), (None, None, -300_000));
}

#[test]
fn what_a_gang_wishes_stands_in_its_group_or_else_on_its_pods() {
    let keys = "preemptible: false, minRuntime: 30m, cooldown: 5m, preemptionCost: 600, \
                checkpointed: -1m, preempts: false";
    let want = Wishes {
        non_preemptible: true,
        min_runtime: Span::from_secs(1800),
        cooldown: Span::from_secs(300),
        preemption_cost: Some(600),
        checkpointed_at: Some(Time::from_ms(-60_000)),
    };
    let grouped = story(&format!("pending: [{{ gang: g, {keys} }}]"));
    assert_eq!(gangs(&grouped.world)[0].wishes, want);
    let pod = pods(&grouped.world)[0];
    assert_eq!((&pod.wishes, pod.preempts), (&None, Some(false)));
    for kind in ["owner: job/j", "pod: p"] {
        let scenario = story(&format!("pending: [{{ {kind}, {keys} }}]"));
        assert!(gangs(&scenario.world).is_empty());
        assert_eq!(pods(&scenario.world)[0].wishes.as_deref(), Some(&want), "{kind}");
    }
}

#[test]
fn roles_have_members_and_minimums_of_their_own_and_inherit_the_rest() {
    let scenario = story(
        "pending: [{ gang: g, each: { gpu: 1 }, labels: { app: x }, gates: [b, a], roles: { \
         ps: { each: { cpu: 2 }, labels: { app: y }, gates: [], runtime: 1m, \
         constraints: { nodeSelector: { disk: ssd } } }, worker: { pods: 3, min: 2 } } }]",
    );
    let gang = gangs(&scenario.world)[0];
    let roles: Vec<_> = gang.roles.iter().map(|role| (role.name.as_str(), role.min)).collect();
    assert_eq!((roles, gang.min), (vec![("ps", 1), ("worker", 2)], 3));
    let pods = pods(&scenario.world);
    assert_eq!((pods[0].name.as_str(), pods[3].name.as_str()), ("g-ps-0", "g-worker-2"));
    assert_eq!((pods[0].role.as_str(), pods[0].rank), ("ps", Some(0)));
    assert_eq!(pods[0].shape.requests["cpu"].units(), 2000);
    assert_eq!(pods[0].shape.node_selector["disk"], "ssd");
    assert_eq!((pods[0].labels["app"].as_str(), pods[0].gates.len()), ("y", 0));
    assert_eq!(pods[3].shape.requests["nvidia.com/gpu"].units(), 1);
    assert_eq!(
        (pods[3].labels["app"].as_str(), &pods[3].gates[..]),
        ("x", &["a".into(), "b".into()][..])
    );
    assert_eq!(scenario.world.pod_hints[&pods[0].uid].runtime, Some(Span::from_secs(60)));
}

#[test]
fn a_lone_pod_carries_queue_priority_and_walltime_itself() {
    let scenario = story(
        "pending: [{ pod: 'solo{1..2}', queue: q, priority: 3, priorityClass: c, walltime: 5m }]",
    );
    assert!(gangs(&scenario.world).is_empty());
    let [_, pod] = pods(&scenario.world)[..] else { panic!("two pods") };
    assert_eq!((pod.name.as_str(), &pod.membership), ("solo2", &Membership::Alone));
    assert_eq!((pod.queue.as_deref(), pod.priority, pod.rank), (Some("q"), Some(3), None));
    assert_eq!(pod.priority_class, "c");
    assert_eq!(pod.walltime, Some(Span::from_secs(300)));
}

#[test]
fn a_missing_group_leaves_pods_that_name_it() {
    let scenario = story("pending: [{ gang: g, pods: 2, group: missing, podPriority: 4 }]");
    assert!(gangs(&scenario.world).is_empty());
    let pod = pods(&scenario.world)[0];
    assert_eq!(pod.membership, Membership::Group(key("g", Dialect::Muster)));
    assert_eq!(pod.priority, Some(4));
}

#[test]
fn pods_of_an_owner_are_a_plain_gang_with_a_spec_only_where_it_says_more() {
    let scenario =
        story("pending: [{ owner: job/a, pods: 2, queue: q }, { owner: job/b, min: 2 }]");
    let [gang] = gangs(&scenario.world)[..] else { panic!("one spec") };
    assert_eq!((&gang.key, gang.min), (&key("job/b", Dialect::Plain), 2));
    let pod = pods(&scenario.world)[1];
    assert_eq!(pod.membership, Membership::Owner(key("job/a", Dialect::Plain)));
    assert_eq!((pod.name.as_str(), pod.queue.as_deref()), ("a-1", Some("q")));
}

#[test]
fn a_pace_makes_a_controller_instead_of_pods() {
    let read = |pace: &str| {
        let scenario = story(&format!(
            "pending: [{{ owner: job/a, pods: 2, pace: {pace}, at: 1m, runtime: 2m }}]"
        ));
        assert!(pods(&scenario.world).is_empty());
        let workload = scenario.world.workloads[0].clone();
        assert_eq!((workload.object.as_str(), workload.pods.len()), ("Job default/a", 2));
        assert_eq!(workload.hints.arrival, Some(Time::from_ms(60_000)));
        assert_eq!(workload.hints.runtime, Some(Span::from_secs(120)));
        workload.pace
    };
    assert_eq!(read("at once"), Pace::AtOnce);
    assert_eq!(read("after ready"), Pace::AfterReady);
    assert_eq!(read("after leader"), Pace::AfterLeader);
    assert_eq!(read("at most 2"), Pace::AtMost(2));
}

#[test]
fn running_pods_go_round_their_nodes_and_end_when_they_say() {
    let scenario = story(
        "nodes: [{ name: 'a{1..2}' }]\n\
         running: [{ gang: g, pods: 3, on: 'a{1..2}', since: -1h, ends: 30m }]",
    );
    let pods = pods(&scenario.world);
    let places: Vec<_> = pods.iter().map(|pod| pod.node.as_deref().unwrap_or("")).collect();
    assert_eq!(places, ["a1", "a2", "a1"]);
    let began = Some(Time::from_ms(-3_600_000));
    assert_eq!((pods[0].phase, pods[0].started_at), (PodPhase::Running, began));
    assert_eq!(pods[0].scheduled_at, began);
    assert_eq!(scenario.world.pod_hints[&pods[0].uid].runtime, Some(Span::from_secs(5400)));
}

#[test]
fn what_became_of_a_pod_can_be_said() {
    let scenario = story(
        "nodes: [{ name: a }]\n\
         running: [{ gang: g, on: a, terminating: true, evicted: true }, \
         { gang: h, on: a, phase: succeeded, finished: -1m }]\n\
         foreign: [{ pod: x, each: { cpu: 1 }, on: a }, { gang: g }]",
    );
    let pods = pods(&scenario.world);
    let pod = |name: &str| *pods.iter().find(|pod| pod.name == name).expect("it was listed");
    assert!(pod("g-0").terminating && pod("g-0").evicted && pod("g-0").ours);
    assert_eq!(pod("h-0").phase, PodPhase::Succeeded);
    assert_eq!(pod("h-0").finished_at, Some(Time::from_ms(-60_000)));
    assert!(!pod("x").ours && pod("x").node.as_deref() == Some("a"));
    assert!(!pod("g-1").ours && pod("g-1").node.is_none());
    assert_eq!(gangs(&scenario.world).len(), 2);
}

#[test]
fn another_entry_of_a_gang_adds_pods_to_it() {
    let scenario = story(
        "nodes: [{ name: a }]\nrunning: [{ gang: g, min: 3, pods: 2, on: a }]\n\
         pending: [{ gang: g, pods: 2 }]",
    );
    assert_eq!(gangs(&scenario.world).len(), 1);
    assert_eq!(pods(&scenario.world)[3].name, "g-3");
    assert_eq!(pods(&scenario.world)[3].node, None);
}

#[test]
fn gangs_listed_first_are_older() {
    let scenario = story("pending: [{ gang: z }, { gang: 'y{1..2}' }]");
    let ages: Vec<i64> = gangs(&scenario.world).iter().map(|gang| gang.created_at.ms()).collect();
    assert_eq!(ages, [-3, -2, -1]);
}

#[test]
fn a_gang_may_arrive_later_and_run_for_a_while() {
    let scenario = story("now: 1h\npending: [{ gang: g, at: 10m, runtime: 90s }]");
    let pod = pods(&scenario.world)[0];
    let hints = scenario.world.pod_hints[&pod.uid];
    assert_eq!(hints.arrival, Some(Time::from_ms(600_000)));
    assert_eq!(hints.runtime, Some(Span::from_secs(90)));
    assert_eq!(pod.created_at.ms(), 4_200_000 - 1);
}

#[test]
fn node_constraints_are_read() {
    let scenario = story(
        "pending: [{ pod: p, constraints: { nodeSelector: { a: b }, \
         nodeAffinity: ['zone in (x, y), !old', 'metadata.name=n1', ''], \
         nodePreferences: [{ weight: 5, nodes: 'size > 4' }], tolerations: ['k=v:NoSchedule', '*'], \
         hostPorts: [80, 80, '127.0.0.1:53/udp'] }, \
         unsupported: [{ resourceClaim: dev }, { other: magic }], \
         claims: [data, 'disk-{pod}', data], ephemeral: [tmp] }]",
    );
    let pod = pods(&scenario.world)[0];
    let shape = &pod.shape;
    assert_eq!(shape.node_selector["a"], "b");
    let terms = shape.node_affinity.as_ref().expect("affinity was given");
    assert_eq!((terms[0].labels.len(), terms[1].fields.len()), (2, 1));
    assert_eq!(terms[2], NodeTerm::default());
    assert_eq!(shape.node_preferences[0].0, 5);
    assert_eq!(shape.node_preferences[0].1.labels[0].operator, SelectorOperator::Gt);
    assert_eq!((shape.tolerations.len(), shape.host_ports.len()), (2, 2));
    assert_eq!(pod.unsupported[0], Unsupported::ResourceClaim("dev".to_owned()));
    assert_eq!(pod.unsupported.len(), 2);
    let claims: Vec<(&str, bool)> =
        pod.claims.iter().map(|claim| (claim.name.as_str(), claim.is_own)).collect();
    assert_eq!(claims, [("data", false), ("disk-p", false), ("p-tmp", true)]);
}

#[test]
fn pod_constraints_are_read() {
    let scenario = story(
        "topology: [{ name: rack, key: ex/rack }]\npending: [{ pod: p, namespace: team, \
         constraints: { affinity: [{ pods: app=x, per: rack }], \
         antiAffinity: [{ per: node, namespaces: [b, a] }], podPreferences: [\
         { weight: -3, pods: '', per: zone, namespaceSelector: 'env=dev' }], spread: [\
         { per: zone, pods: app=x, maxSkew: 2, whenUnsatisfiable: ScheduleAnyway, \
         minDomains: 3, honourAffinity: false, honourTaints: true }, { per: rack }] } }]",
    );
    let shape = &pods(&scenario.world)[0].shape;
    assert_eq!(shape.affinity[0].topology_key, "ex/rack");
    assert_eq!(shape.affinity[0].namespaces.names, ["team"]);
    assert_eq!(shape.anti_affinity[0].topology_key, "kubernetes.io/hostname");
    assert_eq!(shape.anti_affinity[0].namespaces.names, ["a", "b"]);
    assert_eq!(shape.anti_affinity[0].selector, None);
    let (weight, term) = &shape.pod_preferences[0];
    assert_eq!((*weight, term.namespaces.names.len()), (-3, 0));
    assert!(term.selector.is_some() && term.namespaces.selector.is_some());
    let [full, short] = &shape.spread[..] else { panic!("two constraints") };
    assert_eq!((full.max_skew, full.min_domains), (2, 3));
    assert_eq!(full.when_unsatisfiable, WhenUnsatisfiable::ScheduleAnyway);
    assert!(!full.honour_affinity && full.honour_taints);
    assert_eq!((short.max_skew, short.min_domains), (1, 1));
    assert_eq!(short.when_unsatisfiable, WhenUnsatisfiable::DoNotSchedule);
    assert!(short.honour_affinity && !short.honour_taints);
}
