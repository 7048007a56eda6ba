//! The ordered, weighted set of plugins in force, and the loops that run them.

use crate::{
    Cadence, DomainOffer, DomainOrder, EventMask, Filter, GangOffer, GangOrder, OrderKey,
    QueueOrder, SCORE_MAX, Scorer, Verdict,
};
use scheduler_model::explain::NodeReason;
use scheduler_model::ids::{ClassId, Id, NodeId};
use scheduler_model::node_set::NodeSet;
use scheduler_model::queue::Branch;
use scheduler_model::resource::Request;
use scheduler_model::snapshot::Snapshot;
use std::sync::Arc;

/// The plugins in force. Filters are asked in order of installation, which is also the order
/// in which explanations name reasons.
///
/// Pods of different scheduler names may have different filters and scorers
/// ([`Profile::or`]); there is one order of gangs, queues and domains, for they compete.
#[derive(Clone, Debug, Default)]
pub struct Profile {
    first: Judges,
    /// Those of the shapes that say so, see [`scheduler_model::spec::PodShape::profile`].
    others: Vec<Judges>,
    gang_orders: Vec<Arc<dyn GangOrder>>,
    queue_orders: Vec<Arc<dyn QueueOrder>>,
    domain_orders: Vec<Arc<dyn DomainOrder>>,
}

/// What judges nodes for the pods of one scheduler name.
#[derive(Clone, Debug, Default)]
struct Judges {
    filters: Vec<Arc<dyn Filter>>,
    scorers: Vec<(Arc<dyn Scorer>, i64)>,
}

/// Installing. Each method answers the profile, so that a plugin can sit on several points.
impl Profile {
    /// Adds a filter.
    pub fn filter(&mut self, filter: Arc<dyn Filter>) -> &mut Self {
        self.first.filters.push(filter);
        self
    }

    /// Adds a scorer whose scores count `weight` times.
    pub fn scorer(&mut self, scorer: Arc<dyn Scorer>, weight: i64) -> &mut Self {
        self.first.scorers.push((scorer, weight));
        self
    }

    /// Gives scorers other weights, by name; `None` leaves one as it is.
    pub fn reweigh(&mut self, weight_of: impl Fn(&str) -> Option<i64>) -> &mut Self {
        for (scorer, weight) in &mut self.first.scorers {
            *weight = weight_of(scorer.name()).unwrap_or(*weight);
        }
        self
    }

    /// Adds an order of gangs; it decides where those before it tie.
    pub fn gang_order(&mut self, order: Arc<dyn GangOrder>) -> &mut Self {
        self.gang_orders.push(order);
        self
    }

    /// Adds an order of queues; it decides where those before it tie.
    pub fn queue_order(&mut self, order: Arc<dyn QueueOrder>) -> &mut Self {
        self.queue_orders.push(order);
        self
    }

    /// Adds an order of domains; it decides where those before it tie.
    pub fn domain_order(&mut self, order: Arc<dyn DomainOrder>) -> &mut Self {
        self.domain_orders.push(order);
        self
    }

    /// The same, where the pods of the next scheduler name are judged by the filters and
    /// scorers of `other`. Its orders do not count.
    #[must_use]
    pub fn or(mut self, other: Self) -> Self {
        self.others.push(other.first);
        self
    }

    /// The filters in order, for the first scheduler name.
    #[must_use]
    pub fn filters(&self) -> &[Arc<dyn Filter>] {
        &self.first.filters
    }

    /// The scorers with their weights, for the first scheduler name.
    #[must_use]
    pub fn scorers(&self) -> &[(Arc<dyn Scorer>, i64)] {
        &self.first.scorers
    }

    /// The filters that judge nodes for a class, in order.
    #[must_use]
    pub fn filters_of(&self, snap: &Snapshot, class: ClassId) -> &[Arc<dyn Filter>] {
        &self.judges(snap, class).filters
    }

    fn judges(&self, snap: &Snapshot, class: ClassId) -> &Judges {
        let number = usize::from(snap.classes().get(class).key.shape.profile);
        // A dump of a cluster with more profiles is judged by the first.
        number.checked_sub(1).and_then(|index| self.others.get(index)).unwrap_or(&self.first)
    }
}

/// Running.
impl Profile {
    /// Keeps the nodes that all filters of one cadence accept.
    pub fn retain(&self, cadence: Cadence, snap: &Snapshot, class: ClassId, nodes: &mut NodeSet) {
        for filter in self.filters_of(snap, class) {
            if filter.cadence() == cadence && filter.concerns(snap, class) {
                filter.retain(snap, class, nodes);
            }
        }
    }

    /// True if all filters of one cadence accept the class on the node.
    #[must_use]
    pub fn accepts(&self, cadence: Cadence, snap: &Snapshot, class: ClassId, node: NodeId) -> bool {
        self.filters_of(snap, class)
            .iter()
            .filter(|filter| filter.cadence() == cadence && filter.concerns(snap, class))
            .all(|filter| filter.accepts(snap, class, node) == Verdict::Fit)
    }

