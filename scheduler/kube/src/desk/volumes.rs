//! Claims and what serves them: the objects, and which specs of theirs must be told.
//!
//! Invariant: a spec is told again when anything that it was joined from changes, and a volume
//! that nobody may take is only told to be gone if it was told before.

use super::claims::Claims;
use super::tell::Told;
use crate::object::Storage;
use crate::translate::Translated;
use crate::translate::volume::{Store, Touched};
use scheduler_model::event::Event;
use scheduler_model::spec::NodeSpec;
use std::collections::{BTreeMap, BTreeSet};

/// All of them.
#[derive(Debug, Default)]
pub(super) struct Volumes {
    store: Store,
    touched: Touched,
    /// Specs that were told, by kind and key.
    shown: BTreeSet<(&'static str, String)>,
}

impl Volumes {
    /// An object as it is now.
    pub(super) fn put(&mut self, object: Storage) {
        let touched = self.store.put(object);
        self.touched.add(touched);
    }

    /// The object is gone; one of another kind is none of these.
    pub(super) fn remove(&mut self, kind: &str, key: &str) {
        let touched = self.store.remove(kind, key);
        self.touched.add(touched);
    }

    /// How many volumes each driver can attach to the node.
    pub(super) fn attach_limits(&self, node: &str) -> BTreeMap<String, u32> {
        self.store.attach_limits(node)
    }

    /// What changed. Nodes that can attach another number of volumes are to be told, too.
    pub(super) fn flush(
        &mut self,
        nodes: &mut Claims<String, NodeSpec>,
        told: &mut Told,
    ) -> Vec<Event> {
        let touched = std::mem::take(&mut self.touched);
        for node in touched.nodes {
            if nodes.get(&node).is_some() {
                nodes.touch(node);
            }
        }
        let mut events = Vec::new();
        for key in touched.claims {
            let read = self.store.claim(&key);
            let told = self.show("PersistentVolumeClaim", &key, read, told);
            events.extend(told.map(|spec| match spec {
                Some(spec) => Event::Claim(Box::new(spec)),
                None => Event::ClaimGone(key),
            }));
        }
        for name in touched.volumes {
            let read = self.store.volume(&name);
            let told = self.show("PersistentVolume", &name, read, told);
            events.extend(told.map(|spec| match spec {
                Some(spec) => Event::Volume(Box::new(spec)),
                None => Event::VolumeGone(name),
            }));
        }
        for key in touched.pools {
            let read = self.store.pool(&key);
            let told = self.show("CSIStorageCapacity", &key, read, told);
            events.extend(told.map(|spec| match spec {
                Some(spec) => Event::Pool(Box::new(spec)),
                None => Event::PoolGone(key),
            }));
        }
        events
    }

    /// What to tell of one spec: it, its end, or nothing.
    fn show<T>(
        &mut self,
        kind: &'static str,
        key: &str,
        read: Option<Translated<T>>,
        told: &mut Told,
    ) -> Option<Option<T>> {
        let who = format!("the join of {kind} {key}");
        let name = (kind, key.to_owned());
        match read {
            Some(read) => {
                told.say(&who, read.problems);
                self.shown.insert(name);
                Some(Some(read.value))
            }
            None => {
                told.forget(&who);
                self.shown.remove(&name).then_some(None)
            }
        }
    }
}
