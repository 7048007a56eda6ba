//! Why a gang was not placed: asked node by node, only after the fast path failed.
//!
//! Invariant: per set, the counts of reasons add up to the number of nodes.

use crate::place::Placer;
use crate::place::gang::Attempt;
use crate::place::region::{Goal, pinned_domain};
use crate::roster::{PodSet, Roster};
use crate::txn::Txn;
use scheduler_framework::EventMask;
use scheduler_model::amount::Amount;
use scheduler_model::explain::{
    Cure, Explanation, NearestMiss, NodeReason, SetTally, WaitReason, show_amount, show_count,
};
use scheduler_model::ids::{ClassId, DomainId, LevelId, NodeId};
use scheduler_model::op::{Op, Room};
use scheduler_model::snapshot::Snapshot;
use scheduler_model::topology::nowhere;
use std::collections::{BTreeMap, BTreeSet};

/// A placement that failed, and what is already known about it.
#[derive(Debug)]
pub struct Failure<'a> {
    /// The gang.
    pub roster: &'a Roster,
    /// What had to be placed.
    pub goal: &'a Goal,
    /// The best attempt.
    pub attempt: &'a Attempt,
    /// Why, as far as the cause was found by trying without it.
    pub reason: WaitReason,
    /// Room kept for others, on top of the snapshot.
    pub holds: &'a [Room],
}

impl Placer<'_> {
    /// Explains a failed placement; also says which changes may cure it.
    pub fn explain(
        &mut self,
        txn: &mut Txn<'_>,
        failure: &Failure<'_>,
    ) -> (Explanation, EventMask) {
        let mut wakes_on = EventMask::GANG_CHANGED | EventMask::POLICY_CHANGED;
        let mut sets = Vec::new();
        for index in 0..failure.roster.sets.len() {
            sets.push(self.tally(txn, failure, index, &mut wakes_on));
        }
        wakes_on |= match &failure.reason {
            WaitReason::Limit { .. } => EventMask::QUEUE_CHANGED | EventMask::ROOM_FREED,
            WaitReason::Fuel => EventMask::NEXT_CYCLE,
            _ => EventMask::ROOM_FREED | EventMask::NODE_ADDED | EventMask::NODE_CHANGED,
        };
        let nearest = nearest(txn.view(), failure, &sets);
        let cure = cure(&failure.reason, &sets);
        let next_step = next_step(txn.view(), failure, nearest.as_ref(), cure, &sets);
        let explanation = Explanation {
            gang: txn.view().gangs().get(failure.roster.gang).key.clone(),
            reason: failure.reason.clone(),
            placeable: failure.attempt.count(),
            needed: failure.goal.total,
            sets,
            nearest,
            cure,
            next_step,
        };
        (explanation, wakes_on)
    }

    /// Asks every node about one set, with and without the best attempt in place.
    fn tally(
        &mut self,
        txn: &mut Txn<'_>,
        failure: &Failure<'_>,
        index: usize,
        wakes_on: &mut EventMask,
    ) -> SetTally {
        let roster = failure.roster;
        let set = &roster.sets[index];
        let place = Place::of(txn.view(), roster);
        let mut reasons: BTreeMap<NodeId, NodeReason> = BTreeMap::new();
        let nodes: Vec<NodeId> = txn.view().nodes().live().iter().collect();
        for node in &nodes {
            let reason = self.ask(txn.view(), &place, set.class, *node, wakes_on);
            reasons.insert(*node, reason);
        }
        let mark = txn.mark();
        for room in failure.holds {
            txn.apply(Op::Hold(*room));
        }
        self.amend(txn, &place, set, &mut reasons, NodeReason::Held);
        for it in &failure.attempt.placed {
            let class = roster.sets[it.set].class;
            let room = Room { class, node: it.node, queue: None, count: it.count };
            txn.apply(Op::Place(room));
        }
        self.amend(txn, &place, set, &mut reasons, NodeReason::TakenByPeers);
        txn.rollback(mark);
        SetTally {
            role: set.role.clone(),
            requests: requests(txn.view(), set.class),
            wanted: set.count(),
            placed: failure.attempt.count_of(index),
            nodes: most_frequent(reasons),
        }
    }

    /// Nodes that fitted and no longer do get `reason`.
    fn amend(
        &mut self,
        txn: &Txn<'_>,
        place: &Place,
        set: &PodSet,
        reasons: &mut BTreeMap<NodeId, NodeReason>,
        reason: NodeReason,
    ) {
        let mut ignored = EventMask::NONE;
        for (node, old) in reasons.iter_mut().filter(|(_, old)| **old == NodeReason::Fits) {
            if self.ask(txn.view(), place, set.class, *node, &mut ignored) != NodeReason::Fits {
                *old = reason.clone();
            }
        }
    }

    fn ask(
        &self,
        snap: &Snapshot,
        place: &Place,
        class: ClassId,
        node: NodeId,
        wakes_on: &mut EventMask,
    ) -> NodeReason {
        if let Some(reason) = place.refusal(snap, node) {
            return reason;
        }
        if let Some((reason, wakes)) = self.profile.refusal(snap, class, node) {
            *wakes_on |= wakes;
            return reason;
        }
        lack_of_room(snap, class, node).unwrap_or(NodeReason::Fits)
    }
}

