//! The status of a queue.
//!
//! Only muster's own queues are written so far: it is replaced as a whole, and only on the queue
//! that it was decided on. Next: [`super::group`], the same for groups.

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

/// The request that makes `status` stand on the queue; none for kinds that others write.
pub(super) fn requests(queue: &QueueRef, status: &QueueStatus, served: &Served) -> Vec<Request> {
    if queue.dialect != Dialect::Muster {
        return Vec::new();
    }
    let patch = json!([
        { "op": "test", "path": "/metadata/uid", "value": queue.uid },
        { "op": "add", "path": "/status", "value": value(status) },
    ]);
    let object = Path::in_cluster(GROUP, &served.muster).then("queues").then(&queue.name);
    vec![object.then("status").patch("queues/status", Content::JsonPatch, patch)]
}

fn value(status: &QueueStatus) -> Value {
    let (reason, message) = match &status.trouble {
        Some((reason, message)) => (reason.as_str(), message.as_str()),
        None => ("Accepted", "it is used as it is written"),
    };
    let condition = json!({
        "type": CONDITION_ACCEPTED,
        "status": if status.trouble.is_some() { "False" } else { "True" },
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
