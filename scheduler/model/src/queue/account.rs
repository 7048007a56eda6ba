//! Gangs that run in a queue, and what its users use of it.
//!
//! Invariants: a gang counts in its queue and in all above it from its first member placed until
//! none is, and while it is promised a start; an account with nothing in it does not exist.

use super::{Measure, QueueTree, Usage, shift, units};
use crate::amount::Amount;
use crate::ids::{FlavourId, QueueId};
use crate::relation::Sign;
use crate::resource::Request;
use std::collections::BTreeMap;

/// Whose use of a queue something counts as, where the queue tells users apart.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Account {
    /// The queue that tells them apart.
    pub queue: QueueId,
    /// The user; empty where it cannot be told.
    pub user: String,
}

/// What one user has of a queue and of all below it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UserUse {
    /// What the user's gangs use.
    pub usage: Usage,
    /// How many of them run.
    pub running: u32,
}

/// A queue that runs as many gangs as it may, in all or of one user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Crowd {
    /// The queue.
    pub queue: QueueId,
    /// The user, if it is that user's number.
    pub user: Option<String>,
    /// So many run.
    pub running: u32,
    /// So many may.
    pub most: u32,
}

/// What a user's limit forbids.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserObstacle {
    /// The queue that limits its users.
    pub queue: QueueId,
    /// The user.
    pub user: String,
    /// Of what.
    pub measure: Measure,
    /// In use by that user.
    pub used: i128,
    /// What the placement takes.
    pub wants: i128,
    /// Most that may be in use.
    pub most: i128,
}

impl QueueTree {
    /// A gang begins to count in its queue and all above it, or counts no more.
    pub(crate) fn count_gang(&mut self, queue: Option<QueueId>, accounts: &[Account], sign: Sign) {
        let mut next = queue;
        while let Some(id) = next {
            let row = &mut self.rows[id];
            step(&mut row.running, sign);
            let is_full = row.spec.max_running.is_some_and(|most| row.running >= most);
            if is_full && sign == Sign::Plus {
                self.filled.0.insert(id);
            }
            next = row.parent;
        }
        for account in accounts {
            self.with_user(account, |of_user| step(&mut of_user.running, sign));
            let row = &self.rows[account.queue];
            let limits = row.spec.users.as_ref().is_some_and(|users| users.max_running.is_some());
            if limits && sign == Sign::Plus {
                self.filled.0.insert(account.queue);
            }
        }
    }

    /// Moves what users use.
    pub(crate) fn charge_users(
        &mut self,
        accounts: &[Account],
        (flavour, request, count): (FlavourId, &Request, u32),
        sign: Sign,
    ) {
        for account in accounts {
            self.with_user(account, |of_user| {
                for (key, by) in units(flavour, request, count, sign) {
                    shift(&mut of_user.usage, key, by);
                }
            });
        }
    }

    fn with_user(&mut self, account: &Account, change: impl FnOnce(&mut UserUse)) {
        let users = &mut self.rows[account.queue].users;
        let of_user = users.entry(account.user.clone()).or_default();
        change(of_user);
        if of_user.running == 0 && of_user.usage.is_empty() {
            users.remove(&account.user);
        }
    }

    /// True if some queue tells its users apart.
    pub(crate) const fn has_users(&self) -> bool {
        self.has_users
    }

    /// The first queue on the way up that may run no further gang; `own` of those that count are
    /// the gang that asks.
    #[must_use]
    pub fn crowd(&self, queue: QueueId, accounts: &[Account], own: u32) -> Option<Crowd> {
        self.ids_up(queue).find_map(|id| {
            let row = self.get(id);
            let running = row.running.saturating_sub(own);
            if let Some(most) = row.spec.max_running.filter(|most| running >= *most) {
                return Some(Crowd { queue: id, user: None, running, most });
            }
            let most = row.spec.users.as_ref()?.max_running?;
            let user = &accounts.iter().find(|account| account.queue == id)?.user;
            let running = row.users.get(user).map_or(0, |it| it.running).saturating_sub(own);
            let user = Some(user.clone());
            (running >= most).then_some(Crowd { queue: id, user, running, most })
        })
    }

    /// True if one of these users may not use all that its queue may.
    #[must_use]
    pub fn limits_users(&self, accounts: &[Account]) -> bool {
        accounts.iter().any(|account| !self.get(account.queue).user_limits.is_empty())
    }

    /// How many pods wanting `request` each the users may still start on nodes of `flavour`.
    #[must_use]
    pub fn user_headroom(
        &self,
        accounts: &[Account],
        flavour: FlavourId,
        request: &Request,
    ) -> u32 {
        let mut room = u32::MAX;
        for (account, measure, most) in self.user_limits(accounts) {
            if !measure.counts(flavour) {
                continue;
            }
            let Some(want) = super::room::wanted(request, measure) else { continue };
            let used = self.used_by(account, measure);
            room = room.min(super::room::times(i128::from(most.units()) - used, want));
        }
        room
    }

    /// The first limit of a user that using `wants` more would exceed.
    #[must_use]
    pub fn user_obstacle(&self, accounts: &[Account], wants: &Usage) -> Option<UserObstacle> {
        self.user_limits(accounts).find_map(|(account, measure, most)| {
            let (used, wants) = (self.used_by(account, measure), measure.of(wants));
            let most = i128::from(most.units());
            let (queue, user) = (account.queue, account.user.clone());
            let obstacle = UserObstacle { queue, user, measure, used, wants, most };
            (wants > 0 && used + wants > most).then_some(obstacle)
        })
    }

    fn user_limits<'a>(
        &'a self,
        accounts: &'a [Account],
    ) -> impl Iterator<Item = (&'a Account, Measure, Amount)> {
        accounts.iter().flat_map(|account| {
            let limits = self.get(account.queue).user_limits.iter();
            limits.map(move |(measure, most)| (account, *measure, *most))
        })
    }

    fn used_by(&self, account: &Account, measure: Measure) -> i128 {
        let of_user = self.get(account.queue).users.get(&account.user);
        of_user.map_or(0, |it| measure.of(&it.usage))
    }
}

/// Accounts of all users of a queue.
pub type Users = BTreeMap<String, UserUse>;

const fn step(count: &mut u32, sign: Sign) {
    *count = match sign {
        Sign::Plus => count.saturating_add(1),
        Sign::Minus => count.saturating_sub(1),
    };
}
