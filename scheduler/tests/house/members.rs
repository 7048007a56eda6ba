//! The crates of the workspace and what they depend on, as cargo understands the manifests.

use crate::tree::root;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

/// One crate.
#[derive(Debug)]
pub(crate) struct Member {
    /// Its folder from the top of the checkout.
    pub(crate) folder: String,
    /// Crates of this workspace that it is built with, by folder.
    pub(crate) arrows: BTreeSet<String>,
    /// Crates of this workspace that only its tests are built with, by folder.
    pub(crate) test_arrows: BTreeSet<String>,
    /// Crates of others that it is built with.
    pub(crate) foreign: BTreeSet<String>,
}

/// All crates by name.
pub(crate) fn members() -> BTreeMap<String, Member> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--no-deps", "--offline", "--format-version", "1"])
        .current_dir(root())
        .output()
        .expect("cargo runs, since it runs this test");
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "cargo metadata does not read the manifests: {complaint}");
    let metadata: Value =
        serde_json::from_slice(&output.stdout).expect("cargo metadata prints JSON");
    let packages = metadata["packages"].as_array().expect("metadata lists packages");
    packages.iter().map(|package| (text(&package["name"]), member(package))).collect()
}

fn member(package: &Value) -> Member {
    let folder = folder(&text(&package["manifest_path"]).replace("/Cargo.toml", ""));
    let mut member = Member {
        folder,
        arrows: BTreeSet::new(),
        test_arrows: BTreeSet::new(),
        foreign: BTreeSet::new(),
    };
    for dependency in package["dependencies"].as_array().expect("a package lists dependencies") {
        let is_for_tests = dependency["kind"] == "dev";
        match dependency["path"].as_str() {
            Some(path) if is_for_tests => member.test_arrows.insert(self::folder(path)),
            Some(path) => member.arrows.insert(self::folder(path)),
            None if is_for_tests => continue,
            None => member.foreign.insert(text(&dependency["name"])),
        };
    }
    member
}

fn folder(path: &str) -> String {
    let root = root().to_string_lossy().into_owned();
    path.strip_prefix(&root).unwrap_or(path).trim_start_matches('/').to_owned()
}

fn text(value: &Value) -> String {
    value.as_str().expect("metadata gives a text here").to_owned()
}
