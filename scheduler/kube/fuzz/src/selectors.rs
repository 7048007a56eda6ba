//! Label selectors and node selector terms, asked of a tiny cluster, against a naive reading
//! of what Kubernetes documents of them.
//!
//! Holds: the compiled answer is the naive one for every node and pod, and a selector that is
//! not valid selects nothing, except that nothing may follow from a broken anti-affinity: its
//! pod waits.

use super::pick::Picks;
use scheduler_kube::translate::{Context, Translated, pod};
use scheduler_kube::wire;
use scheduler_model::event::Event;
use scheduler_model::relation::PodSelector;
use scheduler_model::snapshot::Snapshot;
use scheduler_model::spec::{Labels, NodeSpec, PodSpec};
use scheduler_model::time::Time;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// What the bytes say.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Case {
    node_selector_terms: Vec<wire::NodeSelectorTerm>,
    label_selector: wire::LabelSelector,
}

/// `data` is a JSON object with `nodeSelectorTerms` and `labelSelector`, or a row of choices.
pub(crate) fn trial(data: &[u8]) {
    let written = match data.first() {
        Some(b'{') => serde_json::from_slice(data).unwrap_or_default(),
        _ => picked(&mut Picks::new(data)),
    };
    let Ok(case) = Case::deserialize(&written) else { return };
    let read = translated(&written);
    assert_eq!(read, translated(&written), "twice");
    let spec = read.value;
    nodes_are_selected_as_documented(&case, &spec);
    pods_are_selected_as_documented(&case, &spec);
}

fn translated(written: &Value) -> Translated<PodSpec> {
    let terms = written.get("nodeSelectorTerms").cloned().unwrap_or_else(|| json!([]));
    let selector = written.get("labelSelector").cloned().unwrap_or_else(|| json!({}));
    let pods = json!({"requiredDuringSchedulingIgnoredDuringExecution":
        [{"labelSelector": selector, "topologyKey": "zone"}]});
    let object = json!({
        "metadata": {"name": "p", "namespace": "n", "uid": "p"},
        "spec": {"schedulerName": "muster", "affinity": {
            "nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution":
                {"nodeSelectorTerms": terms}},
            "podAffinity": pods, "podAntiAffinity": pods}}});
    let object: wire::Pod = serde_json::from_value(object).expect("its parts were read before");
    pod::translate(&object, &Context::default())
}

const KEYS: [&str; 6] = ["zone", "size", "metadata.name", "", "app", "odd"];
const VALUES: [&str; 10] =
    ["a", "b", "", "4", "+5", "-9223372036854775808", "9223372036854775808", "n1", "n2", "05"];
const OPERATORS: [&str; 8] = ["In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt", "in", "Equals"];

fn picked(picks: &mut Picks<'_>) -> Value {
    let mut terms = Vec::new();
    for _ in 0..picks.below(4) {
        let (labels, fields) = (requirements(picks), requirements(picks));
        terms.push(json!({"matchExpressions": labels, "matchFields": fields}));
    }
    let mut labels = serde_json::Map::new();
    for _ in 0..picks.below(3) {
        labels.insert(picks.of(&KEYS).to_owned(), picks.of(&VALUES).into());
    }
    let expressions = requirements(picks);
    json!({"nodeSelectorTerms": terms,
        "labelSelector": {"matchLabels": labels, "matchExpressions": expressions}})
}

fn requirements(picks: &mut Picks<'_>) -> Vec<Value> {
    let count = picks.below(3);
    let mut one = || {
        let (key, operator) = (picks.of(&KEYS), picks.of(&OPERATORS));
        let values: Vec<&str> = (0..picks.below(4)).map(|_| picks.of(&VALUES)).collect();
        json!({"key": key, "operator": operator, "values": values})
    };
    (0..count).map(|_| one()).collect()
}

/// Every label of a few keys and values, and none.
fn label_sets() -> Vec<Labels> {
    let mut sets = vec![Labels::new()];
    for key in KEYS {
        for value in VALUES {
            sets.push(BTreeMap::from([(key.to_owned(), value.to_owned())]));
        }
    }
    sets.push(BTreeMap::from([("zone", "a"), ("size", "7"), ("app", "b")].map(owned)));
    sets
}

