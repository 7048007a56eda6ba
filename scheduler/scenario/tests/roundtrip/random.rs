//! Random worlds: every kind, every field, odd texts and extreme numbers.

use crate::volumes;
use proptest::collection::{btree_map, vec};
use proptest::option::of;
use proptest::prelude::*;
use scheduler_model::amount::Amount;
use scheduler_model::event::{Event, Kind};
use scheduler_model::spec::*;
use scheduler_model::time::{Span, Time};
use scheduler_model::world::{After, Pace, SimHints, Until, Workload, World};
use std::sync::Arc;

/// Texts that are hard on a YAML writer.
pub(crate) fn odd_text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z0-9./-]{1,12}",
        "[ -~]{0,20}",
        "\\PC{0,10}",
        "[\\x00-\\x20\u{85}\u{a0}\u{2028}\u{feff}a:#'\"-]{0,8}",
        any::<String>(),
        prop::sample::select(vec!["yes", "no", "null", "~", "", "1e3", "0x10", "true", "-", "<<"])
            .prop_map(str::to_owned),
    ]
}

pub(crate) fn text() -> impl Strategy<Value = String> {
    prop_oneof![3 => "[a-z]{1,4}", 1 => odd_text()]
}

pub(crate) fn labels() -> impl Strategy<Value = Labels> {
    btree_map(text(), text(), 0..3)
}

fn time() -> impl Strategy<Value = Time> {
    prop_oneof![
        Just(0),
        -100_000_000..100_000_000_i64,
        0..3_000_000_000_000_i64,
        any::<i64>(),
        Just(i64::MAX),
        Just(i64::MIN),
    ]
    .prop_map(Time::from_ms)
}

fn span() -> impl Strategy<Value = Span> {
    prop_oneof![0..100_000_000_i64, any::<i64>()].prop_map(Span::from_ms)
}

pub(crate) fn amount() -> impl Strategy<Value = Amount> {
    prop_oneof![-5..100_000_i64, (0..64_i64).prop_map(|n| n << 30), any::<i64>()]
        .prop_map(Amount::new)
}

fn resource() -> impl Strategy<Value = String> {
    prop_oneof![
        prop::sample::select(vec![
            "cpu",
            "memory",
            "nvidia.com/gpu",
            "pods",
            "hugepages-2Mi",
            "gpu"
        ])
        .prop_map(str::to_owned),
        text(),
    ]
}

fn resources() -> impl Strategy<Value = Resources> {
    btree_map(resource(), amount(), 0..4)
}

fn effect() -> impl Strategy<Value = TaintEffect> {
    use TaintEffect::{NoExecute, NoSchedule, PreferNoSchedule};
    prop::sample::select(vec![NoSchedule, PreferNoSchedule, NoExecute])
}

prop_compose! {
    fn taint()(key in text(), value in text(), effect in effect()) -> Taint {
        Taint { key, value, effect }
    }
}

prop_compose! {
    fn node()(
        (name, labels, taints, flavour) in (text(), labels(), vec(taint(), 0..2), text()),
        (unschedulable, ready, allocatable, created_at) in
            (any::<bool>(), any::<bool>(), resources(), time()),
        (not_ready_since, attach_limits) in (of(time()), btree_map(text(), any::<u32>(), 0..2)),
    ) -> NodeSpec {
        let name = if name.is_empty() { "n".to_owned() } else { name };
        NodeSpec {
            name, labels, taints, unschedulable, ready, not_ready_since, allocatable, created_at,
            flavour, attach_limits,
        }
    }
}

prop_compose! {
    fn requirement()(
        key in text(),
        operator in prop::sample::select(vec![
            SelectorOperator::In, SelectorOperator::NotIn, SelectorOperator::Exists,
            SelectorOperator::DoesNotExist, SelectorOperator::Gt, SelectorOperator::Lt,
        ]),
        values in vec(text(), 0..3),
    ) -> Requirement {
        Requirement { key, operator, values }
    }
}

pub(crate) fn selector() -> impl Strategy<Value = LabelSelector> {
    vec(requirement(), 0..3).prop_map(|requirements| LabelSelector { requirements })
}

prop_compose! {
    pub(crate) fn node_term()(labels in vec(requirement(), 0..2), fields in vec(requirement(), 0..2)) -> NodeTerm {
        NodeTerm { labels, fields }
    }
}

prop_compose! {
    fn toleration()(
        key in text(),
        operator in prop::sample::select(vec![
            TolerationOperator::Equal, TolerationOperator::Exists,
            TolerationOperator::Gt, TolerationOperator::Lt,
        ]),
        value in text(),
        effect in of(effect()),
    ) -> Toleration {
        Toleration { key, operator, value, effect }
    }
}

