//! Where a pod may go: selectors, affinity, tolerations, ports, spread.

use crate::{from_json, from_spec, said};
use scheduler_kube::translate::Translated;
use scheduler_model::spec::{
    HostPort, LabelSelector, NodeTerm, PodSpec, PodTerm, Protocol, Requirement, TaintEffect,
    Toleration, TolerationOperator, Unsupported, WhenUnsatisfiable,
};

fn each(requirements: &[Requirement]) -> String {
    let show = |r: &Requirement| format!("{} {:?} {}", r.key, r.operator, r.values.join("|"));
    requirements.iter().map(|r| show(r).trim_end().to_owned()).collect::<Vec<_>>().join(", ")
}

fn node_term(term: &NodeTerm) -> String {
    format!("[{}; {}]", each(&term.labels), each(&term.fields))
}

fn selector(selector: Option<&LabelSelector>) -> String {
    selector.map_or("nothing".to_owned(), |s| format!("({})", each(&s.requirements)))
}

fn pod_term(term: &PodTerm) -> String {
    let NamespaceSpan { names, chosen } = span(term);
    format!("{} in {names}{chosen} by {}", selector(term.selector.as_ref()), term.topology_key)
}

struct NamespaceSpan {
    names: String,
    chosen: String,
}

fn span(term: &PodTerm) -> NamespaceSpan {
    let chosen = term.namespaces.selector.as_ref();
    NamespaceSpan {
        names: term.namespaces.names.join("|"),
        chosen: chosen.map_or(String::new(), |s| format!("+{}", selector(Some(s)))),
    }
}

fn required_nodes(terms: &str) -> (Option<String>, usize) {
    let key = "requiredDuringSchedulingIgnoredDuringExecution";
    let read = from_spec(&format!(
        r#"{{"affinity":{{"nodeAffinity":{{"{key}":{{"nodeSelectorTerms":{terms}}}}}}}}}"#
    ));
    let shown = read.value.shape.node_affinity.as_ref();
    let shown = shown.map(|terms| terms.iter().map(node_term).collect::<Vec<_>>().join(" or "));
    (shown, read.problems.len())
}

