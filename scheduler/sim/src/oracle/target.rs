//! Which members are to be placed, and where the closed form is enough.
//!
//! Whatever can be placed can also be placed in part, so only the smallest sets that meet all
//! minimums have to be tried.

use super::fuel::{Fuel, Fueled};
use super::lot::{Lot, lots};
use super::pack::{Demand, pack};
use super::seats::seats;
use super::{Binds, GangQuestion, Ground};
use scheduler_model::amount::Amount;
use scheduler_model::spec::Resources;
use std::collections::BTreeMap;

/// How many members are missing.
pub(super) struct Need {
    pub(super) total: u32,
    pub(super) roles: BTreeMap<String, u32>,
}

impl Need {
    pub(super) fn of(question: &GangQuestion) -> Self {
        let mut roles: BTreeMap<String, u32> = BTreeMap::new();
        for role in &question.roles {
            let has = question.counted_by_role.get(&role.name).copied().unwrap_or(0);
            let missing = roles.entry(role.name.clone()).or_default();
            *missing = role.min.saturating_sub(has).max(*missing);
        }
        let of_roles = roles.values().fold(0_u32, |sum, missing| sum.saturating_add(*missing));
        Self { total: question.min.saturating_sub(question.counted).max(of_roles), roles }
    }

    /// True if `counts` per lot meet the need.
    fn met_by(&self, lots: &[Lot], counts: &[u32]) -> bool {
        let sum_of = |role: Option<&String>| {
            let of_role = lots
                .iter()
                .zip(counts)
                .filter(|(lot, _)| role.is_none_or(|role| lot.role == *role));
            of_role.fold(0_u32, |sum, (_, count)| sum.saturating_add(*count))
        };
        sum_of(None) >= self.total
            && self.roles.iter().all(|(role, missing)| sum_of(Some(role)) >= *missing)
    }
}

/// Places what the gang needs as if its members did not look at each other.
pub(super) fn place(
    ground: &Ground<'_>,
    question: &GangQuestion,
    need: &Need,
    fuel: &mut Fuel,
) -> Fueled<Option<Binds>> {
    let lots = lots(ground, question);
    let existing: Vec<u32> = lots.iter().map(|lot| count(lot.uids.len())).collect();
    if !need.met_by(&lots, &existing) {
        return Ok(None);
    }
    for domain in ground.domains(question) {
        let lots = inside(&lots, &domain);
        if let Some(binds) = place_in_domain(ground, question, need, &lots, fuel)? {
            return Ok(Some(binds));
        }
    }
    Ok(None)
}

/// The lots with only those of their nodes that lie in `domain`.
pub(super) fn inside(lots: &[Lot], domain: &[usize]) -> Vec<Lot> {
    let narrow = |lot: &Lot| Lot {
        nodes: lot.nodes.iter().copied().filter(|at| domain.binary_search(at).is_ok()).collect(),
        ..lot.clone()
    };
    lots.iter().map(narrow).collect()
}

fn place_in_domain(
    ground: &Ground<'_>,
    question: &GangQuestion,
    need: &Need,
    lots: &[Lot],
    fuel: &mut Fuel,
) -> Fueled<Option<Binds>> {
    let rooms = &question.room;
    if let Some(first) = lots.first()
        && lots.iter().all(|lot| lot.requests == first.requests && lot.nodes == first.nodes)
    {
        let nodes = first.nodes.iter().copied();
        let seats = seats(ground, &first.requests, nodes, rooms, need.total);
        let enough = count(seats.len()) >= need.total;
        return Ok(enough.then(|| seat(ground, need, lots, &seats)));
    }
    if too_small(ground, question, need, lots) {
        return Ok(None);
    }
    let targets = targets(ground, question, need, lots, fuel)?;
    for target in targets {
        let demands = demands(lots, &target, rooms.len());
        if let Some(places) = pack(ground, &demands, rooms, fuel)? {
            return Ok(Some(name(ground, lots, places)));
        }
    }
    Ok(None)
}