    /// True if some filter or scorer must be asked again after each placement of the class.
    #[must_use]
    pub fn is_per_placement(&self, snap: &Snapshot, class: ClassId) -> bool {
        let Judges { filters, scorers } = self.judges(snap, class);
        let by_filter = filters
            .iter()
            .any(|it| it.cadence() == Cadence::PerPlacement && it.concerns(snap, class));
        by_filter
            || scorers
                .iter()
                .any(|(it, _)| it.cadence() == Cadence::PerPlacement && it.concerns(snap, class))
    }

    /// True if placing a pod of the class changes what filters say about that node alone.
    #[must_use]
    pub fn is_local(&self, snap: &Snapshot, class: ClassId) -> bool {
        self.filters_of(snap, class)
            .iter()
            .filter(|it| it.cadence() == Cadence::PerPlacement && it.concerns(snap, class))
            .all(|it| it.is_local(snap, class))
    }

    /// The first filter that turns the class away on the node, its reason and what wakes it.
    #[must_use]
    pub fn refusal(
        &self,
        snap: &Snapshot,
        class: ClassId,
        node: NodeId,
    ) -> Option<(NodeReason, EventMask)> {
        let filters = self.filters_of(snap, class).iter();
        filters.filter(|filter| filter.concerns(snap, class)).find_map(|filter| {
            match filter.accepts(snap, class, node) {
                Verdict::Fit => None,
                Verdict::Unfit(reason) | Verdict::Never(reason) => {
                    Some((reason, filter.wakes_on()))
                }
            }
        })
    }

    /// Which scorers the class concerns now, one bit each in order of installation. Scores
    /// summed while other bits were set cannot be compared.
    #[must_use]
    pub fn scorers_concerned(&self, snap: &Snapshot, class: ClassId) -> u64 {
        let bit = |(scorer, _): &(Arc<dyn Scorer>, i64)| u64::from(scorer.concerns(snap, class));
        self.judges(snap, class).scorers.iter().fold(0, |bits, scorer| (bits << 1) | bit(scorer))
    }

    /// Weighted sum of all scores for one node.
    #[must_use]
    pub fn score(&self, snap: &Snapshot, class: ClassId, node: NodeId) -> i64 {
        self.judges(snap, class)
            .scorers
            .iter()
            .filter(|(scorer, _)| scorer.concerns(snap, class))
            .map(|(scorer, weight)| weight * scorer.score(snap, class, node))
            .sum()
    }

    /// Adds the weighted sum of all scores of `nodes` to `out`, indexed by row.
    pub fn add_scores(&self, snap: &Snapshot, class: ClassId, nodes: &NodeSet, out: &mut [i64]) {
        for (scorer, weight) in &self.judges(snap, class).scorers {
            if scorer.concerns(snap, class) {
                scorer.add_scores(snap, class, nodes, *weight, out);
            }
        }
    }

    /// As [`Profile::add_scores`], but drops nodes from the set as soon as all scorers still to
    /// come could not lift them to the best any more. The best nodes always stay.
    pub fn add_scores_of_contenders(
        &self,
        snap: &Snapshot,
        class: ClassId,
        nodes: &mut NodeSet,
        out: &mut [i64],
    ) {
        let scorers = &self.judges(snap, class).scorers;
        let concerned = || scorers.iter().filter(|(it, _)| it.concerns(snap, class));
        let mut to_come: i64 = concerned().map(|(_, weight)| weight * SCORE_MAX).sum();
        for (scorer, weight) in concerned() {
            scorer.add_scores(snap, class, nodes, *weight, out);
            to_come -= weight * SCORE_MAX;
            if to_come > 0 {
                let best = nodes.iter().map(|node| out[node.index()]).max().unwrap_or(0);
                nodes.retain_if(|node| out[node.index()] + to_come >= best);
            }
        }
    }

    /// Keys of a gang, most important first.
    pub fn gang_key<'a>(
        &'a self,
        snap: &'a Snapshot,
        offer: &'a GangOffer,
    ) -> impl Iterator<Item = OrderKey> + 'a {
        self.gang_orders.iter().map(move |order| order.key(snap, offer))
    }

    /// Keys of a queue among those with the same parent, most important first; its next gang
    /// wants `next`.
    pub fn queue_key<'a>(
        &'a self,
        snap: &'a Snapshot,
        branch: Branch,
        next: &'a Request,
    ) -> impl Iterator<Item = OrderKey> + 'a {
        self.queue_orders.iter().map(move |order| order.key(snap, branch, next))
    }

    /// Keys of a domain, most important first.
    pub fn domain_key<'a>(
        &'a self,
        snap: &'a Snapshot,
        offer: &'a DomainOffer,
    ) -> impl Iterator<Item = OrderKey> + 'a {
        self.domain_orders.iter().map(move |order| order.key(snap, offer))
    }
}
