//! Why a gang was not placed: asked node by node, only after the fast path failed.
//!
//! Invariant: per set, the counts of reasons add up to the number of nodes.

use crate::place::gang::Attempt;
use crate::place::region::{Goal, pinned_domain};
use crate::place::{Placer, take};
use crate::roster::Roster;
use crate::txn::Txn;
use scheduler_framework::{Cadence, EventMask, Verdict};
use scheduler_model::amount::Amount;
use scheduler_model::explain::{
    Cure, Explanation, NearestMiss, NodeReason, SetTally, WaitReason, show_amount, show_count,
};
use scheduler_model::ids::{ClassId, DomainId, LevelId, NodeId, ResourceId};
use scheduler_model::node_set::NodeSet;
use scheduler_model::op::{Kept, Op};
use scheduler_model::queue::Ceiling;
use scheduler_model::snapshot::Snapshot;
use scheduler_model::topology::nowhere;
use std::collections::BTreeSet;

/// Kinds of members that one explanation tells about.
pub const SETS_MAX: usize = 16;

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
    pub holds: &'a [Kept],
    /// It had the steps of a whole cycle to itself, and they did not do.
    pub is_starved: bool,
}

impl Placer<'_> {
    /// Explains a failed placement; also says which changes may cure it.
    pub fn explain(
        &mut self,
        txn: &mut Txn<'_>,
        failure: &Failure<'_>,
    ) -> (Explanation, EventMask) {
        // Its queue may close, and nodes of another flavour may have other limits.
        let mut wakes_on = EventMask::GANG_CHANGED
            | EventMask::POLICY_CHANGED
            | EventMask::QUEUE_CHANGED
            | EventMask::ROOM_FREED
            | EventMask::NODE_ADDED
            | EventMask::NODE_CHANGED;
        if failure.reason == WaitReason::Fuel && !failure.is_starved {
            wakes_on |= EventMask::NEXT_CYCLE;
        }
        // Those that lack places say most; a gang of a thousand shapes needs no thousand tallies.
        let mut order: Vec<usize> = (0..failure.roster.sets.len()).collect();
        order
            .sort_by_key(|set| failure.attempt.count_of(*set) >= failure.roster.sets[*set].count());
        let (told, untold) = order.split_at(order.len().min(SETS_MAX));
        let mut sets = Vec::new();
        for index in told {
            sets.push(self.tally(txn, failure, *index, &mut wakes_on));
        }
        let class = |set: &usize| txn.view().classes().get(failure.roster.sets[*set].class);
        if untold.iter().any(|set| class(set).is_relational() || class(set).has_host_ports()) {
            wakes_on |= EventMask::POD_PLACED;
        }
        if failure.roster.sets.iter().any(|set| txn.view().counts_volumes(set.class)) {
            wakes_on |= EventMask::VOLUME_CHANGED;
        }
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
        let mut answers = Answers::default();
        let fits = self.sift(txn.view(), roster, set.class, &mut answers);
        *wakes_on |= answers.wakes_on;
        let mark = txn.mark();
        for room in failure.holds {
            txn.apply(Op::Hold(room.clone()));
        }
        let fits = self.recheck(txn.view(), set.class, &fits, (NodeReason::Held, &mut answers));
        for it in &failure.attempt.placed {
            let class = roster.sets[it.set].class;
            take(txn, class, it.node, (None, None), it.count);
        }
        let taken = (NodeReason::TakenByPeers, &mut answers);
        let fits = self.recheck(txn.view(), set.class, &fits, taken);
        txn.rollback(mark);
        answers.add(NodeReason::Fits, fits.count());
        SetTally {
            role: set.role.clone(),
            requests: requests(txn.view(), set.class),
            wanted: set.count(),
            placed: failure.attempt.count_of(index),
            nodes: answers.most_frequent(),
        }
    }

    /// Takes the nodes out that turn the class away, one obstacle after the other in the order
    /// people should hear of them; answers the nodes that remain.
    fn sift(
        &self,
        snap: &Snapshot,
        roster: &Roster,
        class: ClassId,
        answers: &mut Answers,
    ) -> NodeSet {
        let mut left = snap.nodes().live().clone();
        let constraint = snap.constraints().get(snap.classes().get(class).constraint);
        left.retain_if(|node| {
            let queue = constraint.queue_against(snap.labels(), node).map(str::to_owned);
            answers.keeps(queue.map(NodeReason::QueueNodes))
        });
        let place = Place::of(snap, roster);
        left.retain_if(|node| answers.keeps(place.refusal(snap, node)));
        for filter in
            self.profile.filters_of(snap, class).iter().filter(|it| it.concerns(snap, class))
        {
            let mut kept = left.clone();
            filter.retain(snap, class, &mut kept);
            left.subtract(&kept);
            if !left.is_empty() {
                answers.wakes_on |= filter.wakes_on();
            }
            for node in left.iter() {
                match filter.accepts(snap, class, node) {
                    Verdict::Unfit(reason) | Verdict::Never(reason) => answers.add(reason, 1),
                    Verdict::Fit => answers.add(NodeReason::Policy(filter.name()), 1),
                }
            }
            left = kept;
        }
        let left = sift_by_room(snap, class, left, answers);
        self.sift_rejected(snap, class, left, answers)
    }

    /// Takes the nodes out whose kubelets turned such pods away; answers the rest.
    fn sift_rejected(
        &self,
        snap: &Snapshot,
        class: ClassId,
        mut left: NodeSet,
        answers: &mut Answers,
    ) -> NodeSet {
        let shape = &snap.classes().get(class).key.shape;
        let off = self.masks.rejected().get(shape);
        for (node, word) in off.into_iter().flatten() {
            if left.contains(*node) {
                answers.add(NodeReason::Rejected(word.clone()), 1);
                left.remove(*node);
            }
        }
        left
    }

    /// Nodes of `fits` that no longer fit get `reason`; answers the rest.
    fn recheck(
        &self,
        snap: &Snapshot,
        class: ClassId,
        fits: &NodeSet,
        (reason, answers): (NodeReason, &mut Answers),
    ) -> NodeSet {
        let mut ignored = Answers::default();
        let mut left = sift_by_room(snap, class, fits.clone(), &mut ignored);
        let mut before = fits.count();
        if snap.has_late_claims(class) {
            // Peers that took volumes left too few: that says more than that they are there.
            let had_room = left.clone();
            left.retain_if(|node| match snap.serve(class, node) {
                Err(reason) if reason.is_of_volumes() => {
                    answers.add(reason, 1);
                    false
                }
                _ => true,
            });
            before -= had_room.count() - left.count();
        }
        self.profile.retain(Cadence::PerPlacement, snap, class, &mut left);
        answers.add(reason, before - left.count());
        left
    }
}

