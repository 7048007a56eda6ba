//! How much more a queue may use: limits and borrowing limits on the way up, and what is kept
//! for others.

use super::{Branch, Measure, QueueTree, Usage};
use crate::ids::{FlavourId, QueueId};
use crate::resource::Request;
use crate::spec::Quota;

/// What keeps a queue from using more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ceiling {
    /// Its limit, or that of a queue above it.
    Limit,
    /// Its borrowing limit, or that of a queue above it.
    Borrowing,
    /// The rest is kept for other queues.
    Kept,
}

/// A ceiling that a placement would exceed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Obstacle {
    /// Which kind.
    pub ceiling: Ceiling,
    /// Whose limit it is; whom the most is kept for.
    pub queue: QueueId,
    /// Of what.
    pub measure: Measure,
    /// In use.
    pub used: i128,
    /// What the placement takes.
    pub wants: i128,
    /// Most that may be in use.
    pub most: i128,
}

impl QueueTree {
    /// How many pods wanting `request` each may still start on nodes of `flavour`; `u32::MAX`
    /// if nothing keeps the queue from it.
    #[must_use]
    pub fn headroom(&self, queue: QueueId, flavour: FlavourId, request: &Request) -> u32 {
        let mut room = u32::MAX;
        for id in self.ids_up(queue) {
            let row = self.get(id);
            for (measure, quota) in row.quotas.iter().filter(|(it, _)| it.counts(flavour)) {
                let Some(want) = wanted(request, *measure) else { continue };
                let entitled = self.share(Branch::Queue(id), *measure).entitled;
                if let Some((most, _)) = ceiling(entitled, quota) {
                    room = room.min(times(most - row.used(*measure), want));
                }
            }
        }
        if self.division.keepers.is_empty() {
            return room;
        }
        for (resource, amount) in request.iter().filter(|(_, amount)| amount.units() > 0) {
            for flavour in [None, Some(flavour)] {
                let measure = Measure { flavour, resource: *resource };
                if let Some((free, _)) = self.unkept(queue, measure) {
                    room = room.min(times(free, i128::from(amount.units())));
                }
            }
        }
        room
    }

    /// True if something may keep the queue from using more, however little it uses now.
    #[must_use]
    pub fn has_ceilings(&self, queue: QueueId) -> bool {
        let is_ceiling = |(_, quota): &(Measure, Quota)| {
            quota.limit.is_some() || quota.borrowing_limit.is_some()
        };
        !self.division.keepers.is_empty()
            || self.path(queue).any(|row| row.quotas.iter().any(is_ceiling))
    }

    /// The first ceiling that using `wants` more would exceed, from the queue upwards.
    #[must_use]
    pub fn obstacle(&self, queue: QueueId, wants: &Usage) -> Option<Obstacle> {
        for id in self.ids_up(queue) {
            let row = self.get(id);
            for (measure, quota) in &row.quotas {
                let (used, wants) = (row.used(*measure), measure.of(wants));
                let entitled = self.share(Branch::Queue(id), *measure).entitled;
                let Some((most, ceiling)) = ceiling(entitled, quota) else { continue };
                if wants > 0 && used + wants > most {
                    return Some(Obstacle {
                        ceiling,
                        queue: id,
                        measure: *measure,
                        used,
                        wants,
                        most,
                    });
                }
            }
        }
        let measures = wants.keys().flat_map(|(flavour, resource)| {
            let at = |flavour| Measure { flavour, resource: *resource };
            [at(None), at(Some(*flavour))]
        });
        measures.filter(|_| !self.division.keepers.is_empty()).find_map(|measure| {
            let (free, keeper) = self.unkept(queue, measure)?;
            let wants = measure.of(wants);
            let ceiling = Ceiling::Kept;
            let used = measure.of(&self.count_total());
            let most = used + free.max(0);
            let exceeds = wants > 0 && wants > free;
            exceeds.then_some(Obstacle { ceiling, queue: keeper, measure, used, wants, most })
        })
    }

    /// What is free beside what is kept from this queue, and the queue that keeps most for itself;
    /// `None` if nothing is kept from this one.
    fn unkept(&self, queue: QueueId, measure: Measure) -> Option<(i128, QueueId)> {
        let free = *self.division.free.get(&measure)? - measure.of(&self.taken);
        let (mut kept, mut first) = (0, None);
        // Own gangs compete with the queues below their queue, too.
        let below = std::iter::once((Some(queue), None));
        let beside = self.ids_up(queue).map(|id| (self.get(id).parent, Some(id)));
        for (parent, branch) in below.chain(beside) {
            let keepers = self.division.keepers.get(&(parent, measure)).into_iter().flatten();
            for keeper in keepers.filter(|it| Some(**it) != branch) {
                let unused = self.unused(*keeper, measure);
                kept += unused;
                if unused > 0 && first.is_none_or(|(most, _)| unused > most) {
                    first = Some((unused, *keeper));
                }
            }
        }
        let (_, keeper) = first?;
        Some((free - kept, keeper))
    }
}

impl QueueTree {
    /// What is kept for a queue or for those below it, and not in use. What its own gangs use is
    /// taken from its own part, not from theirs. Trees may be deeper than a stack.
    fn unused(&self, keeper: QueueId, measure: Measure) -> i128 {
        // Of each queue on the way down: what is its own, what is below it, who is to be asked.
        let ask = |queue: QueueId| {
            let share = self.share(Branch::Queue(queue), measure);
            let own = share.kept - self.get(queue).used(measure);
            let below = self.division.keepers.get(&(Some(queue), measure)).into_iter().flatten();
            (own, 0_i128, below)
        };
        let (mut path, mut unused) = (vec![ask(keeper)], 0);
        while let Some((own, below, asked)) = path.last_mut() {
            if let Some(next) = asked.next() {
                path.push(ask(*next));
                continue;
            }
            unused = (*own).max(*below).max(0);
            path.pop();
            if let Some((_, below, _)) = path.last_mut() {
                *below += unused;
            }
        }
        unused
    }
}

/// The lowest ceiling that a quota sets, and which kind it is.
fn ceiling(entitled: i128, quota: &Quota) -> Option<(i128, Ceiling)> {
    let limit = quota.limit.map(|it| (i128::from(it.units()), Ceiling::Limit));
    let borrowing = quota.borrowing_limit.map(|borrows| {
        let own = quota.deserved.map_or(entitled, |it| i128::from(it.units()));
        (own + i128::from(borrows.units()), Ceiling::Borrowing)
    });
    limit.into_iter().chain(borrowing).min_by_key(|(most, _)| *most)
}

pub(super) fn wanted(request: &Request, measure: Measure) -> Option<i128> {
    let (_, amount) = request.iter().find(|(resource, _)| *resource == measure.resource)?;
    (amount.units() > 0).then_some(i128::from(amount.units()))
}

pub(super) fn times(left: i128, each: i128) -> u32 {
    u32::try_from((left / each).max(0)).unwrap_or(u32::MAX)
}
