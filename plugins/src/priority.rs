//! Which gang of a queue is next: DaemonSets' pods before all others, then higher priority,
//! then gangs that lost members, then older ones. Replacements of a gang that ran before thus
//! go first among their equals.

use scheduler_framework::profile::Profile;
use scheduler_framework::{EventMask, GangOffer, GangOrder, OrderKey, Plugin};
use scheduler_model::snapshot::Snapshot;
use std::sync::Arc;

#[derive(Debug)]
struct Priority;

pub(crate) fn install(profile: &mut Profile) {
    profile.gang_order(Arc::new(Priority));
}

impl Plugin for Priority {
    fn name(&self) -> &'static str {
        "priority"
    }

    fn wakes_on(&self) -> EventMask {
        EventMask::NONE
    }
}

impl GangOrder for Priority {
    fn key(&self, _: &Snapshot, offer: &GangOffer) -> OrderKey {
        [
            i64::from(!offer.is_daemon),
            -i64::from(offer.priority),
            i64::from(!offer.is_broken),
            offer.age.ms(),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use scheduler_model::ids::{GangId, Id};
    use scheduler_model::time::Time;

    fn key(priority: i32, lost: u32, age: i64) -> OrderKey {
        let gang = GangId::from_index(0);
        let age = Time::from_ms(age);
        let offer = GangOffer { gang, priority, age, is_broken: lost > 0, is_daemon: false };
        Priority.key(&Snapshot::default(), &offer)
    }

    #[test]
    fn priority_goes_before_being_broken_and_that_before_age() {
        let order = [
            key(i32::MAX, 0, 9),
            key(5, 1, 9),
            key(5, 0, 1),
            key(5, 0, 2),
            key(0, 1, 0),
            key(i32::MIN, 1, 0),
        ];
        assert!(order.is_sorted_by(|a, b| a < b), "{order:?}");
    }
}
