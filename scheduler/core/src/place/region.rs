//! Which sets of nodes a gang may, and should, be together in, the most promising first.
//!
//! A region is tried whole before the next one. Its stages are filled one after the other:
//! several where a preferred level cannot hold everybody.

use super::Placer;
use crate::roster::{PodSet, Roster};
use scheduler_framework::DomainOffer;
use scheduler_model::ids::{DomainId, IndexVec, LevelId, NodeId};
use scheduler_model::node_set::NodeSet;
use scheduler_model::snapshot::Snapshot;
use scheduler_model::topology::nowhere;
use std::collections::BTreeMap;

/// Nodes to try a gang on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Region {
    /// Filled one after the other; `None` is everywhere.
    pub stages: Vec<Option<NodeSet>>,
    /// The required domain it lies in, for people.
    pub domain: Option<(LevelId, DomainId)>,
}

/// How many members a gang must and would like to place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Goal {
    /// In total.
    pub total: u32,
    /// At least so many per role.
    pub roles: BTreeMap<String, u32>,
}

impl Goal {
    /// The least that lets the gang run.
    #[must_use]
    pub fn minimum(roster: &Roster) -> Self {
        let roles = roster
            .roles
            .iter()
            .map(|(name, count)| (name.clone(), count.needed()))
            .filter(|(_, needed)| *needed > 0)
            .collect();
        Self { total: roster.needed(), roles }
    }
}

/// Room for each set of a gang, per domain of one level.
struct Capacities {
    level: LevelId,
    by_set: Vec<IndexVec<DomainId, u64>>,
}

impl Placer<'_> {
    /// The regions of a gang in the order to try them. None if a required level leaves none.
    pub fn regions(&mut self, snap: &Snapshot, roster: &Roster, goal: &Goal) -> Vec<Region> {
        let gang = snap.gangs().get(roster.gang);
        let wish = gang.spec.as_ref().map(|spec| spec.topology.clone()).unwrap_or_default();
        let level = |name: &Option<String>| {
            name.as_ref().and_then(|name| snap.find_level(wish.topology.as_deref(), name))
        };
        let mut regions = vec![Region { stages: vec![None], domain: None }];
        if let Some(level) = level(&wish.required) {
            regions = self.inside(snap, roster, goal, level, None);
        }
        for level in self_affinity_levels(snap, roster) {
            let outer = std::mem::take(&mut regions);
            for region in &outer {
                let within = region.stages[0].as_ref();
                let inner = self.inside(snap, roster, goal, level, within);
                let domain = region.domain;
                regions.extend(
                    inner.into_iter().map(|it| Region { domain: domain.or(it.domain), ..it }),
                );
            }
            // Members of other classes may not have to be with them at all.
            regions.extend(outer);
        }
        if let Some(level) = level(&wish.preferred) {
            let outer = std::mem::take(&mut regions);
            for region in outer {
                regions.extend(self.prefer(snap, roster, goal, level, region));
            }
        }
        regions
    }

    /// The domains of a required level that could hold the goal, best first. Members that
    /// already run pin the gang to theirs.
    fn inside(
        &mut self,
        snap: &Snapshot,
        roster: &Roster,
        goal: &Goal,
        level: LevelId,
        within: Option<&NodeSet>,
    ) -> Vec<Region> {
        let pinned = pinned_domain(snap, roster, level);
        let domains = match pinned {
            Some(domain) => vec![domain],
            None => {
                let offers = self.offers(snap, roster, goal, level, within);
                let fitting = offers.iter().filter(|(_, fits)| *fits);
                let mut domains: Vec<DomainId> = fitting.map(|(offer, _)| offer.domain).collect();
                if domains.is_empty() {
                    // None will do; the one that comes closest is tried for the explanation.
                    let closest = offers.iter().max_by_key(|(offer, _)| offer.places);
                    domains.extend(closest.map(|(offer, _)| offer.domain));
                }
                domains
            }
        };
        let row = snap.topology().level(level);
        domains
            .into_iter()
            .map(|domain| {
                let mut nodes = row.members(domain).clone();
                if let Some(within) = within {
                    nodes.retain(within);
                }
                Region { stages: vec![Some(nodes)], domain: Some((level, domain)) }
            })
            .collect()
    }

    /// Splits a region by a preferred level: single domains that hold the goal first, then the
    /// whole region filled domain by domain, largest first, so that few are touched.
    fn prefer(
        &mut self,
        snap: &Snapshot,
        roster: &Roster,
        goal: &Goal,
        level: LevelId,
        region: Region,
    ) -> Vec<Region> {
        let mut out = Vec::new();
        let whole = region.stages[0].clone();
        let offers = self.offers(snap, roster, goal, level, whole.as_ref());
        let row = snap.topology().level(level);
        let part = |domain: DomainId| {
            let mut nodes = row.members(domain).clone();
            if let Some(whole) = &whole {
                nodes.retain(whole);
            }
            Some(nodes)
        };
        let home = pinned_domain(snap, roster, level);
        if let Some(home) = home {
            let stages = vec![part(home), whole.clone()];
            out.push(Region { stages, domain: region.domain });
        }
        for (offer, _) in offers.iter().filter(|(_, fits)| *fits) {
            out.push(Region { stages: vec![part(offer.domain)], domain: region.domain });
        }
        let mut widest = offers;
        widest.sort_by_key(|(offer, _)| std::cmp::Reverse(offer.places));
        let mut stages: Vec<Option<NodeSet>> =
            widest.iter().map(|(offer, _)| part(offer.domain)).collect();
        stages.push(whole);
        out.push(Region { stages, domain: region.domain });
        out
    }

    /// Every domain with room, best first, and whether it could hold the goal by count.
    pub(super) fn offers(
        &mut self,
        snap: &Snapshot,
        roster: &Roster,
        goal: &Goal,
        level: LevelId,
        within: Option<&NodeSet>,
    ) -> Vec<(DomainOffer, bool)> {
        let capacities = self.capacities(snap, roster, level, within);
        let row = snap.topology().level(level);
        let peers = peers_by_domain(snap, roster, level);
        let mut offers: Vec<(DomainOffer, bool)> = row
            .ids()
            .filter_map(|domain| {
                let peers = peers.get(&domain).copied().unwrap_or(0);
                capacities.offer(roster, goal, domain, peers)
            })
            .collect();
        let labels = snap.labels();
        offers.sort_by_cached_key(|(offer, _)| {
            let keys: Vec<_> = self.profile.domain_key(snap, offer).collect();
            let path: Vec<String> =
                row.path(offer.domain, labels).into_iter().map(str::to_owned).collect();
            (keys, path)
        });
        offers
    }

    fn capacities(
        &mut self,
        snap: &Snapshot,
        roster: &Roster,
        level: LevelId,
        within: Option<&NodeSet>,
    ) -> Capacities {
        let row = snap.topology().level(level);
        let by_set = roster
            .sets
            .iter()
            .map(|set| {
                let nodes = self.candidates(snap, set.class, within);
                self.fuel.take(nodes.count());
                let mut sums: IndexVec<DomainId, u64> = IndexVec::new();
                sums.grow(row.bound(), 0);
                for node in nodes.iter() {
                    sums[row.domain(node)] += u64::from(room(snap, set, node));
                }
                sums
            })
            .collect();
        Capacities { level, by_set }
    }
}