prop_compose! {
    fn host_port()(
        ip in text(),
        protocol in prop::sample::select(vec![Protocol::Tcp, Protocol::Udp, Protocol::Sctp]),
        port in any::<i32>(),
    ) -> HostPort {
        HostPort { ip, protocol, port }
    }
}

prop_compose! {
    fn pod_term()(
        selector in of(selector()),
        names in vec(text(), 0..2),
        scope in of(self::selector()),
        topology_key in text(),
    ) -> PodTerm {
        PodTerm { selector, namespaces: NamespaceScope { names, selector: scope }, topology_key }
    }
}

prop_compose! {
    fn spread()(
        (max_skew, min_domains) in (any::<u32>(), any::<u32>()),
        topology_key in text(),
        when_unsatisfiable in prop::sample::select(vec![
            WhenUnsatisfiable::DoNotSchedule, WhenUnsatisfiable::ScheduleAnyway,
        ]),
        selector in of(selector()),
        (honour_affinity, honour_taints) in (any::<bool>(), any::<bool>()),
    ) -> SpreadSpec {
        SpreadSpec {
            max_skew, topology_key, when_unsatisfiable, selector, min_domains,
            honour_affinity, honour_taints,
        }
    }
}

prop_compose! {
    fn shape()(
        (requests, node_selector) in (resources(), labels()),
        node_affinity in of(vec(node_term().boxed(), 0..2)),
        node_preferences in vec((any::<i32>(), node_term().boxed()), 0..2),
        (tolerations, host_ports) in (vec(toleration(), 0..2), vec(host_port(), 0..2)),
        (affinity, anti_affinity) in (vec(pod_term().boxed(), 0..2), vec(pod_term().boxed(), 0..2)),
        pod_preferences in vec((any::<i32>(), pod_term().boxed()), 0..2),
        spread in vec(spread().boxed(), 0..2),
        profile in 0..3_u8,
    ) -> Arc<PodShape> {
        Arc::new(PodShape {
            profile, requests, node_selector, node_affinity, node_preferences, tolerations, host_ports,
            affinity, anti_affinity, pod_preferences, spread,
        })
    }
}

fn dialect() -> impl Strategy<Value = Dialect> {
    prop::sample::select(vec![
        Dialect::Muster,
        Dialect::Kubernetes,
        Dialect::Volcano,
        Dialect::Coscheduling,
        Dialect::Plain,
        Dialect::Pod,
    ])
}

prop_compose! {
    fn gang_key()(namespace in text(), name in text(), dialect in dialect()) -> GangKey {
        GangKey { namespace, name, dialect }
    }
}

fn membership() -> impl Strategy<Value = Membership> {
    prop_oneof![
        Just(Membership::Alone),
        gang_key().prop_map(Membership::Group),
        gang_key().prop_map(Membership::Owner),
    ]
}

fn phase() -> impl Strategy<Value = PodPhase> {
    use PodPhase::{Failed, Pending, Running, Succeeded};
    prop::sample::select(vec![Pending, Running, Succeeded, Failed])
}

fn unsupported() -> impl Strategy<Value = Unsupported> {
    prop_oneof![text().prop_map(Unsupported::ResourceClaim), text().prop_map(Unsupported::Other),]
}

prop_compose! {
    fn wishes()(
        (non_preemptible, min_runtime, cooldown) in (any::<bool>(), span(), span()),
        (preemption_cost, checkpointed_at) in (of(any::<u32>()), of(time())),
    ) -> Wishes {
        Wishes { non_preemptible, min_runtime, cooldown, preemption_cost, checkpointed_at }
    }
}

prop_compose! {
    fn pod()(
        (uid, namespace, name, role) in (text(), text(), text(), text()),
        (ours, terminating, evicted) in (any::<bool>(), any::<bool>(), any::<bool>()),
        (labels, shape, node) in (labels(), shape().boxed(), of(text())),
        (phase, gates, membership) in (phase(), vec(text(), 0..2), membership()),
        (priority, priority_class) in (of(any::<i32>()), text()),
        (rank, queue, walltime) in (of(any::<u64>()), of(text()), of(span())),
        (created_at, scheduled_at, started_at, finished_at) in
            (time(), of(time()), of(time()), of(time())),
        (unsupported, claims) in (vec(unsupported(), 0..2), vec(volumes::claim_use(), 0..2)),
        (preempts, wishes) in (of(any::<bool>()), of(wishes().prop_map(Box::new))),
        (gone_by, evicted_for) in (of(time()), of(time())),
    ) -> PodSpec {
        PodSpec {
            uid, namespace, name, ours, labels, shape, node, phase, terminating, gates, priority,
            priority_class, membership, role, rank, queue, created_at, scheduled_at, started_at,
            finished_at, walltime, evicted, unsupported, claims, preempts, wishes, gone_by,
            evicted_for,
            daemon: evicted.then(|| "ns/agent".to_owned()),
            rejected: terminating.then(|| "OutOfcpu".to_owned()),
            has_controller: ours,
            told: ours.then(|| {
                Box::new(Told { reason: "Unschedulable".to_owned(), nominated: "n".to_owned() })
            }),
            ledger: evicted.then(|| Box::new(Ledger { releases: 2, ..Ledger::default() })),
        }
    }
}

