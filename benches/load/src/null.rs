//! The null binder: binds whatever comes to the next node in turn, and decides nothing.
//!
//! It speaks to the API server exactly as muster does (the same sender, one watch of pods), so
//! what it reaches is the ceiling of this machine at this moment, and what muster lacks to it is
//! muster's own doing. It runs as a process of its own: its time is measured as that of others.

use crate::wire::{Wire, failed};
use e2e::Fault;
use http_body_util::BodyExt;
use scheduler_kube::clock::Clock;
use scheduler_kube::look::Access;
use scheduler_kube::send::{Encoder, Sender, Served};
use scheduler_model::time::{Span, Time};
use scheduler_protocol::answer::Answer;
use scheduler_protocol::call::{Call, CallId, PodRef, Send};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::PathBuf;
use tokio::task::JoinSet;

/// Longest wait for one answer.
const TIMEOUT: Span = Span::from_secs(30);

/// What to bind, and how.
#[derive(Clone, Debug)]
pub struct NullBinder {
    /// Where.
    pub kubeconfig: PathBuf,
    /// Pods that name this scheduler.
    pub scheduler: String,
    /// Binds in flight at most.
    pub in_flight: usize,
}

#[derive(Deserialize)]
struct List<T> {
    metadata: Meta,
    #[serde(default = "Vec::new")]
    items: Vec<T>,
}

#[derive(Deserialize)]
struct Line {
    #[serde(rename = "type")]
    kind: String,
    object: Object,
}

#[derive(Deserialize)]
struct Object {
    metadata: Meta,
    #[serde(default)]
    spec: Spec,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Meta {
    name: String,
    namespace: String,
    uid: String,
    resource_version: String,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Spec {
    node_name: String,
}

impl NullBinder {
    /// Binds until it is killed, on one thread, as muster's binds have one.
    pub fn run(self) -> Result<(), Fault> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| failed("making a runtime", error))?;
        tokio::task::LocalSet::new().block_on(&runtime, self.bind())
    }

    async fn bind(self) -> Result<(), Fault> {
        let wire = Wire::open(&self.kubeconfig).await?;
        let nodes: List<Object> = wire.read("/api/v1/nodes").await?;
        let nodes: Vec<String> = nodes.items.into_iter().map(|node| node.metadata.name).collect();
        if nodes.is_empty() {
            return Err(Fault::new("there are no nodes to bind to"));
        }
        let path = format!("/api/v1/pods?fieldSelector=spec.schedulerName%3D{}", self.scheduler);
        let list: List<Object> = wire.read(&path).await?;
        let mut version = list.metadata.resource_version;
        let mut binds = Binds::new(self.sender().await?, nodes, self.in_flight);
        list.items.into_iter().for_each(|pod| binds.take(pod));
        loop {
            // The API server ends a watch that it finds too slow.
            let target = format!("{path}&watch=1&resourceVersion={version}&timeoutSeconds=86400");
            let mut body = wire.start(&target).await?.into_body();
            let mut rest: Vec<u8> = Vec::new();
            loop {
                binds.send();
                let frame = tokio::select! {
                    Some(done) = binds.flying.join_next() => {
                        binds.landed(done)?;
                        continue;
                    }
                    frame = body.frame() => frame,
                };
                let Some(frame) = frame else { break };
                let frame = frame.map_err(|error| failed("the watch", error))?;
                rest.extend_from_slice(frame.data_ref().map_or(&[][..], |bytes| bytes));
                binds.hear(&mut rest, &mut version)?;
            }
        }
    }

    async fn sender(&self) -> Result<Sender, Fault> {
        let access = Access { kubeconfig: Some(self.kubeconfig.clone()), context: None };
        let config = access.config().await.map_err(Fault::new)?;
        let encoder = Encoder { instance: "null".to_owned(), served: Served::default() };
        let sender = Sender::new(&config, Clock::start(), encoder);
        sender.map_err(|error| failed("making a client", error))
    }
}

/// Pods that wait, and binds in flight.
struct Binds {
    sender: Sender,
    nodes: Vec<String>,
    in_flight: usize,
    sent: usize,
    waiting: VecDeque<PodRef>,
    seen: BTreeSet<String>,
    flying: JoinSet<(PodRef, Answer)>,
}

impl Binds {
    fn new(sender: Sender, nodes: Vec<String>, in_flight: usize) -> Self {
        Self {
            sender,
            nodes,
            in_flight,
            sent: 0,
            waiting: VecDeque::new(),
            seen: BTreeSet::new(),
            flying: JoinSet::new(),
        }
    }

    /// Takes whole lines of the watch in, and off.
    fn hear(&mut self, rest: &mut Vec<u8>, version: &mut String) -> Result<(), Fault> {
        let end = rest.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        for line in rest[..end].split(|byte| *byte == b'\n').filter(|it| !it.is_empty()) {
            let line: Line =
                serde_json::from_slice(line).map_err(|error| failed("a line", error))?;
            match line.kind.as_str() {
                "ADDED" | "MODIFIED" | "DELETED" => {}
                other => return Err(Fault::new(format!("a line of type {other}"))),
            }
            line.object.metadata.resource_version.clone_into(version);
            if line.kind == "ADDED" {
                self.take(line.object);
            }
        }
        rest.drain(..end);
        Ok(())
    }

    fn take(&mut self, pod: Object) {
        let Meta { name, namespace, uid, .. } = pod.metadata;
        if pod.spec.node_name.is_empty() && self.seen.insert(uid.clone()) {
            self.waiting.push_back(PodRef { namespace, name, uid });
        }
    }

    fn send(&mut self) {
        while self.flying.len() < self.in_flight {
            let Some(pod) = self.waiting.pop_front() else { return };
            let node = self.nodes[self.sent % self.nodes.len()].clone();
            let id = CallId(u64::try_from(self.sent).unwrap_or(u64::MAX));
            self.sent += 1;
            let call = Call::Bind { pod: pod.clone(), node, annotations: BTreeMap::new() };
            let send = Send { id, call, timeout: TIMEOUT, not_after: Time::NEVER };
            let sender = self.sender.clone();
            self.flying.spawn_local(async move { (pod, sender.send(send).await) });
        }
    }

    /// Whatever is not bound at the first try is a fault: nothing interferes here.
    fn landed(
        &mut self,
        done: Result<(PodRef, Answer), tokio::task::JoinError>,
    ) -> Result<(), Fault> {
        let (pod, answer) = done.map_err(|error| failed("a bind", error))?;
        match answer {
            Answer::Reply(reply) if (200..300).contains(&reply.code) => Ok(()),
            other => Err(Fault::new(format!("binding {}: {other:?}", pod.name))),
        }
    }
}
