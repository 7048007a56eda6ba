//! The cluster as the engine sees it: all tables together.
//!
//! Invariant: the only writers are [`crate::op`] (inside a cycle) and [`crate::ingest`]
//! (between cycles). Both move every derived index through `Snapshot::charge`, so an index
//! cannot be forgotten. Next: [`crate::describe`], which says what a snapshot holds by name.

use crate::budget::BudgetTable;
use crate::class::ClassTable;
use crate::constraint::ConstraintTable;
use crate::gang::GangTable;
use crate::ids::{ClassId, ConstraintId, FlavourId, GangId, LevelId, NodeId, PodId, QueueId};
use crate::label::LabelTable;
use crate::node::{NodeTable, REQUEST_MAX};
use crate::pod::{Place, PodTable};
use crate::problem::Problem;
use crate::queue::{Branch, Division, Measure, QueueTree, Share};
use crate::relation::{RelationTable, Sign, Tally, change};
use crate::resource::{Request, ResourceTable};
use crate::spec::{DaemonSpec, GangKey, NamespaceSpec, PodSpec, PriorityClassSpec};
use crate::time::Time;
use crate::topology::TopologyTable;
use crate::volume::{Need, VolumeTable};
use std::collections::{BTreeMap, BTreeSet};

/// All tables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snapshot {
    pub(crate) resources: ResourceTable,
    pub(crate) nodes: NodeTable,
    pub(crate) labels: LabelTable,
    pub(crate) topology: TopologyTable,
    pub(crate) constraints: ConstraintTable,
    pub(crate) relations: RelationTable,
    pub(crate) classes: ClassTable,
    pub(crate) pods: PodTable,
    pub(crate) gangs: GangTable,
    pub(crate) queues: QueueTree,
    pub(crate) namespaces: BTreeMap<String, NamespaceSpec>,
    pub(crate) priority_classes: BTreeMap<String, PriorityClassSpec>,
    pub(crate) daemons: BTreeMap<String, Daemon>,
    pub(crate) volumes: VolumeTable,
    pub(crate) budgets: BudgetTable,
    pub(crate) problems: BTreeMap<String, Problem>,
}

/// A DaemonSet, compiled: what each matching fresh node must keep free.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Daemon {
    /// As it was described.
    pub spec: DaemonSpec,
    /// Where its pods go.
    pub constraint: ConstraintId,
    /// What one of its pods wants.
    pub request: Request,
}

/// Pods of one class that hold room on one node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Charge {
    pub(crate) class: ClassId,
    pub(crate) node: NodeId,
    pub(crate) queue: Option<QueueId>,
    /// Whose it is, if it counts as that gang's.
    pub(crate) gang: Option<GangId>,
    pub(crate) count: u32,
    pub(crate) is_releasing: bool,
}

/// Reading.
impl Snapshot {
    /// Resources.
    #[must_use]
    pub const fn resources(&self) -> &ResourceTable {
        &self.resources
    }

    /// Nodes.
    #[must_use]
    pub const fn nodes(&self) -> &NodeTable {
        &self.nodes
    }

    /// Node label columns.
    #[must_use]
    pub const fn labels(&self) -> &LabelTable {
        &self.labels
    }

    /// Topologies, levels, domains.
    #[must_use]
    pub const fn topology(&self) -> &TopologyTable {
        &self.topology
    }

    /// Demands on the node alone.
    #[must_use]
    pub const fn constraints(&self) -> &ConstraintTable {
        &self.constraints
    }

    /// Selectors and carriers.
    #[must_use]
    pub const fn relations(&self) -> &RelationTable {
        &self.relations
    }

    /// Pod classes.
    #[must_use]
    pub const fn classes(&self) -> &ClassTable {
        &self.classes
    }

    /// Pods.
    #[must_use]
    pub const fn pods(&self) -> &PodTable {
        &self.pods
    }

    /// Gangs.
    #[must_use]
    pub const fn gangs(&self) -> &GangTable {
        &self.gangs
    }

