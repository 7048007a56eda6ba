//! The status of a queue.
//!
//! That of muster's own queues is replaced as a whole. Into that of Volcano's go the numbers that
//! Volcano's own scheduler would count, each by itself: `state` and all else is others'. Both
//! only on the queue that it was decided on. Next: [`super::group`], the same for groups.

use super::request::{Content, Path, Request};
use super::when;
use crate::served::Served;
use crate::wire::explanation::amounts;
use scheduler_api::names::{CONDITION_ACCEPTED, GROUP};
use scheduler_model::amount::Amount;
use scheduler_model::spec::Dialect;
use scheduler_protocol::call::QueueRef;
use scheduler_protocol::status::QueueStatus;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Most resources that a map of the status names; the schema has the same bound.
const RESOURCES_MAX: usize = 64;
/// Resources that Volcano names also where nothing of them is in use.
const ALWAYS: [&str; 2] = ["cpu", "memory"];

/// The request that makes `status` stand on the queue; none for kinds that others write, nor
/// where a kind has no status by itself.
pub(super) fn requests(queue: &QueueRef, status: &QueueStatus, served: &Served) -> Vec<Request> {
    let (api, version, steps) = match (queue.dialect, &served.volcano_queues) {
        (Dialect::Muster, _) => {
            let whole = json!({ "op": "add", "path": "/status", "value": value(status) });
            (GROUP, &served.muster, vec![whole])
        }
        (Dialect::Volcano, Some(version)) => ("scheduling.volcano.sh", version, volcano(status)),
        _ => return Vec::new(),
    };
    let mut patch = vec![json!({ "op": "test", "path": "/metadata/uid", "value": queue.uid })];
    patch.extend(steps);
    let object = Path::in_cluster(api, version).then("queues").then(&queue.name);
    vec![object.then("status").patch("queues/status", Content::JsonPatch, Value::Array(patch))]
}

/// The steps that set each number. Where there is no status at all, it is made, unless somebody
/// else did meanwhile: a test for `null` holds of what is not there.
fn volcano(status: &QueueStatus) -> Vec<Value> {
    let mut steps = Vec::new();
    if status.is_first {
        steps.push(json!({ "op": "test", "path": "/status", "value": null }));
        steps.push(json!({ "op": "add", "path": "/status", "value": {} }));
    }
    let mut allocated = status.used.clone();
    for name in ALWAYS {
        allocated.entry(name.to_owned()).or_default();
    }
    let groups = status.groups.unwrap_or_default();
    let number = |count: u32| json!(i32::try_from(count).unwrap_or(i32::MAX));
    let fields = [
        ("allocated", shown(&allocated)),
        ("pending", number(groups.pending)),
        ("inqueue", number(groups.admitted)),
        ("running", number(groups.running)),
        ("unknown", number(groups.broken)),
        ("completed", number(groups.done)),
    ];
    let step = |(field, value): (&str, Value)| {
        let path = format!("/status/{field}");
        json!({ "op": "add", "path": path, "value": value })
    };
    steps.extend(fields.map(step));
    steps
}

fn value(status: &QueueStatus) -> Value {
    let (reason, message) = match &status.trouble {
        Some((reason, message)) => (reason.as_str(), message.as_str()),
        None => ("Accepted", "it is used as it is written"),
    };
    let is_accepted = status.trouble.is_none() || status.is_notice;
    let condition = json!({
        "type": CONDITION_ACCEPTED,
        "status": if is_accepted { "True" } else { "False" },
        "reason": reason,
        "message": super::event::cut(message, 1_000),
        "lastTransitionTime": when::seconds(status.since),
    });
    json!({
        "conditions": [condition],
        "used": shown(&status.used),
        "entitled": shown(&status.entitled),
        "fair": shown(&status.fair),
        "waiting": i32::try_from(status.waiting).unwrap_or(i32::MAX),
    })
}

fn shown(of: &BTreeMap<String, Amount>) -> Value {
    // The schema takes no negative amounts.
    let of = of.iter().map(|(name, amount)| (name, (*amount).max(Amount::ZERO)));
    amounts(of.take(RESOURCES_MAX))
}
