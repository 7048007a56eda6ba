//! Which kinds the API server serves, and in which version each is asked for.
//!
//! Invariant: a group whose own server does not answer just now (`Stale`) keeps what it had;
//! only a group or kind that is really gone is gone.

use crate::read::{KINDS, Kind};
use crate::served::{self, HasStatus};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};

/// What to ask `/api` and `/apis` for.
pub(super) const ACCEPT: &str = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,\
     application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList";
/// Where it is asked.
pub(super) const PATHS: [&str; 2] = ["/api", "/apis"];

/// What is served.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Served {
    /// Path of the collection, by row of [`KINDS`].
    pub paths: BTreeMap<usize, String>,
    /// Rows of kinds with a status subresource.
    pub with_status: BTreeSet<usize>,
    /// Rows of groups that did not answer.
    pub unknown: BTreeSet<usize>,
}

#[derive(Deserialize)]
struct List {
    #[serde(default)]
    kind: String,
    #[serde(default)]
    items: Vec<Group>,
}

#[derive(Deserialize)]
struct Group {
    #[serde(default)]
    metadata: Meta,
    #[serde(default)]
    versions: Vec<Version>,
}

#[derive(Default, Deserialize)]
struct Meta {
    #[serde(default)]
    name: String,
}

#[derive(Deserialize)]
struct Version {
    version: String,
    #[serde(default)]
    resources: Vec<Resource>,
    #[serde(default)]
    freshness: String,
}

#[derive(Deserialize)]
struct Resource {
    resource: String,
    #[serde(default)]
    verbs: Vec<String>,
    #[serde(default)]
    subresources: Vec<Subresource>,
}

#[derive(Deserialize)]
struct Subresource {
    subresource: String,
}

impl Served {
    /// Takes over one answer.
    ///
    /// # Errors
    /// If it is none; what to do.
    pub(super) fn read(&mut self, body: &[u8]) -> Result<(), String> {
        let list: List = serde_json::from_slice(body)
            .map_err(|error| format!("the list of served kinds makes no sense: {error}"))?;
        if list.kind != "APIGroupDiscoveryList" {
            let kind = list.kind;
            return Err(format!(
                "the API server answers with {kind:?} instead of aggregated discovery; Kubernetes \
                 serves it by default since 1.27"
            ));
        }
        for group in &list.items {
            for (row, kind) in KINDS.iter().enumerate() {
                if kind.group == group.metadata.name {
                    self.choose(row, kind, group);
                }
            }
        }
        Ok(())
    }

    fn choose(&mut self, row: usize, kind: &Kind, group: &Group) {
        let known = known(kind);
        let serves = |version: &&Version| {
            let is_wanted = |verb: &str| {
                let mut found = version.resources.iter().filter(|one| one.resource == kind.plural);
                found.any(|one| one.verbs.iter().any(|it| it == verb))
            };
            is_wanted("list") && is_wanted("watch")
        };
        let best = match known {
            Some(known) => known.iter().find_map(|name| {
                group.versions.iter().filter(serves).find(|version| version.version == *name)
            }),
            // The server names the version it prefers first.
            None => group.versions.iter().find(serves),
        };
        if let Some(version) = best {
            let mut found = version.resources.iter().filter(|one| one.resource == kind.plural);
            let is_status = |it: &Subresource| it.subresource == "status";
            let has_status = found.any(|one| one.subresources.iter().any(is_status));
            let (name, version, plural) = (kind.group, &version.version, kind.plural);
            let path = match name {
                "" => format!("/api/{version}/{plural}"),
                name => format!("/apis/{name}/{version}/{plural}"),
            };
            self.paths.insert(row, path);
            if has_status {
                self.with_status.insert(row);
            }
        } else if group.versions.iter().any(|version| version.freshness == "Stale") {
            self.unknown.insert(row);
        }
    }

    /// What is served now, if `before` was served then.
    #[must_use]
    pub(super) fn after(mut self, before: &Self) -> Self {
        for row in &self.unknown {
            if let Some(path) = before.paths.get(row) {
                self.paths.insert(*row, path.clone());
            }
            if before.with_status.contains(row) {
                self.with_status.insert(*row);
            }
        }
        self
    }

    /// In which version the groups of each dialect, and their queues, are written: the one they
    /// are read in.
    pub(super) fn groups(&self) -> served::Served {
        let mut groups = served::Served::default();
        for (row, path) in &self.paths {
            let kind = &KINDS[*row];
            let version = path.rsplit('/').nth(1).filter(|_| kind.kind == "PodGroup");
            if let Some(version) = version {
                let has = self.with_status.contains(row);
                let has_status = if has { HasStatus::Yes } else { HasStatus::No };
                groups.note(kind.group, version, has_status);
            }
            let is_shared = (kind.group, kind.kind) == ("scheduling.volcano.sh", "Queue");
            if is_shared && self.with_status.contains(row) {
                groups.volcano_queues = path.rsplit('/').nth(1).map(str::to_owned);
            }
        }
        groups
    }
}

/// The versions that can be read, best first, where not all can.
fn known(kind: &Kind) -> Option<&'static [&'static str]> {
    match (kind.group, kind.kind) {
        ("scheduling.k8s.io", "PodGroup") => Some(&["v1beta1", "v1alpha3", "v1alpha2"]),
        // Later ones hold templates only: no group comes of them.
        ("scheduling.k8s.io", "Workload") => Some(&["v1alpha1"]),
        _ => None,
    }
}

