//! Claims, and what serves them, joined into the specs that placing knows.
//!
//! [`Store`] keeps the objects: they are few beside pods. `claim`, `serve` and `reach` do one
//! spec each. Invariant: a spec depends on the objects there are, not on the order in which they
//! came; [`Store::put`] and [`Store::remove`] name every spec that may now be another.

mod claim;
mod reach;
mod serve;

use super::Translated;
use crate::object::Storage;
use crate::wire::Meta;
use crate::wire::volume::{
    Claim, CsiDriver, CsiNode, PersistentVolume, StorageCapacity, StorageClass,
};
use scheduler_model::spec::{ClaimSpec, PoolSpec, VolumeSpec};
use std::collections::{BTreeMap, BTreeSet};

/// All objects that volumes are decided by, by key.
#[derive(Clone, Debug, Default)]
pub struct Store {
    claims: BTreeMap<String, Claim>,
    volumes: BTreeMap<String, PersistentVolume>,
    classes: BTreeMap<String, StorageClass>,
    drivers: BTreeMap<String, CsiDriver>,
    nodes: BTreeMap<String, CsiNode>,
    capacities: BTreeMap<String, StorageCapacity>,
    /// Claims that name a volume, by its name.
    by_volume: BTreeMap<String, BTreeSet<String>>,
}

/// Specs that may have changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Touched {
    /// Claims by key.
    pub claims: BTreeSet<String>,
    /// Volumes by name.
    pub volumes: BTreeSet<String>,
    /// Room by key.
    pub pools: BTreeSet<String>,
    /// Nodes by name.
    pub nodes: BTreeSet<String>,
}

impl Touched {
    /// Adds what `other` names.
    pub fn add(&mut self, other: Self) {
        self.claims.extend(other.claims);
        self.volumes.extend(other.volumes);
        self.pools.extend(other.pools);
        self.nodes.extend(other.nodes);
    }
}

/// `namespace/name`, or the name of what stands in none.
#[must_use]
pub fn key_of(object: &Storage) -> String {
    match object {
        Storage::Claim(object) => namespaced(&object.metadata),
        Storage::Capacity(object) => namespaced(&object.metadata),
        other => other.meta().name.clone(),
    }
}

fn namespaced(meta: &Meta) -> String {
    format!("{}/{}", meta.namespace_or_default(), meta.name)
}

/// Keeping the objects.
impl Store {
    /// An object as it is now; what it may have changed.
    pub fn put(&mut self, object: Storage) -> Touched {
        let key = key_of(&object);
        if self.knows(&key, &object) {
            return Touched::default();
        }
        let mut touched = self.touched_by(&object);
        match object {
            Storage::Claim(object) => {
                if let Some(old) = self.claims.get(&key) {
                    touched.add(self.touched_by(&Storage::Claim(Box::new(old.clone()))));
                    self.unlink(&key);
                }
                if !object.spec.volume_name.is_empty() {
                    let of = self.by_volume.entry(object.spec.volume_name.clone()).or_default();
                    of.insert(key.clone());
                }
                self.claims.insert(key, *object);
            }
            Storage::Volume(object) => {
                if let Some(old) = self.volumes.get(&key) {
                    touched.add(self.touched_by(&Storage::Volume(Box::new(old.clone()))));
                }
                self.volumes.insert(key, *object);
            }
            Storage::Class(object) => drop(self.classes.insert(key, object)),
            Storage::Driver(object) => drop(self.drivers.insert(key, object)),
            Storage::Node(object) => drop(self.nodes.insert(key, object)),
            Storage::Capacity(object) => drop(self.capacities.insert(key, object)),
        }
        touched
    }

    /// True if the object is told again as it was.
    fn knows(&self, key: &str, object: &Storage) -> bool {
        match object {
            Storage::Claim(object) => self.claims.get(key) == Some(object.as_ref()),
            Storage::Volume(object) => self.volumes.get(key) == Some(object.as_ref()),
            Storage::Class(object) => self.classes.get(key) == Some(object),
            Storage::Driver(object) => self.drivers.get(key) == Some(object),
            Storage::Node(object) => self.nodes.get(key) == Some(object),
            Storage::Capacity(object) => self.capacities.get(key) == Some(object),
        }
    }

