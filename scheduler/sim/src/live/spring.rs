//! What happens where a trap waits, and what else befalls nodes and pods on purpose.

use super::play::Run;
use super::replica::Replica;
use super::story::{Act, Finale};
use super::tally::group_of;
use super::trap::{Blow, Deed, Point};
use scheduler_model::event::Event;
use scheduler_model::spec::PodSpec;
use scheduler_model::time::{Span, Time};
use scheduler_protocol::call::{Call, PodRef};

impl Run {
    /// A call of a process got somewhere: springs the traps that wait there.
    pub(super) fn step(&mut self, (replica, life): (usize, u64), point: Point, call: &Call) {
        let is_it = self.replicas[replica].life == life && self.replicas[replica].live.is_some();
        if !self.is_stormy() || !is_it {
            return;
        }
        let name = call.name();
        let Some(index) = (0..self.story.traps.len())
            .find(|index| self.story.traps[*index].clone().step(point, name).is_some())
        else {
            for trap in &mut self.story.traps {
                let _ = trap.step(point, name);
            }
            return;
        };
        let mut trap = self.story.traps.remove(index);
        let Some(deed) = trap.step(point, name) else { return };
        match (deed, call) {
            (Deed::Kill(span), _) => self.act(Act::Kill(replica, span)),
            (Deed::Hold(span), _) => self.act(Act::Hold(replica, span)),
            (Deed::Bounce(long, blow, then), Call::Bind { pod, node, .. }) => {
                self.act(Act::Outage(long));
                self.befall(blow, (pod, node), self.now.after(then));
            }
            (Deed::Doubt(blow, then), Call::Bind { pod, node, .. }) => {
                self.wire.doom(&pod.uid);
                self.befall(blow, (pod, node), self.now.after(then));
            }
            (Deed::Bounce(..) | Deed::Doubt(..), _) => {}
        }
    }

    fn befall(&mut self, blow: Blow, (pod, node): (&PodRef, &str), at: Time) {
        let node = node.to_owned();
        match blow {
            Blow::Cordon(span) => {
                self.actors.plan(at, Act::Cordon(node.clone(), true));
                self.actors.plan(at.after(span), Act::Cordon(node, false));
            }
            Blow::NodeGone(span) => {
                self.actors.plan(at, Act::NodeGone(node.clone()));
                let half = Span::from_ms(span.ms() / 2);
                self.actors.plan(at.after(half), Act::Collect(node.clone()));
                self.actors.plan(at.after(span), Act::NodeBack(node));
            }
            Blow::Silence(span) => {
                self.actors.plan(at, Act::NodeReady(node.clone(), false));
                self.actors.plan(at.after(span), Act::NodeReady(node, true));
            }
            Blow::Pod => self.actors.plan(at, Act::DeleteThis(pod.uid.clone())),
            Blow::Peer => {
                let key = self.server.pod(&pod.uid).and_then(group_of).cloned();
                let mut peers = self.server.pods.values().filter(|peer| {
                    key.is_some() && group_of(peer) == key.as_ref() && peer.uid != pod.uid
                });
                if let Some(uid) = peers.next_back().map(|peer| peer.uid.clone()) {
                    self.actors.plan(at, Act::DeleteThis(uid));
                }
            }
        }
    }

    /// A person deletes one of the pods of ours that are at work or wait.
    pub(super) fn delete_pod(&mut self, pick: u64) {
        let ours: Vec<String> = self
            .server
            .pods
            .values()
            .filter(|pod| pod.ours && !pod.phase.is_finished() && !pod.terminating)
            .map(|pod| pod.uid.clone())
            .collect();
        let Some(count) = u64::try_from(ours.len()).ok().filter(|count| *count > 0) else { return };
        self.delete_this(&ours[usize::try_from(pick % count).unwrap_or(0)]);
    }

    /// A person deletes this pod.
    pub(super) fn delete_this(&mut self, uid: &str) {
        let Some(pod) = self.server.pod(uid).cloned() else { return };
        if pod.node.is_none() {
            self.server.change(Event::PodGone(pod.uid), self.now);
        } else if !pod.terminating && !pod.phase.is_finished() {
            let pod = PodSpec { terminating: true, ..pod };
            self.server.change(Event::Pod(Box::new(pod)), self.now);
        }
    }

    /// One more gang is about to arrive: the leader dies, or is asked to stop.
    pub(super) fn finale(&mut self) {
        let leads =
            |replica: &Replica| replica.live.as_ref().is_some_and(|live| live.leadership().leads());
        let is_alone = self.replicas.len() == 1;
        self.promises.finale(self.story.finale, is_alone, self.now);
        for replica in &mut self.replicas {
            replica.watch().hurry();
        }
        let Some(index) = self.replicas.iter().position(leads) else { return };
        let span = if is_alone { Span::from_ms(500) } else { Span::from_secs(5) };
        match self.story.finale {
            Finale::Quiet => {}
            Finale::Kill => self.act(Act::Kill(index, span)),
            Finale::Retire => self.act(Act::Retire(index, span)),
        }
    }
}
