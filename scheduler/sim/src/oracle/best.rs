//! The optimum on tiny worlds, to measure a heuristic's gap against.

use super::fuel::{Fuel, Fueled};
use super::lot::{Lot, looks_at_pods, lots};
use super::pack::{Demand, pack};
use super::search::search;
use super::target::{Need, inside, targets};
use super::{Answer, GangQuestion, Ground, QueueRoom};
use crate::checker::Cluster;
use std::collections::BTreeMap;

/// The largest number of the gang's pending pods that can be placed, whatever its minimums;
/// `None` if the budget (per attempt) is too small to tell.
#[must_use]
pub fn best_count(cluster: &Cluster, question: &GangQuestion, budget: u64) -> Option<u32> {
    let ground = Ground::new(cluster);
    let most = u32::try_from(question.pending.len()).unwrap_or(u32::MAX);
    // Whatever can be placed can be placed in part, so halving is exact.
    let (mut can, mut cannot) = (0, most.saturating_add(1));
    while cannot - can > 1 {
        let half = can + (cannot - can) / 2;
        let attempt = GangQuestion {
            min: question.counted.saturating_add(half),
            roles: Vec::new(),
            ..question.clone()
        };
        match ground.feasible(&attempt, budget) {
            Answer::Yes(_) => can = half,
            Answer::No => cannot = half,
            Answer::TooLarge => return None,
        }
    }
    Some(can)
}

/// The largest number of these gangs that can have their minimum together, placed one gang
/// after another; `None` if the budget is too small to tell or there are more than 16.
#[must_use]
pub fn best_total(cluster: &Cluster, questions: &[GangQuestion], budget: u64) -> Option<u32> {
    if questions.len() > 16 {
        return None;
    }
    let ground = Ground::new(cluster);
    let fuel = &mut Fuel::new(budget);
    let mut sets: Vec<u32> = (0..1_u32 << questions.len()).collect();
    sets.sort_by_key(|set| std::cmp::Reverse(set.count_ones()));
    for set in sets {
        let chosen: Vec<&GangQuestion> = questions
            .iter()
            .enumerate()
            .filter(|(at, _)| set & (1 << at) != 0)
            .map(|(_, question)| question)
            .collect();
        if together(&ground, &chosen, fuel).ok()? {
            return Some(set.count_ones());
        }
    }
    Some(0)
}

fn together(ground: &Ground<'_>, chosen: &[&GangQuestion], fuel: &mut Fuel) -> Fueled<bool> {
    let alone = chosen.iter().filter(|question| !looks_at_pods(question));
    for question in alone {
        // Other gangs only take places away, unless they are who a pod looks for.
        if ground.find(question, fuel)?.is_none() {
            return Ok(false);
        }
    }
    if chosen.iter().any(|question| looks_at_pods(question)) {
        return Ok(search(ground.cluster, chosen, fuel)?.is_some());
    }
    let mut rooms: BTreeMap<(String, Option<String>, String), QueueRoom> = BTreeMap::new();
    for room in chosen.iter().flat_map(|question| &question.room) {
        let key = (room.queue.clone(), room.flavour.clone(), room.resource.clone());
        let entry = rooms.entry(key).or_insert_with(|| room.clone());
        entry.left = entry.left.min(room.left);
    }
    let rooms: Vec<QueueRoom> = rooms.into_values().collect();
    let mut options = Vec::new();
    for question in chosen {
        options.push(Options {
            rooms: (0..rooms.len()).filter(|at| charges(question, &rooms[*at])).collect(),
            ways: ways(ground, question, fuel)?,
        });
    }
    any_product(ground, &options, &rooms, &mut Vec::new(), fuel)
}

/// The ways one gang can be placed, and the rooms it is charged to.
struct Options {
    rooms: Vec<usize>,
    ways: Vec<Way>,
}

/// Lots inside one domain, and how many pods of each.
type Way = (Vec<Lot>, Vec<u32>);

fn charges(question: &GangQuestion, room: &QueueRoom) -> bool {
    question.room.iter().any(|own| {
        (&own.queue, &own.flavour, &own.resource) == (&room.queue, &room.flavour, &room.resource)
    })
}

fn ways(ground: &Ground<'_>, question: &GangQuestion, fuel: &mut Fuel) -> Fueled<Vec<Way>> {
    let lots = lots(ground, question);
    let need = Need::of(question);
    let mut ways = Vec::new();
    for domain in ground.domains(question) {
        let lots = inside(&lots, &domain);
        for target in targets(ground, question, &need, &lots, fuel)? {
            ways.push((lots.clone(), target));
        }
    }
    Ok(ways)
}

/// True if some choice of one way per gang can be packed as a whole.
fn any_product<'a>(
    ground: &Ground<'_>,
    options: &'a [Options],
    rooms: &[QueueRoom],
    chosen: &mut Vec<(&'a Options, &'a Way)>,
    fuel: &mut Fuel,
) -> Fueled<bool> {
    fuel.burn(1)?;
    let Some(gang) = options.get(chosen.len()) else {
        let mut demands = Vec::new();
        for (options, (lots, target)) in chosen.iter() {
            demands.extend(lots.iter().zip(target).map(|(lot, count)| Demand {
                requests: &lot.requests,
                nodes: &lot.nodes,
                count: *count,
                rooms: options.rooms.clone(),
            }));
        }
        return Ok(pack(ground, &demands, rooms, fuel)?.is_some());
    };
    for way in &gang.ways {
        chosen.push((gang, way));
        let found = any_product(ground, options, rooms, chosen, fuel);
        chosen.pop();
        if found? {
            return Ok(true);
        }
    }
    Ok(false)
}