fn owned((key, value): (&str, &str)) -> (String, String) {
    (key.to_owned(), value.to_owned())
}

fn nodes_are_selected_as_documented(case: &Case, spec: &PodSpec) {
    let mut snapshot = Snapshot::default();
    let nodes: Vec<NodeSpec> = (0..)
        .zip(label_sets())
        .map(|(at, labels)| NodeSpec { name: format!("n{at}"), labels, ..NodeSpec::default() })
        .collect();
    for node in &nodes {
        snapshot.ingest(Event::Node(Box::new(node.clone())), Time::ZERO);
    }
    snapshot.ingest(Event::Pod(Box::new(spec.clone())), Time::ZERO);
    let pod = snapshot.pods().find("p").expect("the pod was just fed");
    let class = snapshot.pods().get(pod).class.expect("a pending pod has a class");
    let constraint = snapshot.constraints().get(snapshot.classes().get(class).constraint);
    for node in &nodes {
        let id = snapshot.nodes().find(&node.name).expect("the node was just fed");
        let got = constraint.selects(snapshot.labels(), id, &node.name);
        let want = case.node_selector_terms.iter().any(|term| term_holds(term, node));
        assert_eq!(got, want, "{} {:?}", node.name, node.labels);
    }
}

fn pods_are_selected_as_documented(case: &Case, spec: &PodSpec) {
    let selector = &case.label_selector;
    let is_valid =
        selector.match_expressions.iter().all(|it| !it.key.is_empty() && is_well_formed(it, false));
    let away = &spec.shape.anti_affinity;
    assert_eq!(away.is_empty(), !is_valid, "a broken anti-affinity is no term");
    assert_eq!(spec.unsupported.is_empty(), is_valid, "its pod waits");
    let [towards] = &spec.shape.affinity[..] else { panic!("one term was written") };
    let towards =
        PodSelector { scope: towards.namespaces.clone(), selector: towards.selector.clone() };
    for labels in label_sets() {
        let want = is_valid
            && selector.match_labels.iter().all(|(key, value)| labels.get(key) == Some(value))
            && selector.match_expressions.iter().all(|it| holds(it, labels.get(&it.key)));
        assert_eq!(towards.selects("n", &labels, &BTreeMap::new()), want, "{labels:?}");
        assert!(!towards.selects("other", &labels, &BTreeMap::new()), "another namespace");
    }
}

fn term_holds(term: &wire::NodeSelectorTerm, node: &NodeSpec) -> bool {
    let (labels, fields) = (&term.match_expressions, &term.match_fields);
    let are_labels_valid = labels.iter().all(|it| !it.key.is_empty() && is_well_formed(it, true));
    let are_fields_valid = fields.iter().all(|it| {
        let values: BTreeSet<&String> = it.values.iter().collect();
        let is_list = matches!(it.operator.as_str(), "In" | "NotIn");
        it.key == "metadata.name" && is_list && values.len() == 1
    });
    !(labels.is_empty() && fields.is_empty())
        && are_labels_valid
        && are_fields_valid
        && labels.iter().all(|it| holds(it, node.labels.get(&it.key)))
        && fields.iter().all(|it| holds(it, Some(&node.name)))
}

fn is_well_formed(it: &wire::Requirement, is_node: bool) -> bool {
    match it.operator.as_str() {
        "In" | "NotIn" => !it.values.is_empty(),
        "Exists" | "DoesNotExist" => it.values.is_empty(),
        "Gt" | "Lt" => is_node && it.values.len() == 1 && it.values[0].parse::<i64>().is_ok(),
        _ => false,
    }
}

/// True if a well-formed requirement holds of the value at its key.
fn holds(it: &wire::Requirement, value: Option<&String>) -> bool {
    let is_listed = value.is_some_and(|value| it.values.contains(value));
    let compared = || {
        let there: i64 = value?.parse().ok()?;
        let bound: i64 = it.values.first()?.parse().ok()?;
        Some(there.cmp(&bound))
    };
    match it.operator.as_str() {
        "In" => is_listed,
        "NotIn" => !is_listed,
        "Exists" => value.is_some(),
        "DoesNotExist" => value.is_none(),
        "Gt" => compared() == Some(std::cmp::Ordering::Greater),
        _ => compared() == Some(std::cmp::Ordering::Less),
    }
}
