//! What serves late claims: volumes nobody has, and room for new ones. And what nodes can take.

use super::claim::{attach, modes};
use super::{Store, reach};
use crate::quantity::{Rounding, parse_of};
use crate::translate::{Problems, Translated, shorten};
use crate::wire::volume::{CsiNode, PersistentVolume, StorageCapacity};
use crate::wire::{Number, Quantity};
use scheduler_model::amount::Amount;
use scheduler_model::spec::{PoolSpec, VolumeSpec};
use std::collections::BTreeMap;

/// The claim that a volume names, as `namespace/name`.
pub(super) fn claim_of(volume: &PersistentVolume) -> Option<String> {
    let claim = volume.spec.claim_ref.as_ref().filter(|claim| !claim.name.is_empty())?;
    Some(format!("{}/{}", claim.namespace, claim.name))
}

impl Store {
    /// The volume, if it is of a class that binds late and nobody has it.
    pub(super) fn join_volume(&self, volume: &PersistentVolume) -> Option<Translated<VolumeSpec>> {
        let (meta, spec) = (&volume.metadata.meta, &volume.spec);
        let class = self.classes.get(&spec.storage_class_name)?;
        let is_free = matches!(volume.status.phase.as_str(), "" | "Available");
        let is_late = class.volume_binding_mode == "WaitForFirstConsumer";
        if !is_free || !is_late || meta.deletion_timestamp.is_some() {
            return None;
        }
        let kept_for = claim_of(volume);
        if kept_for.as_ref().is_some_and(|claim| self.is_another_life(volume, claim)) {
            return None;
        }
        let mut problems = Problems::of("PersistentVolume", meta);
        let spec = VolumeSpec {
            name: meta.name.clone(),
            version: volume.metadata.resource_version.clone(),
            class: spec.storage_class_name.clone(),
            bytes: bytes(spec.capacity.get("storage"), "spec.capacity.storage", &mut problems),
            modes: modes(&spec.access_modes),
            is_block: spec.volume_mode == "Block",
            labels: meta.labels.clone(),
            reach: reach::of_volume(volume, &mut problems),
            attach: attach(volume),
            kept_for,
        };
        Some(problems.with(spec))
    }

    /// True if the volume belongs to a claim that is gone, though another has its name, or to
    /// one that has it.
    fn is_another_life(&self, volume: &PersistentVolume, claim: &str) -> bool {
        let uid = volume.spec.claim_ref.as_ref().map_or("", |claim| claim.uid.as_str());
        match self.claims.get(claim) {
            Some(claim) => {
                (!uid.is_empty() && uid != claim.metadata.uid)
                    || claim.spec.volume_name == volume.metadata.meta.name
            }
            None => !uid.is_empty(),
        }
    }
}

/// A size that cannot be read serves nobody.
fn bytes(written: Option<&Quantity>, field: &str, problems: &mut Problems) -> Amount {
    let Some(written) = written else { return Amount::ZERO };
    match parse_of("storage", &written.0, Rounding::Down) {
        Ok(reading) => reading.amount,
        Err(_) => {
            problems.add(
                field,
                format!("`{}` is not a quantity; taken as 0", shorten(&written.0)),
                "write a number of bytes, or one with a suffix such as 10Gi",
            );
            Amount::ZERO
        }
    }
}

/// Room that some nodes have; `None` if it has no nodes.
pub(super) fn pool(key: &str, capacity: &StorageCapacity) -> Option<Translated<PoolSpec>> {
    let mut problems = Problems::of("CSIStorageCapacity", &capacity.metadata);
    let reach = reach::of_pool(capacity.node_topology.as_ref(), &mut problems)?;
    // The largest volume says more than the sum of what is free.
    let (written, field) = match &capacity.maximum_volume_size {
        Some(size) => (Some(size), "maximumVolumeSize"),
        None => (capacity.capacity.as_ref(), "capacity"),
    };
    let largest = bytes(written, field, &mut problems);
    let class = capacity.storage_class_name.clone();
    Some(problems.with(PoolSpec { key: key.to_owned(), class, reach, largest }))
}

/// How many volumes each driver can attach; drivers without a limit are left out.
pub(super) fn attach_limits(node: &CsiNode) -> BTreeMap<String, u32> {
    let limit = |count: &Number| match count {
        Number::Whole(count) => Some(u32::try_from((*count).max(0)).unwrap_or(u32::MAX)),
        Number::Other(_) => None,
    };
    let rows = node.spec.drivers.iter();
    rows.filter_map(|row| Some((row.name.clone(), limit(row.allocatable.count.as_ref()?)?)))
        .collect()
}
