//! What one process has heard, to judge what it hands out by what it knows.
//!
//! Invariant: it hears what the process hears, no later than the process acts on it.

use super::tally::{group_of, is_minimum};
use scheduler_model::event::{Event, Kind};
use scheduler_model::spec::{GangKey, GangSpec, PodPhase, PodSpec};
use scheduler_protocol::call::{Call, PodRef};
use std::collections::{BTreeMap, BTreeSet};

/// A call that a process handed out, and what is wrong with it as far as the process knows.
#[derive(Clone, Debug)]
pub struct Handed {
    /// The call.
    pub call: Call,
    /// The gang of the pod that it binds.
    pub gang: Option<GangKey>,
    /// Why the bind cannot be.
    pub fault: Option<String>,
    /// The gang must not be begun by it: it has too few members.
    pub is_short: bool,
}

/// The nodes, pods and groups that a process knows.
#[derive(Clone, Debug, Default)]
pub struct Sight {
    /// Nodes that are there and take pods.
    open: BTreeSet<String>,
    pods: BTreeMap<String, PodSpec>,
    /// Groups as last told, also those that are gone.
    gangs: BTreeMap<GangKey, GangSpec>,
    /// Gangs of which a member was seen to succeed: it counts after it is gone, before that
    /// stands in any ledger.
    advanced: BTreeSet<GangKey>,
}

impl Sight {
    /// Hears a piece of news.
    pub fn hear(&mut self, event: &Event) {
        match event {
            Event::ListStart(Kind::Node) => self.open.clear(),
            Event::ListStart(Kind::Pod) => self.pods.clear(),
            Event::Node(node) if node.ready && !node.unschedulable => {
                self.open.insert(node.name.clone());
            }
            Event::Node(node) => {
                self.open.remove(&node.name);
            }
            Event::NodeGone(name) => {
                self.open.remove(name);
            }
            Event::Pod(pod) if pod.ours => {
                if pod.phase == PodPhase::Succeeded {
                    self.advanced.extend(group_of(pod).cloned());
                }
                self.pods.insert(pod.uid.clone(), (**pod).clone());
            }
            Event::PodGone(uid) => {
                self.pods.remove(uid);
            }
            Event::Gang(gang) => {
                self.gangs.insert(gang.key.clone(), (**gang).clone());
            }
            _ => {}
        }
    }

    /// Judges a call.
    #[must_use]
    pub fn judge(&self, call: &Call) -> Handed {
        let mut handed = Handed { call: call.clone(), gang: None, fault: None, is_short: false };
        let Call::Bind { pod, node, .. } = call else { return handed };
        handed.gang = self.pods.get(&pod.uid).and_then(group_of).cloned();
        handed.fault = self.fault(pod, node);
        handed.is_short = self.is_short(pod);
        handed
    }

    /// Why a bind cannot be, as far as the process knows.
    fn fault(&self, pod: &PodRef, node: &str) -> Option<String> {
        if !self.open.contains(node) {
            return Some(format!("to {node}, which takes no pods"));
        }
        let Some(known) = self.pods.get(&pod.uid) else {
            return Some(format!("to {node}, though it is gone"));
        };
        let ends = known.terminating || known.phase.is_finished();
        ends.then(|| format!("to {node}, though it ends"))
    }

    /// True if the gang of a pod has nothing in place and fewer members than its minimum, as
    /// far as the process knows.
    fn is_short(&self, pod: &PodRef) -> bool {
        let Some(key) = self.pods.get(&pod.uid).and_then(group_of) else { return false };
        let Some(gang) = self.gangs.get(key).filter(|_| !self.advanced.contains(key)) else {
            return false;
        };
        let mut exist = BTreeMap::new();
        for peer in self.pods.values().filter(|peer| group_of(peer) == Some(key)) {
            let ledgers = [Some(&gang.ledger), peer.ledger.as_deref()];
            let has_begun = peer.node.is_some()
                || peer.phase.is_finished()
                || ledgers
                    .into_iter()
                    .flatten()
                    .any(|it| it.has_started || !it.succeeded.is_empty());
            if has_begun {
                return false;
            }
            if !peer.terminating && peer.gates.is_empty() {
                *exist.entry(peer.role.clone()).or_insert(0) += 1;
            }
        }
        !is_minimum(gang, &exist)
    }
}