/// The required level of a gang and the domain its running members are in.
struct Place {
    level: Option<LevelId>,
    home: Option<DomainId>,
}

impl Place {
    fn of(snap: &Snapshot, roster: &Roster) -> Self {
        let wish = snap.gangs().get(roster.gang).spec.as_ref().map(|spec| &spec.topology);
        let level = wish
            .and_then(|wish| snap.find_level(wish.topology.as_deref(), wish.required.as_deref()?));
        let home = level.and_then(|level| pinned_domain(snap, roster, level));
        Self { level, home }
    }

    fn refusal(&self, snap: &Snapshot, node: NodeId) -> Option<NodeReason> {
        let domain = snap.topology().level(self.level?).domain(node);
        if domain == nowhere() {
            return Some(NodeReason::NoDomain);
        }
        self.home.is_some_and(|home| home != domain).then_some(NodeReason::OutsideDomain)
    }
}

fn lack_of_room(snap: &Snapshot, class: ClassId, node: NodeId) -> Option<NodeReason> {
    let row = snap.classes().get(class);
    if let Some(name) = row.refused_resources.first() {
        return Some(NodeReason::TooSmall(name.clone()));
    }
    let name = |resource| snap.resources().name(resource).to_owned();
    let wants = || row.request.iter().filter(|(_, amount)| amount.units() > 0);
    let too_small = wants().find(|(r, amount)| snap.nodes().allocatable(node, *r) < *amount);
    let short = || wants().rev().find(|(r, amount)| snap.nodes().free(node, *r) < *amount);
    match too_small {
        Some((resource, _)) => Some(NodeReason::TooSmall(name(*resource))),
        None if snap.nodes().closed().contains(node) => Some(NodeReason::Cordoned),
        // The rarest resource was seen last: it says most.
        None => short().map(|(resource, _)| NodeReason::Insufficient(name(*resource))),
    }
}

fn requests(snap: &Snapshot, class: ClassId) -> Vec<(String, Amount)> {
    let request = &snap.classes().get(class).request;
    let mut list: Vec<(String, Amount)> = request
        .iter()
        .filter(|(resource, _)| *resource != snap.resources().pods())
        .map(|(resource, amount)| (snap.resources().name(*resource).to_owned(), *amount))
        .collect();
    list.sort();
    list
}

fn most_frequent(reasons: BTreeMap<NodeId, NodeReason>) -> Vec<(NodeReason, u32)> {
    let mut counts: BTreeMap<NodeReason, u32> = BTreeMap::new();
    for reason in reasons.into_values() {
        *counts.entry(reason).or_insert(0) += 1;
    }
    let mut list: Vec<(NodeReason, u32)> = counts.into_iter().collect();
    list.sort_by(|(a, m), (b, n)| n.cmp(m).then_with(|| a.cmp(b)));
    list
}

