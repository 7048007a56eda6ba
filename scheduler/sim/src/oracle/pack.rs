//! Several shapes that do not look at each other: exhaustive packing.
//!
//! Nodes that look alike to all demands are one kind, so a state is a count of nodes per kind;
//! a state that led nowhere is remembered and never entered again. Exact: every kind is tried
//! for every pod.

use super::fuel::{Fuel, Fueled};
use super::{Ground, QueueRoom};
use scheduler_model::amount::Amount;
use scheduler_model::spec::Resources;
use std::collections::{BTreeMap, BTreeSet};

/// Pods of one shape that must all be placed.
pub(super) struct Demand<'a> {
    pub(super) requests: &'a Resources,
    /// Positions of the nodes that allow it, ascending.
    pub(super) nodes: &'a [usize],
    pub(super) count: u32,
    /// Positions of the rooms that are charged.
    pub(super) rooms: Vec<usize>,
}

/// What nodes of one kind have in common.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct NodeKind {
    /// Free room, by position of the resource.
    free: Vec<Amount>,
    /// Which demands it allows.
    allows: Vec<bool>,
    flavour: String,
}

type Spent = (usize, u32, Vec<(NodeKind, usize)>, Vec<Amount>);

struct Packing<'a> {
    demands: Vec<(usize, &'a Demand<'a>, Vec<Amount>)>,
    rooms: &'a [QueueRoom],
    resources: Vec<&'a String>,
    kinds: BTreeMap<NodeKind, Vec<usize>>,
    left: Vec<Amount>,
    places: Vec<(usize, usize)>,
    spent: BTreeSet<Spent>,
}

