//! The search for victims: grow until the gang fits, then give back each that was not needed.
//!
//! Few candidates are tried in every combination, cheapest first, so that the first that will do
//! is the cheapest there is. Many are put in line in several ways (cheapest for the room they
//! give; node by node; domain by domain where members must be together), the shortest beginning
//! of each line after which the gang fits is found by halving, and victims are given back one by
//! one, the most expensive first, with the gang placed anew each time. The cheapest result counts.
//!
//! Lower priorities are tried alone before higher ones join them. Sets that keep to disruption
//! budgets are tried before any that does not; of those, the one that breaks fewest counts.
//!
//! Cost: a placement per try. Few candidates: one per combination; many: per line the logarithm of
//! its length, one try per victim left, and up to 64 per gang that goes as a whole.

use super::budget::Rooms;
use super::court::{Taker, is_lawful};
use super::victims::{Bundle, is_bearable};
use crate::place::Placer;
use crate::place::region::Goal;
use crate::roster::Roster;
use crate::txn::Txn;
use scheduler_model::ids::{ClassId, NodeId, PodId};
use scheduler_model::op::{Kept, Op};
use scheduler_model::queue::Usage;
use scheduler_model::snapshot::Snapshot;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// Candidates of which every combination is tried.
const EXACT: usize = 10;

/// Members above a minimum of which every combination is tried instead of the whole gang.
const PIECES: usize = 6;

/// Candidates that stand in one line at most.
const LINE_MAX: usize = 256;

/// Domains that get a line of their own at most.
const DOMAINS_MAX: usize = 16;

/// Single candidates that are tried instead of what was found, at most.
const SINGLES_MAX: usize = 32;

/// To take a pod away and bring it back costs as much as to look at so many nodes.
pub(super) const STEPS_PER_POD: usize = 64;

/// What to evict, and where the gang goes then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The victims.
    pub victims: Vec<Bundle>,
    /// The room it takes.
    pub rooms: Vec<(ClassId, Kept)>,
}

impl Found {
    /// Work that is lost, in pod-seconds.
    #[must_use]
    pub fn cost(&self) -> i64 {
        self.victims.iter().map(|it| it.cost).fold(0, i64::saturating_add)
    }
}

/// One gang that looks for victims.
pub(super) struct Search<'a, 'b, 'c> {
    pub(super) placer: &'a mut Placer<'b>,
    pub(super) txn: &'a mut Txn<'c>,
    pub(super) roster: &'a Roster,
    pub(super) goal: &'a Goal,
    pub(super) taker: Taker,
    pub(super) budgets: &'a Rooms,
    /// Sets that break budgets are tried too.
    pub(super) breaks: bool,
}

