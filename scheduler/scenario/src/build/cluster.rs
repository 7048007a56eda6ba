//! Topologies, queues, nodes and what else gangs meet.

use super::{Builder, HOSTNAME};
use crate::error::Error;
use crate::file::{
    LevelFile, NODE_KEYS, NodeFile, QueueFile, QuotaFile, ScopeFile, Sections, UsersFile,
};
use crate::full::Mirror as _;
use crate::read::{Amounts, full_name, plain, read_amount};
use scheduler_model::amount::Amount;
use scheduler_model::event::Event;
use scheduler_model::spec::{
    BudgetSpec, DaemonSpec, Grants, LevelSpec, NamespaceScope, NamespaceSpec, NodeSpec, Order,
    PriorityClassSpec, QueueSpec, Quota, Resources, TopologySpec, UserBy, UserRule,
};
use scheduler_model::time::Span;
use std::sync::Arc;

/// Nodes and queues are this old unless they say otherwise, so that none counts as fresh.
const OLD: Span = Span::from_secs(86_400);

impl Builder {
    /// Everything but gangs and pods.
    pub(super) fn cluster(&mut self, sections: &Sections) -> Result<(), Error> {
        if !sections.topology.is_empty() {
            self.topology("default", &sections.topology);
        }
        for topology in &sections.topologies {
            self.topology(&topology.value.name, &topology.value.levels);
        }
        for class in &sections.priority_classes {
            self.world.events.push(Event::PriorityClass(PriorityClassSpec {
                name: class.name.clone(),
                value: class.value,
                is_default: class.default,
                preempts: class.preempts.unwrap_or(true),
            }));
        }
        for namespace in &sections.namespaces {
            self.world.events.push(Event::Namespace(NamespaceSpec {
                name: namespace.name.clone(),
                labels: namespace.labels.clone(),
                queue: namespace.queue.clone(),
            }));
        }
        for queue in &sections.queues {
            self.queue(queue);
        }
        for budget in &sections.budgets {
            self.world.events.push(Event::Budget(BudgetSpec {
                namespace: budget.namespace.clone().unwrap_or_else(|| "default".to_owned()),
                name: budget.name.clone(),
                selector: budget.pods.as_ref().map(|text| text.0.clone()),
                allowed: budget.allowed,
            }));
        }
        for node in &sections.nodes {
            self.node(&node.value, node.referenced.line())?;
        }
        for daemon in &sections.daemons {
            let file = &daemon.value;
            let namespace = file.namespace.as_deref().unwrap_or("default");
            let shape = self.shape(&file.each, &file.constraints, namespace);
            self.world.events.push(Event::Daemon(DaemonSpec {
                key: format!("{namespace}/{}", file.name),
                shape: Arc::new(shape),
            }));
        }
        Ok(())
    }

    fn topology(&mut self, name: &str, levels: &[LevelFile]) {
        let level =
            |level: &LevelFile| LevelSpec { name: level.name.clone(), key: level.key.clone() };
        let spec =
            TopologySpec { name: name.to_owned(), levels: levels.iter().map(level).collect() };
        self.topologies.retain(|old| old.name != spec.name);
        self.topologies.push(spec.clone());
        self.world.events.push(Event::Topology(spec));
    }

    fn queue(&mut self, file: &QueueFile) {
        let created = file.created.as_ref().map(|time| Self::moment(self.now, time.0));
        self.queues.insert(file.name.clone());
        let mut queue = QueueSpec {
            created_at: created.unwrap_or_else(|| self.ago(OLD)),
            parent: file.parent.clone(),
            weight: file.weight.unwrap_or(1),
            priority: file.priority,
            open: file.open.unwrap_or(true),
            reclaimable: file.reclaimable.unwrap_or(true),
            preempts: file.preempts.unwrap_or(true),
            preemptible: file.preemptible.unwrap_or(true),
            min_runtime: file.min_runtime.as_ref().map_or(Span::ZERO, |span| span.0),
            grants: Grants {
                non_preemptible: file.wishes.non_preemptible,
                min_runtime: file.wishes.min_runtime.as_ref().map(|span| span.0),
                preemption_cost: file.wishes.preemption_cost,
            },
            order: file.order.clone().map(Order::into_value),
            holds: file.holds,
            hold_after: file.hold_after.as_ref().map(|span| span.0),
            namespaces: file.namespaces.as_ref().map(scope),
            node_selector: file.node_selector.as_ref().map(|it| it.0.clone()).unwrap_or_default(),
            max_running: file.max_running,
            users: file.users.as_ref().map(|file| Box::new(users(file))),
            ..QueueSpec::named(&file.name)
        };
        let QueueFile { dedicated, deserved, limit, borrowing_limit, lending_limit, .. } = file;
        let everywhere = [dedicated, deserved, limit, borrowing_limit, lending_limit];
        quotas(&mut queue, None, everywhere);
        for (flavour, file) in &file.on {
            let QuotaFile { dedicated, deserved, limit, borrowing_limit, lending_limit } = file;
            let here = [dedicated, deserved, limit, borrowing_limit, lending_limit];
            quotas(&mut queue, Some(flavour), here);
        }
        self.world.events.push(Event::Queue(queue));
    }

