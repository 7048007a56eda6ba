//! Whether more is dedicated to a queue than its object, or that of a queue above, allows.
//!
//! Invariant: every pair of amounts is looked at, whatever the engine makes of them.

use scheduler_model::amount::Amount;
use scheduler_model::explain::{Bound, NamedClash};
use scheduler_model::spec::QueueSpec;
use std::collections::BTreeMap;

/// Amounts by flavour and resource.
type Table = BTreeMap<(Option<String>, String), i64>;

/// One contradiction in what is dedicated to the first queue of a path upwards.
pub(super) fn contradiction(path: &[&QueueSpec]) -> Option<NamedClash> {
    let queue = path.first()?;
    let mut dedicated = Table::new();
    let mut by_flavour = Table::new();
    for quota in &queue.quotas {
        let units = quota.quota.dedicated.map_or(0, Amount::units);
        dedicated.insert((quota.flavour.clone(), quota.resource.clone()), units);
        if quota.flavour.is_some() {
            let sum = by_flavour.entry((None, quota.resource.clone())).or_insert(0_i64);
            *sum = sum.saturating_add(units);
        }
    }
    for (key, sum) in by_flavour {
        let units = dedicated.entry(key).or_insert(0);
        *units = sum.max(*units);
    }
    for (index, above) in path.iter().enumerate() {
        for quota in &above.quotas {
            let key = (quota.flavour.clone(), quota.resource.clone());
            let units = *dedicated.get(&key).unwrap_or(&0);
            let quota = quota.quota;
            let borrows = quota.deserved.zip(quota.borrowing_limit);
            let borrows = borrows.map(|(own, more)| own.units().saturating_add(more.units()));
            let kept = quota.dedicated.filter(|_| index > 0);
            for (bound, most) in [
                (Bound::Limit, quota.limit.map(Amount::units)),
                (Bound::Borrowing, borrows),
                (Bound::Dedicated, kept.map(Amount::units)),
            ] {
                let Some(most) = most.filter(|most| *most < units) else { continue };
                let (flavour, resource) = key;
                return Some(NamedClash {
                    queue: queue.name.clone(),
                    flavour,
                    resource,
                    dedicated: Amount::new(units),
                    bound,
                    of: above.name.clone(),
                    most: Amount::new(most),
                });
            }
        }
    }
    None
}
