//! The status of a group in the words of its own dialect.
//!
//! Muster's own groups carry everything in `status`, which is replaced as a whole. Groups of
//! others carry what their own controllers understand in `status`, and the ledger and the
//! explanation in annotations; the annotations go first, as the server compares the uid of the
//! group only there (a custom resource's status ignores all metadata that comes with it).
//!
//! Invariant: what others wrote into a status stays, except into that of muster's own groups.

use super::encode::annotate;
use super::request::{Content, Path, Request};
use super::when;
use crate::names;
use crate::served::Served;
use crate::wire::{explanation, ledger};
use scheduler_api::names::CONDITION_SCHEDULED;
use scheduler_api::{PodGroupCounts, PodGroupPhase, PodGroupStatus};
use scheduler_model::explain::WaitReason;
use scheduler_model::spec::Dialect;
use scheduler_protocol::call::GroupRef;
use scheduler_protocol::status::{GroupStatus, Phase};
use scheduler_protocol::tell::digest;
use serde_json::{Value, json};

mod others;

/// API group and version of the groups of a dialect; empty for gangs without a group object.
pub(super) fn api_version(dialect: Dialect, served: &Served) -> String {
    let (group, version) = api(dialect, served);
    if group.is_empty() { String::new() } else { format!("{group}/{version}") }
}

fn api(dialect: Dialect, served: &Served) -> (&'static str, &str) {
    match dialect {
        Dialect::Muster => (scheduler_api::names::GROUP, &served.muster),
        Dialect::Kubernetes => ("scheduling.k8s.io", &served.kubernetes),
        Dialect::Volcano => ("scheduling.volcano.sh", &served.volcano),
        Dialect::Coscheduling => ("scheduling.x-k8s.io", &served.coscheduling),
        Dialect::Plain | Dialect::Pod => ("", ""),
    }
}

/// The requests that make `status` stand on the group; none where the gang has no group object
/// of its own (plain gangs, groups inside a Workload).
pub(super) fn requests(group: &GroupRef, status: &GroupStatus, served: &Served) -> Vec<Request> {
    let key = &group.key;
    let (api, version) = api(key.dialect, served);
    if api.is_empty() || key.name.contains('/') {
        return Vec::new();
    }
    let object = Path::in_namespace(api, version, &key.namespace).then("podgroups").then(&key.name);
    let below = object.clone().then("status");
    let status_patch = |content, patch: Value| below.patch("podgroups/status", content, patch);
    let mut notes = annotate(
        &group.uid,
        &[
            (names::STATE, ledger::annotation(&status.ledger)),
            (
                names::EXPLANATION,
                status.explanation.as_ref().map(|it| explanation::bounded(it).to_string()),
            ),
        ],
    );
    match key.dialect {
        Dialect::Muster => vec![status_patch(Content::JsonPatch, muster(group, status))],
        Dialect::Volcano if !served.volcano_has_status => {
            notes["status"] = others::volcano(group, status);
            vec![object.patch("podgroups", Content::MergePatch, notes)]
        }
        Dialect::Volcano => {
            let patch = json!({ "status": others::volcano(group, status) });
            vec![
                object.patch("podgroups", Content::MergePatch, notes),
                status_patch(Content::MergePatch, patch),
            ]
        }
        Dialect::Coscheduling => {
            let patch = json!({ "status": others::coscheduling(status) });
            vec![
                object.patch("podgroups", Content::MergePatch, notes),
                status_patch(Content::MergePatch, patch),
            ]
        }
        Dialect::Kubernetes | Dialect::Plain | Dialect::Pod => {
            let mut all = vec![object.patch("podgroups", Content::MergePatch, notes)];
            if let Some(condition) = others::initially_scheduled(status) {
                let patch = json!({
                    "metadata": { "uid": group.uid },
                    "status": { "conditions": [condition] },
                });
                all.push(status_patch(Content::StrategicPatch, patch));
            }
            all
        }
    }
}

