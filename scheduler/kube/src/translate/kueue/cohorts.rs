//! The tree of cohorts: which there are, and what the members of each deserve in sum.
//!
//! Invariant: nothing of a cycle of cohorts adds up, whose queues are broken anyway, and each
//! cohort is looked at once, however deep the tree is.

use super::{cohort_of, parent_of};
use crate::quantity::{self, Rounding};
use crate::wire::kueue::{ClusterQueue, Cohort, ResourceGroup};
use scheduler_model::amount::Amount;
use std::collections::BTreeMap;

/// Amounts by flavour and resource.
type Sums = BTreeMap<(String, String), Amount>;

/// All Cohort objects, by what their members deserve.
#[derive(Clone, Debug, Default)]
pub struct Cohorts(BTreeMap<String, Sums>);

impl Cohorts {
    /// Adds up the quotas of ClusterQueues and Cohorts, level by level.
    #[must_use]
    pub fn of<'a>(
        cohorts: impl Iterator<Item = &'a Cohort>,
        queues: impl Iterator<Item = &'a ClusterQueue>,
    ) -> Self {
        let objects: BTreeMap<&str, &Cohort> =
            cohorts.map(|object| (object.metadata.name.as_str(), object)).collect();
        let names = objects.keys().map(|name| ((*name).to_owned(), Sums::new()));
        let mut all = Self(names.collect());
        for queue in queues {
            let above = cohort_of(&queue.spec).and_then(|name| all.0.get_mut(name));
            above.into_iter().for_each(|sums| add(sums, nominal(&queue.spec.resource_groups)));
        }
        // From below: a cohort goes up once all cohorts below it did.
        let mut below: BTreeMap<&str, usize> = BTreeMap::new();
        for parent in objects.values().filter_map(|object| parent_of(&object.spec)) {
            *below.entry(parent).or_default() += 1;
        }
        let is_leaf = |name: &&str| !below.contains_key(name);
        let mut ready: Vec<&str> = objects.keys().copied().filter(is_leaf).collect();
        while let Some(name) = ready.pop() {
            let Some(parent) = objects.get(name).and_then(|object| parent_of(&object.spec)) else {
                continue;
            };
            let mut sums = all.0.get(name).cloned().unwrap_or_default();
            add(&mut sums, nominal(&objects[name].spec.resource_groups));
            if let Some(above) = all.0.get_mut(parent) {
                add(above, sums);
            }
            if let Some(left) = below.get_mut(parent) {
                *left -= 1;
                if *left == 0 {
                    ready.push(parent);
                }
            }
        }
        all
    }

    /// True if there is an object of this name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// What the members of a cohort deserve, without quotas of its own.
    pub(super) fn members(&self, name: &str) -> impl Iterator<Item = (&(String, String), &Amount)> {
        self.0.get(name).into_iter().flatten()
    }
}

fn add(sums: &mut Sums, more: impl IntoIterator<Item = ((String, String), Amount)>) {
    for (key, amount) in more {
        let sum = sums.entry(key).or_default();
        *sum = sum.plus(amount);
    }
}

/// Nominal quotas; one that cannot be read is nothing, as the object itself says.
fn nominal(groups: &[ResourceGroup]) -> Sums {
    let mut read = Sums::new();
    for flavor in groups.iter().flat_map(|group| &group.flavors) {
        for quota in &flavor.resources {
            let text = quota.nominal_quota.clone().unwrap_or_default();
            let reading = quantity::parse_of(&quota.name, &text.0, Rounding::Down);
            let amount = reading.map_or(Amount::ZERO, |reading| reading.amount);
            read.insert((flavor.name.clone(), quota.name.clone()), amount);
        }
    }
    read
}
