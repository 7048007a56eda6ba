//! All metrics. Counters and histograms are told by the loop and by calls as things happen;
//! gauges are filled in when somebody looks.
//!
//! Read in this order: [`table`] (every metric there is), here (who tells what), [`figures`]
//! (the gauges), [`busiest`] (which queues have their own series), [`page`] (`docs/METRICS.md`).
//!
//! Invariants: fewer than 2,000 series whatever the number of pods, gangs and queues; series of a
//! queue end with it.

mod board;
pub mod busiest;
pub mod figures;
mod idle;
pub mod page;
pub mod table;
mod volcano;

use board::{BARE, Board};
use busiest::Busiest;
use figures::{Figures, Part, seconds};
use prometheus::process_collector::ProcessCollector;
use prometheus::{CounterVec, GaugeVec, HistogramVec, IntCounterVec, TextEncoder};
use scheduler_kube::send::Sent;
use scheduler_live::news::{Notice, Started};
use std::collections::BTreeSet;
use std::sync::Mutex;
use std::time::Duration;

/// Queues with series of their own.
const QUEUES_MAX: usize = 50;
/// Reasons of kubelets with series of their own.
const REASONS_MAX: usize = 30;
const RECLAIM: &str = "reclaim";
const PREEMPTION: &str = "preemption";
const PHASES: [&str; 4] = ["members", "quota", "placement", "bind"];

/// All metrics.
#[derive(Debug)]
pub struct Metrics {
    board: Board,
    busiest: Mutex<Busiest>,
    /// Reasons that kubelets gave so far.
    reasons: Mutex<BTreeSet<String>>,
    /// One scrape at a time: gauges are written anew for each.
    scrape: Mutex<()>,
    wait: HistogramVec,
    wait_parts: [HistogramVec; 4],
    wait_phases: CounterVec,
    skew: HistogramVec,
    pending: GaugeVec,
    oldest: GaugeVec,
    queue_used: GaugeVec,
    queue_limit: GaugeVec,
    shares: [(GaugeVec, Part); 6],
    idle: idle::Idle,
    node_resources: GaugeVec,
    nodes: GaugeVec,
    problems: GaugeVec,
    cycle: HistogramVec,
    steps: IntCounterVec,
    decisions: IntCounterVec,
    binds: IntCounterVec,
    broken: IntCounterVec,
    repairs: IntCounterVec,
    releases: IntCounterVec,
    evictions: IntCounterVec,
    admission: IntCounterVec,
    troubles: IntCounterVec,
    contested: IntCounterVec,
    requests: IntCounterVec,
    request_time: HistogramVec,
    watch_lag: GaugeVec,
    watch_synced: GaugeVec,
    leader: GaugeVec,
    volcano: Option<volcano::Volcano>,
}

/// One kind that is watched, as metrics and `/readyz` tell of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Watched {
    /// Plural and group, such as `podgroups.muster.sh`.
    pub kind: String,
    /// All of it is known.
    pub is_synced: bool,
    /// How long nothing was heard of it.
    pub silent: Duration,
}