/// The places still missing in the best attempt, and what each must have free.
fn nearest(snap: &Snapshot, failure: &Failure<'_>, sets: &[SetTally]) -> Option<NearestMiss> {
    if !matches!(failure.reason, WaitReason::Room | WaitReason::Elastic) {
        return None;
    }
    // Room alone does not help where no node would do even with it.
    let helps = |(reason, _): &(NodeReason, u32)| reason.is_cured_by_room() || is_size(reason);
    if !sets.iter().flat_map(|set| &set.nodes).any(helps) {
        return None;
    }
    let (_, short) =
        failure.roster.sets.iter().zip(sets).find(|(_, tally)| tally.placed < tally.wanted)?;
    let places = failure.goal.total.saturating_sub(failure.attempt.count()).max(1);
    let scarce: BTreeSet<&String> = short
        .nodes
        .iter()
        .filter_map(|(reason, _)| match reason {
            NodeReason::Insufficient(name) | NodeReason::TooSmall(name) => Some(name),
            _ => None,
        })
        .collect();
    let mut each: Vec<(String, Amount)> =
        short.requests.iter().filter(|(name, _)| scarce.contains(name)).cloned().collect();
    if each.is_empty() {
        // Peers took the room: what they all want most of is what is missing.
        each = short.requests.clone();
    }
    let region = failure.attempt.region.as_ref();
    let domain = region
        .and_then(|region| region.domain)
        .map(|(level, domain)| snap.topology().level(level).show(domain, snap.labels()));
    Some(NearestMiss { places, each, domain, expected_at: None })
}

fn cure(reason: &WaitReason, sets: &[SetTally]) -> Cure {
    let is_curable = |set: &SetTally| set.nodes.iter().any(|(reason, _)| reason.is_cured_by_room());
    match reason {
        WaitReason::Limit { .. } => Cure::Queue,
        WaitReason::Held { .. } | WaitReason::Fuel => Cure::Wait,
        _ if sets.iter().all(is_curable) => Cure::Nodes,
        _ if sets.iter().flat_map(|set| &set.nodes).any(|(reason, _)| is_size(reason)) => {
            Cure::Nodes
        }
        _ => Cure::Author,
    }
}

fn is_size(reason: &NodeReason) -> bool {
    matches!(reason, NodeReason::TooSmall(_) | NodeReason::NotReady | NodeReason::Cordoned)
}

fn next_step(
    snap: &Snapshot,
    failure: &Failure<'_>,
    nearest: Option<&NearestMiss>,
    cure: Cure,
    sets: &[SetTally],
) -> String {
    match (&failure.reason, cure) {
        (WaitReason::Limit { queue, resource, .. }, _) => {
            format!("wait for gangs of queue {queue:?} to end, or raise its limit of {resource}")
        }
        (WaitReason::Held { holder }, _) => format!("wait until {holder} has started"),
        (WaitReason::Fuel, _) => "nothing: the search goes on by itself".to_owned(),
        _ if snap.nodes().is_empty() => "add nodes: the cluster has none".to_owned(),
        (_, Cure::Author) => {
            let reasons = sets.iter().filter_map(|set| set.nodes.first());
            let words: Vec<String> =
                reasons.map(|(reason, count)| show_count(reason, *count)).collect();
            format!("change the pods, or the labels and taints of nodes ({})", words.join("; "))
        }
        _ => match nearest {
            Some(miss) => {
                let each: Vec<String> =
                    miss.each.iter().map(|(name, amount)| show_amount(name, *amount)).collect();
                let each = if each.is_empty() { "one pod".to_owned() } else { each.join(" and ") };
                format!("free or add room in {} more places, each for {each}", miss.places)
            }
            None => "wait for room, or ask for less".to_owned(),
        },
    }
}
