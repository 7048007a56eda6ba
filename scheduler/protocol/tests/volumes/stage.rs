//! An API server with claims, a driver that makes volumes or gives up, and a watch that lags.

use crate::{bound, code, late, lost};
use scheduler_model::spec::ClaimSpec;
use scheduler_model::time::{Span, Time};
use scheduler_protocol::answer::{Answer, Reply};
use scheduler_protocol::call::{Call, Send};
use scheduler_protocol::retry::splitmix64;
use std::collections::{BTreeMap, VecDeque};

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

/// A claim as the server has it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Claim {
    /// How often it was made anew.
    pub(crate) life: u32,
    pub(crate) chosen: Option<String>,
    pub(crate) is_bound: bool,
}

/// What the watch has to tell.
pub(crate) enum Told {
    Claim(Box<ClaimSpec>),
    Gone(String),
}

#[derive(Default)]
pub(crate) struct Server {
    pub(crate) claims: BTreeMap<String, Claim>,
    pub(crate) log: VecDeque<Told>,
    /// Calls that were sent and may still be carried out, and until when.
    ghosts: Vec<(Call, Time)>,
}

impl Server {
    pub(crate) fn spec(&self, name: &str) -> ClaimSpec {
        let claim = &self.claims[name];
        let spec = if claim.is_bound { bound(name) } else { late(name, claim.chosen.as_deref()) };
        ClaimSpec { uid: uid(name, claim.life), ..spec }
    }

    pub(crate) fn has_ghosts(&self) -> bool {
        !self.ghosts.is_empty()
    }

    /// Late requests take effect, or not.
    pub(crate) fn haunt(&mut self, now: Time, dice: &mut Dice) {
        for (call, until) in std::mem::take(&mut self.ghosts) {
            if dice.one_in(6) {
                self.truth(&call);
            } else if now < until {
                self.ghosts.push((call, until));
            }
        }
    }

    /// Takes a call and answers it with a fault, or as a healthy server does.
    pub(crate) fn serve(&mut self, send: &Send, now: Time, dice: &mut Dice) -> Answer {
        match dice.roll(9) {
            0 => {
                self.truth(&send.call);
                lost()
            }
            1 => {
                self.ghosts.push((send.call.clone(), now.after(Span::from_secs(59))));
                lost()
            }
            2 => code(500),
            3 => {
                self.truth(&send.call);
                code(504)
            }
            4 => Answer::Reply(Reply { retry_after: Some(Span::from_secs(1)), ..Reply::code(429) }),
            5 => Answer::Unsent("no connection".to_owned()),
            _ => self.truth(&send.call),
        }
    }

    /// What a healthy server does and answers.
    pub(crate) fn truth(&mut self, call: &Call) -> Answer {
        let (claim, node, is_set) = match call {
            Call::SelectNode { claim, node } => (claim, node, true),
            Call::DeselectNode { claim, node } => (claim, node, false),
            other => panic!("nothing else is asked for: {other:?}"),
        };
        let Some(it) = self.claims.get_mut(&claim.name) else { return code(404) };
        if uid(&claim.name, it.life) != claim.uid {
            return code(if is_set { 409 } else { 422 });
        }
        if !is_set && it.chosen.as_ref() != Some(node) {
            return code(422);
        }
        it.chosen = is_set.then(|| node.clone());
        self.tell(&claim.name);
        code(200)
    }

    /// The driver makes a volume, or gives the claim back.
    pub(crate) fn drive(&mut self, name: &str, dice: &mut Dice) {
        let Some(claim) = self.claims.get_mut(name) else { return };
        if claim.chosen.is_none() || claim.is_bound {
            return;
        }
        if dice.one_in(3) {
            claim.chosen = None;
        } else {
            claim.is_bound = true;
        }
        self.tell(name);
    }

    /// Somebody deletes a claim, and makes it anew.
    pub(crate) fn renew(&mut self, name: &str) {
        let claim = self.claims.get_mut(name).expect("all names are taken");
        *claim = Claim { life: claim.life + 1, ..Claim::default() };
        self.log.push_back(Told::Gone(format!("d/{name}")));
        self.tell(name);
    }

    fn tell(&mut self, name: &str) {
        self.log.push_back(Told::Claim(Box::new(self.spec(name))));
    }
}

pub(crate) fn uid(name: &str, life: u32) -> String {
    format!("claim-{name}-{life}")
}