impl Metrics {
    /// All metrics at zero.
    #[must_use]
    pub fn new(volcano_names: bool) -> Self {
        let board = Board::default();
        if let Ok(pid) = i32::try_from(std::process::id()) {
            let registered = board.registry().register(Box::new(ProcessCollector::new(pid, "")));
            registered.expect("no other metric has the names of the process");
        }
        board.gauge(table::BUILD).with_label_values(&[env!("CARGO_PKG_VERSION")]).set(1.0);
        let metrics = Self {
            busiest: Mutex::new(Busiest::new(QUEUES_MAX)),
            reasons: Mutex::new(BTreeSet::new()),
            scrape: Mutex::new(()),
            wait: board.histogram(table::GANG_WAIT),
            wait_parts: [
                table::WAIT_MEMBERS,
                table::WAIT_QUOTA,
                table::WAIT_PLACEMENT,
                table::WAIT_BIND,
            ]
            .map(|row| board.histogram(row)),
            wait_phases: board.sum(table::WAIT_PHASES),
            skew: board.histogram(table::BIND_SKEW),
            pending: board.gauge(table::PENDING),
            oldest: board.gauge(table::OLDEST),
            queue_used: board.gauge(table::QUEUE_USED),
            queue_limit: board.gauge(table::QUEUE_LIMIT),
            idle: idle::Idle::new(board.sum(table::HOLD_IDLE)),
            shares: figures::SHARES.map(|(row, of)| (board.gauge(row), of)),
            node_resources: board.gauge(table::NODE_RESOURCES),
            nodes: board.gauge(table::NODES),
            problems: board.gauge(table::PROBLEMS),
            cycle: board.histogram(table::CYCLE),
            steps: board.counter(table::STEPS),
            decisions: board.counter(table::DECISIONS),
            binds: board.counter(table::BINDS),
            broken: board.counter(table::BROKEN),
            repairs: board.counter(table::REPAIRS),
            releases: board.counter(table::RELEASES),
            evictions: board.counter(table::EVICTIONS),
            admission: board.counter(table::ADMISSION),
            troubles: board.counter(table::TROUBLES),
            contested: board.counter(table::CONTESTED),
            requests: board.counter(table::REQUESTS),
            request_time: board.histogram(table::REQUEST_TIME),
            watch_lag: board.gauge(table::WATCH_LAG),
            watch_synced: board.gauge(table::WATCH_SYNCED),
            leader: board.gauge(table::LEADER),
            volcano: volcano_names.then(|| volcano::Volcano::new(&board)),
            board,
        };
        metrics.zero();
        metrics
    }

    /// Series that alerts ask for exist from the start: a rate needs a zero to begin with.
    fn zero(&self) {
        let events = [&self.broken, &self.repairs, &self.releases, &self.contested];
        for vec in events.into_iter().chain([&self.steps, &self.troubles]) {
            vec.with_label_values(BARE).inc_by(0);
        }
        for result in ["done", "refused", "unknown"] {
            self.binds.with_label_values(&[result]).inc_by(0);
        }
        for result in ["plan", "grow", "wait", "withdrawn"] {
            self.decisions.with_label_values(&[result]).inc_by(0);
        }
        for reason in ["release", RECLAIM, PREEMPTION] {
            self.evictions.with_label_values(&[reason]).inc_by(0);
        }
        for vec in self.wait_parts.iter().chain([&self.skew, &self.cycle]) {
            let _ = vec.with_label_values(BARE);
        }
        self.leader.with_label_values(BARE).set(0.0);
    }

    /// Something happened.
    pub fn notice(&self, notice: &Notice) {
        let one = |vec: &IntCounterVec| vec.with_label_values(BARE).inc();
        let decision = |result| self.decisions.with_label_values(&[result]).inc();
        match notice {
            Notice::Cycle { steps, .. } => self.steps.with_label_values(BARE).inc_by(*steps),
            Notice::Planned { queue, is_minimum, .. } => {
                self.note_queue(queue);
                decision(if *is_minimum { "plan" } else { "grow" });
                self.attempt("scheduled");
            }
            Notice::Waits { queue, .. } => {
                self.note_queue(queue);
                decision("wait");
                self.attempt("unschedulable");
            }
            Notice::Withdrawn(..) => {
                decision("withdrawn");
                self.attempt("error");
            }
            Notice::Bind { result, .. } => self.binds.with_label_values(&[result]).inc(),
            Notice::Started(started) => self.started(started),
            Notice::Rejected(_, reason) => {
                self.admission.with_label_values(&[self.kubelet_reason(reason)]).inc();
            }
            Notice::Broken(_) => one(&self.broken),
            Notice::Repaired(_) => one(&self.repairs),
            Notice::Released { pods, .. } => {
                one(&self.releases);
                self.evictions.with_label_values(&["release"]).inc_by(u64::from(*pods));
            }
            Notice::Evicted { queue, gainer_queue, pods, .. } => {
                let reason = if queue == gainer_queue { PREEMPTION } else { RECLAIM };
                self.evictions.with_label_values(&[reason]).inc_by(u64::from(*pods));
                if let Some(volcano) = &self.volcano {
                    volcano.evicted(*pods);
                }
            }
            Notice::Trouble(_) => one(&self.troubles),
            Notice::Contested { .. } => one(&self.contested),
            Notice::Led(leadership) => {
                let is_leader = if leadership.leads() { 1.0 } else { 0.0 };
                self.leader.with_label_values(BARE).set(is_leader);
            }
        }
    }

