//! The smallest objects that a rule can be tried on.

use scheduler_model::amount::Amount;
use scheduler_model::explain::NodeReason;
use scheduler_model::spec::{
    Dialect, GangKey, GangSpec, HostPort, LabelSelector, Labels, Membership, NamespaceScope,
    NodeSpec, NodeTerm, PodPhase, PodShape, PodSpec, PodTerm, Protocol, Requirement, Resources,
    SelectorOperator, SpreadSpec, Taint, TaintEffect, Toleration, TolerationOperator,
    WhenUnsatisfiable,
};
use scheduler_sim::checker::{Cluster, Refusal, refusals};
use std::sync::Arc;

pub(crate) fn labels(pairs: &[(&str, &str)]) -> Labels {
    pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
}

pub(crate) fn resources(pairs: &[(&str, i64)]) -> Resources {
    pairs.iter().map(|(key, units)| ((*key).to_owned(), Amount::new(*units))).collect()
}

/// A ready node with 8 cpu units, 110 pods and these labels.
pub(crate) fn node(name: &str, pairs: &[(&str, &str)]) -> NodeSpec {
    NodeSpec {
        name: name.to_owned(),
        labels: labels(pairs),
        ready: true,
        allocatable: resources(&[("cpu", 8), ("pods", 110)]),
        ..NodeSpec::default()
    }
}

/// A waiting pod of ours in namespace `blue`, member of gang `g`.
pub(crate) fn pod(uid: &str, pairs: &[(&str, &str)], shape: PodShape) -> PodSpec {
    PodSpec {
        uid: uid.to_owned(),
        labels: labels(pairs),
        shape: Arc::new(shape),
        membership: Membership::Group(key("g")),
        ..PodSpec::new("blue", uid)
    }
}

pub(crate) fn key(name: &str) -> GangKey {
    GangKey { namespace: "blue".to_owned(), name: name.to_owned(), dialect: Dialect::Muster }
}

pub(crate) fn gang(name: &str, min: u32) -> GangSpec {
    GangSpec { min, ..GangSpec::plain(key(name)) }
}

/// The same pod, running on `node`.
pub(crate) fn on(node: &str, pod: PodSpec) -> PodSpec {
    PodSpec { node: Some(node.to_owned()), phase: PodPhase::Running, ..pod }
}

pub(crate) fn cluster(nodes: Vec<NodeSpec>, pods: Vec<PodSpec>) -> Cluster {
    Cluster {
        nodes: nodes.into_iter().map(|node| (node.name.clone(), node)).collect(),
        pods: pods.into_iter().map(|pod| (pod.uid.clone(), pod)).collect(),
        ..Cluster::default()
    }
}

/// What the nodes' rules have against `pod` on `node`.
pub(crate) fn reasons(cluster: &Cluster, pod: &PodSpec, node: &str) -> Vec<NodeReason> {
    let reason = |refusal| match refusal {
        Refusal::Node(reason) => reason,
        other => panic!("the pod itself is refused: {other}"),
    };
    refusals(cluster, pod, node).into_iter().map(reason).collect()
}

/// True if a pod of `shape` may go to `node`, alone in the world.
pub(crate) fn fits(shape: PodShape, node: &NodeSpec) -> bool {
    let name = node.name.clone();
    reasons(&cluster(vec![node.clone()], Vec::new()), &pod("p", &[], shape), &name).is_empty()
}

pub(crate) fn requirement(key: &str, operator: SelectorOperator, values: &[&str]) -> Requirement {
    let values = values.iter().map(|value| (*value).to_owned()).collect();
    Requirement { key: key.to_owned(), operator, values }
}

pub(crate) fn selector(requirements: &[Requirement]) -> LabelSelector {
    LabelSelector { requirements: requirements.to_vec() }
}

/// Selects pods with `app=VALUE`.
pub(crate) fn app(value: &str) -> LabelSelector {
    selector(&[requirement("app", SelectorOperator::In, &[value])])
}

pub(crate) fn with_term(labels: &[Requirement], fields: &[Requirement]) -> PodShape {
    let term = NodeTerm { labels: labels.to_vec(), fields: fields.to_vec() };
    PodShape { node_affinity: Some(vec![term]), ..PodShape::default() }
}

pub(crate) fn taint(key: &str, value: &str, effect: TaintEffect) -> Taint {
    Taint { key: key.to_owned(), value: value.to_owned(), effect }
}

pub(crate) fn tolerating(
    key: &str,
    operator: TolerationOperator,
    value: &str,
    effect: Option<TaintEffect>,
) -> PodShape {
    let toleration = Toleration { key: key.to_owned(), operator, value: value.to_owned(), effect };
    PodShape { tolerations: vec![toleration], ..PodShape::default() }
}

/// A term over pods with `app=VALUE` in namespace `blue`.
pub(crate) fn near(value: &str, topology_key: &str) -> PodTerm {
    PodTerm {
        selector: Some(app(value)),
        namespaces: NamespaceScope { names: vec!["blue".to_owned()], selector: None },
        topology_key: topology_key.to_owned(),
    }
}

pub(crate) fn affine(terms: &[PodTerm]) -> PodShape {
    PodShape { affinity: terms.to_vec(), ..PodShape::default() }
}

pub(crate) fn anti(terms: &[PodTerm]) -> PodShape {
    PodShape { anti_affinity: terms.to_vec(), ..PodShape::default() }
}

/// A hard constraint over pods with `app=web`.
pub(crate) fn spread(max_skew: u32, topology_key: &str) -> SpreadSpec {
    SpreadSpec {
        max_skew,
        topology_key: topology_key.to_owned(),
        when_unsatisfiable: WhenUnsatisfiable::DoNotSchedule,
        selector: Some(app("web")),
        min_domains: 1,
        honour_affinity: true,
        honour_taints: false,
    }
}

pub(crate) fn spreading(constraints: &[SpreadSpec]) -> PodShape {
    PodShape { spread: constraints.to_vec(), ..PodShape::default() }
}

pub(crate) fn port(ip: &str, protocol: Protocol, port: i32) -> PodShape {
    let port = HostPort { ip: ip.to_owned(), protocol, port };
    PodShape { host_ports: vec![port], ..PodShape::default() }
}

pub(crate) fn requesting(pairs: &[(&str, i64)]) -> PodShape {
    PodShape { requests: resources(pairs), ..PodShape::default() }
}