    /// Queues.
    #[must_use]
    pub const fn queues(&self) -> &QueueTree {
        &self.queues
    }

    /// DaemonSets by key.
    #[must_use]
    pub const fn daemons(&self) -> &BTreeMap<String, Daemon> {
        &self.daemons
    }

    /// Namespaces by name.
    #[must_use]
    pub const fn namespaces(&self) -> &BTreeMap<String, NamespaceSpec> {
        &self.namespaces
    }

    /// Priority classes by name.
    #[must_use]
    pub const fn priority_classes(&self) -> &BTreeMap<String, PriorityClassSpec> {
        &self.priority_classes
    }

    /// Volume claims and what serves them.
    #[must_use]
    pub const fn volumes(&self) -> &VolumeTable {
        &self.volumes
    }

    /// Disruption budgets.
    #[must_use]
    pub const fn budgets(&self) -> &BudgetTable {
        &self.budgets
    }

    /// What is wrong with objects now, each once.
    pub fn problems(&self) -> impl Iterator<Item = &Problem> {
        self.problems.values()
    }

    /// Rows of gangs given up since the last call; some may have new tenants by now.
    pub fn take_departed(&mut self) -> Vec<(GangId, GangKey)> {
        std::mem::take(&mut self.gangs.departed)
    }

    /// Priority of a gang: its group's number or class, else its highest member's.
    #[must_use]
    pub fn priority(&self, gang: GangId) -> i32 {
        let gang = self.gangs.get(gang);
        if let Some(spec) = &gang.spec {
            let named = self.priority_classes.get(&spec.priority_class).map(|class| class.value);
            if let Some(priority) = spec.priority.or(named) {
                return priority;
            }
        }
        let members = gang.members.iter().map(|id| self.pods.get(*id));
        members
            .filter(|pod| !pod.spec.phase.is_finished())
            .map(|pod| self.pod_priority(pod.spec.priority, &pod.spec.priority_class))
            .max()
            .unwrap_or(0)
    }

    fn pod_priority(&self, number: Option<i32>, class: &str) -> i32 {
        number.or_else(|| self.class_or_default(class).map(|class| class.value)).unwrap_or(0)
    }

    fn class_or_default(&self, class: &str) -> Option<&PriorityClassSpec> {
        let default = || self.priority_classes.values().find(|class| class.is_default);
        self.priority_classes.get(class).or_else(default)
    }

    /// Whether others may be evicted for a gang: not if its class or one of its members says
    /// `preemptionPolicy: Never`, since it starts as a whole.
    #[must_use]
    pub fn preempts(&self, gang: GangId) -> bool {
        let gang = self.gangs.get(gang);
        let named = gang.spec.as_ref().and_then(|it| self.priority_classes.get(&it.priority_class));
        let members = gang.members.iter().map(|id| &*self.pods.get(*id).spec);
        let may = |pod: &PodSpec| {
            let of_class = || self.class_or_default(&pod.priority_class);
            pod.preempts.unwrap_or_else(|| of_class().is_none_or(|class| class.preempts))
        };
        named.is_none_or(|class| class.preempts)
            && members.filter(|pod| !pod.phase.is_finished()).all(may)
    }

    /// When the first placed member of a gang began to run (or was bound).
    #[must_use]
    pub fn started_at(&self, gang: GangId) -> Option<Time> {
        let members = self.gangs.get(gang).members.iter().map(|id| self.pods.get(*id));
        members
            .filter(|pod| pod.place.is_placed() && !pod.spec.phase.is_finished())
            .filter_map(|pod| pod.spec.started_at.or(pod.spec.scheduled_at))
            .min()
    }

