//! Users of a queue that take turns: the one that uses least of it goes first.
//!
//! Only queues of [`Order::FairByUser`] tell users apart; in all others everybody is one user.
//! What a user uses is the largest part that the gangs of that user hold of any resource of all
//! nodes, but for the number of pods. It is counted at the start of a cycle and moves with each
//! gang that is placed in it.
//!
//! Cost: without such a queue nothing; with one, a look at the gangs of such queues per cycle, and
//! at the users that wait in a queue per gang that it serves.

use crate::line::GangKeyInLine;
use scheduler_model::ids::{GangId, QueueId, ResourceId};
use scheduler_model::resource::Request;
use scheduler_model::snapshot::Snapshot;
use scheduler_model::spec::Order;
use std::collections::BTreeMap;

/// Parts of a resource are counted in so many.
const WHOLE: i128 = 1 << 40;

/// The one user of a queue whose users take no turns; nobody is called so.
pub const EVERYBODY: &str = "*";

/// What users have of the queues in which they take turns.
#[derive(Clone, Debug, Default)]
pub struct Users {
    rows: BTreeMap<QueueId, BTreeMap<String, Used>>,
}

#[derive(Clone, Debug, Default)]
struct Used {
    amounts: BTreeMap<ResourceId, i128>,
    /// The largest part of any resource.
    part: i64,
}

/// Who a gang belongs to where users take turns in its queue: its namespace, unless the queue
/// tells users apart in another way.
#[must_use]
pub fn user_of(snap: &Snapshot, gang: GangId) -> &str {
    let gang = snap.gangs().get(gang);
    let fair = gang.queue.filter(|queue| snap.queues().order(*queue) == Order::FairByUser);
    let Some(queue) = fair else { return EVERYBODY };
    let account = gang.accounts.iter().find(|account| account.queue == queue);
    account.map_or(&gang.key.namespace, |account| &account.user)
}

impl Users {
    /// Counts anew what users have.
    #[must_use]
    pub fn count(snap: &Snapshot) -> Self {
        let mut users = Self::default();
        let is_fair = |queue: QueueId| snap.queues().order(queue) == Order::FairByUser;
        if !snap.queues().iter().any(|(_, row)| row.spec.order == Some(Order::FairByUser)) {
            return users;
        }
        for (id, gang) in snap.gangs().iter() {
            if !gang.queue.is_some_and(is_fair) {
                continue;
            }
            for pod in gang.members.iter().filter(|pod| snap.holds_room(**pod)) {
                let class = snap.pods().get(*pod).class;
                if let Some(class) = class {
                    users.add(snap, id, &snap.classes().get(class).request, 1);
                }
            }
        }
        users
    }

    /// A gang got room for so many pods.
    pub fn add(&mut self, snap: &Snapshot, gang: GangId, request: &Request, count: u32) {
        let user = user_of(snap, gang);
        let Some(queue) = snap.gangs().get(gang).queue.filter(|_| user != EVERYBODY) else {
            return;
        };
        let row = self.rows.entry(queue).or_default().entry(user.to_owned()).or_default();
        for (resource, amount) in request {
            if *resource == snap.resources().pods() {
                continue;
            }
            let sum = row.amounts.entry(*resource).or_insert(0);
            *sum += i128::from(amount.units()) * i128::from(count);
            let total = snap.nodes().total(*resource).max(1);
            let part = sum.saturating_mul(WHOLE) / total;
            row.part = row.part.max(i64::try_from(part).unwrap_or(i64::MAX));
        }
    }

    /// Where a user stands among those of a queue; smallest first.
    #[must_use]
    pub fn part(&self, queue: Option<QueueId>, user: &str) -> i64 {
        if user == EVERYBODY {
            return 0;
        }
        let row = queue.and_then(|queue| self.rows.get(&queue)?.get(user));
        row.map_or(0, |row| row.part)
    }
}

/// Gangs of one queue by user, those of each in order.
#[derive(Clone, Debug)]
pub struct Turns<T> {
    by_user: BTreeMap<String, BTreeMap<(GangKeyInLine, GangId), T>>,
}

impl<T> Default for Turns<T> {
    fn default() -> Self {
        Self { by_user: BTreeMap::new() }
    }
}

impl<T> Turns<T> {
    /// Puts a gang in.
    pub fn insert(&mut self, user: &str, at: (GangKeyInLine, GangId), value: T) {
        if let Some(gangs) = self.by_user.get_mut(user) {
            gangs.insert(at, value);
            return;
        }
        self.by_user.insert(user.to_owned(), BTreeMap::from([(at, value)]));
    }

    /// Takes a gang out.
    pub fn remove(&mut self, user: &str, at: &(GangKeyInLine, GangId)) {
        let Some(gangs) = self.by_user.get_mut(user) else { return };
        gangs.remove(at);
        if gangs.is_empty() {
            self.by_user.remove(user);
        }
    }

    /// True if nobody is in.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.by_user.is_empty()
    }

    /// The gang that goes first, where a user stands as `part` says.
    pub fn first(
        &self,
        part: impl Fn(&str) -> i64,
    ) -> Option<(&str, &(GangKeyInLine, GangId), &T)> {
        let mut firsts = self.by_user.iter().filter_map(|(user, gangs)| {
            let (at, value) = gangs.first_key_value()?;
            Some((user.as_str(), at, value))
        });
        if self.by_user.len() == 1 {
            return firsts.next();
        }
        firsts.min_by_key(|(user, at, _)| (part(user), *at))
    }

    /// Takes that gang out.
    pub fn pop_first(&mut self, part: impl Fn(&str) -> i64) -> Option<(GangKeyInLine, GangId)> {
        let user = self.first(part)?.0.to_owned();
        let gangs = self.by_user.get_mut(&user)?;
        let first = gangs.pop_first().map(|(at, _)| at);
        if gangs.is_empty() {
            self.by_user.remove(&user);
        }
        first
    }
}
