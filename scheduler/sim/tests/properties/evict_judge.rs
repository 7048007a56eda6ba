//! Judges evictions by brute force: every set of victims of a tiny world, by the written rules.
//!
//! It shares no code with the engine: it has a model of its own (two resources, two levels of
//! queues, members of one size), and divides shares by fixing one level after the other.

use std::collections::BTreeMap;

/// GPUs and thousandths of a core.
pub(crate) type Units = [i64; 2];

/// A queue; its parent, if it has one, holds no gangs of its own.
#[derive(Clone, Debug)]
pub(crate) struct Queue {
    pub(crate) parent: Option<usize>,
    pub(crate) weight: i64,
    pub(crate) gpu_limit: Option<i64>,
    pub(crate) reclaimable: bool,
    /// Whether its gangs may refuse to go, and what they may add to their cost, where it says so.
    pub(crate) grants: (Option<bool>, Option<i64>),
}

/// A gang of equal members. Those that run have a node each.
#[derive(Clone, Debug)]
pub(crate) struct Gang {
    pub(crate) queue: usize,
    pub(crate) priority: i64,
    pub(crate) min: usize,
    pub(crate) each: Units,
    pub(crate) nodes: Vec<usize>,
    /// Seconds that each member ran, and since it saved its work, if it did.
    pub(crate) ran: i64,
    pub(crate) saved: Option<i64>,
    /// What it adds to the cost of each member.
    pub(crate) adds: i64,
    /// It wishes not to be evicted.
    pub(crate) refuses: bool,
    pub(crate) unbreakable: bool,
    /// The disruption budgets that its members are under, as a bit mask.
    pub(crate) budgets: u32,
}

/// A world of running gangs, and one that wants room.
#[derive(Clone, Debug)]
pub(crate) struct World {
    pub(crate) nodes: Vec<Units>,
    /// The rack of each node.
    pub(crate) racks: Vec<usize>,
    pub(crate) queues: Vec<Queue>,
    pub(crate) gangs: Vec<Gang>,
    pub(crate) taker: Gang,
    /// The taker's members must share a rack.
    pub(crate) together: bool,
    /// How many pods each disruption budget lets go.
    pub(crate) budgets: Vec<u32>,
}

/// Members that go, per gang, as a bit mask over its members.
pub(crate) type Victims = Vec<u32>;

impl World {
    /// Free room once the victims are gone.
    fn free(&self, victims: &Victims) -> Vec<Units> {
        let mut free = self.nodes.clone();
        for (gang, gone) in self.gangs.iter().zip(victims) {
            for (member, node) in gang.nodes.iter().enumerate() {
                if gone >> member & 1 == 0 {
                    free[*node][0] -= gang.each[0];
                    free[*node][1] -= gang.each[1];
                }
            }
        }
        free
    }

    /// True if the taker's minimum fits, within the limits of its queue and of that above.
    pub(crate) fn fits(&self, victims: &Victims) -> bool {
        let free = self.free(victims);
        let places = |node: usize| {
            let of = |resource: usize| match self.taker.each[resource] {
                0 => i64::MAX,
                each => free[node][resource] / each,
            };
            of(0).min(of(1)).max(0)
        };
        let in_rack = |rack: usize| -> i64 {
            let nodes = (0..self.nodes.len()).filter(|node| self.racks[*node] == rack);
            nodes.map(places).sum()
        };
        let need = i64::try_from(self.taker.min).expect("few");
        let has_room = match self.together {
            true => self.racks.iter().any(|rack| in_rack(*rack) >= need),
            false => (0..self.nodes.len()).map(places).sum::<i64>() >= need,
        };
        let wants = need * self.taker.each[0];
        let is_within = |queue: &usize| {
            let limit = self.queues[*queue].gpu_limit;
            limit.is_none_or(|limit| wants == 0 || self.used(*queue, victims)[0] + wants <= limit)
        };
        has_room && self.path(self.taker.queue).iter().all(is_within)
    }

    /// From the top down.
    fn path(&self, queue: usize) -> Vec<usize> {
        self.queues[queue].parent.into_iter().chain([queue]).collect()
    }

    /// What a queue and those below it use once the victims are gone.
    fn used(&self, queue: usize, victims: &Victims) -> Units {
        let mut used = [0; 2];
        for (gang, gone) in self.gangs.iter().zip(victims) {
            if self.path(gang.queue).contains(&queue) {
                let left =
                    i64::try_from(gang.nodes.len()).expect("few") - i64::from(gone.count_ones());
                used[0] += left * gang.each[0];
                used[1] += left * gang.each[1];
            }
        }
        used
    }

    fn none(&self) -> Victims {
        vec![0; self.gangs.len()]
    }

