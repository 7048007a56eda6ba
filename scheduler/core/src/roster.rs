//! What a gang has and lacks right now, worked out from its members.
//!
//! Invariant: nothing is kept between cycles; the same members give the same roster whatever
//! the order in which they were told. Next: [`crate::place::gang`] places what is lacking.

use crate::claims;
use scheduler_model::amount::Amount;
use scheduler_model::gang::{Gang, Run};
use scheduler_model::ids::{ClassId, GangId, PodId, ResourceId};
use scheduler_model::node::natural;
use scheduler_model::pod::Pod;
use scheduler_model::resource::Request;
use scheduler_model::snapshot::Snapshot;
use scheduler_model::spec::{Minimum, RoleTally, Unsupported};
use scheduler_model::time::Time;
use std::collections::{BTreeMap, BTreeSet};

/// Pending members of one role and class: interchangeable but for their rank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PodSet {
    /// Role; empty for the nameless one.
    pub role: String,
    /// What each of them is.
    pub class: ClassId,
    /// The members, lowest rank first.
    pub pods: Vec<PodId>,
    /// Members beside them that do not exist yet; only where room is held for them.
    pub absent: u32,
}

impl PodSet {
    /// Number of members.
    #[must_use]
    pub fn count(&self) -> u32 {
        let pods = u32::try_from(self.pods.len());
        pods.expect("a gang has fewer than four billion members").saturating_add(self.absent)
    }
}

/// What a role has and needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RoleCount {
    /// Least number that may run.
    pub min: u32,
    /// Members that hold a place and are not lost.
    pub placed: u32,
    /// Those of them that are bound in the API.
    pub bound: u32,
    /// Members that succeeded in this run.
    pub succeeded: u32,
    /// Unfinished members, gated ones included, lost ones not.
    pub exist: u32,
    /// Members whose nodes are gone or given up; those that go are not among them.
    pub lost: u32,
    /// Members with closed gates.
    pub gated: u32,
    /// Members that rest, because their bind was refused again and again.
    pub resting: u32,
    /// Members that cannot use their volume claims, wherever they would be placed.
    pub unclaimed: u32,
}

impl RoleCount {
    const fn add(&mut self, other: &Self) {
        self.placed += other.placed;
        self.bound += other.bound;
        self.resting += other.resting;
        self.unclaimed += other.unclaimed;
        self.exist += other.exist;
        self.gated += other.gated;
        self.lost += other.lost;
    }

    /// Members that still must be placed for the minimum.
    #[must_use]
    pub const fn needed(&self) -> u32 {
        self.min.saturating_sub(self.placed.saturating_add(self.succeeded))
    }

    /// Members that still must be seen bound for the minimum.
    #[must_use]
    pub const fn unbound(&self) -> u32 {
        self.min.saturating_sub(self.bound.saturating_add(self.succeeded))
    }

    /// Members there are, one way or another. An owner may count beyond every number.
    #[must_use]
    pub const fn present(&self) -> u32 {
        self.exist.saturating_add(self.succeeded)
    }
}

/// A gang at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Roster {
    /// The gang.
    pub gang: GangId,
    /// Pending members that could be placed, by role and class.
    pub sets: Vec<PodSet>,
    /// All roles together.
    pub total: RoleCount,
    /// Roles with a minimum or members.
    pub roles: BTreeMap<String, RoleCount>,
    /// Why binds of members that rest were refused.
    pub refused: BTreeSet<String>,
    /// Claims that members cannot use, with words that complete "the claim …".
    pub unready: BTreeSet<(String, String)>,
    /// Names of closed gates.
    pub gates: BTreeSet<String>,
    /// Parts of pods or group that cannot be honoured yet, in words.
    pub unsupported: BTreeSet<String>,
    /// When it first had its minimum of existing, ungated members; `None` if it has not.
    pub complete_at: Option<Time>,
    /// It has members of other schedulers.
    pub is_mixed: bool,
    /// Some members hold a place, but fewer than what it was begun with asks for.
    is_broken: bool,
    /// What it was begun with is in place as the API has it, or has done its work.
    is_in_place: bool,
    /// So is what its group asks for now.
    pub(crate) is_full: bool,
}

/// The minimum that a gang's group asks for, with roles in order.
pub(crate) fn minimum_of(total: u32, roles: impl Iterator<Item = (String, u32)>) -> Minimum {
    let roles = roles.filter(|(_, min)| *min > 0);
    let mut roles: Vec<RoleTally> = roles.map(|(role, count)| RoleTally { role, count }).collect();
    roles.sort();
    Minimum { total, roles }
}

