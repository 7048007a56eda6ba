//! Nodes as dense columns: one array per resource, so that a scan touches only what it asks.
//!
//! Invariant, for every node and resource: `free = allocatable − everything charged`, and
//! `releasing` is the part of the charged that is on its way out. `free` may be negative.
//! Next: [`crate::snapshot`], the only writer.

use crate::amount::Amount;
use crate::ids::{FlavourId, Id, IndexVec, NodeId, ResourceId, Slots};
use crate::journal::Journal;
use crate::node_set::NodeSet;
use crate::relation::Sign;
use crate::spec::{HostPort, NodeSpec, TaintEffect};
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// Largest capacity of one resource on one node that is told apart (64 TiB of memory, say).
pub const CAPACITY_MAX: i64 = 1 << 46;

/// Largest request that is told apart: more than any capacity, so it never fits.
pub const REQUEST_MAX: i64 = 1 << 47;

/// Pods that may hold room on one node, far above what a kubelet runs. Together with
/// [`REQUEST_MAX`] it keeps every sum on a node within the range of the columns.
pub const PODS_MAX: usize = 1 << 15;

/// One value per node.
type Column = IndexVec<NodeId, i64>;

/// All nodes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeTable {
    rows: Slots<NodeId, NodeSpec>,
    by_name: BTreeMap<String, NodeId>,
    allocatable: IndexVec<ResourceId, Column>,
    free: IndexVec<ResourceId, Column>,
    releasing: IndexVec<ResourceId, Column>,
    totals: IndexVec<ResourceId, i128>,
    flavours: IndexVec<NodeId, FlavourId>,
    flavour_names: Vec<String>,
    live: NodeSet,
    closed: NodeSet,
    uninviting: NodeSet,
    lost: NodeSet,
    ports: BTreeMap<NodeId, BTreeMap<HostPort, u32>>,
    /// Nodes that limit the volumes of a driver.
    limits: BTreeMap<String, u32>,
    rank: IndexVec<NodeId, u32>,
    is_rank_stale: bool,
    rank_epoch: u64,
    /// Nodes whose room changed.
    pub(crate) charged: Journal,
    /// Nodes whose spec changed.
    pub(crate) described: Journal,
}

impl NodeTable {
    /// Number of nodes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// True without nodes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// One more than the largest row ever used: the size for arrays by node.
    #[must_use]
    pub fn bound(&self) -> usize {
        self.rows.bound()
    }

    /// The rows in use.
    #[must_use]
    pub fn live(&self) -> &NodeSet {
        &self.live
    }

    /// Nodes that an `Op` closed.
    #[must_use]
    pub fn closed(&self) -> &NodeSet {
        &self.closed
    }

    /// Nodes that have not been ready for so long that their pods are given up for lost.
    #[must_use]
    pub fn lost(&self) -> &NodeSet {
        &self.lost
    }

    /// Nodes with a taint that only asks pods to stay away (`PreferNoSchedule`).
    #[must_use]
    pub fn uninviting(&self) -> &NodeSet {
        &self.uninviting
    }

    /// The node as it was described.
    #[inline]
    #[must_use]
    pub fn spec(&self, node: NodeId) -> &NodeSpec {
        &self.rows[node]
    }