/// Gives the seats first to what the roles need, then to anybody.
fn seat(ground: &Ground<'_>, need: &Need, lots: &[Lot], seats: &[usize]) -> Binds {
    let mut first: Vec<&String> = Vec::new();
    let mut rest: Vec<&String> = Vec::new();
    let mut missing = need.roles.clone();
    for lot in lots {
        for uid in &lot.uids {
            match missing.get_mut(&lot.role).filter(|missing| **missing > 0) {
                Some(missing) => {
                    *missing -= 1;
                    first.push(uid);
                }
                None => rest.push(uid),
            }
        }
    }
    let uids = first.into_iter().chain(rest);
    let binds = uids.zip(seats).map(|(uid, at)| (uid.clone(), ground.nodes[*at].spec.name.clone()));
    binds.collect()
}

/// Upper bound: as many pods as needed, each no larger than the smallest in every resource,
/// do not fit on all nodes together.
fn too_small(ground: &Ground<'_>, question: &GangQuestion, need: &Need, lots: &[Lot]) -> bool {
    let Some(first) = lots.first() else { return need.total > 0 };
    let least = |(name, amount): (&String, &Amount)| {
        let others = lots.iter().map(|lot| lot.requests.get(name).copied().unwrap_or_default());
        (name.clone(), others.fold(*amount, Amount::min))
    };
    let smallest: Resources = first.requests.iter().map(least).collect();
    let mut nodes: Vec<usize> = lots.iter().flat_map(|lot| &lot.nodes).copied().collect();
    nodes.sort_unstable();
    nodes.dedup();
    count(seats(ground, &smallest, nodes, &question.room, need.total).len()) < need.total
}

/// All smallest ways to meet the need, as counts per lot, each no larger than the lot and the
/// seats it would have for itself.
pub(super) fn targets(
    ground: &Ground<'_>,
    question: &GangQuestion,
    need: &Need,
    lots: &[Lot],
    fuel: &mut Fuel,
) -> Fueled<Vec<Vec<u32>>> {
    let most: Vec<u32> = lots
        .iter()
        .map(|lot| {
            let wanted = count(lot.uids.len()).min(need.total);
            let nodes = lot.nodes.iter().copied();
            count(seats(ground, &lot.requests, nodes, &question.room, wanted).len())
        })
        .collect();
    let mut targets = Vec::new();
    if need.met_by(lots, &most) {
        extend(&mut Vec::new(), need, (lots, &most), &mut targets, fuel)?;
    }
    Ok(targets)
}

fn extend(
    counts: &mut Vec<u32>,
    need: &Need,
    (lots, most): (&[Lot], &[u32]),
    targets: &mut Vec<Vec<u32>>,
    fuel: &mut Fuel,
) -> Fueled<()> {
    fuel.burn(1)?;
    let placed: u32 = counts.iter().sum();
    let missing = need.total.saturating_sub(placed);
    let Some(most_here) = most.get(counts.len()).copied() else {
        if missing == 0 && need.met_by(lots, counts) {
            targets.push(counts.clone());
        }
        return Ok(());
    };
    let rest: u64 = most[counts.len() + 1..].iter().copied().map(u64::from).sum();
    for here in (0..=most_here.min(missing)).rev() {
        if u64::from(missing - here) > rest {
            break;
        }
        counts.push(here);
        let done = extend(counts, need, (lots, most), targets, fuel);
        counts.pop();
        done?;
    }
    Ok(())
}

/// One demand per lot. All of them are charged to the first `rooms` rooms.
fn demands<'a>(lots: &'a [Lot], target: &[u32], rooms: usize) -> Vec<Demand<'a>> {
    let demand = |(lot, count): (&'a Lot, &u32)| Demand {
        requests: &lot.requests,
        nodes: &lot.nodes,
        count: *count,
        rooms: (0..rooms).collect(),
    };
    lots.iter().zip(target).map(demand).collect()
}

/// Gives names to places (lot, node).
fn name(ground: &Ground<'_>, lots: &[Lot], places: Vec<(usize, usize)>) -> Binds {
    let mut next: Vec<_> = lots.iter().map(|lot| lot.uids.iter()).collect();
    let bind = |(lot, at): (usize, usize)| {
        let uid = next[lot].next().expect("a lot gives no more places than it has pods");
        (uid.clone(), ground.nodes[at].spec.name.clone())
    };
    places.into_iter().map(bind).collect()
}

fn count(size: usize) -> u32 {
    u32::try_from(size).unwrap_or(u32::MAX)
}
