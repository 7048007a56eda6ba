//! Whose gangs may use a queue and on which nodes, as each dialect says it.

use crate::{cohorts, object, said};
use scheduler_kube::translate::kueue as kueue_queues;
use scheduler_kube::translate::{Translated, queue, volcano};
use scheduler_model::spec::{
    LabelSelector, NamespaceScope, QueueSpec, Requirement, SelectorOperator,
};

fn muster(spec: &str) -> Translated<QueueSpec> {
    queue::queue(&object(&format!("metadata: {{name: q}}\nspec: {spec}")))
}

fn kueue(spec: &str) -> Translated<QueueSpec> {
    let yaml = format!("metadata: {{name: q}}\nspec: {spec}");
    kueue_queues::cluster_queue(&object(&yaml), &cohorts(&[]))
}

fn of_volcano(affinity: &str) -> Translated<QueueSpec> {
    let yaml = format!("metadata: {{name: q}}\nspec: {{affinity: {affinity}}}");
    volcano::volcano_queue(&object(&yaml))
}

fn labels(parts: &[(&str, SelectorOperator, &[&str])]) -> LabelSelector {
    let part = |(key, operator, values): &(&str, SelectorOperator, &[&str])| Requirement {
        key: (*key).to_owned(),
        operator: *operator,
        values: values.iter().map(|value| (*value).to_owned()).collect(),
    };
    LabelSelector { requirements: parts.iter().map(part).collect() }
}

fn scope(names: &[&str], selector: Option<LabelSelector>) -> Option<NamespaceScope> {
    let names = names.iter().map(|name| (*name).to_owned()).collect();
    Some(NamespaceScope { names, selector })
}

#[test]
fn a_queue_of_muster_is_for_the_namespaces_that_it_names_or_selects() {
    let gold = labels(&[("tier", SelectorOperator::In, &["gold"])]);
    for (spec, want) in [
        ("{}", None),
        ("{namespaces: null}", None),
        ("{namespaces: {names: [b, a, b]}}", scope(&["a", "b"], None)),
        ("{namespaces: {selector: {}}}", scope(&[], Some(LabelSelector::default()))),
        (
            "{namespaces: {names: [a], selector: {matchLabels: {tier: gold}}}}",
            scope(&["a"], Some(gold)),
        ),
    ] {
        let read = muster(spec);
        assert_eq!((read.value.namespaces, read.problems), (want, vec![]), "{spec}");
    }
}

#[test]
fn a_queue_of_muster_for_nobody_is_said() {
    for spec in ["{namespaces: {}}", "{namespaces: {names: [], selector: null}}"] {
        let read = muster(spec);
        assert_eq!(read.value.namespaces, scope(&[], None), "{spec}");
        let [said] = &said(&read)[..] else { panic!("{spec}: {:?}", read.problems) };
        assert!(said.contains("spec.namespaces") && said.contains("for nobody"), "{said}");
    }
}

#[test]
fn a_selector_of_namespaces_that_is_not_valid_selects_none() {
    let bad = "{matchExpressions: [{key: tier, operator: Near}]}";
    let read = muster(&format!("{{namespaces: {{names: [a], selector: {bad}}}}}"));
    assert_eq!(read.value.namespaces, scope(&["a"], None));
    assert_eq!(read.problems[0].field, "spec.namespaces.selector.matchExpressions[0]");
    let read = kueue(&format!("{{namespaceSelector: {bad}}}"));
    assert_eq!(read.value.namespaces, scope(&[], None));
    assert_eq!(read.problems[0].field, "spec.namespaceSelector.matchExpressions[0]");
}

#[test]
fn a_cluster_queue_without_a_selector_is_for_nobody_and_with_an_empty_one_for_all() {
    let read = kueue("{namespaceSelector: {}}");
    assert_eq!(read.value.namespaces, scope(&[], Some(LabelSelector::default())));
    assert_eq!(read.problems, []);
    let gold = labels(&[("tier", SelectorOperator::In, &["gold"])]);
    let read = kueue("{namespaceSelector: {matchLabels: {tier: gold}}}");
    assert_eq!(read.value.namespaces, scope(&[], Some(gold)));
    for spec in ["{}", "{namespaceSelector: null}"] {
        let read = kueue(spec);
        assert_eq!(read.value.namespaces, scope(&[], None), "{spec}");
        assert_eq!(read.problems[0].field, "spec.namespaceSelector", "{spec}");
    }
}

