//! What a person is told who gets something wrong: file, line, what, and what to do.

use crate::complaint;

/// The complaint about `text` begins like `start` and contains all `parts`.
fn says(text: &str, start: &str, parts: &[&str]) {
    let said = complaint(text);
    assert!(said.starts_with(start), "{said}");
    for part in parts {
        assert!(said.contains(part), "{part:?} is missing in: {said}");
    }
}

#[test]
fn an_unknown_key_is_named_with_the_allowed_ones() {
    says("nods: []", "case.yaml:2: ", &["nods", "nodes", "pending"]);
    says("nodes:\n  - { name: a, gpus: 8 }", "case.yaml:3: ", &["gpus", "unschedulable", "gpu"]);
    says("pending:\n- gang: g\n  mim: 2", "case.yaml:4: ", &["mim", "min"]);
    says("queues: [{ name: q, limits: {} }]", "case.yaml:2: ", &["limits", "lendingLimit"]);
    says("pending: [{ gang: g, each: { gpus: 1 } }]", "case.yaml:2: ", &["gpus", "gpu, cpu"]);
    says("then: [{ when: 1m }]", "case.yaml:2: ", &["when", "after"]);
    says("then: [{ do: [{ ad: {} }] }]", "case.yaml:2: ", &["ad", "add"]);
    says("objects:\n- pod: { name: a, uid: b, nod: c }", "case.yaml:3: ", &["nod", "node"]);
    says("pending: [{ gang: g }]\nexpect:\n- g: { runs: { at: a } }", "case.yaml:4: ", &["among"]);
    says("pending: [{ gang: g }]\nexpect:\n- g: { run: {} }", "case.yaml:4: ", &["run", "silent"]);
    says("pending: [{ gang: g }]\nexpect:\n- g: sleeps", "case.yaml:4: ", &["sleeps", "silent"]);
}

#[test]
fn a_value_that_cannot_be_read_is_shown_with_how_to_write_it() {
    says("nodes:\n  - { name: a, cpu: lots }", "case.yaml:3: ", &["lots", "cpu"]);
    says("pending:\n- gang: g\n  each: { gpu: 0.5 }", "case.yaml:4: ", &["0.5", "smallest unit"]);
    says("pending:\n- gang: g\n  walltime: 10", "case.yaml:4: ", &["10", "1h30m"]);
    says("nodes:\n- name: a\n  taints: [a]", "case.yaml:4: ", &["key=value:NoSchedule"]);
    says("nodes: [{ name: 'a{1..' }]", "case.yaml:2: ", &["brace"]);
    says("pending: [{ owner: job/a, pace: fast }]", "case.yaml:2: ", &["fast", "after ready"]);
    says("pending: [{ gang: g, dialect: klingon }]", "case.yaml:2: ", &["klingon", "volcano"]);
}

#[test]
fn an_entry_that_contradicts_itself_is_refused() {
    says("pending: [{ pods: 2 }]", "case.yaml:2: ", &["exactly one of gang, pod and owner"]);
    says("pending: [{ pod: p, min: 2 }]", "case.yaml:2: ", &["a lone pod has no min"]);
    says("pending: [{ pod: p, pods: 2 }]", "case.yaml:2: ", &["pattern"]);
    says("pending: [{ gang: g, pods: 2, roles: { a: {} } }]", "case.yaml:2: ", &["role"]);
    says("pending: [{ gang: g, on: a }]", "case.yaml:2: ", &["running"]);
    says("running: [{ gang: g }]", "case.yaml:2: ", &["needs on"]);
    says("running: [{ gang: g, on: a9 }]", "case.yaml:2: ", &["a9", "none"]);
    says("pending: [{ owner: train }]", "case.yaml:2: ", &["job/train"]);
    says("pending: [{ owner: job/a, dialect: muster }]", "case.yaml:2: ", &["dialect"]);
    says("pending: [{ owner: job/a, group: missing }]", "case.yaml:2: ", &["group"]);
    says("pending: [{ gang: g, group: missing, min: 2 }]", "case.yaml:2: ", &["min"]);
    says("pending: [{ gang: g, pods: 4000000000 }]", "case.yaml:2: ", &["too many", "1000000"]);
    says("pending: [{ gang: g, ends: 1m, runtime: 1m }]", "case.yaml:2: ", &["ends"]);
    says(
        "nodes: [{ name: 'a{1..2}' }]\nrunning: [{ gang: g, pods: 1, on: 'a{1..2}' }]",
        "case.yaml:3: ",
        &["1 pods", "2 nodes"],
    );
    says(
        "nodes: [{ name: a }]\nrunning: [{ gang: g, on: a, since: -1m, ends: -2m }]",
        "case.yaml:3: ",
        &["before it began"],
    );
    says(
        "nodes: [{ name: a }]\nrunning: [{ gang: g, on: a, roles: { r: {} } }, \
         { gang: h, roles: { r: { on: a }, s: {} } }]",
        "case.yaml:3: ",
        &["\"s\"", "nowhere"],
    );
}

