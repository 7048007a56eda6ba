//! Bad input: a message names file, object and remedy, and the good gang beside it still runs.

use crate::{folder, run, simulate};

/// What every case has beside the bad thing.
const GOOD: &str = "\
{apiVersion: v1, kind: Node, metadata: {name: n1}, status: {allocatable: {cpu: 8, memory: 8Gi}}}
---
{apiVersion: v1, kind: Pod, metadata: {name: good}, spec: {schedulerName: muster, containers: [{name: c}]}}
---
";

/// The line on which what a case adds begins.
const FIRST: usize = 5;

/// Simulates the bad thing beside the good one; what was said about it.
#[track_caller]
fn beside_good(bad: &str) -> crate::Ran {
    let ran = simulate(&format!("{GOOD}{bad}"), &[]);
    let good = ran.out.lines().find(|line| line.starts_with("default/good "));
    assert!(good.is_some_and(|line| line.contains(" running ")), "{}", ran.shown());
    assert_eq!(ran.code, 0, "{}", ran.shown());
    ran
}

/// Some line of standard error has the place and all of these words.
#[track_caller]
fn says(bad: &str, line: usize, words: &[&str]) {
    let ran = beside_good(bad);
    let place = format!("problem: in.yaml:{line}: ");
    let is_said = |said: &str| said.starts_with(&place) && words.iter().all(|it| said.contains(it));
    assert!(ran.err.lines().any(is_said), "{words:?} at line {line}:\n{}", ran.shown());
}

/// The gang of this name waits for this reason.
#[track_caller]
fn waits(bad: &str, gang: &str, reason: &str) {
    let ran = beside_good(bad);
    let row = ran.out.lines().find(|line| line.starts_with(&format!("{gang} ")));
    let is_so = row.is_some_and(|row| row.contains(" waiting ") && row.contains(reason));
    assert!(is_so, "{gang} {reason:?}:\n{}", ran.shown());
}

fn pod(cpu: &str) -> String {
    format!(
        "apiVersion: v1\nkind: Pod\nmetadata: {{name: bad}}\nspec:\n  schedulerName: muster\n  \
         containers: [{{name: c, resources: {{requests: {{cpu: {cpu}}}}}}}]\n"
    )
}

fn node(memory: &str) -> String {
    format!(
        "apiVersion: v1\nkind: Node\nmetadata: {{name: bad}}\nstatus: {{allocatable: {{memory: \
         {memory}}}}}\n"
    )
}

fn group(more: &str) -> String {
    format!(
        "{{apiVersion: muster.sh/v1alpha1, kind: PodGroup, metadata: {{name: bad}}, spec: {{{more}}}}}\n"
    )
}

fn member(group_label: &str, name: &str) -> String {
    format!(
        "---\n{{apiVersion: v1, kind: Pod, metadata: {{name: {name}, labels: {{{group_label}}}}}, spec: \
         {{schedulerName: muster, containers: [{{name: c}}]}}}}\n"
    )
}

fn queue(name: &str, parent: &str) -> String {
    format!(
        "{{apiVersion: muster.sh/v1alpha1, kind: Queue, metadata: {{name: {name}}}, spec: {{parent: \
         {parent}}}}}\n---\n"
    )
}

#[test]
fn a_negative_quantity() {
    says(&pod("-1"), FIRST, &["Pod bad", "requests", "-1", "("]);
    says(&node("-1"), FIRST, &["Node bad", "status.allocatable", "-1", "("]);
}

#[test]
fn an_absurd_quantity() {
    says(&pod("1e999"), FIRST, &["Pod bad", "requests", "1e999", "("]);
    waits(&pod("1e999"), "default/bad", "too small by cpu");
    says(&node("1e999"), FIRST, &["Node bad", "status.allocatable", "1e999", "("]);
}

#[test]
fn a_fractional_quantity() {
    says(&pod("0.0001"), FIRST, &["Pod bad", "requests", "0.0001", "("]);
    says(&node("1.5"), FIRST, &["Node bad", "status.allocatable", "1.5", "("]);
}

#[test]
fn an_enormous_quantity() {
    waits(&pod("1Ei"), "default/bad", "too small by cpu");
}

#[test]
fn a_word_where_a_quantity_belongs() {
    says(&pod("lots"), FIRST, &["Pod bad", "requests", "`lots`", "("]);
}

#[test]
fn a_minimum_of_nothing_or_less() {
    for min in ["0", "-1"] {
        let text = format!(
            "{}{}",
            group(&format!("minAvailable: {min}")),
            member("muster.sh/pod-group: bad", "m")
        );
        says(&text, FIRST, &["PodGroup bad", "spec.minAvailable", "write 1 or more"]);
    }
}

#[test]
fn a_minimum_larger_than_any_cluster() {
    let text =
        format!("{}{}", group("minAvailable: 2147483647"), member("muster.sh/pod-group: bad", "m"));
    waits(&text, "default/bad", "1 of 2147483647 pods exist");
    let text =
        format!("{}{}", group("minAvailable: 1e30"), member("muster.sh/pod-group: bad", "m"));
    says(&text, FIRST, &["PodGroup bad", "spec.minAvailable", "("]);
}

#[test]
fn a_queue_that_does_not_exist() {
    let text = format!("{}{}", group("queue: nowhere"), member("muster.sh/pod-group: bad", "m"));
    says(&text, FIRST, &["PodGroup default/bad", "\"nowhere\" does not exist", "create the queue"]);
    waits(&text, "default/bad", "queue \"nowhere\" does not exist");
}

#[test]
fn a_group_that_does_not_exist() {
    let text = member("muster.sh/pod-group: nowhere", "m");
    says(&text, FIRST + 1, &["Pod default/m", "nowhere does not exist", "create the group"]);
    waits(&text, "default/nowhere", "name a group that does not exist");
}