    /// The node called `name`.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<NodeId> {
        self.by_name.get(name).copied()
    }

    /// What pods may use together on the node.
    #[must_use]
    pub fn allocatable(&self, node: NodeId, resource: ResourceId) -> Amount {
        entry(&self.allocatable, node, resource)
    }

    /// What is not charged on the node; negative if it is overfull.
    #[inline]
    #[must_use]
    pub fn free(&self, node: NodeId, resource: ResourceId) -> Amount {
        entry(&self.free, node, resource)
    }

    /// What is charged but on its way out.
    #[must_use]
    pub fn releasing(&self, node: NodeId, resource: ResourceId) -> Amount {
        entry(&self.releasing, node, resource)
    }

    /// The free column of a resource, indexed by row; shorter than the table if the resource
    /// is unknown to the nodes.
    #[must_use]
    pub fn free_column(&self, resource: ResourceId) -> &[i64] {
        self.free.get(resource).map_or(&[], |column| column.as_slice())
    }

    /// The allocatable column of a resource, indexed by row.
    #[must_use]
    pub fn allocatable_column(&self, resource: ResourceId) -> &[i64] {
        self.allocatable.get(resource).map_or(&[], |column| column.as_slice())
    }

    /// Sum of a resource's allocatable over all nodes.
    #[must_use]
    pub fn total(&self, resource: ResourceId) -> i128 {
        self.totals.get(resource).copied().unwrap_or(0)
    }

    /// The flavour of a node.
    #[must_use]
    pub fn flavour(&self, node: NodeId) -> FlavourId {
        self.flavours[node]
    }

    /// All flavours that some node or limit named.
    pub fn flavours(&self) -> impl Iterator<Item = FlavourId> + use<> {
        (0..self.flavour_names.len()).map(FlavourId::from_index)
    }

    /// Name of a flavour; empty for the default one.
    #[must_use]
    pub fn flavour_name(&self, flavour: FlavourId) -> &str {
        self.flavour_names.get(flavour.index()).map_or("", String::as_str)
    }

    /// Place of the node in the natural order of names: what ends ties, so that the order of
    /// arrival decides nothing.
    #[inline]
    #[must_use]
    pub fn rank(&self, node: NodeId) -> u32 {
        self.rank[node]
    }

    /// Changes whenever ranks were worked out anew.
    #[must_use]
    pub const fn rank_epoch(&self) -> u64 {
        self.rank_epoch
    }

    /// A taken host port that collides with `port` on the node.
    #[must_use]
    pub fn port_conflict(&self, node: NodeId, port: &HostPort) -> Option<&HostPort> {
        self.ports.get(&node)?.keys().find(|taken| collide(taken, port))
    }

    /// All host ports taken on a node, with how often.
    #[must_use]
    pub fn ports(&self, node: NodeId) -> Option<&BTreeMap<HostPort, u32>> {
        self.ports.get(&node)
    }

    /// True if some node limits how many volumes of the driver it can attach.
    #[must_use]
    pub fn limits(&self, driver: &str) -> bool {
        self.limits.contains_key(driver)
    }

    /// Nodes whose room changed, for caches.
    #[must_use]
    pub fn charged(&self) -> &Journal {
        &self.charged
    }

    /// Nodes whose spec changed, for caches.
    #[must_use]
    pub fn described(&self) -> &Journal {
        &self.described
    }

    pub(crate) fn insert(&mut self, spec: NodeSpec) -> NodeId {
        let name = spec.name.clone();
        let node = self.rows.insert(spec);
        self.by_name.insert(name, node);
        self.live.insert(node);
        self.note_limits(node, Sign::Plus);
        self.note_taints(node);
        self.rank.grow(self.rows.bound(), u32::MAX);
        self.is_rank_stale = true;
        node
    }

    pub(crate) fn replace(&mut self, node: NodeId, spec: NodeSpec) {
        self.note_limits(node, Sign::Minus);
        self.rows[node] = spec;
        self.note_limits(node, Sign::Plus);
        self.note_taints(node);
    }

    fn note_limits(&mut self, node: NodeId, sign: Sign) {
        for driver in self.rows[node].attach_limits.keys() {
            if sign == Sign::Plus {
                *self.limits.entry(driver.clone()).or_insert(0) += 1;
            } else if let Some(count) = self.limits.get_mut(driver) {
                *count -= 1;
                if *count == 0 {
                    self.limits.remove(driver);
                }
            }
        }
    }

    fn note_taints(&mut self, node: NodeId) {
        let mut effects = self.rows[node].taints.iter().map(|taint| taint.effect);
        if effects.any(|effect| effect == TaintEffect::PreferNoSchedule) {
            self.uninviting.insert(node);
        } else {
            self.uninviting.remove(node);
        }
    }

    pub(crate) fn remove(&mut self, node: NodeId) -> NodeSpec {
        self.note_limits(node, Sign::Minus);
        let spec = self.rows.remove(node);
        self.by_name.remove(&spec.name);
        self.live.remove(node);
        self.closed.remove(node);
        self.uninviting.remove(node);
        self.lost.remove(node);
        spec
    }

    pub(crate) fn give_up(&mut self, node: NodeId) {
        self.lost.insert(node);
    }

    pub(crate) fn take_back(&mut self, node: NodeId) {
        self.lost.remove(node);
    }

    pub(crate) fn close(&mut self, node: NodeId) {
        assert!(!self.closed.contains(node), "closing and opening alternate");
        self.closed.insert(node);
        self.charged.touch(node);
    }

    pub(crate) fn open(&mut self, node: NodeId) {
        assert!(self.closed.contains(node), "closing and opening alternate");
        self.closed.remove(node);
        self.charged.touch(node);
    }

    pub(crate) fn set_flavour(&mut self, node: NodeId, name: &str) {
        let flavour = self.intern_flavour(name);
        self.flavours.grow(node.index() + 1, flavour);
        self.flavours[node] = flavour;
    }

    /// The flavour called `name`, made on first mention.
    pub(crate) fn intern_flavour(&mut self, name: &str) -> FlavourId {
        let known = self.flavour_names.iter().position(|known| known == name);
        FlavourId::from_index(known.unwrap_or_else(|| {
            self.flavour_names.push(name.to_owned());
            self.flavour_names.len() - 1
        }))
    }

    /// Sets one node's capacity, moving `free` and the totals by the difference.
    pub(crate) fn set_allocatable(&mut self, node: NodeId, resource: ResourceId, units: i64) {
        let units = units.clamp(0, CAPACITY_MAX);
        let rows = self.rows.bound();
        for table in [&mut self.allocatable, &mut self.free, &mut self.releasing] {
            table.grow(resource.index() + 1, Column::new());
            table[resource].grow(rows, 0);
        }
        self.totals.grow(resource.index() + 1, 0);
        let by = units - self.allocatable[resource][node];
        self.allocatable[resource][node] = units;
        self.free[resource][node] += by;
        self.totals[resource] += i128::from(by);
    }

    /// Resources for which the node has a column.
    pub(crate) fn resources(&self) -> impl Iterator<Item = ResourceId> + use<> {
        self.allocatable.ids()
    }

    /// Makes columns for so many resources, so that charging and taking a charge back leave
    /// tables of the same size.
    pub(crate) fn cover(&mut self, resources: usize) {
        let known = self.allocatable.len();
        let column = || {
            let mut column = Column::new();
            column.grow(self.rows.bound(), 0);
            column
        };
        for _ in known..resources {
            for table in [&mut self.allocatable, &mut self.free, &mut self.releasing] {
                table.push(column());
            }
        }
        self.totals.grow(resources, 0);
    }

    pub(crate) fn add_free(&mut self, node: NodeId, resource: ResourceId, by: i64) {
        self.free[resource][node] += by;
    }

    pub(crate) fn add_releasing(&mut self, node: NodeId, resource: ResourceId, by: i64) {
        self.releasing[resource][node] += by;
    }

    pub(crate) fn add_port(&mut self, node: NodeId, port: &HostPort) {
        *self.ports.entry(node).or_default().entry(port.clone()).or_insert(0) += 1;
    }

    pub(crate) fn take_port(&mut self, node: NodeId, port: &HostPort) {
        let taken = self.ports.get_mut(&node).expect("the port was taken");
        let count = taken.get_mut(port).expect("the port was taken");
        *count -= 1;
        if *count == 0 {
            taken.remove(port);
        }
        if taken.is_empty() {
            self.ports.remove(&node);
        }
    }

    /// Works out the ranks anew after nodes came or went.
    pub(crate) fn rank_all(&mut self) {
        if !std::mem::take(&mut self.is_rank_stale) {
            return;
        }
        self.rank_epoch += 1;
        let mut order: Vec<(&str, NodeId)> =
            self.by_name.iter().map(|(name, node)| (name.as_str(), *node)).collect();
        order.sort_by(|(a, _), (b, _)| natural(a, b));
        for (rank, (_, node)) in (0_u32..).zip(order) {
            self.rank[node] = rank;
        }
    }
}

