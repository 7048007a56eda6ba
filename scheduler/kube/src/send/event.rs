//! Events for people (`events.k8s.io/v1`).
//!
//! Invariants: the same note of the same call is the same event, byte for byte, so that one
//! that was sent twice stands once; nothing that a person named makes it one that the server
//! refuses.

use super::encode::Encoder;
use super::{group, when};
use scheduler_api::names::REPORTER;
use scheduler_model::spec::{Dialect, GangKey};
use scheduler_protocol::call::CallId;
use scheduler_protocol::status::{About, EventNote, EventReason};
use serde_json::{Value, json};

/// The server takes 1,024 bytes.
const NOTE_BYTES: usize = 1_000;
/// The server takes 128 bytes.
const INSTANCE_BYTES: usize = 128;
/// Leaves room for what makes the name unique in the 253 bytes of a name.
const NAME_BYTES: usize = 180;

/// The event object.
pub(super) fn object(id: CallId, note: &EventNote, encoder: &Encoder) -> Value {
    let (namespace, name, regarding) = regarding(&note.about, encoder);
    let instance = cut(&encoder.instance, INSTANCE_BYTES);
    let name = format!(
        "{}.{:x}.{:x}.{:x}",
        cut(name, NAME_BYTES).trim_end_matches(['.', '-']),
        fingerprint(instance),
        note.at.ms(),
        id.0
    );
    json!({
        "apiVersion": "events.k8s.io/v1",
        "kind": "Event",
        "metadata": { "name": name, "namespace": namespace },
        "eventTime": when::micros(note.at),
        "reportingController": REPORTER,
        "reportingInstance": instance,
        "action": action(note.reason),
        "reason": note.reason.word(),
        "regarding": regarding,
        "note": cut(&note.note, NOTE_BYTES),
        "type": if note.reason.is_warning() { "Warning" } else { "Normal" },
    })
}

/// Namespace, name, and the reference.
fn regarding<'a>(about: &'a About, encoder: &Encoder) -> (&'a str, &'a str, Value) {
    let (key, uid) = match about {
        About::Pod(namespace, name, uid) => return pod(namespace, name, uid),
        About::Group(key, uid) => (key, uid),
    };
    let GangKey { namespace, name, dialect } = key;
    match dialect {
        Dialect::Pod => pod(namespace, name, uid),
        // Such a gang is called `<kind>/<name>`; which API its controller is of is not known.
        Dialect::Plain => {
            let (kind, name) = name.split_once('/').unwrap_or(("", name));
            let reference = json!({ "kind": kind, "namespace": namespace, "name": name });
            (namespace, name, reference)
        }
        _ => {
            // A group inside a Workload is called `<workload>/<group>`.
            let name = name.split('/').next().unwrap_or(name);
            let reference = json!({
                "apiVersion": group::api_version(*dialect, &encoder.served),
                "kind": "PodGroup",
                "namespace": namespace,
                "name": name,
                "uid": uid,
            });
            (namespace, name, reference)
        }
    }
}

fn pod<'a>(namespace: &'a str, name: &'a str, uid: &str) -> (&'a str, &'a str, Value) {
    let reference = json!({
        "apiVersion": "v1", "kind": "Pod", "namespace": namespace, "name": name, "uid": uid,
    });
    (namespace, name, reference)
}

/// What was done or tried.
const fn action(reason: EventReason) -> &'static str {
    match reason {
        EventReason::Scheduled | EventReason::Waiting => "Scheduling",
        EventReason::BindRefused => "Binding",
        EventReason::Repaired | EventReason::Broken => "Repairing",
        EventReason::Released => "Releasing",
        EventReason::Evicting | EventReason::Preempted => "Preempting",
    }
}

/// At most `bytes` bytes of it, cut between characters.
pub(super) fn cut(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes)]
}

/// Tells instances apart (FNV-1a); the same on every machine.
fn fingerprint(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}
