//! Real objects of every kind with some of their parts replaced: structure that a fuzzer of
//! bytes would hardly find. What must hold is what [`super::documents`] demands.

use super::documents;
use super::pick::Picks;
use serde_json::Value;
use std::sync::LazyLock;

static SAMPLES: LazyLock<Vec<Value>> = LazyLock::new(|| {
    let files = [
        include_str!("../../tests/groups/objects/coscheduling.yaml"),
        include_str!("../../tests/groups/objects/kubernetes.yaml"),
        include_str!("../../tests/groups/objects/kueue.yaml"),
        include_str!("../../tests/groups/objects/muster.yaml"),
        include_str!("../../tests/groups/objects/plain.yaml"),
        include_str!("../../tests/groups/objects/volcano.yaml"),
        include_str!("../../tests/pods_and_nodes/objects/gpu-node.json"),
        include_str!("../../tests/pods_and_nodes/objects/indexed-job-pod.json"),
        include_str!("../../tests/pods_and_nodes/objects/resized-pod.json"),
        include_str!("cluster.yaml"),
    ];
    let documents = files.iter().flat_map(|text| text.split("\n---\n"));
    documents.map(|text| serde_saphyr::from_str(text).expect("a sample is YAML")).collect()
});

/// What people, and programs, write where something else belongs.
const TEXTS: [&str; 32] = [
    "",
    " ",
    "0",
    "-1",
    "1",
    "1e999",
    "-1e999",
    "1Ei",
    "9223372036854775808",
    "0.5",
    "1n",
    "NaN",
    "true",
    "null",
    "muster",
    "default",
    "train",
    "team-a",
    "research",
    "rack",
    "In",
    "NotIn",
    "Exists",
    "Gt",
    "DoNotSchedule",
    "NoExecute",
    "LeaderReady",
    "a/b",
    "innocent",
    "1h30m",
    "2026-11-30T06:00:00Z",
    "kubernetes.io/hostname",
];

/// The first byte chooses an object, every further few replace one of its parts.
pub(crate) fn trial(data: &[u8]) {
    let mut picks = Picks::new(data);
    let mut stream = String::new();
    for _ in 0..=picks.below(4) {
        let mut object = SAMPLES[picks.below(SAMPLES.len())].clone();
        for _ in 0..picks.below(6) {
            if !picks.is_over() {
                mangle(&mut object, &mut picks);
            }
        }
        stream.push_str(&object.to_string());
        stream.push('\n');
    }
    documents::stream(stream.as_bytes());
}

fn mangle(object: &mut Value, picks: &mut Picks<'_>) {
    let mut found = Vec::new();
    pointers(object, "", &mut found);
    if found.is_empty() {
        return;
    }
    let pointer = &found[picks.below(found.len())];
    let (parent, key) = pointer.rsplit_once('/').expect("a pointer begins with a slash");
    let value = value(picks, 2);
    match object.pointer_mut(parent).expect("it was just found") {
        Value::Object(map) => {
            let key = key.replace("~1", "/").replace("~0", "~");
            match picks.below(4) {
                0 => drop(map.remove(&key)),
                1 => drop(map.insert(picks.text(), value)),
                _ => drop(map.insert(key, value)),
            }
        }
        Value::Array(list) => {
            let at: usize = key.parse().expect("a list has numbers");
            match picks.below(4) {
                0 => drop(list.remove(at)),
                1 => list.push(list[at].clone()),
                _ => list[at] = value,
            }
        }
        _ => unreachable!("only lists and objects have parts"),
    }
}

fn value(picks: &mut Picks<'_>, depth: u8) -> Value {
    match picks.below(12) {
        0 => Value::Null,
        1 => picks.byte().is_multiple_of(2).into(),
        2 => i64::from(picks.byte()).into(),
        3 => (-i64::from(picks.byte())).into(),
        4 => picks.of(&[0.5, 1e300, -0.0]).into(),
        5 => picks.text().into(),
        6 => picks.of(&["x", "ä", "\u{0}", "\u{feff}", "1"]).repeat(300).into(),
        7 if depth > 0 => (0..picks.below(4)).map(|_| value(picks, depth - 1)).collect(),
        8 if depth > 0 => {
            let count = picks.below(3);
            (0..count).map(|_| (picks.text(), value(picks, depth - 1))).collect()
        }
        _ => picks.of(&TEXTS).into(),
    }
}

/// Pointers to everything inside but what says which kind it is.
fn pointers(value: &Value, path: &str, found: &mut Vec<String>) {
    let children: Vec<(String, &Value)> = match value {
        Value::Object(map) => map.iter().map(|(key, value)| (key.clone(), value)).collect(),
        Value::Array(list) => {
            list.iter().enumerate().map(|(at, value)| (at.to_string(), value)).collect()
        }
        _ => Vec::new(),
    };
    for (key, child) in children {
        let path = format!("{path}/{}", key.replace('~', "~0").replace('/', "~1"));
        pointers(child, &path, found);
        if !matches!(path.as_str(), "/apiVersion" | "/kind") {
            found.push(path);
        }
    }
}