    fn started(&self, started: &Started) {
        self.note_queue(&started.queue);
        let busiest = self.busiest.lock().expect("nobody panics while holding it");
        let label = busiest.label(&started.queue);
        self.wait.with_label_values(&[label]).observe(seconds(started.wait));
        let parts = [started.members, started.quota, started.placement, started.bind];
        for ((phase, vec), part) in PHASES.iter().zip(&self.wait_parts).zip(parts) {
            vec.with_label_values(BARE).observe(seconds(part));
            self.wait_phases.with_label_values(&[label, phase]).inc_by(seconds(part));
        }
        self.skew.with_label_values(BARE).observe(seconds(started.skew));
        if let Some(volcano) = &self.volcano {
            volcano.started(started);
        }
    }

    fn attempt(&self, result: &str) {
        if let Some(volcano) = &self.volcano {
            volcano.attempt(result);
        }
    }

    /// A cycle took so long.
    pub fn cycle(&self, took: Duration) {
        self.cycle.with_label_values(BARE).observe(took.as_secs_f64());
        if let Some(volcano) = &self.volcano {
            volcano.cycle(took);
        }
    }

    /// A request is over.
    pub fn request(&self, sent: &Sent) {
        let (verb, kind) = (sent.verb, sent.resource);
        let code = sent.code.map_or_else(|| "none".to_owned(), |code| code.to_string());
        self.requests.with_label_values(&[verb, kind, &code]).inc();
        if sent.code.is_none() {
            return;
        }
        self.request_time.with_label_values(&[verb]).observe(sent.took.as_secs_f64());
    }

    /// Everything in the text format of Prometheus.
    #[must_use]
    pub fn text(&self, figures: Option<&Figures>, watched: &[Watched]) -> String {
        let _one_at_a_time = self.scrape.lock().expect("nobody panics while holding it");
        self.show(figures);
        self.watch_lag.reset();
        self.watch_synced.reset();
        for one in watched {
            let label = &[one.kind.as_str()];
            self.watch_lag.with_label_values(label).set(one.silent.as_secs_f64());
            let synced = if one.is_synced { 1.0 } else { 0.0 };
            self.watch_synced.with_label_values(label).set(synced);
        }
        let mut text = String::new();
        let families = self.board.registry().gather();
        match TextEncoder::new().encode_utf8(&families, &mut text) {
            Ok(()) => text,
            Err(error) => format!("# metrics cannot be written: {error}\n"),
        }
    }

    fn note_queue(&self, queue: &str) {
        let mut busiest = self.busiest.lock().expect("nobody panics while holding it");
        if let Some(replaced) = busiest.note(queue) {
            self.drop_series(&replaced);
        }
    }

    fn forget_queues(&self, is_there: impl Fn(&str) -> bool) {
        let mut busiest = self.busiest.lock().expect("nobody panics while holding it");
        for gone in busiest.keep(is_there) {
            self.drop_series(&gone);
        }
    }

    /// Ends what counts up for a queue; its gauges are written anew anyway.
    fn drop_series(&self, queue: &str) {
        // An error says that there was no such series, which is what is wanted.
        let _ = self.wait.remove_label_values(&[queue]);
        for phase in PHASES {
            let _ = self.wait_phases.remove_label_values(&[queue, phase]);
        }
        self.idle.drop_queue(queue);
    }

    /// A kubelet's reason as a label: those seen first, the rest as `other`.
    fn kubelet_reason<'a>(&self, reason: &'a str) -> &'a str {
        let mut reasons = self.reasons.lock().expect("nobody panics while holding it");
        if reasons.len() < REASONS_MAX {
            reasons.insert(reason.to_owned());
        }
        if reasons.contains(reason) { reason } else { busiest::OTHER }
    }
}
