//! Who watches Kueue's workloads, and plays the controller of the jobs that they stand for: an
//! evicted workload gives its quota back.
//!
//! Invariant: times are of the monotonic clock, taken when the bytes came.

use crate::kueue;
use crate::observer::Seen;
use crate::wire::{Wire, failed};
use crate::work::NAMESPACE;
use e2e::Fault;
use http_body_util::BodyExt;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};
use tokio::sync::mpsc::UnboundedSender;

/// Between two tries to watch.
const PAUSE: Duration = Duration::from_millis(100);

#[derive(Deserialize)]
struct List {
    metadata: Meta,
}

#[derive(Deserialize)]
struct Line {
    #[serde(rename = "type")]
    kind: String,
    object: Value,
}

#[derive(Deserialize)]
struct Workload {
    metadata: Meta,
    #[serde(default)]
    status: Status,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Meta {
    name: String,
    resource_version: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Status {
    conditions: Vec<Value>,
}

impl Status {
    fn is(&self, kind: &str) -> bool {
        self.conditions.iter().any(|it| it["type"] == kind && it["status"] == "True")
    }
}

/// Which workloads have been seen to run and to have ended.
#[derive(Debug, Default)]
struct Known {
    running: BTreeSet<String>,
    ended: BTreeSet<String>,
}

/// Watches until it is dropped or the watch fails; tells each step to the follower.
pub(crate) async fn follow(wire: Wire, follower: UnboundedSender<Seen>) -> Result<(), Fault> {
    let path = kueue::collection(&format!("namespaces/{NAMESPACE}/workloads"));
    let list: List = wire.read(&format!("{path}?limit=1")).await?;
    let mut version = list.metadata.resource_version;
    let mut known = Known::default();
    loop {
        let target = format!("{path}?watch=1&resourceVersion={version}&timeoutSeconds=86400");
        let mut body = match wire.start(&target).await {
            Ok(response) => response.into_body(),
            // A kind that was changed a moment ago is not served for another.
            Err(fault) if fault.to_string().contains(": 429 ") => {
                tokio::time::sleep(PAUSE).await;
                continue;
            }
            Err(fault) => return Err(fault),
        };
        let mut rest: Vec<u8> = Vec::new();
        // The API server ends a watch that it finds too slow; what it missed comes with the next.
        while let Some(frame) = body.frame().await {
            let now = Instant::now();
            let frame = frame.map_err(|error| failed("the watch of workloads", error))?;
            rest.extend_from_slice(frame.data_ref().map_or(&[][..], |bytes| bytes));
            for workload in whole_lines(&mut rest)? {
                workload.metadata.resource_version.clone_into(&mut version);
                known.note(&wire, &follower, workload, now).await?;
            }
        }
    }
}

/// Takes whole lines off, and gives the workloads that are there after them.
fn whole_lines(rest: &mut Vec<u8>) -> Result<Vec<Workload>, Fault> {
    let end = rest.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    let mut all = Vec::new();
    for line in rest[..end].split(|byte| *byte == b'\n').filter(|it| !it.is_empty()) {
        let line: Line =
            serde_json::from_slice(line).map_err(|error| failed("a workload", error))?;
        match line.kind.as_str() {
            "ADDED" | "MODIFIED" => {
                let workload = serde_json::from_value(line.object);
                all.push(workload.map_err(|error| failed("a workload", error))?);
            }
            // Nobody deletes workloads here.
            other => return Err(failed(&format!("a line of type {other}"), line.object)),
        }
    }
    rest.drain(..end);
    Ok(all)
}

impl Known {
    async fn note(
        &mut self,
        wire: &Wire,
        follower: &UnboundedSender<Seen>,
        workload: Workload,
        now: Instant,
    ) -> Result<(), Fault> {
        let Workload { metadata: Meta { name, .. }, status } = workload;
        let seen = if status.is("Finished") {
            self.ended.insert(name.clone()).then(|| Seen::Ended(name.clone(), now))
        } else if status.is("Evicted") && status.is("QuotaReserved") {
            let lost = self.running.remove(&name).then(|| Seen::Lost(name.clone(), now));
            wire.merge(&kueue::status_of(&name), &given_back(status)).await?;
            lost
        } else if status.is("Admitted") {
            self.running.insert(name.clone()).then(|| Seen::Started(name.clone(), now))
        } else {
            None
        };
        if let Some(seen) = seen {
            // Whoever has gone has seen enough.
            let _ = follower.send(seen);
        }
        Ok(())
    }
}

/// The status of a workload without its quota.
fn given_back(status: Status) -> Value {
    let without = |mut condition: Value| {
        if condition["type"] == "QuotaReserved" || condition["type"] == "Admitted" {
            condition["status"] = json!("False");
            condition["reason"] = json!("Pending");
            condition["message"] = json!("evicted, and its pods are gone");
        }
        condition
    };
    let conditions: Vec<Value> = status.conditions.into_iter().map(without).collect();
    json!({ "status": { "admission": null, "conditions": conditions } })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_evicted_workload_gives_back_its_quota_and_nothing_else() {
        let condition = |kind: &str| json!({ "type": kind, "status": "True" });
        let status = Status { conditions: ["Evicted", "QuotaReserved"].map(condition).to_vec() };
        let left = given_back(status);
        assert_eq!(left["status"]["admission"], Value::Null);
        assert_eq!(left["status"]["conditions"][0], condition("Evicted"));
        assert_eq!(left["status"]["conditions"][1]["status"], "False");
    }
}
