//! The parts of a pod's demands: selectors, terms, tolerations, spread constraints.

use super::effect;
use scheduler_model::spec::{
    LabelSelector, NodeTerm, PodTerm, Requirement, SelectorOperator, SpreadSpec, Toleration,
    TolerationOperator, WhenUnsatisfiable,
};
use serde_json::{Value, json};

pub(super) fn node_term(term: &NodeTerm) -> Value {
    let all = |list: &[Requirement]| list.iter().map(requirement).collect::<Vec<_>>();
    json!({ "matchExpressions": all(&term.labels), "matchFields": all(&term.fields) })
}

pub(super) fn pod_term(term: &PodTerm) -> Value {
    let mut written =
        json!({ "topologyKey": term.topology_key, "namespaces": term.namespaces.names });
    if let Some(namespaces) = &term.namespaces.selector {
        written["namespaceSelector"] = selector(namespaces);
    }
    if let Some(pods) = &term.selector {
        written["labelSelector"] = selector(pods);
    }
    written
}

pub(super) fn spread(spread: &SpreadSpec) -> Value {
    let policy = |is_honoured: bool| if is_honoured { "Honor" } else { "Ignore" };
    let mut written = json!({
        "maxSkew": spread.max_skew,
        "topologyKey": spread.topology_key,
        "nodeAffinityPolicy": policy(spread.honour_affinity),
        "nodeTaintsPolicy": policy(spread.honour_taints),
    });
    match spread.when_unsatisfiable {
        WhenUnsatisfiable::DoNotSchedule => {
            written["whenUnsatisfiable"] = json!("DoNotSchedule");
            written["minDomains"] = json!(spread.min_domains);
        }
        WhenUnsatisfiable::ScheduleAnyway => written["whenUnsatisfiable"] = json!("ScheduleAnyway"),
    }
    if let Some(pods) = &spread.selector {
        written["labelSelector"] = selector(pods);
    }
    written
}

pub(super) fn toleration(toleration: &Toleration) -> Value {
    let operator = match toleration.operator {
        TolerationOperator::Equal => "Equal",
        TolerationOperator::Exists => "Exists",
        TolerationOperator::Gt => "Gt",
        TolerationOperator::Lt => "Lt",
    };
    let mut written = json!({ "key": toleration.key, "operator": operator,
        "value": toleration.value });
    if let Some(one) = toleration.effect {
        written["effect"] = json!(effect(one));
    }
    written
}

fn selector(selector: &LabelSelector) -> Value {
    let all: Vec<Value> = selector.requirements.iter().map(requirement).collect();
    json!({ "matchExpressions": all })
}

fn requirement(requirement: &Requirement) -> Value {
    let operator = match requirement.operator {
        SelectorOperator::In => "In",
        SelectorOperator::NotIn => "NotIn",
        SelectorOperator::Exists => "Exists",
        SelectorOperator::DoesNotExist => "DoesNotExist",
        SelectorOperator::Gt => "Gt",
        SelectorOperator::Lt => "Lt",
    };
    json!({ "key": requirement.key, "operator": operator, "values": requirement.values })
}