    fn node(&mut self, file: &NodeFile, line: u64) -> Result<(), Error> {
        let mut labels = file.labels.clone();
        let mut allocatable = standard_node();
        for (word, text) in &file.others {
            let is_level = self.topologies.iter().any(|topology| {
                topology.levels.iter().any(|level| level.name == *word || level.key == *word)
            });
            if is_level {
                labels.insert(self.label_key(word), text.clone());
                continue;
            }
            let Some(resource) = full_name(word) else {
                return Err(Error::at(
                    line,
                    format!("a node has no key {word:?}"),
                    format!("use one of {NODE_KEYS}"),
                ));
            };
            let amount = read_amount(resource, text)
                .map_err(|why| Error::at(line, why, "write an exact amount"))?;
            allocatable.insert(resource.to_owned(), amount);
        }
        let created = file.created.as_ref().map(|time| Self::moment(self.now, time.0));
        let since = file.not_ready_since.as_ref().map(|time| Self::moment(self.now, time.0));
        let not_ready_since = since.or(file.not_ready.then_some(self.now));
        for name in &file.name.0 {
            let mut labels = labels.clone();
            labels.entry(HOSTNAME.to_owned()).or_insert_with(|| name.clone());
            self.nodes.insert(name.clone());
            self.world.events.push(Event::Node(Box::new(NodeSpec {
                name: name.clone(),
                labels,
                taints: plain(file.taints.clone()),
                unschedulable: file.unschedulable,
                ready: !file.not_ready,
                not_ready_since,
                allocatable: allocatable.clone(),
                created_at: created.unwrap_or_else(|| self.ago(OLD)),
                flavour: file.flavour.clone(),
                attach_limits: file.attach_limits.clone(),
            })));
        }
        Ok(())
    }
}

/// Takes over what is dedicated, what is deserved, and the limits: in all, of borrowing, of lending.
fn quotas(queue: &mut QueueSpec, flavour: Option<&str>, lists: [&Amounts; 5]) {
    let fields: [fn(&mut Quota) -> &mut Option<Amount>; 5] = [
        |quota| &mut quota.dedicated,
        |quota| &mut quota.deserved,
        |quota| &mut quota.limit,
        |quota| &mut quota.borrowing_limit,
        |quota| &mut quota.lending_limit,
    ];
    for (list, field) in lists.into_iter().zip(fields) {
        for (resource, amount) in &list.0 {
            *field(queue.quota_mut(flavour, resource)) = Some(*amount);
        }
    }
}

/// What each user may have.
fn users(file: &UsersFile) -> UserRule {
    UserRule {
        by: file.label.clone().map_or(UserBy::Namespace, UserBy::Label),
        limit: file.limit.0.clone(),
        max_running: file.max_running,
    }
}

/// Namespaces, each once.
fn scope(file: &ScopeFile) -> NamespaceScope {
    let mut names = file.names.clone();
    names.sort();
    names.dedup();
    NamespaceScope { names, selector: file.selector.as_ref().map(|it| it.0.clone()) }
}

/// What a node has where a story does not say.
fn standard_node() -> Resources {
    [("cpu", 64_000), ("memory", 512 << 30), ("pods", 110)]
        .into_iter()
        .map(|(name, units)| (name.to_owned(), Amount::new(units)))
        .collect()
}
