//! Whole objects of each dialect with their noise, and everything that is read from them.

use crate::{documents, read};

/// What is read from every document of a file, one after the other.
fn all(text: &str) -> String {
    let read: Result<Vec<String>, _> = documents(text).iter().map(read).collect();
    read.expect("every document fits its type").join("\n---\n")
}

#[test]
fn muster_objects_are_read_whole() {
    insta::assert_snapshot!(all(include_str!("objects/muster.yaml")));
}

#[test]
fn kubernetes_groups_of_every_version_are_read_whole() {
    insta::assert_snapshot!(all(include_str!("objects/kubernetes.yaml")));
}

#[test]
fn volcano_objects_are_read_whole() {
    insta::assert_snapshot!(all(include_str!("objects/volcano.yaml")));
}

#[test]
fn a_coscheduling_group_is_read_whole() {
    insta::assert_snapshot!(all(include_str!("objects/coscheduling.yaml")));
}

#[test]
fn kueue_objects_are_read_whole() {
    insta::assert_snapshot!(all(include_str!("objects/kueue.yaml")));
}

#[test]
fn controllers_are_read_whole() {
    insta::assert_snapshot!(all(include_str!("objects/plain.yaml")));
}
