//! `muster queues` and all else that is told of queues: the tree, and gangs by queue.

use crate::commands::{at, muster, server};
use crate::{Stage, leader_of};
use serde_json::{Value, json};

const QUEUES_PATH: &str = "/api/v1/namespaces/muster-system/services/muster:admin/proxy/queues";

/// A queue as the leader tells of it.
fn queue(name: &str, parent: Option<&str>, state: &str, amounts: &[Value]) -> Value {
    json!({
        "name": name, "parent": parent, "state": state, "weight": 1, "priority": 0,
        "used": {}, "limit": {}, "waiting": {}, "oldestWaitMs": null, "amounts": amounts,
    })
}

/// `[used, entitled, demand]`, with what follows from them.
fn amounts(resource: &str, [used, entitled, demand]: [i64; 3], limit: Option<i64>) -> Value {
    let show = |amount: i64| amount.max(0).to_string();
    json!({
        "resource": resource, "flavour": null, "dedicated": "0", "limit": limit.map(show),
        "used": show(used), "entitled": show(entitled), "demand": show(demand),
        "deserved": show(entitled.min(demand)), "fair": show(used),
        "borrowed": show(used - entitled), "lent": show(entitled - used),
    })
}

fn gpus(numbers: [i64; 3], limit: Option<i64>) -> Vec<Value> {
    let memory = 100 << 30;
    vec![
        amounts("memory", [memory / 4, memory / 3, memory / 4], None),
        amounts("nvidia.com/gpu", numbers, limit),
    ]
}

/// A tree of every kind of queue.
fn world() -> Value {
    let waiting = |mut queue: Value, weight: u64, ms: u64| {
        queue["weight"] = weight.into();
        queue["waiting"] = json!({"limit": 1, "room": 2});
        queue["oldestWaitMs"] = ms.into();
        queue
    };
    let vision = queue("vision", Some("research"), "open", &gpus([40, 24, 56], Some(48)));
    json!({"queues": [
        queue("default", None, "open", &gpus([0, 2, 0], None)),
        queue("lost", Some("nowhere"), "broken", &[]),
        queue("lost-below", Some("lost"), "broken", &[]),
        queue("nlp", Some("research"), "closed", &gpus([8, 24, 8], None)),
        queue("research", None, "open", &gpus([48, 48, 64], Some(64))),
        queue("round", Some("round-too"), "broken", &[]),
        queue("round-below", Some("round"), "broken", &[]),
        queue("round-too", Some("round"), "broken", &[]),
        waiting(vision, 3, 90_061_000),
    ]})
}

fn shown(arguments: &[&str]) -> String {
    let world = world().to_string();
    let (_runtime, folder) = server(&[(QUEUES_PATH, &world)], &[]);
    let ran = muster(arguments, Some(&folder.path().join("config")));
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    ran.out
}

#[test]
fn queues_are_a_tree_that_fits_a_hundred_columns() {
    let out = shown(&["queues"]);
    assert_eq!(
        out,
        "\
QUEUE          STATE   WEIGHT  WAITING  OLDEST  RESOURCE  USED  ENTITLED  LIMIT  BORROWED  LENT
default        open    1       0        -       gpu       0     2         -      -         2
research       open    1       0        -       gpu       48    48        64     -         -
  nlp          closed  1       0        -       gpu       8     24        -      -         16
  vision       open    3       3        1d1h    gpu       40    24        48     16        -
lost           orphan  1       0        -       -         -     -         -      -         -
  lost-below   broken  1       0        -       -         -     -         -      -         -
round          cycle   1       0        -       -         -     -         -      -         -
  round-below  broken  1       0        -       -         -     -         -      -         -
round-too      cycle   1       0        -       -         -     -         -      -         -
"
    );
    assert!(out.lines().all(|line| line.len() <= 100));
}

#[test]
fn the_wide_form_has_every_number_and_a_bar() {
    let out = shown(&["queues", "-o", "wide"]);
    let lines: Vec<Vec<&str>> = out.lines().map(|line| line.split_whitespace().collect()).collect();
    let titles = "QUEUE STATE WEIGHT PRIORITY WAITING OLDEST RESOURCE FLAVOUR USE USED DEDICATED \
                  ENTITLED DESERVED FAIR DEMAND LIMIT BORROWED LENT REASONS";
    assert_eq!(lines[0].join(" "), titles);
    let vision = "vision open 3 0 3 1d1h nvidia.com/gpu - ##########+++++++... 40 - 24 24 40 56 \
                  48 16 - limit=1 room=2";
    let at = lines.iter().position(|line| line[0] == "vision").expect("it is there");
    assert_eq!(lines[at].join(" "), vision);
    // The second line of a queue says nothing twice.
    let memory = "memory - ###############----- 25Gi - 33.3Gi 25Gi 25Gi 25Gi - - 8.3Gi";
    assert_eq!(lines[at + 1].join(" "), memory);
}