/// True for kinds that every cluster has, without which nothing is decided.
pub(super) fn is_core(kind: &Kind) -> bool {
    let is_basic = matches!(kind.group, "" | "apps" | "batch") || kind.kind == "PriorityClass";
    is_basic && !is_of_volumes(kind)
}

/// True for the kinds around volumes: without them pods with claims wait, and all others run.
pub(super) fn is_of_volumes(kind: &Kind) -> bool {
    kind.group == "storage.k8s.io" || kind.kind.starts_with("PersistentVolume")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn served(groups: &str) -> Served {
        let mut served = Served::default();
        let text = format!(r#"{{"kind":"APIGroupDiscoveryList","items":[{groups}]}}"#);
        served.read(text.as_bytes()).expect("it is discovery");
        served
    }

    fn group(name: &str, versions: &[(&str, &str)]) -> String {
        let versions: Vec<String> = versions
            .iter()
            .map(|(version, plural)| {
                format!(
                    r#"{{"version":"{version}","freshness":"Current","resources":
                    [{{"resource":"{plural}","verbs":["get","list","watch"]}}]}}"#
                )
            })
            .collect();
        format!(r#"{{"metadata":{{"name":"{name}"}},"versions":[{}]}}"#, versions.join(","))
    }

    fn paths(served: &Served) -> Vec<&str> {
        served.paths.values().map(String::as_str).collect()
    }

    #[test]
    fn a_kind_is_asked_for_in_the_version_that_the_server_prefers() {
        let one =
            served(&group("kueue.x-k8s.io", &[("v1beta2", "cohorts"), ("v1beta1", "cohorts")]));
        assert_eq!(paths(&one), ["/apis/kueue.x-k8s.io/v1beta2/cohorts"]);
        let core = r#"{"metadata":{"creationTimestamp":null},"versions":[{"version":"v1",
            "resources":[{"resource":"pods","verbs":["list","watch"]}]}]}"#;
        assert_eq!(paths(&served(core)), ["/api/v1/pods"]);
    }

    #[test]
    fn native_groups_are_asked_for_in_the_newest_version_that_can_be_read() {
        let all = [("v2", "podgroups"), ("v1alpha3", "podgroups"), ("v1beta1", "podgroups")];
        let best = served(&group("scheduling.k8s.io", &all));
        assert_eq!(paths(&best), ["/apis/scheduling.k8s.io/v1beta1/podgroups"]);
        assert_eq!(served(&group("scheduling.k8s.io", &all[..1])), Served::default());
        let later = served(&group("scheduling.k8s.io", &[("v1beta1", "workloads")]));
        assert_eq!(later, Served::default(), "later workloads hold no groups");
    }

    #[test]
    fn groups_are_written_in_the_version_they_are_read_in() {
        let old = served(&group("scheduling.k8s.io", &[("v1alpha3", "podgroups")])).groups();
        assert_eq!(old.kubernetes, "v1alpha3");
        let status = r#"{"metadata":{"name":"scheduling.volcano.sh"},"versions":[{
            "version":"v1beta1","resources":[{"resource":"podgroups","verbs":["list","watch"],
            "subresources":[{"subresource":"status"}]}]}]}"#;
        let with = served(status);
        assert!(with.groups().volcano_has_status);
        let stale = r#"{"metadata":{"name":"scheduling.volcano.sh"},"versions":
            [{"version":"v1beta1","freshness":"Stale"}]}"#;
        assert!(served(stale).after(&with).groups().volcano_has_status, "it may still have it");
        assert!(!served("").after(&with).groups().volcano_has_status);
    }

    #[test]
    fn queues_of_volcano_are_written_where_they_have_a_status_by_itself() {
        let queues = |subresources: &str| {
            served(&format!(
                r#"{{"metadata":{{"name":"scheduling.volcano.sh"}},"versions":[{{
                "version":"v1beta1","resources":[{{"resource":"queues","verbs":["list","watch"],
                "subresources":[{subresources}]}}]}}]}}"#
            ))
        };
        let with = queues(r#"{"subresource":"status"}"#).groups();
        assert_eq!(with.volcano_queues.as_deref(), Some("v1beta1"));
        assert_eq!(queues("").groups().volcano_queues, None);
    }

    #[test]
    fn a_kind_that_cannot_be_watched_is_not_served() {
        let none = r#"{"metadata":{"name":"muster.sh"},"versions":[{"version":"v1alpha1",
            "resources":[{"resource":"queues","verbs":["list"]}]}]}"#;
        assert_eq!(served(none), Served::default());
    }

    #[test]
    fn a_group_that_does_not_answer_keeps_what_it_had() {
        let before = served(&group("muster.sh", &[("v1alpha1", "queues")]));
        let stale = r#"{"metadata":{"name":"muster.sh"},"versions":
            [{"version":"v1alpha1","freshness":"Stale"}]}"#;
        assert_eq!(served(stale).after(&before).paths, before.paths);
        assert_eq!(served("").after(&before).paths.len(), 0, "a group that is gone is gone");
    }

    #[test]
    fn a_server_that_is_too_old_is_told() {
        let mut served = Served::default();
        let why = served.read(br#"{"kind":"APIGroupList","groups":[]}"#).expect_err("no discovery");
        assert!(why.contains("1.27"), "{why}");
        assert!(served.read(b"<html>").is_err());
    }
}