#[test]
fn a_local_queue_is_for_its_own_namespace_and_a_cohort_for_all() {
    let yaml = "metadata: {name: main, namespace: a}\nspec: {clusterQueue: q}";
    assert_eq!(kueue_queues::local_queue(&object(yaml)).value.namespaces, scope(&["a"], None));
    let cohort = kueue_queues::cohort(&object("metadata: {name: all}"), &cohorts(&[]));
    assert_eq!(cohort.value.namespaces, None);
}

#[test]
fn a_queue_of_muster_keeps_to_nodes_with_all_its_labels() {
    let read = muster("{nodeSelector: {pool: research, disk: ssd}}");
    let want = labels(&[
        ("disk", SelectorOperator::In, &["ssd"]),
        ("pool", SelectorOperator::In, &["research"]),
    ]);
    assert_eq!((read.value.node_selector, read.problems), (want, vec![]));
    for spec in ["{}", "{nodeSelector: null}", "{nodeSelector: {}}"] {
        assert_eq!(muster(spec).value.node_selector, LabelSelector::default(), "{spec}");
    }
}

#[test]
fn a_queue_of_volcano_keeps_to_its_node_groups() {
    let near = |operator, values| labels(&[("volcano.sh/nodegroup-name", operator, values)]);
    let required = "requiredDuringSchedulingIgnoredDuringExecution";
    for (affinity, want) in [
        ("null", LabelSelector::default()),
        ("{}", LabelSelector::default()),
        (&format!("{{nodeGroupAffinity: {{{required}: []}}}}"), LabelSelector::default()),
        (
            &format!("{{nodeGroupAffinity: {{{required}: [b, a]}}}}"),
            near(SelectorOperator::In, &["a", "b"]),
        ),
        (
            &format!("{{nodeGroupAntiAffinity: {{{required}: [c]}}}}"),
            near(SelectorOperator::NotIn, &["c"]),
        ),
    ] {
        let read = of_volcano(affinity);
        assert_eq!((read.value.node_selector, read.problems), (want, vec![]), "{affinity}");
    }
}

#[test]
fn node_groups_that_a_queue_of_volcano_would_rather_use_are_allowed_and_no_more() {
    let (required, preferred) = (
        "requiredDuringSchedulingIgnoredDuringExecution",
        "preferredDuringSchedulingIgnoredDuringExecution",
    );
    let read = of_volcano(&format!(
        "{{nodeGroupAffinity: {{{required}: [a], {preferred}: [b]}}, \
         nodeGroupAntiAffinity: {{{required}: [c], {preferred}: [d]}}}}"
    ));
    let key = "volcano.sh/nodegroup-name";
    let want = labels(&[
        (key, SelectorOperator::In, &["a", "b", "d"]),
        (key, SelectorOperator::NotIn, &["c"]),
    ]);
    assert_eq!(read.value.node_selector, want);
    let fields: Vec<&str> = read.problems.iter().map(|problem| &*problem.field).collect();
    let field = |name: &str| format!("spec.affinity.{name}.{preferred}");
    assert_eq!(fields, [field("nodeGroupAffinity"), field("nodeGroupAntiAffinity")]);
}

#[test]
fn one_partition_is_read_the_same_from_volcano_and_from_muster() {
    let volcano =
        of_volcano("{nodeGroupAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [a]}}");
    let muster = muster("{nodeSelector: {volcano.sh/nodegroup-name: a}}");
    assert_eq!(volcano.value.node_selector, muster.value.node_selector);
}

#[test]
fn all_namespaces_are_read_the_same_from_kueue_and_from_muster() {
    let kueue = kueue("{namespaceSelector: {}}").value.namespaces;
    assert_eq!(kueue, muster("{namespaces: {selector: {}}}").value.namespaces);
}
