//! An API server that loses, delays and refuses, and remembers what it really did.

use crate::{code, lost, shows, unsent};
use scheduler_model::time::{Span, Time};
use scheduler_protocol::answer::{Answer, PodFacts, Reply};
use scheduler_protocol::call::{Call, Send};
use scheduler_protocol::retry::splitmix64;
use std::collections::BTreeMap;

/// Numbers that look random.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    /// A number below `sides`.
    pub(crate) fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_add(1);
        splitmix64(self.0) % sides
    }

    pub(crate) fn one_in(&mut self, sides: u64) -> bool {
        self.roll(sides) == 0
    }
}

/// A bind that was sent and may still be carried out.
struct Ghost {
    uid: String,
    node: String,
    until: Time,
}

#[derive(Default)]
pub(crate) struct Server {
    /// By uid; those that are gone are missing.
    pub(crate) pods: BTreeMap<String, PodFacts>,
    ghosts: Vec<Ghost>,
}

impl Server {
    /// True if a bind of this pod to another node may still be carried out.
    pub(crate) fn has_rival(&self, uid: &str, node: &str) -> bool {
        self.ghosts.iter().any(|ghost| ghost.uid == uid && ghost.node != node)
    }

    pub(crate) fn has_ghosts(&self) -> bool {
        !self.ghosts.is_empty()
    }

    /// Late requests take effect, or not.
    pub(crate) fn haunt(&mut self, now: Time, dice: &mut Dice) {
        for ghost in std::mem::take(&mut self.ghosts) {
            if dice.one_in(4) {
                self.assign(&ghost.uid, &ghost.node);
            } else if now < ghost.until {
                self.ghosts.push(ghost);
            }
        }
    }

    /// Takes a call and answers it with a fault, or as a healthy server does.
    pub(crate) fn serve(&mut self, send: &Send, now: Time, dice: &mut Dice) -> Answer {
        let Call::Bind { pod, node, .. } = &send.call else {
            return if dice.one_in(2) { self.truth(&send.call) } else { read_fault(dice) };
        };
        match dice.roll(9) {
            0 => {
                self.assign(&pod.uid, node);
                lost()
            }
            1 => {
                let until = now.after(Span::from_secs(59));
                let ghost = Ghost { uid: pod.uid.clone(), node: node.clone(), until };
                self.ghosts.push(ghost);
                lost()
            }
            2 => code(500),
            3 => {
                self.assign(&pod.uid, node);
                code(504)
            }
            4 => Answer::Reply(Reply { retry_after: Some(Span::from_secs(1)), ..Reply::code(429) }),
            5 => unsent(),
            6 => code(403),
            _ => self.truth(&send.call),
        }
    }

    /// What a healthy server does and answers.
    pub(crate) fn truth(&mut self, call: &Call) -> Answer {
        match call {
            Call::Bind { pod, node, .. } if self.pods.contains_key(&pod.uid) => {
                code(if self.assign(&pod.uid, node) { 201 } else { 409 })
            }
            Call::ReadPod(pod) => match self.pods.get(&pod.uid) {
                Some(facts) => shows(facts.clone()),
                None => code(404),
            },
            _ => code(404),
        }
    }

    /// As the binding of a pod works: once, and not on its way out.
    pub(crate) fn assign(&mut self, uid: &str, node: &str) -> bool {
        let free = self.pods.get_mut(uid).filter(|pod| pod.node.is_empty() && !pod.is_terminating);
        let Some(pod) = free else { return false };
        node.clone_into(&mut pod.node);
        true
    }
}

fn read_fault(dice: &mut Dice) -> Answer {
    match dice.roll(3) {
        0 => lost(),
        1 => unsent(),
        _ => code(500),
    }
}
