//! Which domain a gang tries first: the tightest one that takes all of it.
//!
//! Domains with room for all members come before those with room for the minimum only, and
//! those before the rest. Among the first, more members that run there already, then the
//! least room left over; among the others, the most members placed.

use scheduler_framework::profile::Profile;
use scheduler_framework::{DomainOffer, DomainOrder, EventMask, OrderKey, Plugin};
use scheduler_model::snapshot::Snapshot;
use std::sync::Arc;

#[derive(Debug)]
struct TopologyPack;

pub(crate) fn install(profile: &mut Profile) {
    profile.domain_order(Arc::new(TopologyPack));
}

impl Plugin for TopologyPack {
    fn name(&self) -> &'static str {
        "topology_pack"
    }

    fn wakes_on(&self) -> EventMask {
        EventMask::NONE
    }
}

impl DomainOrder for TopologyPack {
    fn key(&self, _: &Snapshot, offer: &DomainOffer) -> OrderKey {
        let (places, peers) = (i64::from(offer.places), i64::from(offer.peers));
        let room = places + i64::from(offer.spare);
        if offer.places >= offer.wanted {
            [0, -peers, room, 0]
        } else {
            let tier = if offer.places >= offer.needed { 1 } else { 2 };
            [tier, -places, -peers, room]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use scheduler_model::ids::{DomainId, Id, LevelId};

    fn key(places: u32, peers: u32, spare: u32) -> OrderKey {
        let offer = DomainOffer {
            level: LevelId::from_index(0),
            domain: DomainId::from_index(1),
            places,
            needed: 4,
            wanted: 8,
            peers,
            spare,
        };
        TopologyPack.key(&Snapshot::default(), &offer)
    }

    #[test]
    fn whole_goes_before_the_minimum_and_that_before_the_rest() {
        assert!(key(8, 0, 90) < key(7, 3, 0));
        assert!(key(4, 0, 0) < key(3, 9, 0));
    }

    #[test]
    fn among_domains_for_all_peers_draw_and_then_the_tightest_wins() {
        assert!(key(8, 2, 50) < key(8, 1, 0));
        assert!(key(8, 1, 0) < key(8, 1, 5));
    }

    #[test]
    fn among_domains_for_a_part_the_most_members_win() {
        assert!(key(7, 0, 0) < key(6, 5, 0));
        assert!(key(6, 5, 0) < key(6, 4, 0));
    }
}