    /// When a running gang ends at the latest, where its walltime is known.
    #[must_use]
    pub fn expected_end(&self, gang: GangId) -> Option<Time> {
        let row = self.gangs.get(gang);
        let own = row.spec.as_ref().and_then(|spec| spec.walltime);
        let of_pods = || row.members.iter().filter_map(|id| self.pods.get(*id).spec.walltime).max();
        Some(self.started_at(gang)?.after(own.or_else(of_pods)?))
    }

    /// The level that a gang's wish names, if it exists.
    #[must_use]
    pub fn find_level(&self, topology: Option<&str>, wish: &str) -> Option<LevelId> {
        let keys = self.topology.resolve(topology, wish)?;
        let keys: Option<Vec<_>> = keys.iter().map(|key| self.labels.find(key)).collect();
        self.topology.find(&keys?)
    }
}

/// Moving every derived index at once.
impl Snapshot {
    /// True if room is charged for a pod.
    #[must_use]
    pub fn holds_room(&self, pod: PodId) -> bool {
        self.charge_of(pod).is_some()
    }

    /// What a pod's room is charged as; `None` if it holds none.
    pub(crate) fn charge_of(&self, pod: PodId) -> Option<Charge> {
        let row = self.pods.get(pod);
        let node = row.place.node()?;
        let class = row.class?;
        let gang = row.gang.map(|gang| self.gangs.get(gang));
        if row.has_left || gang.is_some_and(|gang| gang.is_finished) {
            return None;
        }
        let queue = gang.and_then(|gang| gang.queue);
        let is_releasing = row.is_releasing();
        Some(Charge { class, node, queue, gang: row.gang, count: 1, is_releasing })
    }

    /// Charges room, or takes a charge back, in every index that depends on it.
    pub(crate) fn charge(&mut self, charge: Charge, sign: Sign) {
        let Charge { class, node, queue, gang, count, is_releasing } = charge;
        let live = if is_releasing { 0 } else { count };
        let by = Tally { all: count, live };
        let row = self.classes.get_mut(class);
        change(&mut row.tallies, node, by, sign);
        for selector in &row.matches {
            change(&mut self.relations.selector_mut(*selector).tallies, node, by, sign);
        }
        for carrier in &row.carries {
            change(&mut self.relations.carrier_mut(*carrier).tallies, node, by, sign);
        }
        for (resource, amount) in &row.request {
            let units = amount.units().clamp(0, REQUEST_MAX) * i64::from(count);
            let taken = if sign == Sign::Plus { units } else { -units };
            self.nodes.add_free(node, *resource, -taken);
            if is_releasing {
                self.nodes.add_releasing(node, *resource, taken);
            }
        }
        for port in &row.key.shape.host_ports {
            for _ in 0..count {
                match sign {
                    Sign::Plus => self.nodes.add_port(node, port),
                    Sign::Minus => self.nodes.take_port(node, port),
                }
            }
        }
        for need in &row.key.needs {
            if let Need::Bound { attach: Some(what), .. } = need {
                self.volumes.attach(node, what, count, sign);
            }
        }
        let flavour = self.nodes.flavour(node);
        self.queues.charge(queue, flavour, &row.request, count, sign);
        if let Some(gang) = gang {
            self.charge_gang(gang, (class, flavour, count), sign);
        }
        self.nodes.charged.touch(node);
    }

    /// Counts members of a gang that hold room, and what its users use by it.
    fn charge_gang(
        &mut self,
        gang: GangId,
        (class, flavour, count): (ClassId, FlavourId, u32),
        sign: Sign,
    ) {
        let row = &mut self.gangs.rows[gang];
        let counted = row.counts();
        row.holding = match sign {
            Sign::Plus => row.holding.saturating_add(count),
            Sign::Minus => row.holding.saturating_sub(count),
        };
        if !row.accounts.is_empty() {
            let request = &self.classes.get(class).request;
            self.queues.charge_users(&row.accounts, (flavour, request, count), sign);
        }
        if counted != row.counts() {
            self.queues.count_gang(row.queue, &row.accounts, sign);
        }
    }

