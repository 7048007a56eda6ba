//! A response as a [`Reply`]: code, words, and the few facts that some machine asked for.
//!
//! Total: whatever bytes come back, a reply comes out. What the code means is decided in
//! `scheduler/protocol`.

use super::event::cut;
use super::request::Wants;
use super::when;
use crate::wire::null_default;
use http::HeaderMap;
use http::header::RETRY_AFTER;
use scheduler_model::time::Span;
use scheduler_protocol::answer::{Body, PodFacts, Reply};
use scheduler_protocol::call::LeaseRecord;
use serde::Deserialize;
use serde::de::IgnoredAny;

/// Longest message that is kept, in bytes.
const MESSAGE_BYTES: usize = 512;

/// Reads a response. `body` is an error in words where it broke off; the code stands anyway.
#[must_use]
pub fn read(code: u16, headers: &HeaderMap, body: Result<&[u8], &str>, wants: Wants) -> Reply {
    let mut reply = Reply { retry_after: retry_after(headers), ..Reply::code(code) };
    match body {
        Ok(bytes) => match serde_json::from_slice::<Status>(bytes) {
            Ok(status) if status.kind == "Status" => {
                reply.reason = cut(&status.reason, MESSAGE_BYTES).to_owned();
                reply.message = cut(&status.message, MESSAGE_BYTES).to_owned();
            }
            _ => reply.body = wanted(bytes, wants),
        },
        Err(_) if wants == Wants::Nothing => {}
        Err(words) => reply.body = Body::Unreadable(words.to_owned()),
    }
    let is_plain_text = reply.message.is_empty() && wants == Wants::Nothing;
    if let (Ok(bytes), true) = (body, is_plain_text) {
        reply.message = plain(bytes, headers);
    }
    reply
}

/// Whole seconds; the other form, a date, is read as no advice: its clock is not ours.
fn retry_after(headers: &HeaderMap) -> Option<Span> {
    let seconds = headers.get(RETRY_AFTER)?.to_str().ok()?.trim().parse::<u32>().ok()?;
    Some(Span::from_secs(i64::from(seconds)))
}

/// What proxies say, and the server itself before it is ready: text without a `Status`.
fn plain(bytes: &[u8], headers: &HeaderMap) -> String {
    let kind = headers.get(http::header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    if !kind.is_some_and(|kind| kind.starts_with("text/plain")) {
        return String::new();
    }
    let start = &bytes[..bytes.len().min(MESSAGE_BYTES)];
    String::from_utf8_lossy(start).trim().to_owned()
}

fn wanted(bytes: &[u8], wants: Wants) -> Body {
    let read = match wants {
        Wants::Nothing => return Body::None,
        Wants::Pod => serde_json::from_slice::<Pod>(bytes).map(|pod| Body::Pod(pod.facts())),
        Wants::Lease => {
            serde_json::from_slice::<Lease>(bytes).map(|lease| Body::Lease(lease.record()))
        }
    };
    match read {
        // An object without a uid or a version is none: some other JSON was read as one.
        Ok(Body::Pod(facts)) if facts.uid.is_empty() => {
            Body::Unreadable("the answer is no pod: it has no uid".to_owned())
        }
        Ok(Body::Lease(record)) if record.version.is_empty() => {
            Body::Unreadable("the answer is no lease: it has no resourceVersion".to_owned())
        }
        Ok(body) => body,
        Err(error) => Body::Unreadable(error.to_string()),
    }
}

#[derive(Deserialize)]
#[serde(default)]
#[derive(Default)]
struct Status {
    #[serde(deserialize_with = "null_default")]
    kind: String,
    #[serde(deserialize_with = "null_default")]
    reason: String,
    #[serde(deserialize_with = "null_default")]
    message: String,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Meta {
    #[serde(deserialize_with = "null_default")]
    uid: String,
    #[serde(deserialize_with = "null_default")]
    resource_version: String,
    deletion_timestamp: Option<IgnoredAny>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Pod {
    #[serde(deserialize_with = "null_default")]
    metadata: Meta,
    #[serde(deserialize_with = "null_default")]
    spec: PodSpec,
    #[serde(deserialize_with = "null_default")]
    status: PodStatus,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct PodSpec {
    #[serde(deserialize_with = "null_default")]
    node_name: String,
    #[serde(deserialize_with = "null_default")]
    scheduling_gates: Vec<IgnoredAny>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct PodStatus {
    #[serde(deserialize_with = "null_default")]
    phase: String,
}

impl Pod {
    fn facts(self) -> PodFacts {
        PodFacts {
            uid: self.metadata.uid,
            node: self.spec.node_name,
            is_terminating: self.metadata.deletion_timestamp.is_some(),
            is_finished: matches!(self.status.phase.as_str(), "Succeeded" | "Failed"),
            is_gated: !self.spec.scheduling_gates.is_empty(),
        }
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Lease {
    #[serde(deserialize_with = "null_default")]
    metadata: Meta,
    #[serde(deserialize_with = "null_default")]
    spec: LeaseSpec,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct LeaseSpec {
    #[serde(deserialize_with = "null_default")]
    holder_identity: String,
    #[serde(deserialize_with = "null_default")]
    lease_duration_seconds: i64,
    #[serde(deserialize_with = "null_default")]
    acquire_time: String,
    #[serde(deserialize_with = "null_default")]
    renew_time: String,
    #[serde(deserialize_with = "null_default")]
    lease_transitions: i64,
}

impl Lease {
    fn record(self) -> LeaseRecord {
        let transitions = u32::try_from(self.spec.lease_transitions.max(0));
        LeaseRecord {
            holder: self.spec.holder_identity,
            duration: Span::from_secs(self.spec.lease_duration_seconds),
            acquired_at: when::read(&self.spec.acquire_time),
            renewed_at: when::read(&self.spec.renew_time),
            transitions: transitions.unwrap_or(u32::MAX),
            version: self.metadata.resource_version,
        }
    }
}
