//! Identical members: feasibility in closed form.
//!
//! Exact because identical members take identical room: a node has a fixed number of seats,
//! a limit on a flavour caps the seats there, a limit on all flavours caps their sum.

use super::{Ground, QueueRoom};
use scheduler_model::spec::Resources;
use std::collections::BTreeMap;

/// Up to `wanted` seats for pods that request `requests`, as positions of nodes (repeated),
/// on `nodes` and within `rooms`. Fewer only if there are no more.
pub(super) fn seats(
    ground: &Ground<'_>,
    requests: &Resources,
    nodes: impl IntoIterator<Item = usize>,
    rooms: &[QueueRoom],
    wanted: u32,
) -> Vec<usize> {
    let mut left = wanted.min(cap(requests, rooms.iter().filter(|room| room.flavour.is_none())));
    let mut by_flavour: BTreeMap<&str, u32> = BTreeMap::new();
    let mut seats = Vec::new();
    for at in nodes {
        if left == 0 {
            break;
        }
        let row = &ground.nodes[at];
        let flavour = row.spec.flavour.as_str();
        let of_flavour = by_flavour.entry(flavour).or_insert_with(|| {
            cap(requests, rooms.iter().filter(|room| room.flavour.as_deref() == Some(flavour)))
        });
        let take = row.seats(requests).min(*of_flavour).min(left);
        *of_flavour -= take;
        left -= take;
        seats.extend((0..take).map(|_| at));
    }
    seats
}

fn cap<'a>(requests: &Resources, rooms: impl Iterator<Item = &'a QueueRoom>) -> u32 {
    rooms
        .map(|room| requests.get(&room.resource).map_or(u32::MAX, |want| room.left.holds(*want)))
        .min()
        .unwrap_or(u32::MAX)
}