#[test]
fn a_gang_or_pod_described_twice_is_refused() {
    says("pending:\n- { gang: g }\n- { gang: g, min: 2 }", "case.yaml:4: ", &["line 3", "min"]);
    says("pending:\n- { gang: g }\n- { pod: g-0 }", "case.yaml:4: ", &["already a pod", "g-0"]);
}

#[test]
fn a_name_that_nobody_has_is_shown_with_those_there_are() {
    let cluster = "pending: [{ gang: train, pods: 2 }, { pod: solo }]\n";
    says(&format!("{cluster}expect: [trian: runs]"), "case.yaml:3: ", &["trian", "default/train"]);
    says(&format!("{cluster}then: [do: [pod x fails]]"), "case.yaml:3: ", &["x", "train-1"]);
    says(&format!("{cluster}then: [do: [node x fails]]"), "case.yaml:3: ", &["node", "none"]);
    says(&format!("{cluster}then: [do: [queue x opens]]"), "case.yaml:3: ", &["queue", "none"]);
    says(&format!("{cluster}expect: [train: {{ runs: {{ on: x }} }}]"), "case.yaml:3: ", &["x"]);
}

#[test]
fn a_name_that_several_have_is_refused() {
    let text = "pending: [{ gang: g }, { gang: g, namespace: b }]\nexpect: [g: runs]";
    says(text, "case.yaml:3: ", &["2 gangs", "muster:b/g"]);
    let text = "pending: [{ gang: g }, { gang: g, namespace: b }]\nthen: [do: [pod g-0 fails]]";
    says(text, "case.yaml:3: ", &["2 pods", "b/g-0"]);
}

#[test]
fn a_sentence_that_means_nothing_is_answered_with_those_there_are() {
    says("then:\n- do:\n  - it rains", "case.yaml:4: ", &["it rains", "gang G finishes"]);
    says("then: [{ at: 1m, after: 1m }]", "case.yaml:2: ", &["at and after"]);
    says("then: [{ at: 2m }, { at: 1m }]", "case.yaml:2: ", &["before the one above"]);
}

#[test]
fn an_expectation_of_nothing_or_of_two_things_is_refused() {
    let gang = "pending: [{ gang: g }, { gang: h }]\n";
    says(&format!("{gang}expect: [g: {{}}]"), "case.yaml:3: ", &["nothing is expected"]);
    says(&format!("{gang}expect:\n- g: runs\n  h: runs"), "case.yaml:4: ", &["dash"]);
    let because = |text: &str| format!("{gang}expect: [g: {{ waits: {{ because: {text} }} }}]");
    says(&because("{ reason: rain }"), "case.yaml:3: ", &["rain", "queue-closed"]);
    says(&because("{ nodes: { wet: 1 } }"), "case.yaml:3: ", &["wet", "insufficient <name>"]);
    says(&because("{ cure: sun }"), "case.yaml:3: ", &["sun", "author"]);
}

#[test]
fn broken_yaml_and_a_missing_story_are_refused() {
    says("nodes: [", "case.yaml:", &[]);
    says("story: twice", "case.yaml:2: ", &["story"]);
    let said = scheduler_scenario::parse("x.yaml", "nodes: []").expect_err("no story").to_string();
    assert!(said.contains("story"), "{said}");
    let said = scheduler_scenario::parse("x.yaml", "").expect_err("empty").to_string();
    assert!(said.contains("story"), "{said}");
}