impl Search<'_, '_, '_> {
    /// The cheapest lawful victims that were found; `bundles` are in order of thought. They break
    /// budgets only if none were found that do not.
    pub(super) fn run(&mut self, bundles: &[Bundle]) -> Option<Found> {
        let all: Vec<&Bundle> = bundles.iter().collect();
        // What breaks a budget alone does so with others too.
        let keep = |it: &&&Bundle| self.budgets.excess(&[**it]) == 0;
        let keeping: Vec<&Bundle> = all.iter().filter(keep).copied().collect();
        let found = self.among(&keeping);
        if found.is_some() || self.budgets.excess(&all) == 0 || self.placer.fuel.is_empty() {
            return found;
        }
        self.breaks = true;
        self.among(&all)
    }

    fn among(&mut self, bundles: &[&Bundle]) -> Option<Found> {
        let tiers: BTreeSet<i32> = bundles.iter().map(|it| it.priority).collect();
        let tiers: Vec<i32> = tiers.into_iter().collect();
        let up_to = |tier: i32| bundles.iter().filter(move |it| it.priority <= tier).copied();
        let mut fits = |tier: i32| self.place(&up_to(tier).collect::<Vec<_>>()).is_some();
        // Whoever does not fit with all of them gone needs no further look.
        if !fits(*tiers.last()?) {
            return None;
        }
        let first = tiers.partition_point(|tier| !fits(*tier));
        let mut best: Option<Found> = None;
        for tier in &tiers[first..] {
            let candidates: Vec<&Bundle> = up_to(*tier).collect();
            let found = match candidates.len() <= EXACT {
                true => self.exact(&candidates),
                false => self.by_lines(&candidates),
            };
            best = self.cheaper(best, found);
            // Higher priorities may break fewer.
            if (best.is_some() && !self.breaks) || self.placer.fuel.is_empty() {
                return best;
            }
        }
        best
    }

    /// Tries every combination, cheapest first.
    fn exact(&mut self, candidates: &[&Bundle]) -> Option<Found> {
        let mut sets: Vec<(usize, i64, u32, usize)> = (1_usize..1 << candidates.len())
            .map(|mask| {
                let set: Vec<&Bundle> = chosen(candidates, mask).collect();
                let cost = set.iter().map(|it| it.cost).fold(0, i64::saturating_add);
                (self.budgets.excess(&set), cost, mask.count_ones(), mask)
            })
            .collect();
        sets.sort_unstable();
        sets.into_iter().find_map(|(_, _, _, mask)| {
            let set: Vec<&Bundle> = chosen(candidates, mask).collect();
            self.test(&set)
        })
    }

    fn by_lines(&mut self, candidates: &[&Bundle]) -> Option<Found> {
        let mut best: Option<Found> = None;
        for line in self.lines(candidates) {
            if self.placer.fuel.is_empty() {
                break;
            }
            let found = self.grow(line, candidates);
            best = self.cheaper(best, found);
        }
        let limit = best.as_ref().map_or(i64::MAX, Found::cost);
        let singles = candidates.iter().filter(|it| it.cost < limit).take(SINGLES_MAX);
        let single = singles.copied().collect::<Vec<_>>().into_iter();
        let single =
            single.map(|it| self.give_back(vec![it], candidates)).find(Option::is_some).flatten();
        self.cheaper(best, single)
    }

    /// The orders in which victims are added.
    fn lines<'x>(&mut self, candidates: &[&'x Bundle]) -> Vec<Vec<&'x Bundle>> {
        let snap = self.txn.view();
        let gains: Vec<u64> = candidates.iter().map(|it| self.gain(snap, it)).collect();
        let mut order: Vec<usize> = (0..candidates.len()).collect();
        order.sort_by_key(|index| {
            let (gain, cost) = (gains[*index], candidates[*index].cost.max(1));
            let each = u64::try_from(cost).unwrap_or(0).saturating_mul(1000) / gain.max(1);
            (gain == 0, each, *index)
        });
        let by_gain: Vec<&Bundle> = order.iter().map(|index| candidates[*index]).collect();
        let mut lines = vec![self.by_node(candidates)];
        let domains = self.domains();
        for nodes in &domains {
            let here = |it: &&&Bundle| {
                it.pods.iter().any(|pod| {
                    snap.pods().get(*pod).place.node().is_some_and(|node| nodes.contains(&node))
                })
            };
            lines.push(by_gain.iter().filter(here).copied().collect());
        }
        lines.push(by_gain);
        for line in &mut lines {
            line.sort_by_key(|it| self.budgets.excess(&[it]));
            line.truncate(LINE_MAX);
        }
        lines.retain(|line| !line.is_empty());
        lines
    }

    /// Nodes of each domain in which all members must be; none if they need not be together.
    fn domains(&self) -> Vec<BTreeSet<NodeId>> {
        let snap = self.txn.view();
        let wish = snap.gangs().get(self.roster.gang).spec.as_ref().map(|spec| &spec.topology);
        let level = wish
            .and_then(|wish| snap.find_level(wish.topology.as_deref(), wish.required.as_ref()?));
        let Some(level) = level.map(|level| snap.topology().level(level)) else {
            return Vec::new();
        };
        let nodes = level.ids().map(|domain| level.members(domain).iter().collect::<BTreeSet<_>>());
        nodes.filter(|nodes| !nodes.is_empty()).take(DOMAINS_MAX).collect()
    }

    /// More places for members on the nodes of a bundle once it is gone, counted by room alone.
    fn gain(&self, snap: &Snapshot, bundle: &Bundle) -> u64 {
        let mut freed: BTreeMap<NodeId, Vec<PodId>> = BTreeMap::new();
        for pod in &bundle.pods {
            if let Some(node) = snap.pods().get(*pod).place.node() {
                freed.entry(node).or_default().push(*pod);
            }
        }
        let gains = freed.iter().map(|(node, pods)| {
            let gains = self.roster.sets.iter().map(|set| {
                let now = places(snap, set.class, *node, &[]);
                places(snap, set.class, *node, pods).saturating_sub(now)
            });
            gains.max().unwrap_or(0)
        });
        gains.fold(0, u64::saturating_add)
    }

    /// Node by node: those first on which one more member costs least.
    fn by_node<'x>(&self, candidates: &[&'x Bundle]) -> Vec<&'x Bundle> {
        let snap = self.txn.view();
        let mut on: BTreeMap<NodeId, Vec<&'x Bundle>> = BTreeMap::new();
        for bundle in candidates {
            let nodes = bundle.pods.iter().filter_map(|pod| snap.pods().get(*pod).place.node());
            for node in nodes.collect::<BTreeSet<_>>() {
                on.entry(node).or_default().push(bundle);
            }
        }
        let mut nodes: Vec<(i64, u32, Vec<&'x Bundle>)> = Vec::new();
        for (node, mut here) in on {
            here.sort_by_key(|it| it.cost);
            let (mut pods, mut taken, mut cost) = (BTreeSet::new(), Vec::new(), 0_i64);
            for bundle in here {
                let is_here = |pod: &&PodId| snap.pods().get(**pod).place.node() == Some(node);
                pods.extend(bundle.pods.iter().filter(is_here).copied());
                taken.push(bundle);
                cost = cost.saturating_add(bundle.cost);
                let gone: Vec<PodId> = pods.iter().copied().collect();
                let fits = |set: &crate::roster::PodSet| {
                    places(snap, set.class, node, &gone) > places(snap, set.class, node, &[])
                };
                if self.roster.sets.iter().any(fits) {
                    nodes.push((cost, snap.nodes().rank(node), taken));
                    break;
                }
            }
        }
        nodes.sort_by_key(|(cost, rank, _)| (*cost, *rank));
        let mut line: Vec<&Bundle> = Vec::new();
        for bundle in nodes.into_iter().flat_map(|(_, _, bundles)| bundles) {
            if !line.iter().any(|it| std::ptr::eq(*it, bundle)) {
                line.push(bundle);
            }
        }
        line
    }

    /// The shortest beginning of a line after which the gang fits, less what was not needed.
    fn grow<'x>(&mut self, line: Vec<&'x Bundle>, all: &[&'x Bundle]) -> Option<Found> {
        let (_, wants) = self.place(&line)?;
        let mut lawful: Vec<&Bundle> = Vec::new();
        // Most gangs need few victims: the beginning that is looked at grows twofold.
        let (mut low, mut high) = (0, 1);
        for (index, bundle) in line.iter().copied().enumerate() {
            lawful.push(bundle);
            let is_lawful = |set: &[&Bundle]| is_lawful(self.txn.view(), self.taker, &wants, set);
            if !self.is_bearable(&lawful) || !is_lawful(&lawful) {
                lawful.pop();
            }
            let is_last = index + 1 == line.len();
            if !is_last && lawful.len() < high {
                continue;
            }
            if self.place(&lawful).is_some() {
                break;
            }
            if is_last {
                return None;
            }
            (low, high) = (lawful.len() + 1, lawful.len() * 2);
        }
        high = lawful.len();
        while low < high && !self.placer.fuel.is_empty() {
            let middle = low.midpoint(high);
            match self.place(&lawful[..middle]) {
                Some(_) => high = middle,
                None => low = middle + 1,
            }
        }
        lawful.truncate(high);
        self.give_back(lawful, all)
    }

    /// Gives back each victim without which the gang fits too, the most expensive first; of a gang
    /// that would go as a whole, all but some members above its minimum.
    fn give_back<'x>(&mut self, mut kept: Vec<&'x Bundle>, all: &[&'x Bundle]) -> Option<Found> {
        let mut found = self.test(&kept);
        let mut order: Vec<&Bundle> = kept.clone();
        order.sort_by_key(|it| Reverse((self.budgets.excess(&[it]), it.priority, it.cost)));
        for bundle in order {
            let rest: Vec<&Bundle> =
                kept.iter().copied().filter(|it| !std::ptr::eq(*it, bundle)).collect();
            for pieces in self.pieces(bundle, all, found.as_ref()) {
                // Pieces that stand there beside the whole are among those that are tried.
                let beside = rest.iter().filter(|it| !bundle.is_whole || it.gang != bundle.gang);
                let fewer: Vec<&Bundle> = beside.copied().chain(pieces).collect();
                if let Some(better) = self.test(&fewer).filter(|_| !fewer.is_empty()) {
                    (kept, found) = (fewer, Some(better));
                    break;
                }
            }
        }
        found
    }

    /// What may go instead of a bundle, the least first: nothing, or for a whole gang some members
    /// above its minimum. Of many members those are thought of whose nodes the plan uses.
    fn pieces<'x>(
        &self,
        bundle: &Bundle,
        all: &[&'x Bundle],
        found: Option<&Found>,
    ) -> Vec<Vec<&'x Bundle>> {
        let is_piece = |it: &&&Bundle| !it.is_whole && it.gang == bundle.gang;
        let pieces = all.iter().filter(|_| bundle.is_whole).filter(is_piece).copied();
        let pieces: Vec<&Bundle> = pieces.collect();
        if pieces.len() > PIECES {
            let used: BTreeSet<NodeId> =
                found.iter().flat_map(|it| &it.rooms).map(|(_, room)| room.node).collect();
            let snap = self.txn.view();
            let is_used = |it: &&&Bundle| {
                let mut nodes = it.pods.iter().filter_map(|pod| snap.pods().get(*pod).place.node());
                nodes.any(|node| used.contains(&node))
            };
            return vec![Vec::new(), pieces.iter().filter(is_used).copied().collect()];
        }
        let mut masks: Vec<usize> = (0..1_usize << pieces.len()).collect();
        masks.sort_by_key(|mask| (mask.count_ones(), *mask));
        masks.into_iter().map(|mask| chosen(&pieces, mask).collect()).collect()
    }

    /// Where the gang goes once these are gone, if it fits and it may take them.
    fn test(&mut self, set: &[&Bundle]) -> Option<Found> {
        if !self.is_bearable(set) {
            return None;
        }
        let (rooms, wants) = self.place(set)?;
        is_lawful(self.txn.view(), self.taker, &wants, set)
            .then(|| Found { victims: merged(set), rooms })
    }

    fn is_bearable(&self, set: &[&Bundle]) -> bool {
        is_bearable(set) && (self.breaks || self.budgets.excess(set) == 0)
    }

    fn cheaper(&self, one: Option<Found>, other: Option<Found>) -> Option<Found> {
        let key = |it: &Found| {
            let highest = it.victims.iter().map(|it| it.priority).max();
            let set: Vec<&Bundle> = it.victims.iter().collect();
            (self.budgets.excess(&set), highest, it.cost(), it.victims.len())
        };
        match (one, other) {
            (Some(one), Some(other)) => Some(if key(&other) < key(&one) { other } else { one }),
            (one, other) => one.or(other),
        }
    }

    /// Where the gang goes once these are gone, and what it uses then.
    fn place(&mut self, set: &[&Bundle]) -> Option<(Vec<(ClassId, Kept)>, Usage)> {
        let mark = self.txn.mark();
        let pods: BTreeSet<PodId> = set.iter().flat_map(|it| &it.pods).copied().collect();
        self.placer.fuel.take(pods.len().saturating_mul(STEPS_PER_POD));
        for pod in pods {
            self.txn.apply(Op::Leave(pod));
        }
        let rooms = self.placer.try_now(self.txn, self.roster, self.goal);
        self.txn.rollback(mark);
        let snap = self.txn.view();
        let mut wants = Usage::new();
        for (_, room) in rooms.iter().flatten() {
            let flavour = snap.nodes().flavour(room.node);
            for (resource, amount) in room.request.iter() {
                let units = i128::from(amount.units()) * i128::from(room.count);
                *wants.entry((flavour, *resource)).or_insert(0) += units;
            }
        }
        rooms.map(|rooms| (rooms, wants))
    }
}

