//! What a pod takes on its node: containers, init containers, sidecars, overhead, requests of
//! the pod as a whole, and resizes in progress, folded into one amount per resource.
//!
//! The formulas are those of the API: the larger of "all containers together" and "each init
//! container beside the sidecars before it" (KEP-753); per container the largest of what is
//! wanted, granted and in force (KEP-1287); requests of the whole pod replace the sum for the
//! resources they name (KEP-2837); overhead on top. Requests that are missing beside a limit
//! equal the limit, as admission would fill in: hand-written files have seen no admission.

use super::{Problems, amounts};
use crate::wire::{Container, ContainerStatus, PodBody, PodStatus, Requirements, ResourceList};
use scheduler_model::amount::Amount;
use scheduler_model::spec::{Resources, Unsupported};
use std::fmt::Arguments;

/// Effective requests of a pod, without zero entries.
pub fn effective(
    spec: &PodBody,
    status: &PodStatus,
    problems: &mut Problems,
    unsupported: &mut Vec<Unsupported>,
) -> Resources {
    let mut reader = Reader {
        is_infeasible: is_resize_infeasible(status),
        status,
        problems,
        unreadable: Vec::new(),
    };
    let mut total = reader.all_containers(spec);
    reader.whole_pod(spec, &mut total, unsupported);
    let overhead = reader.read(&spec.overhead, format_args!("spec.overhead"));
    amounts::add(&mut total, &overhead);
    let mut unreadable = reader.unreadable;
    unreadable.sort();
    unreadable.dedup();
    for name in unreadable {
        unsupported.push(Unsupported::Other(format!("a request for {name} that cannot be read")));
    }
    total.retain(|_, amount| *amount != Amount::ZERO);
    total
}

/// The kubelet will never grant the resize: what is wanted does not count, what it has does.
fn is_resize_infeasible(status: &PodStatus) -> bool {
    let pending = status.conditions.iter().find(|c| c.kind == "PodResizePending");
    pending.is_some_and(|condition| condition.reason == "Infeasible")
        || status.resize == "Infeasible"
}

struct Reader<'a> {
    is_infeasible: bool,
    status: &'a PodStatus,
    problems: &'a mut Problems,
    unreadable: Vec<String>,
}

impl Reader<'_> {
    fn all_containers(&mut self, spec: &PodBody) -> Resources {
        let mut together = Resources::new();
        for (index, container) in spec.containers.iter().enumerate() {
            let statuses = &self.status.container_statuses;
            let field = format_args!("spec.containers[{index}]");
            amounts::add(&mut together, &self.container(container, statuses, field));
        }
        let mut sidecars = Resources::new();
        let mut starting = Resources::new();
        for (index, container) in spec.init_containers.iter().enumerate() {
            let statuses = &self.status.init_container_statuses;
            let field = format_args!("spec.initContainers[{index}]");
            let mut own = self.container(container, statuses, field);
            if container.is_sidecar() {
                amounts::add(&mut together, &own);
                amounts::add(&mut sidecars, &own);
            } else {
                amounts::add(&mut own, &sidecars);
                amounts::raise(&mut starting, &own);
            }
        }
        amounts::raise(&mut together, &starting);
        together
    }

    fn container(
        &mut self,
        container: &Container,
        statuses: &[ContainerStatus],
        field: Arguments<'_>,
    ) -> Resources {
        let wanted = self.with_defaults(&container.resources, field);
        let Some(status) = statuses.iter().find(|status| status.name == container.name) else {
            return wanted;
        };
        let granted = status.allocated_resources.as_ref();
        let in_force = status.resources.requests.as_ref();
        if granted.is_none() && in_force.is_none() {
            return wanted;
        }
        let mut most = if self.is_infeasible { Resources::new() } else { wanted };
        for list in [granted, in_force].into_iter().flatten() {
            let seen = self.read(list, format_args!("status of {}", container.name));
            amounts::raise(&mut most, &seen);
        }
        most
    }

    fn with_defaults(&mut self, resources: &Requirements, field: Arguments<'_>) -> Resources {
        let mut read = match &resources.requests {
            Some(list) => self.read(list, format_args!("{field}.resources.requests")),
            None => Resources::new(),
        };
        let missing = missing_requests(resources, |_| true);
        if !missing.is_empty() {
            read.extend(self.read(&missing, format_args!("{field}.resources.limits")));
        }
        read
    }

    /// Replaces the sums of `total` by what the pod as a whole requests.
    fn whole_pod(
        &mut self,
        spec: &PodBody,
        total: &mut Resources,
        unsupported: &mut Vec<Unsupported>,
    ) {
        let Requirements { requests, .. } = &spec.resources;
        let mut wanted = match requests {
            Some(list) => self.read(list, format_args!("spec.resources.requests")),
            None => Resources::new(),
        };
        // A limit alone counts only where no container requests anything; huge pages cannot
        // be overcommitted, so that there the limit is the request.
        let missing = missing_requests(&spec.resources, |name| {
            is_huge_page(name) || !total.contains_key(name)
        });
        wanted.extend(self.read(&missing, format_args!("spec.resources.limits")));
        for (name, amount) in wanted {
            if !may_be_pod_level(&name) {
                unsupported.push(Unsupported::Other(format!("a pod-level request for {name}")));
            }
            let seen = self.whole_pod_status(spec, &name);
            let amount = match seen {
                Some(seen) if self.is_infeasible => seen,
                Some(seen) => seen.max(amount),
                None => amount,
            };
            total.insert(name, amount);
        }
    }

    /// What the kubelet granted to the pod as a whole, or has in force; it reports both with
    /// the overhead inside.
    fn whole_pod_status(&mut self, spec: &PodBody, name: &str) -> Option<Amount> {
        let lists =
            [Some(&self.status.allocated_resources), self.status.resources.requests.as_ref()];
        let texts: Vec<_> = lists.into_iter().flatten().filter_map(|list| list.get(name)).collect();
        if texts.is_empty() {
            return None;
        }
        let mut one = |text: &crate::wire::Quantity| {
            let list = ResourceList::from([(name.to_owned(), text.clone())]);
            let read = self.read(&list, format_args!("status.resources"));
            read.get(name).copied().unwrap_or_default()
        };
        let overhead = spec.overhead.get(name).map(&mut one).unwrap_or_default();
        let most = texts.into_iter().map(one).max()?;
        Some(most.minus(overhead).max(Amount::ZERO))
    }

    fn read(&mut self, list: &ResourceList, field: Arguments<'_>) -> Resources {
        amounts::requests(list, field, self.problems, &mut self.unreadable)
    }
}

/// Limits whose resource has no request, for the resources that `counts`.
fn missing_requests(resources: &Requirements, counts: impl Fn(&str) -> bool) -> ResourceList {
    let has_request =
        |name: &String| resources.requests.as_ref().is_some_and(|list| list.contains_key(name));
    let limits = resources.limits.iter().flatten();
    limits
        .filter(|(name, _)| !has_request(name) && counts(name))
        .map(|(name, text)| (name.clone(), text.clone()))
        .collect()
}

fn is_huge_page(name: &str) -> bool {
    name.starts_with("hugepages-")
}

fn may_be_pod_level(name: &str) -> bool {
    matches!(name, "cpu" | "memory") || is_huge_page(name)
}