    /// The object of this kind and key is gone; what that may have changed.
    pub fn remove(&mut self, kind: &str, key: &str) -> Touched {
        let gone = match kind {
            "PersistentVolumeClaim" => {
                self.unlink(key);
                self.claims.remove(key).map(|it| Storage::Claim(Box::new(it)))
            }
            "PersistentVolume" => self.volumes.remove(key).map(|it| Storage::Volume(Box::new(it))),
            "StorageClass" => self.classes.remove(key).map(Storage::Class),
            "CSIDriver" => self.drivers.remove(key).map(Storage::Driver),
            "CSINode" => self.nodes.remove(key).map(Storage::Node),
            "CSIStorageCapacity" => self.capacities.remove(key).map(Storage::Capacity),
            _ => None,
        };
        gone.map(|object| self.touched_by(&object)).unwrap_or_default()
    }

    fn unlink(&mut self, claim: &str) {
        let Some(name) = self.claims.get(claim).map(|claim| claim.spec.volume_name.clone()) else {
            return;
        };
        if let Some(claims) = self.by_volume.get_mut(&name) {
            claims.remove(claim);
            if claims.is_empty() {
                self.by_volume.remove(&name);
            }
        }
    }

    /// Specs that the object goes into.
    fn touched_by(&self, object: &Storage) -> Touched {
        let mut touched = Touched::default();
        match object {
            Storage::Claim(claim) => {
                let key = namespaced(&claim.metadata);
                // Volumes kept for it are free for others once it is gone.
                let kept = self.volumes.iter().filter(|(_, volume)| {
                    serve::claim_of(volume).is_some_and(|claim| claim == key)
                });
                touched.volumes.extend(kept.map(|(name, _)| name.clone()));
                touched.claims.insert(key);
            }
            Storage::Volume(volume) => {
                let name = &volume.metadata.meta.name;
                touched.volumes.insert(name.clone());
                touched.claims.extend(self.by_volume.get(name).into_iter().flatten().cloned());
            }
            Storage::Class(class) => self.touch_class(&class.metadata.name, &mut touched),
            Storage::Driver(driver) => {
                let name = &driver.metadata.name;
                for (class, _) in self.classes.iter().filter(|(_, it)| it.provisioner == *name) {
                    self.touch_class(class, &mut touched);
                }
            }
            Storage::Node(node) => drop(touched.nodes.insert(node.metadata.name.clone())),
            Storage::Capacity(capacity) => {
                touched.pools.insert(namespaced(&capacity.metadata));
            }
        }
        touched
    }

    fn touch_class(&self, class: &str, touched: &mut Touched) {
        let claims = self.claims.iter().filter(|(_, it)| claim::class_of(it) == Some(class));
        touched.claims.extend(claims.map(|(key, _)| key.clone()));
        let volumes = self.volumes.iter().filter(|(_, it)| it.spec.storage_class_name == class);
        touched.volumes.extend(volumes.map(|(name, _)| name.clone()));
    }
}

/// The specs.
impl Store {
    /// Everything there is.
    #[must_use]
    pub fn all(&self) -> Touched {
        Touched {
            claims: self.claims.keys().cloned().collect(),
            volumes: self.volumes.keys().cloned().collect(),
            pools: self.capacities.keys().cloned().collect(),
            nodes: self.nodes.keys().cloned().collect(),
        }
    }

    /// The claim of this key.
    #[must_use]
    pub fn claim(&self, key: &str) -> Option<Translated<ClaimSpec>> {
        self.claims.get(key).map(|claim| self.join_claim(key, claim))
    }

    /// The volume of this name, if a late claim may take it.
    #[must_use]
    pub fn volume(&self, name: &str) -> Option<Translated<VolumeSpec>> {
        self.volumes.get(name).and_then(|volume| self.join_volume(volume))
    }

    /// The room of this key.
    #[must_use]
    pub fn pool(&self, key: &str) -> Option<Translated<PoolSpec>> {
        self.capacities.get(key).and_then(|capacity| serve::pool(key, capacity))
    }

    /// How many volumes each driver can attach to the node.
    #[must_use]
    pub fn attach_limits(&self, node: &str) -> BTreeMap<String, u32> {
        self.nodes.get(node).map(serve::attach_limits).unwrap_or_default()
    }
}
