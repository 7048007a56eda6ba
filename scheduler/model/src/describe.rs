//! What a snapshot holds, by name, one line per fact, in a fixed order.
//!
//! Two snapshots of one cluster give equal lines however their rows are numbered: that is how
//! the mirror is compared with a rebuild. Next: [`Snapshot::rebuilt`].

use crate::event::Event;
use crate::ids::{FlavourId, NodeId, ResourceId};
use crate::pod::Place;
use crate::queue::Usage;
use crate::relation::{Sign, Tallies};
use crate::snapshot::Snapshot;
use crate::time::Time;

impl Snapshot {
    /// One line per fact, sorted.
    #[must_use]
    pub fn describe(&self) -> Vec<String> {
        if !self.queues.is_settled() {
            let mut settled = self.clone();
            settled.settle();
            return settled.describe();
        }
        let mut lines = Vec::new();
        self.describe_nodes(&mut lines);
        self.describe_classes(&mut lines);
        self.describe_gangs(&mut lines);
        self.describe_volumes(&mut lines);
        lines.sort();
        lines
    }

    /// A snapshot built afresh from the objects that this one was last told, with the same
    /// assumed pods.
    #[must_use]
    pub fn rebuilt(&self) -> Self {
        let mut fresh = Self::default();
        let zero = Time::ZERO;
        let mut tell = |event| fresh.ingest(event, zero);
        for spec in self.namespaces.values() {
            tell(Event::Namespace(spec.clone()));
        }
        for spec in self.priority_classes.values() {
            tell(Event::PriorityClass(spec.clone()));
        }
        for spec in self.topology.specs().values() {
            tell(Event::Topology(spec.clone()));
        }
        for daemon in self.daemons.values() {
            tell(Event::Daemon(daemon.spec.clone()));
        }
        for (_, queue) in self.queues.iter().filter(|(_, queue)| !queue.is_implicit) {
            tell(Event::Queue(queue.spec.clone()));
        }
        for node in self.nodes.live().iter() {
            tell(Event::Node(Box::new(self.nodes.spec(node).clone())));
        }
        for spec in self.volumes.claims.values() {
            tell(Event::Claim(Box::new(spec.clone())));
        }
        for spec in self.volumes.volumes.values() {
            tell(Event::Volume(Box::new(spec.clone())));
        }
        for spec in self.volumes.pools.values() {
            tell(Event::Pool(Box::new(spec.clone())));
        }
        for budget in self.budgets.iter() {
            tell(Event::Budget(budget.spec.clone()));
        }
        for (_, gang) in self.gangs.iter() {
            if let Some(spec) = &gang.spec {
                tell(Event::Gang(spec.clone()));
            }
        }
        for (_, pod) in self.pods.iter() {
            tell(Event::Pod(pod.spec.clone()));
        }
        fresh.take_over_history(self);
        fresh.settle();
        fresh
    }

    /// What no object tells: assumed places, deleted groups and members that live on.
    fn take_over_history(&mut self, old: &Self) {
        for (_, gang) in old.gangs.iter() {
            if gang.spec.is_some() && !gang.exists {
                self.remove_gang(&gang.key);
            }
            if let Some(id) = self.gangs.find(&gang.key) {
                self.gangs.rows[id].ghosts.clone_from(&gang.ghosts);
                self.gangs.rows[id].bridge = gang.bridge;
                if gang.is_promised {
                    self.promise_start(id);
                }
            }
        }
        for (old_id, pod) in old.pods.iter() {
            let id = self.pods.find(&pod.spec.uid).expect("told above");
            self.pods.rows[id].ready_at = pod.ready_at;
            self.pods.rows[id].seen_ended_at = pod.seen_ended_at;
            let served = old.volumes.served.get(&old_id).cloned();
            self.volumes.served.extend(served.map(|served| (id, served)));
            if pod.place.is_placed() && !pod.is_assumed() {
                self.give_served(id, Sign::Plus);
            }
            self.keep_evicting(id, pod);
            if let Place::Assumed(node) = pod.place {
                let name = &old.nodes.spec(node).name;
                let node = self.nodes.find(name).expect("told above");
                self.place(id, Place::Assumed(node));
            } else if let Some(name) = old.drifts_to(old_id) {
                self.set_adrift(id, &name);
            }
        }
    }

    fn describe_nodes(&self, lines: &mut Vec<String>) {
        for node in self.nodes.live().iter() {
            let spec = self.nodes.spec(node);
            let name = &spec.name;
            lines.push(format!("node {name}: {spec:?}"));
            lines.push(format!("node {name} closed: {}", self.nodes.closed().contains(node)));
            for resource in self.resources.ids() {
                let (all, free) =
                    (self.nodes.allocatable(node, resource), self.nodes.free(node, resource));
                let leaving = self.nodes.releasing(node, resource);
                // A resource may have been seen before and forgotten since.
                if [all, free, leaving].iter().any(|amount| amount.units() != 0) {
                    let of = self.resources.name(resource);
                    lines.push(format!("node {name} {of}: {free} of {all}, {leaving} leaving"));
                }
            }
            if let Some(ports) = self.nodes.ports(node) {
                lines.push(format!("node {name} ports: {ports:?}"));
            }
            let pods: Vec<&str> =
                self.pods.on_node(node).map(|id| self.pods.get(id).spec.uid.as_str()).collect();
            let mut pods = pods;
            pods.sort_unstable();
            lines.push(format!("node {name} pods: {pods:?}"));
        }
        for (_, queue) in self.queues.iter() {
            let (usage, own) =
                (self.describe_usage(&queue.usage), self.describe_usage(queue.own()));
            let (name, state) = (&queue.spec.name, queue.state);
            let spec = &queue.spec;
            lines.push(format!("queue {name}: {spec:?} {state:?} uses {usage:?}, itself {own:?}"));
            let running = queue.running;
            lines.push(format!("queue {name} runs {running} gangs"));
            for (user, has) in &queue.users {
                let (usage, running) = (self.describe_usage(&has.usage), has.running);
                lines.push(format!("user {user:?} of queue {name}: {running} run, use {usage:?}"));
            }
        }
        let outside = self.describe_usage(self.queues.outside());
        lines.push(format!("what is in no queue uses {outside:?}"));
    }