#[test]
fn two_groups_of_one_name() {
    let text = format!(
        "{}---\n{}{}",
        group("minAvailable: 1"),
        group("minAvailable: 2"),
        member("muster.sh/pod-group: bad", "m")
    );
    says(&text, FIRST + 2, &["PodGroup bad", "it stands at in.yaml:5 already", "keep one"]);
    waits(&text, "default/bad", "1 of 2 pods exist");
}

#[test]
fn a_cycle_of_parents() {
    let text = format!(
        "{}{}{}{}",
        queue("x", "y"),
        queue("y", "x"),
        group("queue: x"),
        member("muster.sh/pod-group: bad", "m")
    );
    says(&text, FIRST, &["Queue x", "spec.parent", "x > y > x", "take the parent away"]);
    waits(&text, "default/bad", "queue \"x\" hangs on");
}

#[test]
fn a_label_of_a_megabyte() {
    let label = "x".repeat(1 << 20);
    let ran = beside_good(&member(&format!("muster.sh/role: {label}"), "bad"));
    assert!(ran.out.len() + ran.err.len() < 4096, "{}", ran.out.len() + ran.err.len());
}

#[test]
fn a_pod_in_two_groups() {
    let text = member("muster.sh/pod-group: one, scheduling.x-k8s.io/pod-group: two", "bad");
    says(&text, FIRST + 1, &["Pod bad", "scheduling.x-k8s.io/pod-group", "two", "("]);
}

#[test]
fn two_nodes_of_one_name() {
    let twice = GOOD.lines().next().expect("a node");
    says(twice, FIRST, &["Node n1", "it stands at in.yaml:1 already", "different names"]);
}

#[test]
fn a_broken_yaml_document() {
    says(
        "apiVersion: v1\nkind: Pod\nmetadata: {name: bad\n---\n",
        FIRST + 2,
        &["Pod", "left out", "mend the YAML"],
    );
    says(
        "kind: Pod\napiVersion: v1\nspec: {containers: 5}\n",
        FIRST + 2,
        &["Pod", "kubectl explain"],
    );
}

#[test]
fn a_broken_item_of_a_json_list() {
    let folder = folder(&[
        ("good.yaml", GOOD.as_bytes()),
        ("list.json", b"{\"items\": [\n{\"apiVersion\": \"v1\", \"kind\": \"Pod\", \"metadata\": {\"name\": \"bad\"},\n\"spec\": oops}\n]}"),
    ]);
    let ran = run(folder.path(), &["simulate", "good.yaml", "list.json"], "");
    assert!(ran.err.starts_with("problem: list.json:3: Pod bad: "), "{}", ran.shown());
    assert!(ran.err.contains("mend the JSON"), "{}", ran.err);
    assert_eq!(ran.code, 0);
}

#[test]
fn kinds_that_are_not_read_are_one_line() {
    let text = "{apiVersion: v1, kind: ConfigMap}\n---\n{apiVersion: x.io/v1, kind: Thing}\n---\n{apiVersion: x.io/v1, kind: Thing}";
    assert_eq!(beside_good(text).err, "not read: 1 ConfigMap, 2 x.io/Thing\n");
}

#[test]
fn bytes_that_are_no_text() {
    let folder = folder(&[("good.yaml", GOOD.as_bytes()), ("bad.yaml", b"kind: \xff\xfe\n")]);
    let ran = run(folder.path(), &["simulate", "good.yaml", "bad.yaml"], "");
    assert_eq!(ran.code, 0);
    assert_eq!(
        ran.err,
        "problem: bad.yaml:1: object: it is not UTF-8; it is left out (save the file as UTF-8)\n"
    );
}

#[test]
fn an_empty_file_beside_a_good_one() {
    let folder = folder(&[("good.yaml", GOOD.as_bytes()), ("empty.yaml", b"")]);
    let ran = run(folder.path(), &["simulate", "good.yaml", "empty.yaml"], "");
    assert_eq!(ran.code, 0);
    assert!(ran.err.starts_with("problem: empty.yaml: this source: it is empty"), "{}", ran.err);
}

#[test]
fn nothing_that_can_be_used() {
    for (text, said) in [("", "it is empty"), ("{apiVersion: v1, kind: ConfigMap}", "1 ConfigMap")]
    {
        let ran = simulate(text, &[]);
        assert_eq!((ran.code, ran.out.as_str()), (2, ""));
        assert!(ran.err.contains(said), "{}", ran.err);
        assert!(ran.err.ends_with(
            "error: no object in the input is of a kind that is read (docs/simulate.md lists them)\n"
        ));
    }
}

#[test]
fn a_file_that_is_not_there() {
    let folder = folder(&[("good.yaml", GOOD.as_bytes())]);
    let ran = run(folder.path(), &["simulate", "good.yaml", "no.yaml", "nor.yaml"], "");
    assert_eq!((ran.code, ran.out.as_str()), (2, ""));
    assert_eq!(
        ran.err,
        "error: no.yaml: no such file or directory (check the path)\n\
         error: nor.yaml: no such file or directory (check the path)\n"
    );
}

#[test]
fn a_compressed_file_that_breaks_off_is_shown_and_told() {
    let whole = include_bytes!("nodes.yaml.gz");
    let folder =
        folder(&[("good.yaml", GOOD.as_bytes()), ("cut.yaml.gz", &whole[..whole.len() - 9])]);
    let ran = run(folder.path(), &["simulate", "good.yaml", "cut.yaml.gz"], "");
    assert_eq!(ran.code, 2);
    assert!(ran.out.contains("default/good"), "{}", ran.shown());
    assert!(ran.err.contains("cut.yaml.gz") && ran.err.contains("copy it again"), "{}", ran.err);
}