impl Roster {
    /// Works a gang's roster out, given the minimum with which it was begun: one that is raised
    /// later asks nothing of members in place, it holds for what is placed next.
    #[must_use]
    pub fn of(snap: &Snapshot, id: GangId, begun: Option<&Minimum>) -> Self {
        let gang = snap.gangs().get(id);
        let run = gang.run(snap.pods());
        let mut roster = Self {
            gang: id,
            sets: Vec::new(),
            total: RoleCount { min: gang.min(), ..RoleCount::default() },
            roles: BTreeMap::new(),
            refused: BTreeSet::new(),
            unready: BTreeSet::new(),
            gates: BTreeSet::new(),
            unsupported: BTreeSet::new(),
            complete_at: None,
            is_mixed: !gang.strangers.is_empty(),
            is_broken: false,
            is_in_place: false,
            is_full: false,
        };
        if let Some(spec) = &gang.spec {
            for role in &spec.roles {
                roster.roles.entry(role.name.clone()).or_default().min = role.min;
            }
            let words = spec.unsupported.iter().map(|part| format!("the group uses {part}"));
            roster.unsupported.extend(words);
        }
        for (role, count) in &run.succeeded {
            let of_role = &mut roster.roles.entry(role.clone()).or_default().succeeded;
            *of_role = of_role.saturating_add(*count);
            roster.total.succeeded = roster.total.succeeded.saturating_add(*count);
        }
        let mut seen = BTreeMap::new();
        for pod in &run.unfinished {
            roster.count_member(snap, *pod, &mut seen);
        }
        // Ordered by what the sets are, not by when their class was first seen.
        let key = |class: ClassId| &snap.classes().get(class).key;
        roster
            .sets
            .sort_by(|a, b| a.role.cmp(&b.role).then_with(|| key(a.class).cmp(key(b.class))));
        for set in &mut roster.sets {
            set.pods.sort_by(|a, b| rank_order(snap, *a, *b));
        }
        claims::keep_one_each(&mut roster, snap);
        roster.complete_at = complete_at(gang, &run);
        roster.judge(begun);
        roster
    }

    /// A gang that lost members needs what it was begun with; once it has that, what its group
    /// asks for now.
    fn judge(&mut self, begun: Option<&Minimum>) {
        self.is_full = self.has_all_bound();
        let Some(begun) = begun.filter(|_| self.total.placed > 0) else {
            self.is_in_place = self.is_full;
            self.is_broken = self.total.placed > 0 && self.needed() > 0;
            return;
        };
        let asked = self.minimum();
        self.total.min = self.total.min.min(begun.total);
        for (name, role) in &mut self.roles {
            role.min = role.min.min(begun.of_role(name));
        }
        self.is_in_place = self.has_all_bound();
        self.is_broken = self.needed() > 0;
        if !self.is_broken {
            self.total.min = asked.total;
            for (name, role) in &mut self.roles {
                role.min = asked.of_role(name);
            }
        }
    }

    /// The minimum it is judged by.
    pub(crate) fn minimum(&self) -> Minimum {
        let roles = self.roles.iter().map(|(name, role)| (name.clone(), role.min));
        minimum_of(self.total.min, roles)
    }

    fn has_all_bound(&self) -> bool {
        self.total.unbound() == 0 && self.roles.values().all(|role| role.unbound() == 0)
    }

    fn count_member<'a>(
        &mut self,
        snap: &'a Snapshot,
        id: PodId,
        seen: &mut BTreeMap<(ClassId, &'a str), usize>,
    ) {
        let pod = snap.pods().get(id);
        if pod.spec.terminating && !pod.place.is_placed() {
            return;
        }
        let is_lost = snap.is_lost(id);
        let is_placed = pod.place.is_placed() && !is_lost;
        let has_claims = !pod.spec.claims.is_empty() && pod.is_pending();
        let trouble = if has_claims { snap.claim_in_the_way(id) } else { None };
        let one = RoleCount {
            min: 0,
            placed: u32::from(is_placed),
            bound: u32::from(is_placed && pod.spec.node.is_some()),
            succeeded: 0,
            exist: u32::from(!is_lost),
            lost: u32::from(is_lost && !pod.is_releasing()),
            gated: u32::from(!pod.spec.gates.is_empty() && !is_lost),
            resting: u32::from(pod.refused.is_some()),
            unclaimed: u32::from(trouble.is_some()),
        };
        self.total.add(&one);
        match self.roles.get_mut(&pod.spec.role) {
            Some(role) => role.add(&one),
            None => {
                self.roles.insert(pod.spec.role.clone(), one);
            }
        }
        self.gates.extend(pod.spec.gates.iter().cloned());
        self.refused.extend(pod.refused.as_deref().map(str::to_owned));
        if let Some(trouble) = trouble {
            self.unready.insert(trouble);
            return;
        }
        if !pod.is_pending() {
            return;
        }
        self.unsupported.extend(pod.spec.unsupported.iter().map(words));
        let class = pod.class.expect("an unfinished pod has a class");
        let sets = &mut self.sets;
        let index = *seen.entry((class, &pod.spec.role)).or_insert_with(|| {
            sets.push(PodSet { role: pod.spec.role.clone(), class, pods: Vec::new(), absent: 0 });
            sets.len() - 1
        });
        sets[index].pods.push(id);
    }