    /// Counts a gang among those that run although it has no place yet: room is kept for it, and
    /// nobody may take its turn. True if it counts otherwise than before.
    pub fn promise_start(&mut self, gang: GangId) -> bool {
        self.set_promise(gang, Sign::Plus)
    }

    /// Takes a [`Snapshot::promise_start`] back. True if the gang counts otherwise than before.
    pub fn end_promise(&mut self, gang: GangId) -> bool {
        self.set_promise(gang, Sign::Minus)
    }

    fn set_promise(&mut self, gang: GangId, sign: Sign) -> bool {
        if self.gangs.rows.get(gang).is_none() {
            return false;
        }
        let row = &mut self.gangs.rows[gang];
        let counted = row.counts();
        row.is_promised = sign == Sign::Plus;
        let is_news = counted != row.counts();
        if is_news {
            self.queues.count_gang(row.queue, &row.accounts, sign);
        }
        is_news
    }

    /// How many pods wanting `request` each may still start on nodes of `flavour`, by what the
    /// queue may use and, for a gang, by what its users may.
    #[must_use]
    pub fn headroom(
        &self,
        queue: QueueId,
        gang: Option<GangId>,
        flavour: FlavourId,
        request: &Request,
    ) -> u32 {
        let of_queue = self.queues.headroom(queue, flavour, request);
        let accounts = gang.map_or(&[][..], |gang| &self.gangs.get(gang).accounts);
        of_queue.min(self.queues.user_headroom(accounts, flavour, request))
    }

    /// Takes over a new division of all there is, and what each branch got.
    pub fn set_division(
        &mut self,
        division: Division,
        shares: impl IntoIterator<Item = (Branch, Measure, Share)>,
    ) {
        self.queues.set_division(division);
        self.set_shares(shares);
    }

    /// Takes over what some branches get now, the division being the same.
    pub fn set_shares(&mut self, shares: impl IntoIterator<Item = (Branch, Measure, Share)>) {
        for (branch, measure, share) in shares {
            self.queues.set_share(branch, measure, share);
        }
    }

    /// Takes over what is free now on nodes that take pods.
    pub fn set_free(&mut self, free: BTreeMap<Measure, i128>) {
        self.queues.set_free(free);
    }

    /// Queues whose own use changed since the last call.
    pub fn take_touched_queues(&mut self) -> BTreeSet<QueueId> {
        self.queues.take_touched()
    }

    /// Queues that came to run as many gangs as may since the last call, and perhaps others.
    pub fn take_filled_queues(&mut self) -> BTreeSet<QueueId> {
        self.queues.take_filled()
    }

    /// Keeps one request off a node's free room, charging nobody.
    pub fn keep(&mut self, node: NodeId, request: &Request) {
        self.keep_free(request, node, 1, Sign::Plus);
    }

    /// Takes a [`Snapshot::keep`] back.
    pub fn give_back(&mut self, node: NodeId, request: &Request) {
        self.keep_free(request, node, 1, Sign::Minus);
    }

    /// Keeps room off the free columns (or gives it back) without charging anybody.
    pub(crate) fn keep_free(&mut self, request: &Request, node: NodeId, count: u32, sign: Sign) {
        for (resource, amount) in request {
            let units = amount.units().clamp(0, REQUEST_MAX) * i64::from(count);
            let by = if sign == Sign::Plus { -units } else { units };
            self.nodes.add_free(node, *resource, by);
        }
        self.nodes.charged.touch(node);
    }

    /// Gives a pod the room that an applied [`crate::op::Op::Place`] already charged, and what
    /// an [`crate::op::Op::Serve`] gave to its claims.
    pub fn assume(&mut self, pod: PodId, node: NodeId) {
        let row = &mut self.pods.rows[pod];
        assert_eq!(row.place, Place::Nowhere, "only a pod without a place is assumed");
        row.place = Place::Assumed(node);
        self.pods.on_node.entry(node).or_default().insert(pod);
        self.own_service(pod, node);
    }
}
