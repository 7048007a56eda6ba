//! A world becomes a file in the full form, which reads back as the same world.

use crate::full::{GangHintFile, Mirror, ObjectFile, PodHintFile, WorkloadFile};
use crate::read::{Text, write_time};
use scheduler_model::time::Time;
use scheduler_model::world::World;
use serde::Serialize;

/// What a dump consists of, in the words of the file.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Dump<'a> {
    story: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    now: Option<Text<Time>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    objects: Vec<ObjectFile>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    workloads: Vec<WorkloadFile>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pod_hints: Vec<PodHintFile>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    gang_hints: Vec<GangHintFile>,
}

/// The file that [`crate::parse`] reads back as `world`. Its clock starts at 0.
#[must_use]
pub fn dump(world: &World, story: &str) -> String {
    dump_at(world, story, Time::ZERO)
}

/// As [`dump`], with a clock that starts at `now`: for worlds that come from a real cluster.
#[must_use]
pub fn dump_at(world: &World, story: &str, now: Time) -> String {
    let pod_hints = world.pod_hints.iter().map(|(uid, hints)| (uid.clone(), *hints).to_file());
    let gang_hints = world.gang_hints.iter().map(|(key, hints)| (key.clone(), *hints).to_file());
    let file = Dump {
        story,
        now: (now != Time::ZERO).then_some(Text(now)),
        objects: world.events.to_file(),
        workloads: world.workloads.to_file(),
        pod_hints: pod_hints.collect(),
        gang_hints: gang_hints.collect(),
    };
    let options = serde_saphyr::ser_options! { prefer_block_scalars: false };
    serde_saphyr::to_string_with_options(&file, options)
        .unwrap_or_else(|error| format!("# {} could not be written: {error}\n", write_time(now)))
}
