//! What came of the news, as events for the engine, in an order that needs little done twice:
//! what pods refer to comes before them.

use super::claims::{Claimant, Claims, Rank};
use super::pods::Wish;
use super::source::Source;
use super::{Desk, Outcome};
use crate::translate::{membership, native};
use scheduler_model::event::Event;
use scheduler_model::problem::Problem;
use scheduler_model::spec::{GangKey, GangSpec, TopologySpec};
use std::collections::{BTreeMap, BTreeSet};

impl Desk {
    /// Everything that came of the news since the last time. Pods stand last.
    pub fn flush(&mut self) -> Outcome {
        if let Some(problems) = self.joins.nodes(&mut self.nodes, &mut self.topologies) {
            self.told.say("the join of nodes", problems);
        }
        if let Some(problems) = self.joins.queues(&mut self.queues) {
            self.told.say("the join of queues", problems);
        }
        let mut events = Vec::new();
        drain(&mut self.namespaces, &mut events, Event::Namespace, Event::NamespaceGone);
        drain(&mut self.classes, &mut events, Event::PriorityClass, Event::PriorityClassGone);
        self.flush_topologies(&mut events);
        self.flush_queues(&mut events);
        let volumes = self.volumes.flush(&mut self.nodes, &mut self.told);
        self.flush_nodes(&mut events);
        events.extend(volumes);
        drain(&mut self.daemons, &mut events, Event::Daemon, Event::DaemonGone);
        drain(&mut self.budgets, &mut events, Event::Budget, Event::BudgetGone);
        self.flush_gangs(&mut events);
        events.append(&mut self.pod_events);
        Outcome { events, problems: self.told.drain() }
    }

    fn flush_topologies(&mut self, events: &mut Vec<Event>) {
        if self.topologies.is_clean() {
            return;
        }
        drain(&mut self.topologies, events, Event::Topology, Event::TopologyGone);
        // Tiers may have another name now.
        let wishes = self.gangs.iter().filter(|(_, gang)| gang.topology.topology.is_some());
        let keys: Vec<GangKey> = wishes.map(|(key, _)| key.clone()).collect();
        for key in keys {
            self.gangs.touch(key);
        }
    }

    fn flush_queues(&mut self, events: &mut Vec<Event>) {
        for name in self.queues.drain() {
            let rivals = self.queues.rivals(&name);
            let problems = rivals.iter().skip(1).map(|loser| {
                let message =
                    format!("{} has the same name; that one counts", rivals[0].object_name());
                let remedy = "give the queues different names";
                Problem::new(loser.object_name(), "metadata.name", message, remedy)
            });
            let problems = problems.collect();
            self.told.say(&format!("queues called {name}"), problems);
            events.push(match self.queues.get(&name) {
                Some(queue) => Event::Queue(queue.clone()),
                None => Event::QueueGone(name),
            });
        }
    }

    fn flush_nodes(&mut self, events: &mut Vec<Event>) {
        for name in self.nodes.drain() {
            events.push(match self.nodes.get(&name) {
                Some(node) => {
                    let mut node = node.clone();
                    self.joins.complete(&mut node);
                    node.attach_limits = self.volumes.attach_limits(&name);
                    Event::Node(Box::new(node))
                }
                None => Event::NodeGone(name),
            });
        }
    }

    fn flush_gangs(&mut self, events: &mut Vec<Event>) {
        if self.gangs.is_clean() && !self.is_wanted_dirty {
            return;
        }
        self.describe_wanted();
        let mut topologies: Option<Vec<TopologySpec>> = None;
        for key in self.gangs.drain() {
            let Some(gang) = self.gangs.get(&key) else {
                events.push(Event::GangGone(key));
                continue;
            };
            let mut gang = gang.clone();
            let mut names = self.gangs.all(&key).map(|one| &one.scheduler);
            gang.scheduler = names.find(|it| !it.is_empty()).cloned().unwrap_or_default();
            if gang.topology.topology.is_some() {
                let all = || self.topologies.iter().map(|(_, spec)| spec.clone()).collect();
                let topologies = topologies.get_or_insert_with(all);
                crate::translate::hypernode::fit(&mut gang, topologies);
            }
            events.push(Event::Gang(Box::new(gang)));
        }
    }

    fn is_listed(&self, source: Source) -> bool {
        self.shelves.get(&source).is_some_and(|shelf| shelf.is_complete)
    }

    /// Describes what pods name and no object does.
    fn describe_wanted(&mut self) {
        self.is_wanted_dirty = false;
        let claimant = Claimant::derived(Rank::Assumed, "pods");
        let mut made: BTreeMap<GangKey, GangSpec> = BTreeMap::new();
        let wanted: BTreeSet<Wish> = self.pods.wanted().cloned().collect();
        for (key, source) in wanted {
            // What an object says of the same gang counts for more.
            let spec = match source {
                Some(source) => self.is_listed(source).then(|| membership::unseen(&key)),
                None => native::group_of(&key).and_then(|group| {
                    let group = made.get(&group).or_else(|| self.gangs.get(&group))?;
                    native::replica(group, &key)
                }),
            };
            made.extend(spec.map(|spec| (key, spec)));
        }
        self.gangs.set(&claimant, made);
    }
}

/// Tells what counts for each name that may have changed.
fn drain<V: PartialEq + Clone>(
    claims: &mut Claims<String, V>,
    events: &mut Vec<Event>,
    is: fn(V) -> Event,
    is_gone: fn(String) -> Event,
) {
    for name in claims.drain() {
        events.push(match claims.get(&name) {
            Some(value) => is(value.clone()),
            None => is_gone(name),
        });
    }
}
