//! News from outside into rows, between cycles only. Every event leaves the snapshot as if it
//! had been built from the latest objects alone, whatever the order they came in.
//!
//! `pod` and `node` hold the two big kinds, `class` the interning, `group` the rest.

mod class;
mod group;
mod node;
mod pod;
mod volume;

use crate::event::Event;
use crate::snapshot::Snapshot;
use crate::time::Time;

impl Snapshot {
    /// Takes over one piece of news. List marks are the mirror's business and do nothing here.
    pub fn ingest(&mut self, event: Event, now: Time) {
        match event {
            Event::Node(spec) => self.upsert_node(*spec),
            Event::NodeGone(name) => self.remove_node(&name),
            Event::Pod(spec) => self.upsert_pod(spec, now),
            Event::PodGone(uid) => self.remove_pod(&uid, now),
            Event::Gang(spec) => self.upsert_gang(spec),
            Event::GangGone(key) => self.remove_gang(&key),
            Event::Queue(spec) => self.upsert_queue(spec),
            Event::QueueGone(name) => self.remove_queue(&name),
            Event::Topology(spec) => self.upsert_topology(spec),
            Event::TopologyGone(name) => self.remove_topology(&name),
            Event::PriorityClass(spec) => {
                self.priority_classes.insert(spec.name.clone(), spec);
            }
            Event::PriorityClassGone(name) => {
                self.priority_classes.remove(&name);
            }
            Event::Namespace(spec) => self.upsert_namespace(spec),
            Event::NamespaceGone(name) => self.remove_namespace(&name),
            Event::Daemon(spec) => self.upsert_daemon(spec),
            Event::DaemonGone(key) => {
                self.daemons.remove(&key);
            }
            Event::Claim(spec) => self.upsert_claim(*spec),
            Event::ClaimGone(key) => self.remove_claim(&key),
            Event::Volume(spec) => self.upsert_volume(*spec),
            Event::VolumeGone(name) => self.remove_volume(&name),
            Event::Pool(spec) => self.upsert_pool(*spec),
            Event::PoolGone(key) => self.remove_pool(&key),
            Event::Budget(spec) => self.budgets.insert(spec, now),
            Event::BudgetGone(key) => self.budgets.remove(&key),
            Event::ListStart(_) | Event::ListEnd(_) => {}
        }
    }

    /// Brings what is worked out lazily up to date; call once before a cycle.
    pub fn settle(&mut self) {
        self.nodes.rank_all();
        self.settle_queues();
    }
}
