//! Resource names and their ids. A cluster has as many resources as it has, up to
//! [`RESOURCES_MAX`]; beyond that the newest are refused with a visible problem.

use crate::amount::Amount;
use crate::ids::{Id, IndexVec, ResourceId};
use crate::spec::Resources;
use std::collections::BTreeMap;

/// Distinct resources the engine keeps columns for.
pub const RESOURCES_MAX: usize = 256;

/// The resource that counts pods; every pod requests one.
pub const PODS: &str = "pods";

/// A short sparse list of wants, in order of resource.
pub type Request = Vec<(ResourceId, Amount)>;

/// Names of all resources seen so far. Grows only between cycles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceTable {
    names: IndexVec<ResourceId, String>,
    by_name: BTreeMap<String, ResourceId>,
}

impl Default for ResourceTable {
    fn default() -> Self {
        let mut table = Self { names: IndexVec::new(), by_name: BTreeMap::new() };
        for name in [PODS, "cpu", "memory"] {
            table.intern(name);
        }
        table
    }
}

impl ResourceTable {
    /// Number of resources.
    #[must_use]
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Never true: `pods`, `cpu` and `memory` are always there.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Name of a resource.
    #[must_use]
    pub fn name(&self, resource: ResourceId) -> &str {
        &self.names[resource]
    }

    /// The resource called `name`, if it was ever seen.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<ResourceId> {
        self.by_name.get(name).copied()
    }

    /// All resources in order of first sight.
    pub fn ids(&self) -> impl Iterator<Item = ResourceId> + use<> {
        self.names.ids()
    }

    /// The pod count.
    #[must_use]
    pub fn pods(&self) -> ResourceId {
        ResourceId::from_index(0)
    }

    /// CPU.
    #[must_use]
    pub fn cpu(&self) -> ResourceId {
        ResourceId::from_index(1)
    }

    /// Memory.
    #[must_use]
    pub fn memory(&self) -> ResourceId {
        ResourceId::from_index(2)
    }

    /// The resource called `name`, made if new; `None` if the table is full.
    pub(crate) fn intern(&mut self, name: &str) -> Option<ResourceId> {
        if let Some(id) = self.by_name.get(name) {
            return Some(*id);
        }
        if self.names.len() >= RESOURCES_MAX {
            return None;
        }
        let id = self.names.push(name.to_owned());
        self.by_name.insert(name.to_owned(), id);
        Some(id)
    }

    /// `resources` as a sparse list, and the names that found no room in the table.
    pub(crate) fn request(&mut self, resources: &Resources) -> (Request, Vec<String>) {
        let mut request = Request::new();
        let mut refused = Vec::new();
        for (name, amount) in resources {
            match self.intern(name) {
                Some(id) => request.push((id, *amount)),
                None => refused.push(name.clone()),
            }
        }
        request.sort_unstable();
        (request, refused)
    }
}