#[inline]
fn entry(table: &IndexVec<ResourceId, Column>, node: NodeId, resource: ResourceId) -> Amount {
    let units = table.get(resource).and_then(|column| column.get(node)).copied();
    Amount::new(units.unwrap_or(0))
}

/// Two host ports collide if port and protocol are equal and the addresses are, or either
/// address is the wildcard.
fn collide(a: &HostPort, b: &HostPort) -> bool {
    let wildcard = |ip: &str| ip.is_empty() || ip == "0.0.0.0";
    a.port == b.port
        && a.protocol == b.protocol
        && (a.ip == b.ip || wildcard(&a.ip) || wildcard(&b.ip))
}

/// Compares names the way people read them: runs of digits by value (`a2` before `a10`), then
/// byte by byte, so that it is a total order.
#[must_use]
pub fn natural(a: &str, b: &str) -> Ordering {
    let (mut left, mut right) = (a.as_bytes(), b.as_bytes());
    loop {
        let ((l, l_rest), (r, r_rest)) = (chunk(left), chunk(right));
        let order = match (l.first(), r.first()) {
            (None, None) => return a.cmp(b),
            (Some(x), Some(y)) if x.is_ascii_digit() && y.is_ascii_digit() => {
                let (x, y) = (strip(l), strip(r));
                x.len().cmp(&y.len()).then_with(|| x.cmp(y))
            }
            _ => l.cmp(r),
        };
        if order != Ordering::Equal {
            return order;
        }
        (left, right) = (l_rest, r_rest);
    }
}

/// The leading run of digits, or of anything else.
fn chunk(text: &[u8]) -> (&[u8], &[u8]) {
    let Some(first) = text.first() else { return (text, text) };
    let is_digit = first.is_ascii_digit();
    let end = text.iter().position(|byte| byte.is_ascii_digit() != is_digit);
    text.split_at(end.unwrap_or(text.len()))
}

fn strip(digits: &[u8]) -> &[u8] {
    let zeros = digits.iter().take_while(|byte| **byte == b'0').count();
    &digits[zeros..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_sort_as_people_read_them() {
        let mut names = ["n10", "n2", "n1", "m3", "n02", "n2a"];
        names.sort_by(|a, b| natural(a, b));
        assert_eq!(names, ["m3", "n1", "n02", "n2", "n2a", "n10"]);
    }
}
