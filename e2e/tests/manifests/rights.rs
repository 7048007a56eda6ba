//! The ClusterRole permits what muster reads, and no more than it must.

use e2e::manifests::{objects, text};
use scheduler_kube::read::KINDS;
use serde_json::Value;

#[test]
fn every_kind_that_is_read_may_be_listed_and_watched() {
    let rules = rules();
    for kind in KINDS {
        for verb in ["list", "watch"] {
            assert!(
                permits(&rules, kind.group, kind.plural, verb),
                "manifests/base/clusterrole.yaml: may not {verb} {}",
                kind.resource()
            );
        }
    }
}

#[test]
fn no_kind_may_be_watched_that_is_not_read() {
    for rule in rules() {
        for group in words(&rule["apiGroups"]) {
            for resource in words(&rule["resources"]) {
                let is_read = KINDS.iter().any(|it| it.group == group && it.plural == resource);
                let may_watch = words(&rule["verbs"]).contains(&"watch");
                assert!(is_read || !may_watch, "nobody reads {resource} of {group:?}");
            }
        }
    }
}

#[test]
fn nothing_is_permitted_by_a_star_and_no_secret_may_be_read() {
    for rule in rules() {
        for part in ["apiGroups", "resources", "verbs"] {
            let words = words(&rule[part]);
            assert!(!words.iter().any(|word| word.contains('*')), "{rule}");
            for forbidden in ["secrets", "configmaps", "escalate", "impersonate", "update"] {
                assert!(!words.contains(&forbidden), "{forbidden} in {rule}");
            }
        }
    }
}

#[test]
fn pods_may_be_bound_but_never_made() {
    let rules = rules();
    assert!(permits(&rules, "", "pods/binding", "create"));
    assert!(!permits(&rules, "", "pods", "create"));
}

fn rules() -> Vec<Value> {
    let file = text("base/clusterrole.yaml").expect("it is there");
    let role = objects(&file).expect("it is YAML").remove(0);
    let rules = role["rules"].as_array().expect("it has rules").clone();
    assert!(rules.len() > 10, "rules were found");
    rules
}

fn permits(rules: &[Value], group: &str, resource: &str, verb: &str) -> bool {
    rules.iter().any(|rule| {
        words(&rule["apiGroups"]).contains(&group)
            && words(&rule["resources"]).contains(&resource)
            && words(&rule["verbs"]).contains(&verb)
    })
}

fn words(list: &Value) -> Vec<&str> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}
