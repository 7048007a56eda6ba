//! Banned crates: `.deny.toml` lists them with reasons, the lock file must hold none. The same
//! file is what `cargo deny` reads; this test needs no tool.

use crate::tree::{read, report};

const LIST: &str = ".deny.toml";

/// A crate that must not be linked.
#[derive(Debug, PartialEq, Eq)]
struct Ban {
    name: String,
    /// This version only; any if empty.
    version: String,
    reason: String,
}

#[test]
fn the_lock_file_holds_no_banned_crate() {
    let bans = bans(&read(LIST));
    assert!(bans.len() > 10, "only {} bans read from {LIST}; one per line, please", bans.len());
    report("Some crates are banned, for the reasons given.", &held(&bans, &read("Cargo.lock")));
}

#[test]
fn a_banned_crate_in_a_lock_file_is_found() {
    let bans = bans(
        "[bans]\ndeny = [\n  { crate = \"bad\", reason = \"it rots\" },\n  \
         { crate = \"half@1.0.0\", reason = \"that one\" },\n]\n",
    );
    let lock = |name: &str, version: &str| {
        format!("[[package]]\nname = \"{name}\"\nversion = \"{version}\"\n")
    };
    assert_eq!(held(&bans, &lock("bad", "2.0.0")).len(), 1);
    assert_eq!(held(&bans, &lock("half", "1.0.0")).len(), 1);
    assert_eq!(held(&bans, &lock("half", "1.0.1")), [""; 0]);
    assert_eq!(held(&bans, &lock("badly", "1.0.0")), [""; 0]);
}

/// The entries of the list, one per line.
fn bans(list: &str) -> Vec<Ban> {
    let lines = list.lines().map(str::trim).filter(|line| line.starts_with("{ crate ="));
    let ban = |line: &str| {
        let texts: Vec<&str> = line.split('"').skip(1).step_by(2).collect();
        let [spec, reason] = texts[..] else {
            panic!("{LIST}: write {{ crate = \"name\", reason = \"why\" }}, not {line}");
        };
        let (name, version) = spec.split_once('@').unwrap_or((spec, ""));
        Ban { name: name.to_owned(), version: version.to_owned(), reason: reason.to_owned() }
    };
    lines.map(ban).collect()
}

fn held(bans: &[Ban], lock: &str) -> Vec<String> {
    let mut faults = Vec::new();
    for package in lock.split("[[package]]").skip(1) {
        let value = |key: &str| {
            let start = format!("{key} = \"");
            let line = package.lines().find_map(|line| line.strip_prefix(&start));
            line.map_or("", |rest| rest.trim_end_matches('"'))
        };
        let (name, version) = (value("name"), value("version"));
        let ban = bans
            .iter()
            .find(|ban| ban.name == name && (ban.version.is_empty() || ban.version == version));
        if let Some(Ban { reason, .. }) = ban {
            faults.push(format!(
                "{name} {version}: {reason}; `cargo tree -i {name}` shows why it is here"
            ));
        }
    }
    faults
}