#[test]
fn every_operator_of_node_affinity_is_read() {
    for (expression, want) in [
        (r#"{"key":"a","operator":"In","values":["y","x","x"]}"#, "[a In x|y; ]"),
        (r#"{"key":"a","operator":"NotIn","values":["x"]}"#, "[a NotIn x; ]"),
        (r#"{"key":"a","operator":"Exists"}"#, "[a Exists; ]"),
        (r#"{"key":"a","operator":"DoesNotExist"}"#, "[a DoesNotExist; ]"),
        (r#"{"key":"a","operator":"Gt","values":["-4"]}"#, "[a Gt -4; ]"),
        (r#"{"key":"a","operator":"Lt","values":["4"]}"#, "[a Lt 4; ]"),
    ] {
        let terms = format!(r#"[{{"matchExpressions":[{expression}]}}]"#);
        assert_eq!(required_nodes(&terms), (Some(want.to_owned()), 0));
    }
}

#[test]
fn an_expression_that_is_not_valid_makes_its_term_match_nothing() {
    for expression in [
        r#"{"key":"a","operator":"in","values":["x"]}"#,
        r#"{"key":"a","operator":"In"}"#,
        r#"{"key":"a","operator":"Exists","values":["x"]}"#,
        r#"{"key":"a","operator":"Gt","values":["1","2"]}"#,
        r#"{"key":"a","operator":"Gt","values":["1","1"]}"#,
        r#"{"key":"a","operator":"Lt","values":["1.5"]}"#,
        r#"{"key":"","operator":"Exists"}"#,
    ] {
        let good = r#"{"key":"b","operator":"Exists"}"#;
        let terms = format!(
            r#"[{{"matchExpressions":[{good},{expression}]}},{{"matchExpressions":[{good}]}}]"#
        );
        let want = "[; ] or [b Exists; ]".to_owned();
        assert_eq!(required_nodes(&terms), (Some(want), 1), "{expression}");
    }
}

#[test]
fn fields_know_only_the_name_of_one_node() {
    let field =
        |expression: &str| required_nodes(&format!(r#"[{{"matchFields":[{expression}]}}]"#));
    let name = |operator: &str, values: &str| {
        field(&format!(r#"{{"key":"metadata.name","operator":"{operator}","values":{values}}}"#))
    };
    assert_eq!(name("In", r#"["n1"]"#), (Some("[; metadata.name In n1]".to_owned()), 0));
    assert_eq!(name("NotIn", r#"["n1"]"#), (Some("[; metadata.name NotIn n1]".to_owned()), 0));
    let nothing = (Some("[; ]".to_owned()), 1);
    assert_eq!(name("In", r#"["n1","n2"]"#), nothing);
    assert_eq!(name("Exists", "[]"), nothing);
    assert_eq!(field(r#"{"key":"spec.x","operator":"In","values":["a"]}"#), nothing);
}

#[test]
fn required_affinity_without_terms_fits_nowhere() {
    assert_eq!(required_nodes("[]"), (Some(String::new()), 1));
    assert_eq!(required_nodes("null"), (Some(String::new()), 1));
    assert_eq!(required_nodes("[{}]"), (Some("[; ]".to_owned()), 0));
    assert_eq!(from_spec("{}").value.shape.node_affinity, None);
}

#[test]
fn preferred_node_terms_that_match_nothing_are_dropped() {
    let wish = |weight: i64, key: &str| {
        let preference = match key {
            "" => "{}".to_owned(),
            key => format!(r#"{{"matchExpressions":[{{"key":"{key}","operator":"Exists"}}]}}"#),
        };
        format!(r#"{{"weight":{weight},"preference":{preference}}}"#)
    };
    let wishes = [wish(7, "a"), wish(5, ""), wish(0, "b"), wish(-3, "c"), wish(500, "d")].join(",");
    let read = from_spec(&format!(
        r#"{{"affinity":{{"nodeAffinity":{{
            "preferredDuringSchedulingIgnoredDuringExecution":[{wishes}]}}}}}}"#
    ));
    let shape = &read.value.shape;
    let shown: Vec<_> =
        shape.node_preferences.iter().map(|(w, term)| format!("{w} {}", node_term(term))).collect();
    assert_eq!(shown, ["7 [a Exists; ]", "100 [d Exists; ]"]);
    assert_eq!(read.problems.len(), 3);
}

/// A pod with labels app=a and rev=7 in namespace `own`, with one required pod term.
fn with_term(side: &str, term: &str) -> Translated<PodSpec> {
    from_json(&format!(
        r#"{{"metadata":{{"name":"p","namespace":"own","labels":{{"app":"a","rev":"7"}}}},
            "spec":{{"affinity":{{"{side}":{{
            "requiredDuringSchedulingIgnoredDuringExecution":[{term}]}}}}}}}}"#
    ))
}

fn towards(fields: &str) -> String {
    let read = with_term("podAffinity", &format!(r#"{{"topologyKey":"zone",{fields}}}"#));
    assert_eq!(read.value.unsupported, []);
    read.value.shape.affinity.iter().map(pod_term).collect()
}

#[test]
fn a_pod_term_looks_where_it_says_and_else_at_home() {
    for (fields, want) in [
        (r#""labelSelector":{}"#, "() in own by zone"),
        (r#""labelSelector":{},"namespaces":["b","a","b"]"#, "() in a|b by zone"),
        (r#""labelSelector":{},"namespaceSelector":{}"#, "() in +() by zone"),
        (r#""labelSelector":{},"namespaceSelector":null,"namespaces":[]"#, "() in own by zone"),
        (
            r#""labelSelector":{},"namespaces":["a"],"namespaceSelector":{"matchLabels":{"t":"x"}}"#,
            "() in a+(t In x) by zone",
        ),
    ] {
        assert_eq!(towards(fields), want, "{fields}");
    }
}

#[test]
fn a_null_selector_selects_nothing_and_an_empty_one_everything() {
    assert_eq!(towards(r#""labelSelector":null"#), "nothing in own by zone");
    assert_eq!(towards(r#""labelSelector":{"matchLabels":{}}"#), "() in own by zone");
}

#[test]
fn match_label_keys_are_folded_into_the_selector() {
    let app = r#""labelSelector":{"matchLabels":{"app":"a"}}"#;
    for (keys, want) in [
        (r#""matchLabelKeys":["rev"]"#, "(app In a, rev In 7) in own by zone"),
        (r#""mismatchLabelKeys":["rev"]"#, "(app In a, rev NotIn 7) in own by zone"),
        (r#""matchLabelKeys":["absent"]"#, "(app In a) in own by zone"),
        (r#""matchLabelKeys":["app"]"#, "(app In a) in own by zone"),
    ] {
        assert_eq!(towards(&format!("{app},{keys}")), want);
    }
}

const BAD_SELECTOR: &str = r#"{"labelSelector":{"matchExpressions":[{"key":"a","operator":"Gt","values":["1"]}]},
        "topologyKey":"zone"}"#;

#[test]
fn a_required_affinity_term_that_cannot_be_read_is_never_satisfied() {
    let read = with_term("podAffinity", BAD_SELECTOR);
    assert_eq!(pod_term(&read.value.shape.affinity[0]), "nothing in  by zone");
    assert_eq!(read.problems.len(), 1);
}

#[test]
fn a_required_anti_affinity_term_that_cannot_be_read_keeps_the_pod_waiting() {
    let keys_alone = r#"{"matchLabelKeys":["rev"],"topologyKey":"zone"}"#;
    for term in [BAD_SELECTOR, r#"{"labelSelector":{}}"#, keys_alone] {
        let read = with_term("podAntiAffinity", term);
        assert_eq!(read.value.shape.anti_affinity, []);
        let words = "a required anti-affinity term that cannot be read".to_owned();
        assert_eq!(read.value.unsupported, [Unsupported::Other(words)]);
    }
}

#[test]
fn wishes_away_from_pods_weigh_negative_and_bad_ones_are_dropped() {
    let side = |name: &str, weight: i64| {
        format!(
            r#""{name}":{{"preferredDuringSchedulingIgnoredDuringExecution":[
                {{"weight":{weight},"podAffinityTerm":{{"labelSelector":{{}},"topologyKey":"z"}}}},
                {{"weight":9,"podAffinityTerm":{BAD_SELECTOR}}}]}}"#
        )
    };
    let (to, away) = (side("podAffinity", 10), side("podAntiAffinity", 20));
    let read = from_spec(&format!(r#"{{"affinity":{{{to},{away}}}}}"#));
    let weights: Vec<_> = read.value.shape.pod_preferences.iter().map(|(w, _)| *w).collect();
    assert_eq!(weights, [10, -20]);
    assert_eq!((read.problems.len(), read.value.unsupported.len()), (2, 0));
}

fn tolerations(list: &str) -> (Vec<Toleration>, usize) {
    let read = from_spec(&format!(r#"{{"tolerations":[{list}]}}"#));
    (read.value.shape.tolerations.clone(), read.problems.len())
}

#[test]
fn every_kind_of_toleration_is_read() {
    use TolerationOperator::{Equal, Exists, Gt, Lt};
    for (json, key, operator, value, effect) in [
        (
            r#"{"key":"a","value":"x","effect":"NoSchedule"}"#,
            "a",
            Equal,
            "x",
            Some(TaintEffect::NoSchedule),
        ),
        (r#"{"key":"a","operator":"Equal"}"#, "a", Equal, "", None),
        (r#"{"operator":"Exists"}"#, "", Exists, "", None),
        (r#"{"key":"a","operator":"Exists","value":"x"}"#, "a", Exists, "", None),
        (r#"{"key":"a","operator":"Gt","value":"-5"}"#, "a", Gt, "-5", None),
        (r#"{"key":"a","operator":"Lt","value":"950"}"#, "a", Lt, "950", None),
    ] {
        let want = Toleration { key: key.to_owned(), operator, value: value.to_owned(), effect };
        assert_eq!(tolerations(json), (vec![want], 0), "{json}");
    }
}

#[test]
fn a_toleration_that_cannot_be_read_tolerates_nothing() {
    for json in [
        r#"{"value":"x"}"#,
        r#"{"key":"a","operator":"exists"}"#,
        r#"{"key":"a","effect":"NoWay"}"#,
        r#"{"key":"a","operator":"Gt","value":"0950"}"#,
        r#"{"key":"a","operator":"Lt","value":"+1"}"#,
        r#"{"key":"a","operator":"Gt","value":"9999999999999999999999"}"#,
    ] {
        assert_eq!(tolerations(json), (vec![], 1), "{json}");
    }
}

#[test]
fn host_ports_of_containers_and_sidecars_count() {
    let read = from_spec(
        r#"{"initContainers":[
                {"ports":[{"containerPort":1,"hostPort":1}]},
                {"restartPolicy":"Always","ports":[{"containerPort":2,"hostPort":2,"protocol":"UDP"}]}],
            "containers":[{"ports":[{"containerPort":80},
                {"containerPort":3,"hostPort":3,"hostIP":"10.0.0.1","protocol":"SCTP"}]}]}"#,
    );
    let port = |ip: &str, protocol, port| HostPort { ip: ip.to_owned(), protocol, port };
    assert_eq!(
        read.value.shape.host_ports,
        [port("0.0.0.0", Protocol::Udp, 2), port("10.0.0.1", Protocol::Sctp, 3)]
    );
}

#[test]
fn on_the_network_of_the_node_every_container_port_is_a_host_port() {
    let read = from_spec(r#"{"hostNetwork":true,"containers":[{"ports":[{"containerPort":80}]}]}"#);
    assert_eq!(read.value.shape.host_ports[0].port, 80);
}

#[test]
fn a_host_port_that_cannot_be_read_keeps_the_pod_waiting() {
    for port in [
        r#"{"hostPort":70000}"#,
        r#"{"hostPort":-1}"#,
        r#"{"hostPort":"web"}"#,
        r#"{"hostPort":1,"protocol":"tcp"}"#,
    ] {
        let read = from_spec(&format!(r#"{{"containers":[{{"name":"c","ports":[{port}]}}]}}"#));
        assert_eq!((read.value.unsupported.len(), read.problems.len()), (1, 1), "{port}");
    }
}

fn spread(fields: &str) -> Translated<PodSpec> {
    from_json(&format!(
        r#"{{"metadata":{{"name":"p","labels":{{"rev":"7"}}}},
            "spec":{{"topologySpreadConstraints":[{{"topologyKey":"zone",{fields}}}]}}}}"#
    ))
}

#[test]
fn a_spread_constraint_has_the_defaults_of_the_api() {
    let read = spread(r#""maxSkew":1,"whenUnsatisfiable":"DoNotSchedule","labelSelector":{}"#);
    let got = &read.value.shape.spread[0];
    assert_eq!((got.max_skew, got.min_domains), (1, 1));
    assert!(got.honour_affinity && !got.honour_taints);
    assert_eq!(selector(got.selector.as_ref()), "()");
    assert_eq!(read.problems, []);
}

#[test]
fn every_field_of_a_spread_constraint_is_read() {
    let read = spread(
        r#""maxSkew":3,"whenUnsatisfiable":"DoNotSchedule","minDomains":4,
            "nodeAffinityPolicy":"Ignore","nodeTaintsPolicy":"Honor",
            "labelSelector":{"matchLabels":{"app":"a"}},"matchLabelKeys":["rev","absent"]"#,
    );
    let got = &read.value.shape.spread[0];
    assert_eq!((got.max_skew, got.min_domains), (3, 4));
    assert!(!got.honour_affinity && got.honour_taints);
    assert_eq!(selector(got.selector.as_ref()), "(app In a, rev In 7)");
}

#[test]
fn numbers_and_policies_of_spread_that_are_not_valid_read_strict() {
    let read =
        spread(r#""maxSkew":0,"minDomains":-1,"nodeTaintsPolicy":"honor","labelSelector":{}"#);
    let got = &read.value.shape.spread[0];
    assert_eq!((got.max_skew, got.min_domains, got.honour_taints), (1, 1, false));
    assert_eq!(got.when_unsatisfiable, WhenUnsatisfiable::DoNotSchedule);
    assert_eq!(said(&read).len(), 4);
}

#[test]
fn label_keys_of_spread_mean_nothing_without_a_selector() {
    let read =
        spread(r#""maxSkew":1,"whenUnsatisfiable":"DoNotSchedule","matchLabelKeys":["rev"]"#);
    assert_eq!((read.value.unsupported.len(), read.problems.len()), (1, 1));
}

#[test]
fn least_domains_count_only_where_spread_is_hard() {
    let read = spread(r#""maxSkew":1,"minDomains":5,"whenUnsatisfiable":"ScheduleAnyway""#);
    assert_eq!(read.value.shape.spread[0].min_domains, 1);
}

#[test]
fn a_spread_constraint_that_cannot_be_read_holds_the_pod_only_where_it_is_hard() {
    let bad = r#""maxSkew":1,"labelSelector":{"matchExpressions":[{"key":"a","operator":"?"}]}"#;
    let hard = spread(&format!(r#"{bad},"whenUnsatisfiable":"DoNotSchedule""#));
    assert_eq!((hard.value.shape.spread.len(), hard.value.unsupported.len()), (0, 1));
    let soft = spread(&format!(r#"{bad},"whenUnsatisfiable":"ScheduleAnyway""#));
    assert_eq!((soft.value.shape.spread.len(), soft.value.unsupported.len()), (0, 0));
    assert_eq!(soft.problems.len(), 1);
}