impl Capacities {
    fn offer(
        &self,
        roster: &Roster,
        goal: &Goal,
        domain: DomainId,
        peers: u32,
    ) -> Option<(DomainOffer, bool)> {
        let mut places = 0;
        let mut spare = 0;
        let mut by_role: BTreeMap<&str, u32> = BTreeMap::new();
        for (set, sums) in roster.sets.iter().zip(&self.by_set) {
            let room = u32::try_from(sums[domain]).unwrap_or(u32::MAX);
            let here = room.min(set.count());
            places += here;
            spare = room.saturating_sub(here).saturating_add(spare);
            *by_role.entry(&set.role).or_insert(0) += here;
        }
        if places == 0 {
            return None;
        }
        let role_fits = |(role, needed): (&String, &u32)| {
            by_role.get(role.as_str()).copied().unwrap_or(0) >= *needed
        };
        let fits = places >= goal.total && goal.roles.iter().all(role_fits);
        let offer = DomainOffer {
            level: self.level,
            domain,
            places,
            needed: goal.total,
            wanted: roster.pending(),
            peers,
            spare,
        };
        Some((offer, fits))
    }
}

/// Pods of a set that the node holds, by room alone: an upper bound, at most the set's count.
fn room(snap: &Snapshot, set: &PodSet, node: NodeId) -> u32 {
    let class = snap.classes().get(set.class);
    let by_room = class
        .request
        .iter()
        .map(|(resource, amount)| snap.nodes().free(node, *resource).holds(*amount))
        .min();
    let by_port = if class.has_host_ports() { 1 } else { u32::MAX };
    by_room.unwrap_or(u32::MAX).min(by_port)
}

/// Placed members of the gang per domain of a level, [`nowhere`] included.
fn peers_by_domain(snap: &Snapshot, roster: &Roster, level: LevelId) -> BTreeMap<DomainId, u32> {
    let row = snap.topology().level(level);
    let mut peers = BTreeMap::new();
    for pod in &snap.gangs().get(roster.gang).members {
        let place = snap.pods().get(*pod).place;
        let Some(node) = place.node().filter(|_| !snap.is_lost(*pod)) else { continue };
        *peers.entry(row.domain(node)).or_insert(0) += 1;
    }
    peers
}

/// The domain that most running members are in; ties go to the first by path. [`nowhere`] if
/// none of them is in any, so that nobody can join them.
#[must_use]
pub fn pinned_domain(snap: &Snapshot, roster: &Roster, level: LevelId) -> Option<DomainId> {
    let row = snap.topology().level(level);
    let peers = peers_by_domain(snap, roster, level);
    let path = |domain: DomainId| row.path(domain, snap.labels());
    peers
        .into_iter()
        .min_by(|(a, m), (b, n)| {
            let is_lost = |domain: DomainId| domain == nowhere();
            let by_count = is_lost(*a).cmp(&is_lost(*b)).then(n.cmp(m));
            by_count.then_with(|| path(*a).cmp(&path(*b)))
        })
        .map(|(domain, _)| domain)
}

/// Levels that members demand of each other: required pod affinity that selects the gang's own
/// class, while no such pod runs yet. The first member's domain then decides for all of its
/// class, so one that holds the whole gang is tried first.
fn self_affinity_levels(snap: &Snapshot, roster: &Roster) -> Vec<LevelId> {
    let mut levels = Vec::new();
    for set in &roster.sets {
        let class = snap.classes().get(set.class);
        for term in &class.affinity {
            let selector = snap.relations().selector(term.selector);
            let is_first = selector.tallies.is_empty() && class.matches.contains(&term.selector);
            let level = snap.topology().find(&[term.key]);
            if let Some(level) = level.filter(|level| is_first && !levels.contains(level)) {
                levels.push(level);
            }
        }
    }
    // By name: in which order the levels were first heard of must not decide.
    let name = |level: &LevelId| {
        let keys = snap.topology().level(*level).keys().iter();
        keys.map(|key| snap.labels().column(*key).key()).collect::<Vec<_>>()
    };
    levels.sort_by_cached_key(name);
    levels
}
