//! Orders are keys, not comparators: tuples of integers, smallest first. The engine ends every
//! key with the object's uid, so an order is total by construction.

use crate::Plugin;
use scheduler_model::ids::{DomainId, GangId, LevelId};
use scheduler_model::queue::Branch;
use scheduler_model::resource::Request;
use scheduler_model::snapshot::Snapshot;
use scheduler_model::time::Time;

/// Smallest first. Unused places are 0.
pub type OrderKey = [i64; 4];

/// What is known about a gang when it is put in line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GangOffer {
    /// The gang.
    pub gang: GangId,
    /// Its priority.
    pub priority: i32,
    /// When it first had its minimum of existing, ungated members.
    pub age: Time,
    /// It ran before and lost members: it goes before fresh ones.
    pub is_broken: bool,
    /// It is a DaemonSet's pod: a node is not ready for others before its daemons run.
    pub is_daemon: bool,
}

/// Which gang of one queue is next.
pub trait GangOrder: Plugin {
    /// Key of one gang; smallest first.
    fn key(&self, snap: &Snapshot, offer: &GangOffer) -> OrderKey;
}

/// Which of the queues below one parent is served next.
pub trait QueueOrder: Plugin {
    /// Key of one of them as things stand, if its next gang wants `next`; smallest first.
    fn key(&self, snap: &Snapshot, branch: Branch, next: &Request) -> OrderKey;
}

/// A domain in which a gang could run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DomainOffer {
    /// The level.
    pub level: LevelId,
    /// The domain.
    pub domain: DomainId,
    /// Members it would take by count, at most `wanted`.
    pub places: u32,
    /// Members the gang needs to run.
    pub needed: u32,
    /// Members the gang has to place in all.
    pub wanted: u32,
    /// Members that already run there.
    pub peers: u32,
    /// Room for members beyond `wanted`, counted the same way.
    pub spare: u32,
}

/// Which domain a gang tries first.
pub trait DomainOrder: Plugin {
    /// Key of one domain; smallest first.
    fn key(&self, snap: &Snapshot, offer: &DomainOffer) -> OrderKey;
}