#[test]
fn programs_get_what_the_leader_says() {
    let out = shown(&["queues", "-o", "json"]);
    assert_eq!(serde_json::from_str::<Value>(&out).expect("JSON"), world());
}

/// Two queues below one, each with a gang for which there is no room, and a gang elsewhere.
const TREE: &str = "\
{apiVersion: v1, kind: Node, metadata: {name: n1}, status: {allocatable: {cpu: 8, pods: 10, nvidia.com/gpu: 4}, conditions: [{type: Ready, status: 'True'}]}}
---
{apiVersion: muster.sh/v1alpha1, kind: Queue, metadata: {name: team}, spec: {limit: {nvidia.com/gpu: 3}}}
---
{apiVersion: muster.sh/v1alpha1, kind: Queue, metadata: {name: ml}, spec: {parent: team}}
---
{apiVersion: v1, kind: Pod, metadata: {name: in-ml, namespace: a, uid: u0, labels: {muster.sh/queue: ml}}, spec: {schedulerName: muster, containers: [{name: c, resources: {limits: {nvidia.com/gpu: 2}}}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: in-team, namespace: a, uid: u1, labels: {muster.sh/queue: team}}, spec: {schedulerName: muster, containers: [{name: c, resources: {limits: {nvidia.com/gpu: 2}}}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: elsewhere, namespace: a, uid: u2}, spec: {schedulerName: muster, containers: [{name: c, resources: {limits: {nvidia.com/gpu: 8}}}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: nowhere, namespace: a, uid: u3, labels: {muster.sh/queue: none}}, spec: {schedulerName: muster, containers: [{name: c}]}}
";

fn names(stage: &Stage, queue: &str) -> Vec<String> {
    let ran = at(stage, &["gangs", "-A", "-o", "json", "--queue", queue]);
    let value: Value = serde_json::from_str(&ran.out).unwrap_or_else(|_| panic!("{}", ran.err));
    let gangs = value["gangs"].as_array().expect("a list");
    gangs.iter().map(|gang| gang["name"].as_str().unwrap_or_default().to_owned()).collect()
}

#[test]
fn gangs_of_a_queue_are_those_below_it_too() {
    let stage = leader_of(TREE);
    assert_eq!(names(&stage, "ml"), ["in-ml"]);
    assert_eq!(names(&stage, "team"), ["in-ml", "in-team"]);
    assert_eq!(names(&stage, "none"), ["nowhere"]);
    let ran = at(&stage, &["gangs", "--queue", "a&b"]);
    assert_eq!((ran.code, ran.err.as_str()), (2, "error: no queue can be called \"a&b\"\n"));
}

#[test]
fn the_leader_tells_every_number_of_a_queue() {
    let (_, text) = leader_of(TREE).get("/queues");
    let value: Value = serde_json::from_str(&text).expect("JSON");
    let queues = value["queues"].as_array().expect("a list");
    let team = queues.iter().find(|it| it["name"] == "team").expect("it is there");
    let amounts = team["amounts"].as_array().expect("a list");
    let gpus = amounts.iter().find(|it| it["resource"] == "nvidia.com/gpu").expect("they count");
    assert_eq!((&gpus["limit"], &gpus["used"]), (&json!("3"), &json!("2")), "{gpus}");
    assert_eq!((&gpus["demand"], &gpus["borrowed"]), (&json!("3"), &json!("0")), "{gpus}");
}

/// Queues that are not what their objects say, each for a reason of its own.
const BAD: &str = "\
{apiVersion: v1, kind: Node, metadata: {name: n1}, status: {allocatable: {cpu: 8, pods: 10, nvidia.com/gpu: 4}, conditions: [{type: Ready, status: 'True'}]}}
---
{apiVersion: muster.sh/v1alpha1, kind: Queue, metadata: {name: orphan}, spec: {parent: nowhere}}
---
{apiVersion: muster.sh/v1alpha1, kind: Queue, metadata: {name: below}, spec: {parent: orphan}}
---
{apiVersion: muster.sh/v1alpha1, kind: Queue, metadata: {name: round}, spec: {parent: too}}
---
{apiVersion: muster.sh/v1alpha1, kind: Queue, metadata: {name: too}, spec: {parent: round}}
---
{apiVersion: muster.sh/v1alpha1, kind: Queue, metadata: {name: greedy}, spec: {dedicated: {nvidia.com/gpu: 5}}}
---
{apiVersion: muster.sh/v1alpha1, kind: Queue, metadata: {name: modest}, spec: {dedicated: {nvidia.com/gpu: 4}}}
---
{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: a, uid: u0}, spec: {schedulerName: muster, containers: [{name: c, resources: {limits: {nvidia.com/gpu: 8}}}]}}
";

#[test]
fn a_queue_that_is_not_what_its_object_says_tells_why() {
    let (_, told) = leader_of(BAD).get("/queues");
    let value: Value = serde_json::from_str(&told).expect("JSON");
    let queues = value["queues"].as_array().expect("a list");
    let of = |name: &str| {
        let queue = queues.iter().find(|it| it["name"] == name).expect("it is there");
        (text(&queue["trouble"]["reason"]), text(&queue["trouble"]["message"]))
    };
    let wants = [
        ("orphan", "ParentMissing", "its parent \"nowhere\" does not exist; its gangs wait"),
        ("round", "CycleOfParents", "its parents lead back to it; its gangs wait"),
        (
            "below",
            "ParentBroken",
            "its parent \"orphan\" is in a cycle of parents, or hangs on a missing one; its gangs \
             wait",
        ),
        (
            "greedy",
            "DedicatedTooLarge",
            "5 nvidia.com/gpu are dedicated to it, but queues have 4 nvidia.com/gpu in all; \
             nothing of it is kept",
        ),
        ("modest", "", ""),
    ];
    for (name, reason, message) in wants {
        assert_eq!(of(name), (reason.to_owned(), message.to_owned()), "{name}");
    }
}

#[test]
fn who_waits_for_quota_is_told_what_its_queue_has() {
    let stage = leader_of(TREE);
    let waits = |name: &str| {
        let (_, text) = stage.get(&format!("/explain/a/{name}"));
        let gang: Value = serde_json::from_str(&text).expect("JSON");
        (gang["explanation"]["reason"] == "limit").then_some(gang)
    };
    let gang = waits("in-ml").or_else(|| waits("in-team")).expect("one is over the limit");
    let told = &gang["queueUse"];
    assert_eq!(told["queue"], gang["queue"]);
    assert_eq!(told["amounts"][0]["resource"], "nvidia.com/gpu", "{told:#}");
    let sentence = told["sentences"][0].as_str().expect("a sentence");
    assert!(sentence.starts_with(&format!("queue {} uses", text(&gang["queue"]))), "{sentence}");
}

#[test]
fn what_stands_on_a_group_is_shown_with_what_the_leader_says_of_its_queue() {
    let group = json!({
        "metadata": {"namespace": "team-a", "name": "train"},
        "spec": {"minAvailable": 2, "queue": "ml"},
        "status": {"phase": "Admitted", "explanation": {"reason": "room", "sentence": "no room"}},
    });
    let told = json!({"queueUse": {"sentences": ["queue ml uses 3 of 4"]}});
    let path = "/apis/muster.sh/v1alpha1/namespaces/team-a/podgroups/train";
    let leader = QUEUES_PATH.replace("/queues", "/explain/team-a/train");
    let (group, told) = (group.to_string(), told.to_string());
    let (_runtime, folder) = server(&[(path, &group), (&leader, &told)], &[]);
    let ran = muster(&["explain", "train"], Some(&folder.path().join("config")));
    let want = "  why        no room\n  queue      queue ml uses 3 of 4\n";
    assert!(ran.out.contains(want), "{}{}", ran.out, ran.err);
}

#[test]
fn who_waits_for_its_queue_to_be_made_is_told_no_numbers() {
    let (_, text) = leader_of(TREE).get("/explain/a/nowhere");
    let gang: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(
        (&gang["explanation"]["reason"], &gang["queueUse"]),
        (&json!("queue-missing"), &Value::Null)
    );
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