    /// The fair share of every queue in one resource.
    pub(crate) fn fair(&self, resource: usize) -> Vec<i64> {
        let count = self.queues.len();
        let limit = |queue: usize| match (resource, self.queues[queue].gpu_limit) {
            (0, Some(limit)) => limit,
            _ => i64::MAX,
        };
        let has_kids = |queue: usize| self.queues.iter().any(|it| it.parent == Some(queue));
        let pending =
            i64::try_from(self.taker.nodes.len()).expect("few") * self.taker.each[resource];
        let mut demand = vec![0; count];
        for queue in (0..count).rev() {
            demand[queue] = if has_kids(queue) {
                (0..count)
                    .filter(|it| self.queues[*it].parent == Some(queue))
                    .map(|it| demand[it])
                    .sum()
            } else {
                let own = if queue == self.taker.queue { pending } else { 0 };
                self.used(queue, &self.none())[resource] + own
            };
            demand[queue] = demand[queue].min(limit(queue));
        }
        let mut fair = vec![0; count];
        let whole: i64 = self.nodes.iter().map(|node| node[resource]).sum();
        self.share_out(None, whole, &demand, &mut fair);
        for queue in 0..count {
            self.share_out(Some(queue), fair[queue], &demand, &mut fair);
        }
        fair
    }

    /// Fixes those that want less than their part of the present level, until none is left.
    fn share_out(&self, parent: Option<usize>, whole: i64, demand: &[i64], fair: &mut [i64]) {
        let mut open: Vec<usize> =
            (0..self.queues.len()).filter(|it| self.queues[*it].parent == parent).collect();
        let mut left = whole;
        loop {
            let weights: i64 = open.iter().map(|it| self.queues[*it].weight).sum();
            let is_full = |it: &usize| demand[*it] * weights <= left * self.queues[*it].weight;
            let Some(at) = open.iter().position(is_full) else { break };
            let queue = open.remove(at);
            fair[queue] = demand[queue];
            left -= demand[queue];
        }
        let weights: i64 = open.iter().map(|it| self.queues[*it].weight).sum();
        let mut rest: Vec<(i64, usize)> = Vec::new();
        let mut given = 0;
        for queue in open {
            let product = left * self.queues[queue].weight;
            fair[queue] = product / weights;
            given += fair[queue];
            rest.push((-(product % weights), queue));
        }
        rest.sort_unstable();
        let spare = usize::try_from(left - given).unwrap_or(0);
        for (_, queue) in rest.into_iter().take(spare) {
            fair[queue] += 1;
        }
    }

    /// Why these victims may not be taken; `None` if they may.
    pub(crate) fn unlawful(&self, victims: &Victims, fair: &[Vec<i64>; 2]) -> Option<String> {
        if self.broken(victims) > 0 {
            return Some("a disruption budget is broken".to_owned());
        }
        let need = i64::try_from(self.taker.min).expect("few");
        let wants = [need * self.taker.each[0], need * self.taker.each[1]];
        let own = self.path(self.taker.queue);
        let mut sides: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (at, gang) in self.gangs.iter().enumerate().filter(|(at, _)| victims[*at] != 0) {
            if gang.queue == self.taker.queue {
                if gang.priority >= self.taker.priority {
                    return Some(format!("gang {at} has no lower priority"));
                }
                continue;
            }
            let theirs = self.path(gang.queue);
            let same = own.iter().zip(&theirs).take_while(|(a, b)| a == b).count();
            if theirs[same..].iter().any(|queue| !self.queues[*queue].reclaimable) {
                return Some(format!("gang {at} is not reclaimable"));
            }
            sides.entry(same * 100 + theirs[same]).or_default().push(at);
        }
        for (side, gangs) in sides {
            let (same, theirs) = (side / 100, side % 100);
            let within = own[same..].iter().all(|queue| {
                (0..2).all(|it| {
                    wants[it] == 0 || self.used(*queue, victims)[it] + wants[it] <= fair[it][*queue]
                })
            });
            if !within {
                return Some("the taker would have more than its fair share".to_owned());
            }
            let is_just = |it: usize| {
                let taker = self.used(own[same], victims)[it] + wants[it];
                let victim = self.used(theirs, victims)[it];
                wants[it] > 0
                    && taker * fair[it][theirs] <= victim * fair[it][own[same]]
                    && gangs.iter().all(|at| self.is_surplus(*at, same, it, victims, fair))
            };
            if !(0..2).any(is_just) {
                return Some(format!("queue {theirs} would fall behind, or has no surplus"));
            }
        }
        None
    }

    /// Each piece of a gang that goes was above the fair share of every queue on its side, with
    /// all other victims gone.
    fn is_surplus(
        &self,
        at: usize,
        same: usize,
        it: usize,
        victims: &Victims,
        fair: &[Vec<i64>; 2],
    ) -> bool {
        let gang = &self.gangs[at];
        let gone = i64::from(victims[at].count_ones());
        let is_whole = usize::try_from(victims[at].count_ones()) == Ok(gang.nodes.len());
        let piece = if is_whole { gone * gang.each[it] } else { gang.each[it] };
        piece > 0
            && self.path(gang.queue)[same..]
                .iter()
                .all(|queue| self.used(*queue, victims)[it] + piece > fair[it][*queue])
    }

    /// What the loss of one member of a gang costs: a minute, work that is not saved, and what it
    /// adds as far as every queue above it lets it; an hour where none says.
    fn price(&self, gang: &Gang) -> i64 {
        let path = self.path(gang.queue);
        let most = path.iter().filter_map(|queue| self.queues[*queue].grants.1).min();
        60 + gang.saved.map_or(gang.ran, |ago| ago.min(gang.ran))
            + gang.adds.min(most.unwrap_or(3600))
    }