prop_compose! {
    fn ledger()(
        (run, age, blocked_since, broken_since) in (of(time()), of(time()), of(time()), of(time())),
        youngest in of(time()),
        (has_started, releases) in (any::<bool>(), any::<u32>()),
        succeeded in vec((text(), any::<u32>())
            .prop_map(|(role, count)| RoleTally { role, count }), 0..2),
        begun in of((any::<u32>(), vec((text(), any::<u32>()), 0..2))),
        evicted in vec(time(), 0..3),
        reservation in of((time(), time(), any::<u32>(), vec((text(), any::<u32>())
            .prop_map(|(node, count)| NodeTally { node, count }), 0..2))
            .prop_map(|(plan, until, victims, nodes)| {
                Reservation { plan, until, victims, nodes }
            })),
    ) -> Ledger {
        let begun = begun.map(|(total, roles)| Minimum {
            total,
            roles: roles.into_iter().map(|(role, count)| RoleTally { role, count }).collect(),
        });
        Ledger {
            run, youngest, age, blocked_since, broken_since, has_started, releases, succeeded, begun,
            evicted, reservation,
        }
    }
}

prop_compose! {
    fn gang()(
        (key, uid, created_at, generation) in (gang_key(), text(), time(), any::<i64>()),
        (min, succeeded, unbreakable) in (any::<u32>(), any::<u32>(), any::<bool>()),
        roles in vec((text(), any::<u32>()).prop_map(|(name, min)| RoleSpec { name, min }), 0..2),
        (queue, priority, priority_class) in (of(text()), of(any::<i32>()), text()),
        (topology, required, preferred) in (of(text()), of(text()), of(text())),
        walltime in of(span()),
        creates_at_once in of((any::<u32>(), text())
            .prop_map(|(pods, setting)| CreatesAtOnce { pods, setting })),
        (unsupported, labels) in (vec(text(), 0..2), labels()),
        (min_resources, ledger) in (resources(), ledger()),
        (scheduler, is_contested) in (text(), any::<bool>()),
        (digest, wishes) in (of(any::<u64>()), wishes()),
    ) -> GangSpec {
        GangSpec {
            key, uid, created_at, generation, min, roles, queue, priority, priority_class,
            topology: TopologyWish { topology, required, preferred },
            walltime, unbreakable, succeeded, creates_at_once, unsupported, labels,
            min_resources, ledger, digest, scheduler, is_contested, wishes,
        }
    }
}

prop_compose! {
    fn quota()(
        (dedicated, deserved, limit) in (of(amount()), of(amount()), of(amount())),
        (borrowing_limit, lending_limit) in (of(amount()), of(amount())),
    ) -> Quota {
        Quota { dedicated, deserved, limit, borrowing_limit, lending_limit }
    }
}

fn order() -> impl Strategy<Value = Order> {
    use Order::{BestEffortFifo, FairByUser, Fifo, Priority};
    proptest::sample::select(vec![Priority, Fifo, BestEffortFifo, FairByUser])
}

