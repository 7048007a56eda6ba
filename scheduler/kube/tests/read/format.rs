//! The same objects in every form in which people have them.

use crate::{names, object, reading, readings, said};

const HEAD: &str = "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: ";

#[track_caller]
fn reads(text: &str, want: &[&str]) {
    let reading = reading(text);
    assert_eq!(said(&reading), Vec::<String>::new());
    assert_eq!(names(&reading), want);
}

#[test]
fn documents_of_yaml_are_objects() {
    reads(&format!("# a comment\n---\n{HEAD}b\n---\n\n---\n{HEAD}a\n...\n"), &["a", "b"]);
}

#[test]
fn windows_line_ends_and_a_byte_order_mark_do_no_harm() {
    let text = format!("\u{feff}{HEAD}a\n---\n{HEAD}b\n").replace('\n', "\r\n");
    reads(&text, &["a", "b"]);
}

#[test]
fn a_list_in_yaml_is_its_items_wherever_its_kind_stands() {
    let items = "- apiVersion: v1\n  kind: Namespace\n  metadata:\n    name: a\n    annotations:\n      \
                 note: |\n        - not an item\n\n- kind: Namespace\n  apiVersion: v1\n  metadata: \
                 {name: b}\n";
    reads(&format!("apiVersion: v1\nitems:\n{items}kind: List\nmetadata:\n  x: y\n"), &["a", "b"]);
    let indented = items.replace('\n', "\n  ");
    reads(&format!("kind: List\napiVersion: v1\nitems: # all\n  {indented}\n"), &["a", "b"]);
}

#[test]
fn a_list_in_yaml_with_brackets_is_its_items() {
    reads(
        "apiVersion: v1\nkind: List\nitems: [{apiVersion: v1, kind: Namespace, metadata: {name: a}}]\n",
        &["a"],
    );
    reads("{apiVersion: v1, kind: Namespace, metadata: {name: a}}", &["a"]);
}

#[test]
fn json_may_be_one_object_or_lines_of_them_or_an_array() {
    let (a, b) = (object("a"), object("b"));
    reads(&a, &["a"]);
    reads(&format!("{a}\n{b}\n"), &["a", "b"]);
    reads(&format!("{a}{b}"), &["a", "b"]);
    reads(&format!("[{a},\n{b}]"), &["a", "b"]);
}

#[test]
fn a_list_in_json_is_its_items_wherever_its_kind_stands() {
    let (a, b) = (object("a"), object("b"));
    reads(&format!(r#"{{"items":[{a},{b}],"kind":"List","apiVersion":"v1"}}"#), &["a", "b"]);
    reads(
        &format!(
            "{{\n \"apiVersion\": \"v1\",\n \"items\": [\n{a},\n{b}\n ],\n \"kind\": \"List\"\n}}\n"
        ),
        &["a", "b"],
    );
    reads(r#"{"items":[],"kind":"List","apiVersion":"v1"}"#, &[]);
}

#[test]
fn items_of_a_typed_list_need_not_say_what_they_are() {
    reads(
        r#"{"kind":"NamespaceList","apiVersion":"v1","metadata":{},"items":[{"metadata":{"name":"a"}}]}"#,
        &["a"],
    );
    reads("kind: NamespaceList\napiVersion: v1\nitems:\n- metadata:\n    name: a\n", &["a"]);
}

#[test]
fn lists_may_stand_inside_lists() {
    let inner = format!(r#"{{"kind":"List","apiVersion":"v1","items":[{}]}}"#, object("a"));
    reads(
        &format!(r#"{{"kind":"List","apiVersion":"v1","items":[{inner},{}]}}"#, object("b")),
        &["a", "b"],
    );
    reads(
        "kind: List\napiVersion: v1\nitems:\n- kind: List\n  apiVersion: v1\n  items:\n  - kind: \
         Namespace\n    apiVersion: v1\n    metadata: {name: a}\n",
        &["a"],
    );
}

#[test]
fn yaml_may_follow_json_and_json_yaml() {
    let json = object("a");
    reads(&format!("{json}\n---\n{HEAD}b\n---\n{}\n{HEAD}d\n", object("c")), &["a", "b", "c", "d"]);
}

#[test]
fn braces_and_quotes_inside_texts_are_no_brackets() {
    let odd = r#"{"apiVersion":"v1","kind":"Namespace","metadata":{"annotations":{"a":"}]\\\"{[",
        "items":"["},"name":"a"}}"#;
    reads(
        &format!(r#"{{"kind":"List","apiVersion":"v1","items":[{odd},{}]}}"#, object("b")),
        &["a", "b"],
    );
}

#[test]
fn nodes_stand_in_the_order_that_people_count_in_and_the_order_of_reading_does_not_matter() {
    let node = |name: &str| format!("{{apiVersion: v1, kind: Node, metadata: {{name: {name}}}}}\n");
    let text = |order: [&str; 3]| order.map(node).join("---\n");
    let one = reading(&text(["n10", "n9", "n009"]));
    assert_eq!(names(&one), ["n009", "n9", "n10"]);
    assert_eq!(one.world, reading(&text(["n009", "n10", "n9"])).world);
}

#[test]
fn objects_without_a_namespace_are_in_default() {
    reads("{apiVersion: v1, kind: Pod, metadata: {name: p}}", &["default/p"]);
}

#[test]
fn pods_whose_names_a_server_would_complete_are_counted() {
    let pod = "{apiVersion: v1, kind: Pod, metadata: {generateName: p-}}\n";
    reads(&format!("{pod}---\n{pod}"), &["default/p-0", "default/p-1"]);
}

#[test]
fn stories_are_handed_on_with_their_lines() {
    let reading = readings(&[&format!("{HEAD}a\n---\nstory: One\nnodes: []\n")]);
    assert_eq!(reading.stories.len(), 1);
    assert_eq!(reading.stories[0].text, "\n\n\n\n\nstory: One\nnodes: []\n");
    assert_eq!(names(&reading), ["a"]);
}

#[test]
fn kinds_that_are_not_read_are_counted_by_name() {
    let reading = reading(
        "{apiVersion: v1, kind: ConfigMap}\n---\n{apiVersion: x.y/v1, kind: Z}\n---\n{apiVersion: \
         x.y/v2, kind: Z}\n",
    );
    let unknown: Vec<(&str, usize)> =
        reading.unknown.iter().map(|(kind, count)| (kind.as_str(), *count)).collect();
    assert_eq!(unknown, [("ConfigMap", 1), ("x.y/Z", 2)]);
    assert_eq!((reading.objects, said(&reading)), (0, vec![]));
}
