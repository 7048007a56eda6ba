//! Controllers: the gangs of their pods, and what they inherit from the object above them.
//!
//! A ReplicaSet takes marks over from its Deployment, a Job from its JobSet. Either may come
//! first, and marks may change later, so such children are kept (without their pods' specs).

use super::claims::Claimant;
use crate::object::Owner;
use crate::translate::Translated;
use crate::translate::owner::{self, Above};
use crate::wire::{Meta, PodBody};
use scheduler_model::spec::GangSpec;
use std::collections::BTreeMap;

/// Controllers that stand below another object, and those objects.
#[derive(Debug, Default)]
pub(super) struct Owners {
    parents: BTreeMap<Above, Meta>,
    parent_keys: BTreeMap<Claimant, Above>,
    children: BTreeMap<Above, BTreeMap<Claimant, Owner>>,
    child_keys: BTreeMap<Claimant, Above>,
}

/// What a claimant says about its gangs now.
pub(super) type Said = (Claimant, Translated<Vec<GangSpec>>);

impl Owners {
    /// A controller as it is now: whose gangs are to be told again.
    pub(super) fn put(&mut self, claimant: Claimant, owner: Owner) -> Vec<Said> {
        if let Owner::Deployment(_) | Owner::JobSet(_) = owner {
            let kind = if matches!(owner, Owner::JobSet(_)) { "JobSet" } else { "Deployment" };
            let meta = owner.meta();
            let above = (kind, meta.namespace_or_default().to_owned(), meta.name.clone());
            let before = self.parents.insert(above.clone(), meta.clone());
            self.parent_keys.insert(claimant, above.clone());
            let is_same = before.is_some_and(|old| {
                (&old.labels, &old.annotations) == (&meta.labels, &meta.annotations)
            });
            return if is_same { Vec::new() } else { self.below(&above) };
        }
        self.forget_child(&claimant);
        let Some(above) = owner::above(&owner) else {
            return vec![(claimant, owner::gangs(&owner))];
        };
        let owner = slim(owner);
        let said = self.inherited(&above, &owner);
        self.child_keys.insert(claimant.clone(), above.clone());
        self.children.entry(above).or_default().insert(claimant.clone(), owner);
        vec![(claimant, said)]
    }

    /// The object is gone: whose gangs are to be told again.
    pub(super) fn remove(&mut self, claimant: &Claimant) -> Vec<Said> {
        self.forget_child(claimant);
        let Some(above) = self.parent_keys.remove(claimant) else { return Vec::new() };
        self.parents.remove(&above);
        self.below(&above)
    }

    fn forget_child(&mut self, claimant: &Claimant) {
        let Some(above) = self.child_keys.remove(claimant) else { return };
        if let Some(children) = self.children.get_mut(&above) {
            children.remove(claimant);
            if children.is_empty() {
                self.children.remove(&above);
            }
        }
    }

    fn below(&self, above: &Above) -> Vec<Said> {
        let children = self.children.get(above).into_iter().flatten();
        let said =
            children.map(|(claimant, owner)| (claimant.clone(), self.inherited(above, owner)));
        said.collect()
    }

    fn inherited(&self, above: &Above, owner: &Owner) -> Translated<Vec<GangSpec>> {
        let mut owner = owner.clone();
        if let Some(parent) = self.parents.get(above) {
            owner::inherit(parent, &mut owner);
        }
        owner::gangs(&owner)
    }
}

/// Without the spec of its pods, which says nothing about the gang.
fn slim(mut owner: Owner) -> Owner {
    match &mut owner {
        Owner::ReplicaSet(set) => set.spec.template.spec = PodBody::default(),
        Owner::Job(job) => job.spec.template.spec = PodBody::default(),
        _ => {}
    }
    owner
}
