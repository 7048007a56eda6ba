//! The queue tree, what each queue uses and what it is entitled to, at every level.
//!
//! Invariants: a queue's use is the sum of what its own gangs and its children use. Between
//! `settle` and the next change of a parent, every path upwards ends: queues on a
//! cycle of parents have none. `link.rs` finds parents and states, `clash.rs` amounts that
//! contradict each other, `access.rs` says whose gangs it takes, `account.rs` counts
//! gangs and what users use, `room.rs` says how many more pods may start, `share.rs` holds what a
//! division gave.

mod access;
mod account;
mod clash;
mod link;
mod order;
mod room;
mod share;

pub use account::{Account, Crowd, UserObstacle, UserUse, Users};
pub use clash::{Bound, Clash, NamedClash};
pub use room::{Ceiling, Obstacle};
pub use share::{Branch, Division, ENTITLED, Measure, Share};

use crate::amount::Amount;
use crate::ids::{FlavourId, QueueId, ResourceId, Slots};
use crate::relation::Sign;
use crate::resource::Request;
use crate::spec::{QueueSpec, Quota};
use std::collections::{BTreeMap, BTreeSet};

/// The queue of gangs that name none; it exists even where nobody made it.
pub const DEFAULT: &str = "default";

/// Whether gangs of a queue may start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum QueueState {
    /// They may.
    Open,
    /// It, or a queue above it, was closed.
    Closed,
    /// Its parent is missing, or it hangs on a cycle of parents.
    Broken,
    /// More is dedicated to it than it, or a queue above it, may use. Queues below it go on.
    Contradictory,
}

/// Use per (flavour, resource); wide enough that no sum over a cluster overflows.
pub type Usage = BTreeMap<(FlavourId, ResourceId), i128>;

/// One queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Queue {
    /// As it was described.
    pub spec: QueueSpec,
    /// The queue above it.
    pub parent: Option<QueueId>,
    /// Whether its gangs may start.
    pub state: QueueState,
    /// Its quotas with ids instead of names, as the object has them.
    pub quotas: Vec<(Measure, Quota)>,
    /// Use of its gangs and of all queues below it.
    pub usage: Usage,
    /// Use of its own gangs alone, counted only where there are queues below it.
    own_below: Usage,
    /// There are queues below it.
    has_below: bool,
    /// Gangs that run in it and in all queues below it, or were promised that they may.
    pub running: u32,
    /// What its users have of it, where it tells them apart.
    pub users: Users,
    /// What one user may use.
    user_limits: Vec<(Measure, Amount)>,
    /// Made by us because gangs need a default, not by an object.
    pub is_implicit: bool,
}

impl Queue {
    /// Use of a measure.
    #[must_use]
    pub fn used(&self, measure: Measure) -> i128 {
        measure.of(&self.usage)
    }

    /// Use of its own gangs alone.
    #[must_use]
    pub const fn own(&self) -> &Usage {
        if self.has_below { &self.own_below } else { &self.usage }
    }

    /// Its quota of a measure, if it has one.
    #[must_use]
    pub fn quota(&self, measure: Measure) -> Option<&Quota> {
        self.quotas.iter().find(|(it, _)| *it == measure).map(|(_, quota)| quota)
    }
}

/// What changed, for whoever follows it. It describes how a tree came to be, not what it holds, so
/// two trees compare equal whatever it says.
#[derive(Clone, Debug, Default)]
struct Touched(BTreeSet<QueueId>);

impl PartialEq for Touched {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Touched {}

/// All queues.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueueTree {
    rows: Slots<QueueId, Queue>,
    by_name: BTreeMap<String, QueueId>,
    /// Rows of queues that are gone, until parents are found anew.
    gone: BTreeSet<QueueId>,
    /// Parents, states and use are to be worked out anew.
    is_stale: bool,
    /// Some queue tells its users apart.
    has_users: bool,
    /// States are to be worked out anew, and nothing else.
    is_unchecked: bool,
    /// Which pods may go where is to be worked out anew.
    is_unsorted: bool,
    /// Queues that keep their gangs to some nodes.
    with_nodes: BTreeSet<QueueId>,
    /// Changes whenever quotas, weights or parents do.
    epoch: u64,
    /// What all queues together took since what is free was last counted; only while something is
    /// kept for some.
    taken: Usage,
    /// Use of what belongs to no queue.
    outside: Usage,
    division: Division,
    /// What each got when what there is was last divided.
    shares: BTreeMap<Measure, share::Column>,
    /// Queues whose own use changed since somebody last asked.
    touched: Touched,
    /// Queues that came to run as many gangs as they, or one of their users, may.
    filled: Touched,
}

impl Default for QueueTree {
    fn default() -> Self {
        let mut tree = Self {
            rows: Slots::default(),
            by_name: BTreeMap::new(),
            gone: BTreeSet::new(),
            is_stale: false,
            has_users: false,
            is_unchecked: false,
            is_unsorted: false,
            with_nodes: BTreeSet::new(),
            epoch: 0,
            taken: Usage::new(),
            outside: Usage::new(),
            division: Division::default(),
            shares: BTreeMap::new(),
            touched: Touched::default(),
            filled: Touched::default(),
        };
        tree.insert_default();
        tree.settle();
        tree
    }
}

impl QueueTree {
    /// The queue.
    #[must_use]
    pub fn get(&self, id: QueueId) -> &Queue {
        &self.rows[id]
    }

