//! One claim with its volume, class and driver.
//!
//! Source of the rules: Kubernetes' documentation of persistent volumes and storage classes. A
//! claim is bound once both sides say so (the annotation `pv.kubernetes.io/bind-completed`);
//! one that names a volume before that is bound by Kubernetes' own controller, which needs no
//! pod for it.

use super::{Store, reach};
use crate::names;
use crate::quantity::{Rounding, parse_of};
use crate::translate::{Problems, Translated, selector, shorten};
use crate::wire::volume::{Claim, PersistentVolume, StorageClass};
use scheduler_model::amount::Amount;
use scheduler_model::spec::{
    Attach, BoundVolume, ClaimSpec, ClaimState, LabelSelector, LateClaim, Provision, Requirement,
    SelectorOperator,
};

const LATE: &str = "WaitForFirstConsumer";
/// Marks classes whose volumes are made by hand.
const BY_HAND: &str = "kubernetes.io/no-provisioner";

/// What the volumes of classes of the old built-in plugins are made by since Kubernetes moved
/// them to CSI drivers.
const MIGRATED: [(&str, &str); 6] = [
    ("kubernetes.io/aws-ebs", "ebs.csi.aws.com"),
    ("kubernetes.io/azure-disk", "disk.csi.azure.com"),
    ("kubernetes.io/azure-file", "file.csi.azure.com"),
    ("kubernetes.io/cinder", "cinder.csi.openstack.org"),
    ("kubernetes.io/gce-pd", "pd.csi.storage.gke.io"),
    ("kubernetes.io/vsphere-volume", "csi.vsphere.vmware.com"),
];

/// The class that a claim asks for; `None` if it asks for none. An empty name asks for a volume
/// without a class.
pub(super) fn class_of(claim: &Claim) -> Option<&str> {
    let old = claim.metadata.annotation(names::STORAGE_CLASS);
    old.or(claim.spec.storage_class_name.as_deref())
}

impl Store {
    pub(super) fn join_claim(&self, key: &str, claim: &Claim) -> Translated<ClaimSpec> {
        let meta = &claim.metadata;
        let mut problems = Problems::of("PersistentVolumeClaim", meta);
        let owner = meta.controller().filter(|owner| owner.kind == "Pod");
        let uid = if meta.uid.is_empty() { format!("claim:{key}") } else { meta.uid.clone() };
        let spec = ClaimSpec {
            key: key.to_owned(),
            uid,
            owner: owner.map(|owner| owner.uid.clone()),
            is_once_pod: claim.spec.access_modes.iter().any(|mode| mode == "ReadWriteOncePod"),
            state: match self.state(key, claim, &mut problems) {
                Ok(state) => state,
                Err(why) => ClaimState::Unready(why),
            },
        };
        problems.with(spec)
    }

    fn state(
        &self,
        key: &str,
        claim: &Claim,
        problems: &mut Problems,
    ) -> Result<ClaimState, String> {
        if claim.metadata.deletion_timestamp.is_some() {
            return Err("is being deleted".to_owned());
        }
        if claim.status.phase == "Lost" {
            return Err("has lost its volume".to_owned());
        }
        let name = &claim.spec.volume_name;
        if !name.is_empty() {
            if claim.metadata.annotation(names::BIND_COMPLETED).is_none() {
                return Err(format!("is not bound to its volume {name:?} yet"));
            }
            return self.bound(key, claim, problems).map(ClaimState::Bound);
        }
        self.late(claim, problems).map(ClaimState::Late)
    }

    fn bound(
        &self,
        key: &str,
        claim: &Claim,
        problems: &mut Problems,
    ) -> Result<BoundVolume, String> {
        let name = &claim.spec.volume_name;
        let volume = self
            .volumes
            .get(name)
            .ok_or_else(|| format!("is bound to the volume {name:?}, which does not exist"))?;
        let is_its_own = super::serve::claim_of(volume).is_none_or(|other| other == key);
        if !is_its_own {
            return Err(format!("is bound to the volume {name:?}, which belongs to another claim"));
        }
        Ok(BoundVolume {
            name: name.clone(),
            reach: reach::of_volume(volume, problems),
            attach: attach(volume),
        })
    }

    fn late(&self, claim: &Claim, problems: &mut Problems) -> Result<LateClaim, String> {
        let name = class_of(claim).ok_or("has no storage class, and no default class served it")?;
        if name.is_empty() {
            return Err("is not bound yet, and without a storage class nothing makes it a volume"
                .to_owned());
        }
        let class = self
            .classes
            .get(name)
            .ok_or_else(|| format!("asks for the storage class {name:?}, which does not exist"))?;
        if class.volume_binding_mode != LATE {
            return Err(format!("is not bound yet, and its storage class {name:?} binds at once"));
        }
        Ok(LateClaim {
            class: name.to_owned(),
            bytes: bytes(claim, problems),
            modes: modes(&claim.spec.access_modes),
            is_block: claim.spec.volume_mode == "Block",
            selector: claim.spec.selector.as_ref().map(|written| {
                let read = selector::labels(written, format_args!("spec.selector"), problems);
                read.unwrap_or_else(nothing)
            }),
            provision: self.provision(class, problems),
            chosen: claim.metadata.annotation(names::SELECTED_NODE).map(str::to_owned),
        })
    }

    fn provision(&self, class: &StorageClass, problems: &mut Problems) -> Option<Provision> {
        if class.provisioner == BY_HAND || class.provisioner.is_empty() {
            return None;
        }
        let migrated = MIGRATED.iter().find(|(old, _)| *old == class.provisioner);
        let driver = migrated.map_or(class.provisioner.as_str(), |(_, driver)| driver);
        Some(Provision {
            driver: driver.to_owned(),
            reach: reach::of_class(class, problems),
            counts_room: self.drivers.get(driver).is_some_and(|it| it.spec.storage_capacity),
        })
    }
}

/// A size that cannot be read fits no volume.
fn bytes(claim: &Claim, problems: &mut Problems) -> Amount {
    let Some(written) = claim.spec.resources.requests.get("storage") else { return Amount::ZERO };
    parse_of("storage", &written.0, Rounding::Up).map_or_else(
        |_| {
            problems.add(
                "spec.resources.requests.storage",
                format!("`{}` is not a quantity; no volume fits", shorten(&written.0)),
                "write a number of bytes, or one with a suffix such as 10Gi",
            );
            Amount::MAX
        },
        |reading| reading.amount,
    )
}

/// A selector that selects nothing.
fn nothing() -> LabelSelector {
    let never =
        Requirement { key: String::new(), operator: SelectorOperator::In, values: Vec::new() };
    LabelSelector { requirements: vec![never] }
}

pub(super) fn modes(written: &[String]) -> Vec<String> {
    let mut modes = written.to_vec();
    modes.sort();
    modes.dedup();
    modes
}

pub(super) fn attach(volume: &PersistentVolume) -> Option<Attach> {
    let csi = volume.spec.csi.as_ref()?;
    Some(Attach { driver: csi.driver.clone(), handle: csi.volume_handle.clone() })
}