/// A place for every pod of every demand, as (demand, node), if there is a way.
pub(super) fn pack(
    ground: &Ground<'_>,
    demands: &[Demand<'_>],
    rooms: &[QueueRoom],
    fuel: &mut Fuel,
) -> Fueled<Option<Vec<(usize, usize)>>> {
    let mut packing = Packing::new(ground, demands, rooms);
    Ok(packing.go(0, packing.count_of(0), fuel)?.then_some(packing.places))
}

impl<'a> Packing<'a> {
    fn new(ground: &Ground<'_>, demands: &'a [Demand<'a>], rooms: &'a [QueueRoom]) -> Self {
        let names: BTreeSet<&String> = demands.iter().flat_map(|one| one.requests.keys()).collect();
        let resources: Vec<&String> = names.into_iter().collect();
        let wants = |one: &Demand<'_>| -> Vec<Amount> {
            resources
                .iter()
                .map(|name| one.requests.get(*name).copied().unwrap_or_default())
                .collect()
        };
        let mut wanted: Vec<Amount> = vec![Amount::ZERO; resources.len()];
        for one in demands {
            for (sum, want) in wanted.iter_mut().zip(wants(one)) {
                *sum = sum.plus(want.times(one.count));
            }
        }
        let mut kinds: BTreeMap<NodeKind, Vec<usize>> = BTreeMap::new();
        for (at, row) in ground.nodes.iter().enumerate() {
            let allows: Vec<bool> =
                demands.iter().map(|one| one.nodes.binary_search(&at).is_ok()).collect();
            if !allows.contains(&true) {
                continue;
            }
            // More than all demands together is as good as exactly that.
            let free = resources
                .iter()
                .zip(&wanted)
                .map(|(name, most)| row.free.get(*name).copied().unwrap_or_default().min(*most))
                .collect();
            let kind = NodeKind { free, allows, flavour: row.spec.flavour.clone() };
            kinds.entry(kind).or_default().push(at);
        }
        let mut packing = Self {
            demands: demands.iter().enumerate().map(|(at, one)| (at, one, wants(one))).collect(),
            rooms,
            resources,
            kinds,
            left: rooms.iter().map(|room| room.left).collect(),
            places: Vec::new(),
            spent: BTreeSet::new(),
        };
        packing.hardest_first();
        packing
    }

    /// A wrong turn shows sooner where there are few places.
    fn hardest_first(&mut self) {
        let kinds = &self.kinds;
        let places = |at: usize, wants: &[Amount]| -> u64 {
            kinds.iter().map(|(kind, nodes)| kind.seats(at, wants) * size(nodes.len())).sum()
        };
        self.demands.sort_by_key(|(at, _, wants)| (places(*at, wants), *at));
    }

    fn count_of(&self, at: usize) -> u32 {
        self.demands.get(at).map_or(0, |(_, demand, _)| demand.count)
    }

    /// Places `missing` more pods of the demand at `at` and all later demands.
    fn go(&mut self, at: usize, missing: u32, fuel: &mut Fuel) -> Fueled<bool> {
        if at == self.demands.len() {
            return Ok(true);
        }
        if missing == 0 {
            return self.go(at + 1, self.count_of(at + 1), fuel);
        }
        fuel.burn(self.kinds.len() + 1)?;
        if !self.may_fit(at, missing) {
            return Ok(false);
        }
        let state = self.state(at, missing);
        if self.spent.contains(&state) {
            return Ok(false);
        }
        let (demand, _, wants) = &self.demands[at];
        let (demand, wants) = (*demand, wants.clone());
        let mut kinds: Vec<NodeKind> =
            self.kinds.keys().filter(|kind| kind.seats(demand, &wants) > 0).cloned().collect();
        kinds.sort_by_key(|kind| kind.seats(demand, &wants));
        for kind in kinds {
            if !self.charge(at, &kind.flavour, 1) {
                self.charge(at, &kind.flavour, -1);
                continue;
            }
            let node = self.take(&kind);
            let after = kind.after(&wants);
            self.kinds.entry(after.clone()).or_default().push(node);
            self.places.push((demand, node));
            if self.go(at, missing - 1, fuel)? {
                return Ok(true);
            }
            self.places.pop();
            let node = self.take(&after);
            self.kinds.entry(kind.clone()).or_default().push(node);
            self.charge(at, &kind.flavour, -1);
        }
        self.spent.insert(state);
        Ok(false)
    }

    /// Upper bounds: every demand alone has enough seats, and every resource is enough in sum.
    fn may_fit(&self, at: usize, missing: u32) -> bool {
        let mut wanted = vec![Amount::ZERO; self.resources.len()];
        for (demand, one, wants) in &self.demands[at..] {
            let count = if *demand == self.demands[at].0 { missing } else { one.count };
            let seats: u64 = self
                .kinds
                .iter()
                .map(|(kind, nodes)| kind.seats(*demand, wants) * size(nodes.len()))
                .sum();
            if seats < u64::from(count) {
                return false;
            }
            for (sum, want) in wanted.iter_mut().zip(wants) {
                *sum = sum.plus(want.times(count));
            }
        }
        let free = |resource: usize| {
            self.kinds.iter().fold(Amount::ZERO, |sum, (kind, nodes)| {
                let each = kind.free[resource].max(Amount::ZERO);
                sum.plus(each.times(u32::try_from(nodes.len()).unwrap_or(u32::MAX)))
            })
        };
        wanted.iter().enumerate().all(|(resource, wanted)| *wanted <= free(resource))
    }

    fn state(&self, at: usize, missing: u32) -> Spent {
        let kinds = self.kinds.iter().map(|(kind, nodes)| (kind.clone(), nodes.len())).collect();
        (at, missing, kinds, self.left.clone())
    }

    /// Charges one pod (`sign` 1) to its rooms, or gives it back (-1); false if a room that
    /// it takes from is overdrawn.
    fn charge(&mut self, at: usize, flavour: &str, sign: i64) -> bool {
        let (_, demand, _) = &self.demands[at];
        let mut within = true;
        for room in &demand.rooms {
            let limit = &self.rooms[*room];
            if limit.flavour.as_deref().is_some_and(|only| only != flavour) {
                continue;
            }
            let want = demand.requests.get(&limit.resource).copied().unwrap_or_default();
            let left = &mut self.left[*room];
            *left = if sign > 0 { left.minus(want) } else { left.plus(want) };
            within &= want == Amount::ZERO || *left >= Amount::ZERO;
        }
        within
    }

    fn take(&mut self, kind: &NodeKind) -> usize {
        let nodes = self.kinds.get_mut(kind).expect("the kind was just listed");
        let node = nodes.pop().expect("no kind is kept without nodes");
        if nodes.is_empty() {
            self.kinds.remove(kind);
        }
        node
    }
}

impl NodeKind {
    fn seats(&self, demand: usize, wants: &[Amount]) -> u64 {
        if !self.allows[demand] {
            return 0;
        }
        let seats = self.free.iter().zip(wants).map(|(free, want)| free.holds(*want)).min();
        u64::from(seats.unwrap_or(0))
    }

    fn after(&self, wants: &[Amount]) -> Self {
        let free = self.free.iter().zip(wants).map(|(free, want)| free.minus(*want)).collect();
        Self { free, ..self.clone() }
    }
}

fn size(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}
