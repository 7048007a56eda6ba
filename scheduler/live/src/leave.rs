//! Plans on their way out: their volumes are prepared, then each is looked at once more, and
//! begun or taken back whole. What has begun is carried through.
//!
//! Invariant: no bind of a plan leaves before every claim of the plan is bound, and nothing of
//! a plan that was taken back does.

use crate::driver::{Live, is_short};
use crate::news::Notice;
use scheduler_model::effect::{Bind, EffectId};
use scheduler_model::event::Event;
use scheduler_model::reach::reaches;
use scheduler_model::spec::ClaimState;
use scheduler_model::time::Time;
use scheduler_model::volume::claims_of;
use scheduler_protocol::bind::PlanId;
use scheduler_protocol::status::EventReason;
use scheduler_protocol::volumes::VolumeNews;

/// What nodes are said to have done to a pod whose volume could not be made there.
const NO_VOLUME: &str = "NoVolume";

impl Live {
    /// New plans with steps about volumes begin to take them.
    pub(crate) fn prepare(&mut self, now: Time) {
        while let Some(plan) = self.binder.next_to_prepare() {
            let binds = self.binder.members(plan);
            self.volumes.prepare(plan, binds, &mut self.lanes, now);
        }
    }

    /// Lets the volumes hear what happened, before the engine does.
    pub(crate) fn tell_volumes(&mut self, event: &Event, now: Time) {
        match event {
            Event::Claim(claim) => self.volumes.seen(claim, &mut self.lanes, now),
            Event::ClaimGone(key) => self.volumes.gone(key, &mut self.lanes, now),
            Event::Pod(pod) => self.volumes.doubt_pod(&pod.uid),
            Event::PodGone(uid) => self.volumes.doubt_pod(uid),
            Event::Node(node) => self.volumes.doubt_node(&node.name),
            Event::NodeGone(name) => self.volumes.doubt_node(name),
            // What a fresh list does not name is gone.
            Event::ListEnd(_) => self.volumes.doubt_all(),
            _ => {}
        }
    }

    /// Plans that are about to leave are looked at once more: everything as it was decided on,
    /// or taken back whole.
    pub(crate) fn begin(&mut self, now: Time) {
        if !self.may_write(now) {
            return;
        }
        if self.stop.is_some() {
            for plan in self.binder.untouched_plans() {
                self.withdraw(plan, "the scheduler stops", now);
            }
        }
        self.volumes.turn(&mut self.lanes, now);
        self.hear_of_volumes(now);
        if self.is_ready() {
            for plan in self.volumes.take_suspects() {
                if let Some(why) = self.plan_fault(plan, Self::early_fault) {
                    self.withdraw_loudly(plan, &why, now);
                }
            }
        }
        while let Some(plan) = self.binder.next_plan(&self.lanes, now) {
            // Also while a kind is listed afresh: what is known until then was told.
            let fault = self.plan_fault(plan, Self::last_fault);
            match fault.or_else(|| self.shortage(plan)) {
                Some(why) if self.withdraw_loudly(plan, &why, now) => {}
                _ => self.binder.begin(plan, &mut self.lanes, now),
            }
        }
    }

    /// Members of other plans of a gang may have gone: none is begun that cannot be whole.
    fn shortage(&self, plan: PlanId) -> Option<String> {
        let view = self.engine.gang(self.binder.gang(plan)?)?;
        let has_none = view.counts.placed == 0 && view.succeeded == 0;
        // Its minimum may have been raised since the plan was made.
        let is_short = has_none && (is_short(&view) || view.counts.exist < view.min);
        is_short.then(|| "the gang has fewer members than its minimum".to_owned())
    }

    /// Binds of begun plans that wait for their turn or came back unsent are looked at as they
    /// leave: one that cannot be any more is given up, and its pod placed elsewhere.
    pub(crate) fn recheck(&mut self, now: Time) {
        if !self.may_write(now) {
            return;
        }
        loop {
            let leaving = self.binder.leaving(&self.lanes, now);
            let faults: Vec<(EffectId, String)> =
                leaving.filter_map(|(id, bind)| Some((id, self.last_fault(bind)?))).collect();
            if faults.is_empty() {
                return;
            }
            for (effect, why) in faults {
                let settled = self.binder.refuse(effect, &why, &mut self.lanes, now);
                self.settle(settled, now);
            }
        }
    }