/// How many nodes gave which answer.
#[derive(Debug, Default)]
struct Answers {
    counts: Vec<(NodeReason, usize)>,
    wakes_on: EventMask,
}

impl Answers {
    fn add(&mut self, reason: NodeReason, count: usize) {
        if count == 0 {
            return;
        }
        // Few distinct answers, and neighbours mostly give the same one.
        match self.counts.iter_mut().rev().find(|(known, _)| *known == reason) {
            Some((_, sum)) => *sum += count,
            None => self.counts.push((reason, count)),
        }
    }

    /// Counts a refusal; true if there is none.
    fn keeps(&mut self, refusal: Option<NodeReason>) -> bool {
        let is_kept = refusal.is_none();
        if let Some(reason) = refusal {
            self.add(reason, 1);
        }
        is_kept
    }

    fn most_frequent(self) -> Vec<(NodeReason, u32)> {
        let mut list: Vec<(NodeReason, u32)> = self
            .counts
            .into_iter()
            .map(|(reason, count)| (reason, u32::try_from(count).unwrap_or(u32::MAX)))
            .collect();
        list.sort_by(|(a, m), (b, n)| n.cmp(m).then_with(|| a.cmp(b)));
        list
    }
}

/// Takes the nodes out that have too little room, by columns; answers the rest.
fn sift_by_room(
    snap: &Snapshot,
    class: ClassId,
    mut left: NodeSet,
    answers: &mut Answers,
) -> NodeSet {
    let row = snap.classes().get(class);
    if let Some(name) = row.refused_resources.first() {
        answers.add(NodeReason::TooSmall(name.clone()), left.count());
        return NodeSet::new();
    }
    let name = |resource| snap.resources().name(resource).to_owned();
    let wants: Vec<(ResourceId, i64)> = row
        .request
        .iter()
        .map(|(resource, amount)| (*resource, amount.units()))
        .filter(|(_, units)| *units > 0)
        .collect();
    let mut before = left.count();
    for (resource, units) in &wants {
        left.retain_at_least(snap.nodes().allocatable_column(*resource), *units);
        answers.add(NodeReason::TooSmall(name(*resource)), before - left.count());
        before = left.count();
    }
    left.subtract(snap.nodes().closed());
    answers.add(NodeReason::Cordoned, before - left.count());
    before = left.count();
    // The rarest resource was seen last: it says most.
    for (resource, units) in wants.iter().rev() {
        left.retain_at_least(snap.nodes().free_column(*resource), *units);
        answers.add(NodeReason::Insufficient(name(*resource)), before - left.count());
        before = left.count();
    }
    left
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
    let short = sets.iter().find(|tally| tally.placed < tally.wanted)?;
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
        WaitReason::Limit { .. } | WaitReason::UserLimit { .. } => Cure::Queue,
        WaitReason::Held { .. } | WaitReason::Fuel => Cure::Wait,
        _ if sets.iter().all(is_curable) => Cure::Nodes,
        _ if sets.iter().flat_map(|set| &set.nodes).any(|(reason, _)| is_size(reason)) => {
            Cure::Nodes
        }
        _ if queue_with_other_nodes(sets).is_some() => Cure::Queue,
        _ => Cure::Author,
    }
}

