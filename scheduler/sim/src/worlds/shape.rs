//! Draws what pods ask for.

use super::node::{GPU, HOSTNAME, amount_of};
use super::{Dice, Draft, Feature};
use scheduler_model::spec::{
    HostPort, LabelSelector, NamespaceScope, NodeTerm, PodShape, PodTerm, Protocol, Requirement,
    Resources, SelectorOperator, SpreadSpec, TaintEffect, Toleration, TolerationOperator,
    WhenUnsatisfiable,
};

/// Applications that pods of several gangs may share, as values of the label `app`.
pub(super) const APPS: [&str; 3] = ["a", "b", "c"];

/// One shape for pods with the label `app` in `namespace`.
pub(super) fn draw(draft: &mut Draft, namespace: &str, app: &str) -> PodShape {
    let mut shape = PodShape { requests: requests(&mut draft.dice), ..PodShape::default() };
    if draft.draws(Feature::Selectors, 50) {
        shape.node_selector.insert("disk".to_owned(), "ssd".to_owned());
    }
    if draft.draws(Feature::NodeAffinity, 50) {
        let terms = (0..draft.dice.between(0, 2)).map(|_| node_term(&mut draft.dice));
        shape.node_affinity = Some(terms.collect());
    }
    if draft.draws(Feature::Taints, 70) {
        let count = draft.dice.between(1, 2);
        shape.tolerations = (0..count).map(|_| toleration(&mut draft.dice)).collect();
    }
    if draft.draws(Feature::Ports, 50) {
        shape.host_ports = vec![host_port(&mut draft.dice)];
    }
    if draft.draws(Feature::PodAffinity, 50) {
        let count = draft.dice.between(1, 2);
        shape.affinity = (0..count).map(|_| pod_term(draft, namespace, app)).collect();
    }
    if draft.draws(Feature::AntiAffinity, 50) {
        let count = draft.dice.between(1, 2);
        shape.anti_affinity = (0..count).map(|_| pod_term(draft, namespace, app)).collect();
    }
    if draft.draws(Feature::Spread, 60) {
        let count = draft.dice.between(1, 2);
        shape.spread = (0..count).map(|_| spread(&mut draft.dice, app)).collect();
    }
    shape
}

/// Requests alone.
pub(super) fn requests(dice: &mut Dice) -> Resources {
    let mut requests =
        vec![("cpu", dice.between(1, 6) * 500), ("memory", dice.between(1, 4) << 30)];
    if dice.chance(40) {
        requests.push((GPU, *dice.pick(&[1, 1, 2, 4])));
    }
    requests.into_iter().map(|(name, amount)| (name.to_owned(), amount_of(amount))).collect()
}

fn requirement(key: &str, operator: SelectorOperator, values: &[&str]) -> Requirement {
    let values = values.iter().map(|value| (*value).to_owned()).collect();
    Requirement { key: key.to_owned(), operator, values }
}

fn node_term(dice: &mut Dice) -> NodeTerm {
    use SelectorOperator::{DoesNotExist, Exists, Gt, In, Lt, NotIn};
    let labels = [
        requirement("zone", In, &["zone0"]),
        requirement("zone", NotIn, &["zone0"]),
        requirement("rack", Exists, &[]),
        requirement("rack", DoesNotExist, &[]),
        requirement("speed", Gt, &["1"]),
        requirement("speed", Lt, &["4"]),
    ];
    let mut term = NodeTerm::default();
    for _ in 0..dice.between(0, 2) {
        term.labels.push(dice.pick(&labels).clone());
    }
    term.labels.sort();
    term.labels.dedup();
    if dice.chance(25) {
        let operator = *dice.pick(&[In, NotIn]);
        term.fields.push(requirement("metadata.name", operator, &["n0"]));
    }
    term
}

fn toleration(dice: &mut Dice) -> Toleration {
    use TolerationOperator::{Equal, Exists, Gt, Lt};
    let (key, operator, value) = *dice.pick(&[
        ("team", Equal, "a"),
        ("team", Equal, "b"),
        ("team", Exists, ""),
        ("", Exists, ""),
        ("level", Gt, "3"),
        ("level", Lt, "5"),
        ("node.kubernetes.io/unschedulable", Exists, ""),
    ]);
    let effect = *dice.pick(&[None, Some(TaintEffect::NoSchedule), Some(TaintEffect::NoExecute)]);
    Toleration { key: key.to_owned(), operator, value: value.to_owned(), effect }
}

fn host_port(dice: &mut Dice) -> HostPort {
    HostPort {
        ip: (*dice.pick(&["0.0.0.0", "10.0.0.1", "10.0.0.2"])).to_owned(),
        protocol: *dice.pick(&[Protocol::Tcp, Protocol::Udp]),
        port: *dice.pick(&[80, 443]),
    }
}

fn topology_key(dice: &mut Dice) -> String {
    (*dice.pick(&[HOSTNAME, "zone", "rack"])).to_owned()
}

/// Mostly pods of the own app, so that terms have somebody to mean.
fn selector(dice: &mut Dice, app: &str) -> Option<LabelSelector> {
    use SelectorOperator::{Exists, In, NotIn};
    let other = *dice.pick(&APPS);
    let one = match dice.between(0, 9) {
        0 => return None,
        1 => return Some(LabelSelector::default()),
        2 => requirement("app", NotIn, &[other]),
        3 => requirement("app", Exists, &[]),
        4 => requirement("app", In, &[other]),
        5 => requirement("index", In, &["0"]),
        _ => requirement("app", In, &[app]),
    };
    Some(LabelSelector { requirements: vec![one] })
}

fn pod_term(draft: &mut Draft, namespace: &str, app: &str) -> PodTerm {
    let mut namespaces = NamespaceScope { names: vec![namespace.to_owned()], selector: None };
    if draft.draws(Feature::Namespaces, 60) {
        let sea = requirement("team", SelectorOperator::In, &["sea"]);
        namespaces = match draft.dice.between(0, 2) {
            0 => NamespaceScope { names: vec!["red".to_owned()], selector: None },
            1 => NamespaceScope { names: Vec::new(), selector: Some(LabelSelector::default()) },
            _ => NamespaceScope {
                names: vec!["red".to_owned()],
                selector: Some(LabelSelector { requirements: vec![sea] }),
            },
        };
    }
    PodTerm {
        selector: selector(&mut draft.dice, app),
        namespaces,
        topology_key: topology_key(&mut draft.dice),
    }
}

fn spread(dice: &mut Dice, app: &str) -> SpreadSpec {
    let small = |dice: &mut Dice, high| u32::try_from(dice.between(1, high)).unwrap_or(1);
    SpreadSpec {
        max_skew: small(dice, 2),
        topology_key: topology_key(dice),
        when_unsatisfiable: if dice.chance(80) {
            WhenUnsatisfiable::DoNotSchedule
        } else {
            WhenUnsatisfiable::ScheduleAnyway
        },
        selector: selector(dice, app),
        min_domains: small(dice, 3),
        honour_affinity: dice.chance(70),
        honour_taints: dice.chance(30),
    }
}
