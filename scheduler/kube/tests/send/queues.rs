//! What is written into a queue of Volcano is read as what was written, so that nobody takes it
//! for the words of another.

use crate::make::encoder;
use scheduler_kube::send::{Encoder, Served};
use scheduler_kube::translate::volcano::volcano_queue;
use scheduler_model::amount::Amount;
use scheduler_model::spec::Dialect;
use scheduler_protocol::call::{Call, CallId, QueueRef};
use scheduler_protocol::status::{GroupsByPhase, QueueStatus};
use scheduler_protocol::tell::queue_digest;
use serde_json::{Value, json};

/// The object after the steps of a patch.
fn patched(mut object: Value, patch: &Value) -> Value {
    for step in patch.as_array().expect("a list of steps") {
        let path = step["path"].as_str().expect("each has a path");
        if step["op"] == "test" {
            let stands = object.pointer(path).cloned().unwrap_or_default();
            assert_eq!(stands, step["value"], "{path}");
            continue;
        }
        let (above, name) = path.rsplit_once('/').expect("a path has a slash");
        let above = object.pointer_mut(above).expect("what is above is there");
        above[name] = step["value"].clone();
    }
    object
}

#[test]
fn numbers_of_a_volcano_queue_are_read_as_they_were_written() {
    let groups = GroupsByPhase { pending: 1, admitted: 2, running: 3, broken: 4, done: 5 };
    let used = [("cpu", 1_500), ("memory", 3 << 30), ("nvidia.com/gpu", 8), ("pods", 4)];
    let used = used.map(|(name, units)| (name.to_owned(), Amount::new(units)));
    let busy = QueueStatus { used: used.into(), groups: Some(groups), ..QueueStatus::default() };
    let idle = QueueStatus { is_first: true, ..QueueStatus::default() };
    let served = Served { volcano_queues: Some("v1beta1".to_owned()), ..Served::default() };
    let encoder = Encoder { served, ..encoder() };
    let queue = QueueRef { dialect: Dialect::Volcano, name: "q".to_owned(), uid: "u".to_owned() };
    let before = [json!({"state": "Closed", "allocated": {"x": "1"}}), Value::Null];
    for (status, before) in [busy, idle].into_iter().zip(before) {
        let digest = queue_digest(&status.used, &status.groups.unwrap_or_default());
        let call = Call::QueueStatus { queue: queue.clone(), status: Box::new(status) };
        let request = encoder.encode(CallId(1), &call).remove(0);
        let (_, patch) = request.body.expect("it writes something");
        let mut object = json!({"metadata": {"name": "q", "uid": "u"}, "status": before.clone()});
        object = patched(object, &patch);
        assert_eq!(object["status"]["state"], before["state"], "that of others stays");
        let read = volcano_queue(&serde_json::from_value(object).expect("it is a Queue")).value;
        assert_eq!(read.digest, Some(digest));
    }
}
