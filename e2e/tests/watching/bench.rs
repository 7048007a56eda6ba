//! A watching of a control plane, and the latest of everything it told.

use e2e::ControlPlane;
use kube::config::{KubeConfigOptions, Kubeconfig};
use scheduler_kube::client::Reader;
use scheduler_kube::clock::Clock;
use scheduler_kube::watch::{self, Hub, Update, WatchConfig};
use scheduler_model::event::Event;
use scheduler_model::problem::Problem;
use scheduler_model::spec::{GangSpec, NodeSpec, PodSpec, QueueSpec};
use scheduler_model::time::Span;
use scheduler_protocol::watch::Times;
use scheduler_protocol::watch::poll::Pace;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::Instant;

/// Longest wait for what should come soon.
const PATIENCE: Duration = Duration::from_secs(40);

/// A watching, and what it told.
pub(crate) struct Watching {
    pub hub: Hub,
    updates: mpsc::Receiver<Update>,
    pub seen: Seen,
}

/// The latest of every object.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    pub nodes: BTreeMap<String, NodeSpec>,
    /// By `namespace/name`.
    pub pods: BTreeMap<String, PodSpec>,
    pub gangs: BTreeMap<String, GangSpec>,
    pub queues: BTreeMap<String, QueueSpec>,
    pub problems: Vec<Problem>,
    pub is_ready: bool,
}

/// Short connections and quick second looks.
pub(crate) fn quick() -> WatchConfig {
    let times = Times {
        watch_least: Span::from_secs(3),
        watch_spread: Span::from_secs(2),
        grace: Span::from_secs(1),
        silence: Span::from_secs(2),
        refused: Span::from_secs(1),
        ..Times::default()
    };
    let discovery = Pace { every: Span::from_ms(500), ..Pace::default() };
    WatchConfig { times, discovery, ..WatchConfig::default() }
}

impl Watching {
    /// Watches all that the admin of `plane` may see.
    pub(crate) async fn of(plane: &ControlPlane, config: WatchConfig) -> Self {
        Self::with(&plane.admin_kubeconfig(), config).await
    }

    /// Watches what a kubeconfig leads to.
    pub(crate) async fn with(kubeconfig: &Path, config: WatchConfig) -> Self {
        let file = Kubeconfig::read_from(kubeconfig).expect("the file is there");
        let options = KubeConfigOptions::default();
        let access = kube::Config::from_custom_kubeconfig(file, &options).await;
        let reader = Reader::new(&access.expect("it can be read")).expect("it has credentials");
        let (sender, updates) = mpsc::channel(16);
        let hub = watch::start(reader, Clock::start(), config, sender);
        Self { hub, updates, seen: Seen::default() }
    }

    /// Takes updates until it looks as wanted.
    pub(crate) async fn until(&mut self, what: &str, wanted: impl Fn(&Seen) -> bool) {
        let deadline = Instant::now() + PATIENCE;
        while !wanted(&self.seen) {
            let update = tokio::time::timeout_at(deadline, self.updates.recv()).await;
            let Ok(update) = update else {
                panic!("waited for {what}; seen: {:#?}\n{:?}", self.seen, self.hub.readiness());
            };
            self.seen.take(update.expect("the hub lives"));
        }
    }

    /// Takes what comes within a time.
    pub(crate) async fn for_a_while(&mut self, span: Duration) {
        let deadline = Instant::now() + span;
        while let Ok(Some(update)) = tokio::time::timeout_at(deadline, self.updates.recv()).await {
            self.seen.take(update);
        }
    }
}

impl Seen {
    fn take(&mut self, update: Update) {
        self.is_ready = update.is_ready;
        self.problems.extend(update.problems);
        for event in update.events {
            match event {
                Event::Node(node) => {
                    self.nodes.insert(node.name.clone(), *node);
                }
                Event::NodeGone(name) => {
                    self.nodes.remove(&name).expect("only what was told can go");
                }
                Event::Pod(pod) => {
                    self.pods.insert(format!("{}/{}", pod.namespace, pod.name), *pod);
                }
                Event::PodGone(uid) => self.pods.retain(|_, pod| pod.uid != uid),
                Event::Gang(gang) => {
                    self.gangs.insert(gang.key.to_string(), *gang);
                }
                Event::GangGone(key) => {
                    self.gangs.remove(&key.to_string());
                }
                Event::Queue(queue) => {
                    self.queues.insert(queue.name.clone(), queue);
                }
                Event::QueueGone(name) => {
                    self.queues.remove(&name);
                }
                _ => {}
            }
        }
    }

    pub(crate) fn has_pods(&self, names: &[&str]) -> bool {
        names.iter().all(|name| self.pods.contains_key(*name))
    }
}