prop_compose! {
    fn queue()(
        (name, uid, created_at, parent) in (text(), text(), time(), of(text())),
        (weight, priority, open) in (any::<u32>(), any::<i32>(), any::<bool>()),
        (reclaimable, preempts, preemptible) in (any::<bool>(), any::<bool>(), any::<bool>()),
        (min_runtime, dialect, digest) in (span(), of(dialect()), of(any::<u64>())),
        grants in (of(any::<bool>()), of(span()), of(any::<u32>())).prop_map(
            |(non_preemptible, min_runtime, preemption_cost)| {
                Grants { non_preemptible, min_runtime, preemption_cost }
            }),
        (order, holds, hold_after) in (of(order()), of(any::<bool>()), of(span())),
        quotas in vec((of(text()), resource(), quota())
            .prop_map(|(flavour, resource, quota)| QuotaSpec { flavour, resource, quota }), 0..3),
        namespaces in of((vec(text(), 0..3), of(selector()))
            .prop_map(|(names, selector)| NamespaceScope { names, selector })),
        node_selector in selector(),
        max_running in of(any::<u32>()),
        users in of((of(text()), resources(), of(any::<u32>())).prop_map(
            |(label, limit, max_running)| Box::new(UserRule {
                by: label.map_or(UserBy::Namespace, UserBy::Label), limit, max_running,
            }))),
    ) -> QueueSpec {
        QueueSpec { name, uid, dialect, digest, created_at, parent, weight, priority, quotas, open, reclaimable, preempts, preemptible, min_runtime, grants, order, holds, hold_after, namespaces, node_selector, max_running, users }
    }
}

fn small_kind() -> impl Strategy<Value = Event> {
    let level = (text(), text()).prop_map(|(name, key)| LevelSpec { name, key });
    prop_oneof![
        (text(), vec(level, 0..3))
            .prop_map(|(name, levels)| Event::Topology(TopologySpec { name, levels })),
        (text(), any::<i32>(), any::<bool>(), any::<bool>()).prop_map(
            |(name, value, is_default, preempts)| {
                Event::PriorityClass(PriorityClassSpec { name, value, is_default, preempts })
            }
        ),
        (text(), labels(), of(text())).prop_map(|(name, labels, queue)| {
            Event::Namespace(NamespaceSpec { name, labels, queue })
        }),
        (text(), text(), of(selector()), any::<u32>()).prop_map(
            |(namespace, name, selector, allowed)| {
                Event::Budget(BudgetSpec { namespace, name, selector, allowed })
            }
        ),
        (text(), shape().boxed()).prop_map(|(key, shape)| Event::Daemon(DaemonSpec { key, shape })),
    ]
}

fn gone() -> impl Strategy<Value = Event> {
    let kind = || {
        prop::sample::select(vec![
            Kind::Node,
            Kind::Pod,
            Kind::Gang,
            Kind::Queue,
            Kind::Topology,
            Kind::PriorityClass,
            Kind::Namespace,
            Kind::Daemon,
            Kind::Claim,
            Kind::Volume,
            Kind::Pool,
            Kind::Budget,
        ])
    };
    prop_oneof![
        text().prop_map(Event::NodeGone),
        text().prop_map(Event::PodGone),
        gang_key().prop_map(Event::GangGone),
        text().prop_map(Event::QueueGone),
        text().prop_map(Event::TopologyGone),
        text().prop_map(Event::PriorityClassGone),
        text().prop_map(Event::NamespaceGone),
        text().prop_map(Event::DaemonGone),
        text().prop_map(Event::BudgetGone),
        volumes::gone(),
        kind().prop_map(Event::ListStart),
        kind().prop_map(Event::ListEnd),
    ]
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        node().boxed().prop_map(|node| Event::Node(Box::new(node))),
        pod().boxed().prop_map(|pod| Event::Pod(Box::new(pod))),
        gang().boxed().prop_map(|gang| Event::Gang(Box::new(gang))),
        queue().boxed().prop_map(Event::Queue),
        small_kind().boxed(),
        volumes::event().boxed(),
        gone().boxed(),
    ]
}

prop_compose! {
    fn hints()(runtime in of(span()), arrival in of(time())) -> SimHints {
        SimHints { runtime, arrival }
    }
}

prop_compose! {
    fn after()(
        part in text(), until in prop_oneof![Just(Until::Starts), Just(Until::Succeeds)],
    ) -> After {
        After { part, until }
    }
}

prop_compose! {
    fn workload()(
        (object, gang, pods, hints) in (text(), gang_key(), vec(pod().boxed(), 0..2), hints()),
        pace in prop_oneof![
            Just(Pace::AtOnce), any::<u32>().prop_map(Pace::AtMost),
            Just(Pace::AfterReady), Just(Pace::AfterLeader),
        ],
        (part, after) in (text(), vec(after(), 0..3)),
    ) -> Workload {
        Workload { object, gang, pods, pace, hints, part, after }
    }
}

prop_compose! {
    /// A world with a few objects of every kind.
    pub(crate) fn world()(
        events in vec(event().boxed(), 0..6),
        workloads in vec(workload().boxed(), 0..2),
        pod_hints in btree_map(text(), hints(), 0..2),
        gang_hints in btree_map(gang_key(), hints(), 0..2),
    ) -> World {
        World { events, workloads, pod_hints, gang_hints }
    }
}