    /// The queue called `name`.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<QueueId> {
        self.by_name.get(name).copied()
    }

    /// All queues in order of name.
    pub fn iter(&self) -> impl Iterator<Item = (QueueId, &Queue)> {
        self.by_name.values().map(|id| (*id, &self.rows[*id]))
    }

    /// The queue and all above it, upwards.
    pub fn path(&self, queue: QueueId) -> impl Iterator<Item = &Queue> {
        self.ids_up(queue).map(|id| &self.rows[id])
    }

    /// The queue and all above it, upwards.
    pub fn ids_up(&self, queue: QueueId) -> impl Iterator<Item = QueueId> + '_ {
        std::iter::successors(Some(queue), |id| self.rows[*id].parent)
    }

    /// Use of all queues together.
    fn count_total(&self) -> Usage {
        let mut total = Usage::new();
        for (_, row) in self.rows.iter().filter(|(_, row)| row.parent.is_none()) {
            row.usage.iter().for_each(|(key, used)| shift(&mut total, *key, *used));
        }
        total
    }

    /// Use of what belongs to no queue.
    #[must_use]
    pub const fn outside(&self) -> &Usage {
        &self.outside
    }

    /// Changes whenever a quota, a weight or a parent does.
    #[must_use]
    pub const fn epoch(&self) -> u64 {
        self.epoch
    }

    pub(crate) fn take_touched(&mut self) -> BTreeSet<QueueId> {
        std::mem::take(&mut self.touched.0)
    }

    pub(crate) fn take_filled(&mut self) -> BTreeSet<QueueId> {
        std::mem::take(&mut self.filled.0)
    }

    /// How what there is was last divided.
    #[must_use]
    pub const fn division(&self) -> &Division {
        &self.division
    }

    /// Puts the default queue as it is without an object.
    pub(crate) fn insert_default(&mut self) {
        self.insert(QueueSpec::named(DEFAULT), Vec::new(), Vec::new());
        let id = self.by_name[DEFAULT];
        self.rows[id].is_implicit = true;
    }

    pub(crate) fn insert(
        &mut self,
        spec: QueueSpec,
        quotas: Vec<(Measure, Quota)>,
        user_limits: Vec<(Measure, Amount)>,
    ) {
        self.epoch += 1;
        let name = spec.name.clone();
        let has_nodes = !spec.node_selector.requirements.is_empty();
        let id = match self.by_name.get(&name) {
            Some(id) => {
                let row = &mut self.rows[*id];
                let by = |spec: &QueueSpec| spec.users.as_ref().map(|users| users.by.clone());
                let is_same = row.spec.parent == spec.parent
                    && row.spec.open == spec.open
                    && by(&row.spec) == by(&spec);
                self.is_stale |= !is_same;
                self.is_unchecked |= !clash::is_same(&row.quotas, &quotas);
                self.is_unsorted |= row.spec.node_selector != spec.node_selector;
                (row.spec, row.quotas, row.is_implicit) = (spec, quotas, false);
                row.user_limits = user_limits;
                *id
            }
            None => {
                self.is_stale = true;
                let id = self.rows.insert(Queue {
                    spec,
                    parent: None,
                    state: QueueState::Open,
                    quotas,
                    usage: Usage::new(),
                    own_below: Usage::new(),
                    has_below: false,
                    running: 0,
                    users: Users::new(),
                    user_limits,
                    is_implicit: false,
                });
                self.by_name.insert(name, id);
                id
            }
        };
        match has_nodes {
            true => self.with_nodes.insert(id),
            false => self.with_nodes.remove(&id),
        };
    }

    pub(crate) fn remove(&mut self, name: &str) {
        if let Some(id) = self.by_name.remove(name) {
            // Gangs may stand in it until all is found anew.
            self.gone.insert(id);
            self.is_unsorted |= self.with_nodes.remove(&id);
            self.is_stale = true;
            self.epoch += 1;
        }
    }

    /// Moves the use of a queue and of all above it; of nobody's, if there is none.
    pub(crate) fn charge(
        &mut self,
        queue: Option<QueueId>,
        flavour: FlavourId,
        request: &Request,
        count: u32,
        sign: Sign,
    ) {
        self.touched.0.extend(queue);
        for (key, by) in units(flavour, request, count, sign) {
            let Some(first) = queue else {
                shift(&mut self.outside, key, by);
                continue;
            };
            if !self.division.keepers.is_empty() {
                shift(&mut self.taken, key, by);
            }
            self.shift_up(first, key, by);
        }
    }

    /// The same for room that is only promised: it is in use by others yet, so that nothing less
    /// is free by it.
    pub(crate) fn promise(
        &mut self,
        queue: QueueId,
        (flavour, request, count): (FlavourId, &Request, u32),
        sign: Sign,
    ) {
        for (key, by) in units(flavour, request, count, sign) {
            self.shift_up(queue, key, by);
        }
    }

    fn shift_up(&mut self, first: QueueId, key: (FlavourId, ResourceId), by: i128) {
        let row = &mut self.rows[first];
        if row.has_below {
            shift(&mut row.own_below, key, by);
        }
        let mut next = Some(first);
        while let Some(id) = next {
            let row = &mut self.rows[id];
            shift(&mut row.usage, key, by);
            next = row.parent;
        }
    }
}

/// What so many requests move in the use of queues.
fn units(
    flavour: FlavourId,
    request: &Request,
    count: u32,
    sign: Sign,
) -> impl Iterator<Item = ((FlavourId, ResourceId), i128)> {
    request.iter().map(move |(resource, amount)| {
        let units = i128::from(amount.units()) * i128::from(count);
        ((flavour, *resource), if sign == Sign::Plus { units } else { -units })
    })
}

fn shift(usage: &mut Usage, key: (FlavourId, ResourceId), by: i128) {
    let used = usage.entry(key).or_insert(0);
    *used += by;
    if *used == 0 {
        usage.remove(&key);
    }
}
