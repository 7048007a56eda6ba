//! The manifests say what the types say. After a change of a type, write them anew with
//! `UPDATE=1 cargo test -p scheduler-api --test crds`.

use std::path::{Path, PathBuf};

const HEAD: &str = "# Made from the types in scheduler/api; do not edit. Write it anew with\n\
                    # UPDATE=1 cargo test -p scheduler-api --test crds\n";

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../manifests/crds")
}

/// File name and text of every definition.
fn wanted() -> Vec<(String, String)> {
    scheduler_api::crds()
        .iter()
        .map(|crd| {
            let text = serde_saphyr::to_string(crd).expect("a definition is plain data");
            (format!("{}.yaml", crd.spec.names.plural), format!("{HEAD}{text}"))
        })
        .collect()
}

#[test]
fn the_manifests_are_what_the_types_say() {
    let wanted = wanted();
    if std::env::var_os("UPDATE").is_some() {
        for (name, text) in &wanted {
            std::fs::write(folder().join(name), text).expect("manifests/crds is writable");
        }
    }
    for (name, text) in &wanted {
        let found = std::fs::read_to_string(folder().join(name)).unwrap_or_default();
        assert!(&found == text, "manifests/crds/{name} differs from its type: see the head of it");
    }
    let mut files: Vec<String> = std::fs::read_dir(folder())
        .expect("manifests/crds exists")
        .filter_map(|entry| entry.expect("it can be listed").file_name().into_string().ok())
        .filter(|name| name.ends_with(".yaml") && name != "kustomization.yaml")
        .collect();
    files.sort();
    let mut names: Vec<String> = wanted.into_iter().map(|(name, _)| name).collect();
    names.sort();
    assert_eq!(files, names, "manifests/crds holds a file that no type makes");
}

#[test]
fn the_api_server_finds_no_format_it_does_not_know() {
    for (name, text) in wanted() {
        assert!(!text.contains("format: uint"), "{name} holds an unsigned number");
    }
}

#[test]
fn every_kind_stands_in_our_group_and_category() {
    for crd in scheduler_api::crds() {
        assert_eq!(crd.spec.group, scheduler_api::names::GROUP);
        assert_eq!(crd.spec.versions[0].name, scheduler_api::names::VERSION);
        assert_eq!(crd.spec.names.categories, Some(vec!["muster".to_owned()]));
    }
}

#[test]
fn a_queue_takes_numbers_and_text_as_limits() {
    let text = "apiVersion: muster.sh/v1alpha1\nkind: Queue\nmetadata: {name: research}\n\
                spec: {limit: {cpu: 4, memory: 1Gi}}";
    let queue: scheduler_api::Queue = serde_saphyr::from_str(text).expect("a valid queue");
    let limits: Vec<&str> = queue.spec.limit.values().map(|limit| limit.0.as_str()).collect();
    assert_eq!(limits, ["4", "1Gi"]);
}

#[test]
fn a_queue_says_the_same_of_all_flavors_and_of_one() {
    let five = "dedicated: {cpu: 1}, deserved: {cpu: 2}, limit: {cpu: 3}, borrowingLimit: \
                {cpu: 4}, lendingLimit: {cpu: 5}";
    let spec = format!("{{{five}, flavors: [{{name: a100, {five}}}]}}");
    let spec: scheduler_api::QueueSpec = serde_saphyr::from_str(&spec).expect("a valid queue");
    let [flavor] = &spec.flavors[..] else { panic!("one flavor: {:?}", spec.flavors) };
    let of_all =
        [&spec.dedicated, &spec.deserved, &spec.limit, &spec.borrowing_limit, &spec.lending_limit];
    let of_one = [
        &flavor.dedicated,
        &flavor.deserved,
        &flavor.limit,
        &flavor.borrowing_limit,
        &flavor.lending_limit,
    ];
    for lists in [of_all, of_one] {
        assert_eq!(lists.map(|list| &*list["cpu"].0), ["1", "2", "3", "4", "5"]);
    }
}