    fn describe_usage(&self, usage: &Usage) -> Vec<String> {
        let line = |((flavour, resource), used): (&(FlavourId, ResourceId), &i128)| {
            let flavour = self.nodes.flavour_name(*flavour);
            format!("{flavour}/{}={used}", self.resources.name(*resource))
        };
        let mut lines: Vec<String> = usage.iter().map(line).collect();
        lines.sort();
        lines
    }

    fn describe_classes(&self, lines: &mut Vec<String>) {
        let selector_of = |id| &self.relations.selector(id).selector;
        for (_, class) in self.classes.iter() {
            let matches: Vec<String> = {
                let mut all: Vec<_> = class.matches.iter().map(|id| selector_of(*id)).collect();
                all.sort();
                all.iter().map(|selector| format!("{selector:?}")).collect()
            };
            let on = self.by_name(&class.tallies);
            let acted_on = class.acted_on.len();
            lines.push(format!(
                "class {:?}: {} pods, on {on:?}, acted on by {acted_on}, matches {matches:?}",
                class.key, class.refs
            ));
        }
        for (_, row) in self.relations.selectors() {
            let on = self.by_name(&row.tallies);
            lines.push(format!("selector {:?}: {} refs, selects {on:?}", row.selector, row.refs));
        }
        for (_, row) in self.relations.carriers() {
            let on = self.by_name(&row.tallies);
            let key = self.labels.column(row.key).key();
            let selector = selector_of(row.selector);
            let (kind, refs) = (row.kind, row.refs);
            lines.push(format!("carrier {kind:?} {key} {selector:?}: {refs} refs, on {on:?}"));
        }
    }

    fn describe_gangs(&self, lines: &mut Vec<String>) {
        for (_, gang) in self.gangs.iter() {
            let mut members: Vec<&str> =
                gang.members.iter().map(|id| self.pods.get(*id).spec.uid.as_str()).collect();
            members.sort_unstable();
            let state = (gang.exists, gang.is_finished, gang.queue.is_some(), gang.strangers.len());
            let holding = (gang.holding, gang.is_promised);
            lines.push(format!(
                "gang {:?}: {state:?} {holding:?} queue {} members {members:?} ghosts {:?} {:?} spec {:?}",
                gang.key, gang.queue_name, gang.ghosts, gang.bridge, gang.spec
            ));
        }
        for (_, pod) in self.pods.iter() {
            let node = pod.place.node().map(|node| self.nodes.spec(node).name.as_str());
            let kind = match pod.place {
                Place::Nowhere => "nowhere",
                Place::Assumed(_) => "assumed",
                Place::Bound(_) => "bound",
                Place::Adrift => "adrift",
            };
            lines.push(format!("pod {:?}: {kind} {node:?} {}", pod.spec, pod.is_evicted));
        }
        let problems = self.problems.values();
        lines.extend(problems.map(|problem| format!("problem {problem}")));
    }

    fn describe_volumes(&self, lines: &mut Vec<String>) {
        let all = &self.volumes;
        lines.extend(all.claims.values().map(|claim| format!("claim {claim:?}")));
        lines.extend(all.volumes.values().map(|volume| format!("volume {volume:?}")));
        lines.extend(all.pools.values().map(|pool| format!("pool {pool:?}")));
        lines.extend(self.budgets.iter().map(|budget| format!("budget {:?}", budget.spec)));
        for (claim, pods) in &all.users {
            let mut pods: Vec<&str> =
                pods.iter().map(|id| self.pods.get(*id).spec.uid.as_str()).collect();
            pods.sort_unstable();
            lines.push(format!("claim {claim} used by {pods:?}"));
        }
        for (node, attached) in &all.attached {
            let name = &self.nodes.spec(*node).name;
            lines.push(format!("node {name} has attached {attached:?}"));
        }
        let rows = all.taken.iter();
        lines.extend(rows.map(|(volume, count)| format!("volume {volume} taken by {count}")));
        let rows = all.joined.iter();
        lines.extend(rows.map(|(claim, how)| format!("claim {claim} served by {how:?}")));
        for (pod, served) in &all.served {
            let uid = &self.pods.get(*pod).spec.uid;
            let rows: Vec<_> =
                served.iter().map(|(claim, served)| (claim, &served.by, &served.attach)).collect();
            lines.push(format!("pod {uid} was given {rows:?}"));
        }
    }

    fn by_name(&self, tallies: &Tallies) -> Vec<(&str, u32, u32)> {
        let name = |node: &NodeId| self.nodes.spec(*node).name.as_str();
        let mut rows: Vec<_> =
            tallies.iter().map(|(node, tally)| (name(node), tally.all, tally.live)).collect();
        rows.sort_unstable();
        rows
    }
}