    /// True if a gang refuses to go, a queue above it lets it, and none does not.
    fn is_kept(&self, gang: &Gang) -> bool {
        let path = self.path(gang.queue);
        let says = |what: bool| path.iter().any(|queue| self.queues[*queue].grants.0 == Some(what));
        gang.refuses && says(true) && !says(false)
    }

    /// Ways in which a gang may lose members: any that leave its minimum, or all.
    fn ways(&self, at: usize) -> Vec<u32> {
        let gang = &self.gangs[at];
        if self.is_kept(gang) {
            return vec![0];
        }
        let all = (1_u32 << gang.nodes.len()) - 1;
        let left = |gone: u32| (all & !gone).count_ones();
        let may = |gone: &u32| {
            let keeps = usize::try_from(left(*gone)).expect("few") >= gang.min;
            *gone == 0 || *gone == all || (keeps && !gang.unbreakable && left(*gone) > 0)
        };
        (0..=all).filter(may).collect()
    }

    /// The cost of victims: highest priority first, then work lost.
    pub(crate) fn cost(&self, victims: &Victims) -> (i64, i64) {
        let hit = self.gangs.iter().zip(victims).filter(|(_, gone)| **gone != 0);
        let highest = hit.clone().map(|(gang, _)| gang.priority).max().unwrap_or(i64::MIN);
        (highest, hit.map(|(gang, gone)| self.price(gang) * i64::from(gone.count_ones())).sum())
    }

    /// The cheapest victims that may be taken and after which the taker fits.
    pub(crate) fn best(&self, fair: &[Vec<i64>; 2]) -> Option<(i64, i64)> {
        self.least(fair, |victims| self.cost(victims))
    }

    /// The least of all victims that may be taken and after which the taker fits.
    fn least<T: Ord>(&self, fair: &[Vec<i64>; 2], of: impl Fn(&Victims) -> T) -> Option<T> {
        let ways: Vec<Vec<u32>> = (0..self.gangs.len()).map(|at| self.ways(at)).collect();
        let mut best: Option<T> = None;
        let mut digits = vec![0; ways.len()];
        loop {
            let victims: Victims = digits.iter().zip(&ways).map(|(at, ways)| ways[*at]).collect();
            let cost = of(&victims);
            if best.as_ref().is_none_or(|best| cost < *best)
                && self.fits(&victims)
                && self.unlawful(&victims, fair).is_none()
            {
                best = Some(cost);
            }
            let Some(next) = (0..digits.len()).find(|at| digits[*at] + 1 < ways[*at].len()) else {
                return best;
            };
            digits[..next].fill(0);
            digits[next] += 1;
        }
    }

    /// Pods beyond what each disruption budget lets go, all in all.
    pub(crate) fn broken(&self, victims: &Victims) -> u32 {
        let beyond = |(at, allowed): (usize, &u32)| {
            let under = self.gangs.iter().zip(victims).filter(|(it, _)| it.budgets >> at & 1 == 1);
            let gone: u32 = under.map(|(_, gone)| gone.count_ones()).sum();
            gone.saturating_sub(*allowed)
        };
        self.budgets.iter().enumerate().map(beyond).sum()
    }

    /// The same world without budgets.
    pub(crate) fn without_budgets(&self) -> Self {
        Self { budgets: Vec::new(), ..self.clone() }
    }

    /// The same world, in which no gang wishes anything.
    pub(crate) fn without_wishes(&self) -> Self {
        let plain = |gang: &Gang| Gang { saved: None, adds: 0, refuses: false, ..gang.clone() };
        Self { gangs: self.gangs.iter().map(plain).collect(), ..self.clone() }
    }

    /// How far budgets must be exceeded at least so that the taker fits.
    pub(crate) fn fewest_broken(&self, fair: &[Vec<i64>; 2]) -> Option<u32> {
        self.without_budgets().least(fair, |victims| self.broken(victims))
    }

    /// Everything that is wrong with the victims that were chosen.
    pub(crate) fn blame(&self, victims: &Victims, fair: &[Vec<i64>; 2]) -> Result<(), String> {
        for (at, gone) in victims.iter().enumerate() {
            if !self.ways(at).contains(gone) {
                return Err(format!("gang {at} is left below its minimum, but alive"));
            }
        }
        if !self.fits(victims) {
            return Err("the gang that gains does not fit".to_owned());
        }
        if let Some(why) = self.unlawful(victims, fair) {
            return Err(why);
        }
        for (at, gone) in victims.iter().enumerate().filter(|(_, gone)| **gone != 0) {
            let pieces =
                self.ways(at).into_iter().filter(|fewer| fewer & gone == *fewer && fewer != gone);
            for fewer in pieces {
                let mut spared = victims.clone();
                spared[at] = fewer;
                if self.fits(&spared) && self.unlawful(&spared, fair).is_none() {
                    return Err(format!("gang {at} loses more than is needed"));
                }
            }
        }
        Ok(())
    }
}