/// The queue that keeps members off most nodes.
fn queue_with_other_nodes(sets: &[SetTally]) -> Option<&str> {
    sets.iter().flat_map(|set| &set.nodes).find_map(|(reason, _)| match reason {
        NodeReason::QueueNodes(queue) => Some(queue.as_str()),
        _ => None,
    })
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
        (WaitReason::Limit { ceiling, queue, resource, .. }, _) => match ceiling {
            Ceiling::Limit => {
                format!(
                    "wait for gangs of queue {queue:?} to end, or raise its limit of {resource}"
                )
            }
            Ceiling::Borrowing => {
                let step = "or raise its borrowing limit of";
                format!("wait for gangs of queue {queue:?} to end, {step} {resource}")
            }
            Ceiling::Kept => {
                let step = "wait for gangs of other queues to end, or dedicate less";
                format!("{step} {resource} to queue {queue:?}")
            }
        },
        (WaitReason::UserLimit { queue, user, resource, .. }, _) => {
            let step = format!("wait for gangs of user {user:?} to end, or raise what each user");
            format!("{step} of queue {queue:?} may use of {resource}")
        }
        (WaitReason::Held { holder }, _) => format!("wait until {holder} has started"),
        (WaitReason::Fuel, _) if failure.is_starved => {
            "split the gang, or allow the scheduler more steps per cycle".to_owned()
        }
        (WaitReason::Fuel, _) => "nothing: the search goes on by itself".to_owned(),
        _ if snap.nodes().is_empty() => "add nodes: the cluster has none".to_owned(),
        (_, Cure::Queue) => {
            let queue = queue_with_other_nodes(sets).unwrap_or_default();
            let step = "change the pods, name another queue, or let queue";
            format!("no node of queue {queue:?} suits: {step} {queue:?} use more nodes")
        }
        (_, Cure::Author) => {
            let mut first = sets.iter().filter_map(|set| set.nodes.first());
            if let Some(step) = first.find_map(|(reason, _)| volume_step(reason)) {
                return step;
            }
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
                match miss.places {
                    1 => format!("free or add room in 1 more place, for {each}"),
                    many => format!("free or add room in {many} more places, each for {each}"),
                }
            }
            None => "wait for room, or ask for less".to_owned(),
        },
    }
}

/// What to do about volumes, where they are what is missing.
fn volume_step(reason: &NodeReason) -> Option<String> {
    match reason {
        NodeReason::VolumeReach => {
            Some("add nodes that can use the volume, or move what it holds".to_owned())
        }
        NodeReason::NoVolume(class) => {
            Some(format!("add volumes of storage class {class} where there is room for the pods"))
        }
        NodeReason::StorageRoom(class) => {
            Some(format!("add or free storage of class {class} where there is room for the pods"))
        }
        NodeReason::TooManyVolumes(driver) => {
            Some(format!("give each pod fewer volumes of {driver}, or add larger nodes"))
        }
        _ => None,
    }
}