/// Pods of a class that a node has room for, by columns alone, once some pods are gone.
fn places(snap: &Snapshot, class: ClassId, node: NodeId, gone: &[PodId]) -> u64 {
    let freed = |resource| -> i64 {
        let classes = gone.iter().filter_map(|pod| snap.pods().get(*pod).class);
        let requests = classes.flat_map(|class| &snap.classes().get(class).request);
        let of_it = requests.filter(|(it, _)| *it == resource);
        of_it.map(|(_, amount)| amount.units()).fold(0, i64::saturating_add)
    };
    let request = &snap.classes().get(class).request;
    let wanted = request.iter().filter(|(_, amount)| amount.units() > 0);
    let places = wanted.map(|(resource, amount)| {
        let free = snap.nodes().free(node, *resource).units().saturating_add(freed(*resource));
        u64::try_from(free / amount.units()).unwrap_or(0)
    });
    places.min().unwrap_or(0)
}

fn chosen<'x>(candidates: &[&'x Bundle], mask: usize) -> impl Iterator<Item = &'x Bundle> {
    let in_mask = move |(index, _): &(usize, &&'x Bundle)| mask >> index & 1 == 1;
    candidates.iter().enumerate().filter(in_mask).map(|(_, it)| *it).collect::<Vec<_>>().into_iter()
}

/// Without pieces of gangs that go as a whole.
fn merged(set: &[&Bundle]) -> Vec<Bundle> {
    let whole: BTreeSet<_> = set.iter().filter(|it| it.is_whole).map(|it| it.gang).collect();
    let stays = |it: &&&Bundle| it.is_whole || !whole.contains(&it.gang);
    set.iter().filter(stays).map(|it| (*it).clone()).collect()
}
