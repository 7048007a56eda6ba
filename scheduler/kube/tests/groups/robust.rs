//! Whatever an object says, it is read: nulls, numbers and text in the wrong places.

use crate::{documents, read};
use proptest::prelude::*;
use serde_json::{Value, json};

const FILES: [&str; 6] = [
    include_str!("objects/muster.yaml"),
    include_str!("objects/kubernetes.yaml"),
    include_str!("objects/volcano.yaml"),
    include_str!("objects/coscheduling.yaml"),
    include_str!("objects/kueue.yaml"),
    include_str!("objects/plain.yaml"),
];

fn samples() -> Vec<Value> {
    FILES.iter().flat_map(|text| documents(text)).collect()
}

/// Pointers to everything inside a value but its kind; `is_field` says it is no list element.
fn pointers(value: &Value, path: &str, found: &mut Vec<(String, bool)>) {
    let children: Vec<(String, &Value, bool)> = match value {
        Value::Object(map) => map.iter().map(|(key, value)| (key.clone(), value, true)).collect(),
        Value::Array(list) => {
            list.iter().enumerate().map(|(at, value)| (at.to_string(), value, false)).collect()
        }
        _ => Vec::new(),
    };
    for (key, child, is_field) in children {
        let path = format!("{path}/{}", key.replace('~', "~0").replace('/', "~1"));
        pointers(child, &path, found);
        if !matches!(path.as_str(), "/apiVersion" | "/kind") {
            found.push((path, is_field));
        }
    }
}

fn replaced(object: &Value, pointer: &str, value: Value) -> Value {
    let mut copy = object.clone();
    *copy.pointer_mut(pointer).expect("the pointer was just found") = value;
    copy
}

#[test]
fn any_field_may_be_null() {
    for object in samples() {
        let mut found = Vec::new();
        pointers(&object, "", &mut found);
        for (pointer, _) in found.iter().filter(|(_, is_field)| *is_field) {
            let read = read(&replaced(&object, pointer, Value::Null));
            assert!(read.is_ok(), "{pointer} of {}: {read:?}", object["kind"]);
        }
    }
}

#[test]
fn an_object_with_nothing_in_it_is_read() {
    for object in samples() {
        let bare = json!({"apiVersion": object["apiVersion"], "kind": object["kind"]});
        assert!(read(&bare).is_ok(), "{bare}");
    }
}

/// Any small value: what people write where something else belongs.
fn anything() -> impl Strategy<Value = Value> {
    let scalar = prop_oneof![
        // Numbers in the millions are rare: each makes a hundred thousand pods.
        1 => prop_oneof![Just(json!(i64::MIN)), Just(json!(i64::MAX)), Just(json!(u64::MAX))],
        40 => Just(Value::Null),
        40 => any::<bool>().prop_map(Value::from),
        80 => (-3_i64..300).prop_map(Value::from),
        40 => (-9.0..9.0).prop_map(Value::from),
        40 => "[-a-zA-Z0-9./=(\\[*]{0,12}".prop_map(Value::from),
        40 => "\\PC{0,8}".prop_map(Value::from),
        20 => Just(json!("1e999")),
        20 => Just(json!("-1Gi")),
    ];
    scalar.prop_recursive(2, 8, 3, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            proptest::collection::btree_map("[a-z/.]{0,6}", inner, 0..3).prop_map(Value::from_iter),
        ]
    })
}

/// `value` in the type of `before`, so that more than a few mangled objects still fit.
fn alike(before: &Value, value: Value) -> Value {
    match (before, value) {
        (Value::String(_), Value::String(text)) => text.into(),
        (Value::String(_), value) => value.to_string().into(),
        (Value::Number(_), value @ (Value::Number(_) | Value::String(_))) => value,
        (Value::Array(_), value @ Value::Array(_)) => value,
        (Value::Object(_), value @ Value::Object(_)) => value,
        _ => Value::Null,
    }
}

/// A sample with up to four of its parts replaced by anything.
fn mangled() -> impl Strategy<Value = Value> {
    let samples = samples();
    let part = (any::<prop::sample::Index>(), anything(), any::<bool>());
    let parts = proptest::collection::vec(part, 1..5);
    (prop::sample::select(samples), parts).prop_map(|(mut object, parts)| {
        for (index, value, is_alike) in parts {
            let mut found = Vec::new();
            pointers(&object, "", &mut found);
            if !found.is_empty() {
                let pointer = &found[index.index(found.len())].0;
                let before = object.pointer(pointer).expect("the pointer was just found");
                let value = if is_alike { alike(before, value) } else { value };
                object = replaced(&object, pointer, value);
            }
        }
        object
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]
    #[test]
    fn no_value_of_any_kind_makes_translation_panic(object in mangled()) {
        let _ = read(&object);
    }
}