    fn hear_of_volumes(&mut self, now: Time) {
        for news in self.volumes.take_news() {
            match news {
                VolumeNews::Ready(plan) => self.binder.prepared(plan, now),
                VolumeNews::Failed { plan, why, unfit } => {
                    for (pod, node) in unfit {
                        self.engine.avoid(&pod, &node, NO_VOLUME, now);
                    }
                    let Some(gang) = self.binder.gang(plan).cloned() else { continue };
                    let words = format!("its volumes are not ready, so it is placed again: {why}");
                    self.note(&gang, EventReason::Waiting, words, now);
                    self.withdraw_loudly(plan, &why, now);
                }
                VolumeNews::Waits(plan, claims) => {
                    let Some(gang) = self.binder.gang(plan).cloned() else { continue };
                    let words = format!("it has nodes and waits for {}", named(&claims));
                    self.note(&gang, EventReason::Waiting, words, now);
                    self.touched.insert(gang);
                }
                VolumeNews::Left(claim, why) => self.notices.push(Notice::Trouble(format!(
                    "the node set on claim {claim} could not be taken away again: {why}"
                ))),
            }
        }
    }

    /// Takes a plan back, if nothing of it left; false if it has to go on.
    fn withdraw(&mut self, plan: PlanId, why: &str, now: Time) -> bool {
        let settled = self.binder.withdraw(plan, &mut self.lanes, why, now);
        if settled.is_empty() {
            return false;
        }
        self.settle(settled, now);
        true
    }

    fn withdraw_loudly(&mut self, plan: PlanId, why: &str, now: Time) -> bool {
        let Some(gang) = self.binder.gang(plan).cloned() else { return false };
        if !self.withdraw(plan, why, now) {
            return false;
        }
        self.waits.withdrawn(&gang);
        self.notices.push(Notice::Withdrawn(gang, why.to_owned()));
        true
    }

    fn plan_fault(
        &self,
        plan: PlanId,
        fault: impl Fn(&Self, &Bind) -> Option<String>,
    ) -> Option<String> {
        let mut members = self.binder.members(plan);
        members.find_map(|bind| fault(self, bind).map(|why| format!("{}: {why}", bind.name)))
    }

    /// What forbids a bind whose plan is still being prepared.
    fn early_fault(&self, bind: &Bind) -> Option<String> {
        let snap = self.engine.snapshot();
        let gone = || {
            let spec = &snap.pods().get(snap.pods().find(&bind.uid)?).spec;
            let key = claims_of(spec).find(|key| !snap.volumes().claims().contains_key(key))?;
            Some(format!("claim {key} is gone"))
        };
        self.fault(bind).map(str::to_owned).or_else(gone)
    }

    /// What forbids a bind that is about to leave.
    fn last_fault(&self, bind: &Bind) -> Option<String> {
        self.fault(bind).map(str::to_owned).or_else(|| self.volume_fault(bind))
    }

    /// What forbids a bind on account of its pod's claims: each has to be bound to a volume that
    /// its node can use. A volume may have been made elsewhere than it was asked for.
    fn volume_fault(&self, bind: &Bind) -> Option<String> {
        let snap = self.engine.snapshot();
        let spec = &snap.pods().get(snap.pods().find(&bind.uid)?).spec;
        let node = snap.nodes().spec(snap.nodes().find(&bind.node)?);
        claims_of(spec).find_map(|key| {
            match snap.volumes().claims().get(&key).map(|claim| &claim.state) {
                None => Some(format!("claim {key} is gone")),
                Some(ClaimState::Bound(volume)) if reaches(&volume.reach, node) => None,
                Some(ClaimState::Bound(volume)) => {
                    let (name, volume) = (&node.name, &volume.name);
                    Some(format!("volume {volume} of claim {key} cannot be used on node {name}"))
                }
                Some(ClaimState::Unready(words)) => Some(format!("claim {key} {words}")),
                Some(ClaimState::Late(_)) => Some(format!("claim {key} is not bound any more")),
            }
        })
    }

    /// What has changed since a bind was decided, if that forbids it.
    fn fault(&self, bind: &Bind) -> Option<&'static str> {
        let snap = self.engine.snapshot();
        let Some(pod) = snap.pods().find(&bind.uid) else { return Some("the pod is gone") };
        let spec = &snap.pods().get(pod).spec;
        if spec.terminating || spec.phase.is_finished() {
            return Some("the pod ends");
        }
        if spec.node.is_some() {
            return Some("the pod was bound by somebody else");
        }
        if !spec.gates.is_empty() {
            return Some("the pod has closed scheduling gates");
        }
        let Some(node) = snap.nodes().find(&bind.node) else { return Some("its node is gone") };
        let node = snap.nodes().spec(node);
        if node.unschedulable {
            return Some("its node was cordoned");
        }
        (!node.ready).then_some("its node is not ready")
    }
}

/// Some of the claims by name, and how many more.
fn named(claims: &[String]) -> String {
    const NAMED: usize = 5;
    let some: Vec<&str> = claims.iter().take(NAMED).map(String::as_str).collect();
    let more = claims.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let noun = if claims.len() == 1 { "volume claim" } else { "volume claims" };
    format!("{noun} {}{more}", some.join(", "))
}