/// Fails on another group of that name; else all of the status is as it says.
fn muster(group: &GroupRef, status: &GroupStatus) -> Value {
    json!([
        { "op": "test", "path": "/metadata/uid", "value": group.uid },
        { "op": "add", "path": "/status", "value": muster_status(status) },
    ])
}

fn muster_status(status: &GroupStatus) -> Value {
    let number = |count: u32| i32::try_from(count).unwrap_or(i32::MAX);
    let counts = &status.counts;
    let mut value = json!(PodGroupStatus {
        phase: Some(match status.phase {
            Phase::Pending => PodGroupPhase::Pending,
            Phase::Admitted => PodGroupPhase::Admitted,
            Phase::Running => PodGroupPhase::Running,
            Phase::Broken => PodGroupPhase::Broken,
            Phase::Done => PodGroupPhase::Done,
        }),
        observed_generation: known(status.generation),
        min: Some(number(status.min)),
        counts: Some(PodGroupCounts {
            exist: number(counts.exist),
            placed: number(counts.placed),
            running: number(counts.running),
            succeeded: number(counts.succeeded),
            failed: number(counts.failed),
        }),
        conditions: Vec::new(),
        explanation: status.explanation.as_ref().map(explanation::bounded),
        ledger: (!status.ledger.is_empty()).then(|| ledger::status(&status.ledger)),
        digest: digest(Dialect::Muster, status).map(|digest| format!("{digest:016x}")),
    });
    value["conditions"] = json!([scheduled(status)]);
    value
}

/// Muster's own condition.
fn scheduled(status: &GroupStatus) -> Value {
    let is_true = matches!(status.phase, Phase::Running | Phase::Done);
    let why = status.explanation.as_ref();
    let reason = match (status.phase, why) {
        (Phase::Running, _) => "Scheduled".to_owned(),
        (Phase::Done, _) => "Done".to_owned(),
        (Phase::Broken, None) => "Broken".to_owned(),
        (Phase::Pending | Phase::Admitted, None) => "Waiting".to_owned(),
        (_, Some(why)) => camel(why.reason.word()),
    };
    condition(CONDITION_SCHEDULED, is_true, &reason, status)
}

/// A condition as `metav1.Condition` has it; its message is the sentence of the explanation.
fn condition(kind: &str, is_true: bool, reason: &str, status: &GroupStatus) -> Value {
    let mut condition = json!({
        "type": kind,
        "status": if is_true { "True" } else { "False" },
        "reason": reason,
        "message": sentence(status),
        "lastTransitionTime": when::seconds(status.since),
    });
    if let Some(generation) = known(status.generation) {
        condition["observedGeneration"] = generation.into();
    }
    condition
}

fn known(generation: i64) -> Option<i64> {
    (generation > 0).then_some(generation)
}

/// Why it waits, in at most 1,000 bytes; else where it stands.
fn sentence(status: &GroupStatus) -> String {
    if let Some(why) = &status.explanation {
        return super::event::cut(&why.to_string(), 1_000).to_owned();
    }
    let (placed, min) = (status.counts.placed, status.min);
    match status.phase {
        Phase::Pending | Phase::Admitted => "it waits".to_owned(),
        Phase::Running => format!("{placed} members have a node, at least {min} must"),
        Phase::Broken => format!("only {placed} members have a node, at least {min} must"),
        Phase::Done => "no unfinished member is left".to_owned(),
    }
}

/// True where nodes are what is missing.
fn lacks_nodes(reason: &WaitReason) -> bool {
    matches!(reason, WaitReason::Room | WaitReason::Elastic)
}

/// `queue-missing` as `QueueMissing`, the way conditions spell their reasons.
fn camel(word: &str) -> String {
    let part = |part: &str| {
        let mut letters = part.chars();
        let first = letters.next().map(|letter| letter.to_ascii_uppercase());
        first.into_iter().chain(letters).collect::<String>()
    };
    word.split('-').map(part).collect()
}
