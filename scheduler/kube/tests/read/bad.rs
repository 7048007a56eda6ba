//! What is wrong is said with file, line, object and remedy, and the rest is still read.

use crate::{names, object, reading, readings, said, source};
use scheduler_kube::read::read;
use scheduler_kube::translate::Context;

const HEAD: &str = "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: ";

/// Namespaces that are read although something is wrong, and the one thing that is.
#[track_caller]
fn says(text: &str, want: &[&str], start: &str, words: &[&str]) {
    let reading = reading(text);
    assert_eq!(names(&reading), want);
    let said = said(&reading);
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].starts_with(start), "{}", said[0]);
    for word in words {
        assert!(said[0].contains(word), "{} lacks {word}", said[0]);
    }
}

#[test]
fn a_broken_yaml_document_spoils_no_other() {
    let broken = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: bad\n  labels: {a: b\nspec: {}\n";
    says(
        &format!("{HEAD}a\n---\n{broken}---\n{HEAD}b\n"),
        &["a", "b"],
        "in.yaml:",
        &["Pod bad", "left out", "mend the YAML"],
    );
}

#[test]
fn a_field_of_the_wrong_type_is_told_with_its_line() {
    let wrong = "apiVersion: v1\nkind: Node\nmetadata:\n  name: bad\nspec:\n  taints: 5\n";
    says(&format!("{HEAD}a\n---\n{wrong}"), &["a"], "in.yaml:11: Node bad: ", &["kubectl explain"]);
}

#[test]
fn a_key_that_stands_twice_is_told() {
    let twice = "apiVersion: v1\nkind: Namespace\nkind: Namespace\nmetadata: {name: bad}\n";
    says(
        &format!("{twice}---\n{HEAD}a\n"),
        &["a"],
        "in.yaml:3: Namespace",
        &["write each key once"],
    );
}

#[test]
fn a_broken_item_of_a_json_list_spoils_no_other() {
    let broken = "{\"apiVersion\": \"v1\", \"kind\": \"Pod\",\n\"metadata\": {\"namespace\": \"x\",\
                  \"name\": \"bad\"},\n\"spec\": {\"nodeName\": oops}}";
    let text = format!("{{\"items\": [\n{},\n{broken},\n{}\n]}}", object("a"), object("b"));
    says(&text, &["a", "b"], "in.yaml:5: Pod x/bad: ", &["left out", "mend the JSON"]);
}

#[test]
fn a_dump_that_breaks_off_is_used_up_to_there() {
    let text = format!("{{\"items\": [\n{},\n{{\"kind\": \"Pod\", \"meta", object("a"));
    says(&text, &["a"], "in.yaml:3: Pod: it breaks off", &["dump it again"]);
}

#[test]
fn a_broken_line_of_json_lines_spoils_no_other() {
    let (a, b) = (object("a"), object("b"));
    says(&format!("{a}\n{{\"kind\":\"Pod\"\n{b}\n"), &["a", "b"], "in.yaml:3: Pod: ", &["no end"]);
    says(&format!("{a}\n{{\"kind\":\"Po\n{b}\n"), &["a", "b"], "in.yaml:2: object: ", &["quotes"]);
    says(&format!("{a}\n{{\"kind\":[}}\n{b}\n"), &["a", "b"], "in.yaml:2: object: ", &["brackets"]);
}

#[test]
fn text_that_is_no_utf8_is_told_with_its_line() {
    let bytes =
        [format!("{HEAD}a\n---\nkind: Namespace\nname: ").as_bytes(), &[0xff], b"\n"].concat();
    let reading = read(vec![source("in.yaml", &bytes)], &Context::default());
    assert_eq!(names(&reading), ["a"]);
    assert_eq!(
        said(&reading),
        ["in.yaml:7: object: it is not UTF-8; it is left out (save the file as UTF-8)"]
    );
}

#[test]
fn an_empty_source_is_told() {
    let want = "in.yaml: this source: it is empty (name a file with Kubernetes objects)";
    assert_eq!(said(&reading("")), [want]);
    assert_eq!(said(&reading("\n# nothing\n---\n")), [want]);
    assert_eq!(reading("").objects, 0);
}

#[test]
fn a_document_that_is_no_object_is_told() {
    says("name: x\n", &[], "in.yaml:1: object: it is no Kubernetes object: kind is missing", &[]);
    says("kind: Namespace\n", &[], "in.yaml:1: Namespace: ", &["apiVersion is missing"]);
    says("just words\n", &[], "in.yaml:1: object: ", &["kind is missing"]);
}

#[test]
fn of_two_objects_of_one_name_the_last_wins_and_both_places_are_named() {
    let labelled = |label: &str| format!("{HEAD}a\n  labels: {{x: {label}}}\n");
    let reading = readings(&[&labelled("first"), &format!("\n{}", labelled("second"))]);
    assert_eq!(
        said(&reading),
        [
            "2:2: Namespace a: it stands at 1:1 already; this one, the last, is used (keep one of the \
          two, or give them different names)"
        ]
    );
    assert_eq!(names(&reading), ["a"]);
    assert!(format!("{:?}", reading.world).contains("second"));
}

#[test]
fn two_groups_of_one_name_are_told_but_not_in_two_dialects() {
    let group = |group: &str| {
        format!(
            "{{apiVersion: {group}, kind: PodGroup, metadata: {{name: g}}, spec: {{minAvailable: 2}}}}\n"
        )
    };
    let twice = group("muster.sh/v1alpha1");
    let reading = readings(&[&twice, &twice]);
    assert_eq!(said(&reading).len(), 1);
    assert!(said(&reading)[0].starts_with("2:1: PodGroup g: it stands at 1:1 already"));
    assert_eq!(crate::gangs(&reading).len(), 1);
    let dialects = readings(&[&twice, &group("scheduling.x-k8s.io/v1alpha1")]);
    assert_eq!(crate::gangs(&dialects).len(), 2);
}

#[test]
fn two_pods_of_one_uid_are_told() {
    let pod =
        |name: &str| format!("{{apiVersion: v1, kind: Pod, metadata: {{name: {name}, uid: u}}}}\n");
    let reading = readings(&[&pod("p"), &pod("q")]);
    assert_eq!(names(&reading), ["default/q"]);
    assert!(
        said(&reading)[0].contains("default/p at 1:1 has the same uid"),
        "{:?}",
        said(&reading)
    );
}

#[test]
fn a_label_of_a_megabyte_is_read_and_not_repeated() {
    let label = "y".repeat(1 << 20);
    let good = reading(&format!("{HEAD}a\n  labels: {{x: {label}}}\n"));
    assert_eq!((names(&good), said(&good)), (vec!["a".to_owned()], vec![]));
    let bad = reading(&format!("{HEAD}a\n  labels: {label}\n"));
    assert!(said(&bad)[0].len() < 600, "{}", said(&bad)[0].len());
}

fn queue(name: &str, parent: &str) -> String {
    format!(
        "{{apiVersion: muster.sh/v1alpha1, kind: Queue, metadata: {{name: {name}}}, spec: {{parent: \
         {parent}}}}}\n"
    )
}

#[test]
fn a_cycle_of_parents_is_told_once() {
    let reading =
        readings(&[&queue("b", "c"), &queue("c", "a"), &queue("a", "b"), &queue("d", "a")]);
    assert_eq!(
        said(&reading),
        [
            "3:1: Queue a spec.parent: its parents form a cycle: a > b > c > a; gangs in it wait (take \
          the parent away from one of them)"
        ]
    );
}

#[test]
fn a_queue_that_does_not_exist_is_told_where_it_is_first_named() {
    let pod = "{apiVersion: v1, kind: Pod, metadata: {name: p, labels: {muster.sh/queue: q}}, spec: \
               {schedulerName: muster}}\n";
    let reading = readings(&[&queue("a", "z"), pod, &pod.replace("name: p", "name: o")]);
    assert_eq!(
        said(&reading),
        [
            "1:1: Queue a spec.parent: queue \"z\" does not exist; gangs in \"a\" wait (create the \
             parent, or name one that exists)",
            "2:1: Pod default/p queue: queue \"q\" does not exist, so it waits, like 1 more (create \
             the queue, or name one that exists)",
        ]
    );
}

#[test]
fn a_group_that_does_not_exist_is_told_where_it_is_first_named() {
    let pod = "{apiVersion: v1, kind: Pod, metadata: {name: p, labels: {muster.sh/pod-group: g}}, \
               spec: {schedulerName: muster}}\n";
    assert_eq!(
        said(&reading(pod)),
        ["in.yaml:1: Pod default/p group: its muster group default/g does not exist, so it waits \
          (create the group, or take the name away from the pod)"]
    );
}