    /// Counts on one more member that does not exist yet.
    pub fn await_member(&mut self, role: &str, class: ClassId) {
        let known = self.sets.iter_mut().find(|set| set.role == role && set.class == class);
        match known {
            Some(set) => set.absent += 1,
            None => {
                let role = role.to_owned();
                self.sets.push(PodSet { role, class, pods: Vec::new(), absent: 1 });
            }
        }
    }

    /// Members that must be placed for the gang to run: at least the minimum in total, at
    /// least each role's own.
    #[must_use]
    pub fn needed(&self) -> u32 {
        // Minimums are what people write: they may add up beyond every number.
        let of_roles = self.roles.values().map(RoleCount::needed).fold(0, u32::saturating_add);
        of_roles.max(self.total.needed())
    }

    /// Pending members.
    #[must_use]
    pub fn pending(&self) -> u32 {
        self.sets.iter().map(PodSet::count).sum()
    }

    /// What so many of its pending members want together, the first sets first.
    #[must_use]
    pub fn wants(&self, snap: &Snapshot, members: u32) -> Request {
        let mut left = members;
        let mut wants: BTreeMap<ResourceId, Amount> = BTreeMap::new();
        for set in &self.sets {
            let count = set.count().min(left);
            left -= count;
            for (resource, amount) in &snap.classes().get(set.class).request {
                let sum = wants.entry(*resource).or_default();
                *sum = sum.plus(amount.times(count));
            }
        }
        wants.into_iter().collect()
    }

    /// True if it has its minimum and all its members have places.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.needed() == 0 && self.pending() + self.total.gated + self.total.unclaimed == 0
    }

    /// True if no unfinished member is left but those that go.
    #[must_use]
    pub const fn is_over(&self) -> bool {
        self.total.exist == 0 && self.total.lost == 0
    }

    /// True if the minimum with which it was begun is in place as the API has it, or has done
    /// its work.
    #[must_use]
    pub const fn is_in_place(&self) -> bool {
        self.is_in_place
    }

    /// True if some members hold a place, but fewer than the minimum with which it was begun.
    #[must_use]
    pub const fn is_broken(&self) -> bool {
        self.is_broken
    }
}

/// Members in rank order: by rank, then by name as people read it, then uid.
pub(crate) fn rank_order(snap: &Snapshot, a: PodId, b: PodId) -> std::cmp::Ordering {
    let (a, b): (&Pod, &Pod) = (snap.pods().get(a), snap.pods().get(b));
    let rank = |pod: &Pod| pod.spec.rank.unwrap_or(u64::MAX);
    rank(a)
        .cmp(&rank(b))
        .then_with(|| natural(&a.spec.name, &b.spec.name))
        .then_with(|| a.spec.uid.cmp(&b.spec.uid))
}

fn words(part: &Unsupported) -> String {
    match part {
        Unsupported::ResourceClaim(name) => format!("a pod uses the resource claim {name:?}"),
        Unsupported::Other(what) => format!("a pod uses {what}"),
    }
}

/// The moment at which the last member that completed the minimum (in total and per role) was
/// there.
fn complete_at(gang: &Gang, run: &Run<'_>) -> Option<Time> {
    let nth = |count: u32, role: Option<&str>| -> Option<Time> {
        let skip = usize::try_from(count).ok()?.checked_sub(1)?;
        let all = run.ready_at.iter().filter(|(_, r)| role.is_none_or(|role| role == *r));
        all.map(|(time, _)| *time).nth(skip)
    };
    let missing = gang.spec.as_ref().map_or(0, |spec| spec.succeeded);
    let listed: u32 = u32::try_from(run.ready_at.len()).unwrap_or(u32::MAX);
    let min = gang.min();
    // Members that only the owner's status remembers were there before all others.
    let unseen = missing.min(min.saturating_sub(listed));
    let mut latest = if min > unseen { nth(min - unseen, None)? } else { Time::ZERO };
    if let Some(spec) = &gang.spec {
        for role in spec.roles.iter().filter(|role| role.min > 0) {
            latest = latest.max(nth(role.min, Some(&role.name))?);
        }
    }
    Some(latest)
}
