//! One watch for every source that is served: begun when its kind appears, ended when it goes.
//!
//! Invariant: the news of a watch that has ended all stand before the word that its source is
//! gone.

use super::board::Board;
use super::discover::{self, Served};
use super::pump::{self, Out, Pump};
use super::{Setting, WatchConfig, fault, until};
use crate::desk::{News, Part, Source};
use crate::read::KINDS;
use http_body_util::BodyExt;
use scheduler_protocol::watch::Fault;
use scheduler_protocol::watch::poll::{Ask, Pace, Poll};
use std::collections::BTreeMap;
use std::sync::Arc;
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio::time::timeout_at;

/// All watches that run.
pub(super) struct Spread {
    setting: Arc<Setting>,
    board: Arc<Board>,
    out: Out,
    names: Vec<String>,
    has_kueue: bool,
    seed: u64,
    lost: Arc<Notify>,
    served: Served,
    running: BTreeMap<Source, Running>,
}

struct Running {
    path: String,
    task: JoinHandle<()>,
}

impl Drop for Running {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Spread {
    pub(super) fn new(
        config: &WatchConfig,
        setting: Arc<Setting>,
        board: Arc<Board>,
        out: Out,
    ) -> Self {
        Self {
            setting,
            board,
            out,
            names: config.desk.context.scheduler_names.clone(),
            has_kueue: config.desk.kueue_queues,
            seed: config.seed,
            lost: Arc::default(),
            served: Served::default(),
            running: BTreeMap::new(),
        }
    }

    /// Asks again and again what is served, and watches exactly that.
    pub(super) async fn run(mut self, pace: Pace) {
        let mut poll = Poll::new(pace, self.seed);
        let clock = self.setting.clock;
        while !self.out.is_closed() {
            match poll.next(clock.now()) {
                Ask::At(time) => {
                    tokio::select! {
                        () = tokio::time::sleep_until(until(&clock, time)) => {}
                        () = self.lost.notified() => poll.nudge(clock.now()),
                    }
                }
                Ask::Now(deadline) => {
                    let asked = timeout_at(until(&clock, deadline), self.ask()).await;
                    match asked.unwrap_or_else(|_| Err(Fault::lost("no answer in time"))) {
                        Ok(served) => {
                            poll.answered(clock.now());
                            let served = served.after(&self.served);
                            self.follow(served).await;
                            self.board.discovered(None);
                        }
                        Err(fault) => {
                            poll.failed(fault, clock.now());
                            let words = poll.trouble().map(|trouble| trouble.words().to_owned());
                            self.board.discovered(words);
                        }
                    }
                }
            }
        }
    }

    async fn ask(&self) -> Result<Served, Fault> {
        let mut served = Served::default();
        for path in discover::PATHS {
            let response = self.setting.reader.get(path, discover::ACCEPT).await;
            let (head, body) = response.map_err(Fault::lost)?.into_parts();
            let body = body.collect().await.map_err(|error| Fault::lost(error.to_string()))?;
            let body = body.to_bytes();
            if !head.status.is_success() {
                return Err(fault::of_response(head.status.as_u16(), &head.headers, &body));
            }
            served.read(&body).map_err(Fault::garbage)?;
        }
        Ok(served)
    }

    /// Ends the watches of what is gone, and begins those of what is new.
    async fn follow(&mut self, served: Served) {
        // Before the first object of a kind is told, so that nothing is written in a wrong way.
        self.board.serves(served.groups());
        let wanted = self.wanted(&served);
        let running: Vec<Source> = self.running.keys().copied().collect();
        for source in running {
            let is_same =
                wanted.get(&source).is_some_and(|path| *path == self.running[&source].path);
            if !is_same {
                self.end(source, !wanted.contains_key(&source)).await;
            }
        }
        for (source, path) in wanted {
            if !self.running.contains_key(&source) {
                self.begin(source, path);
            }
        }
        self.served = served;
    }

    fn wanted(&self, served: &Served) -> BTreeMap<Source, String> {
        let mut wanted = BTreeMap::new();
        for (row, kind) in KINDS.iter().enumerate() {
            let Some(path) = served.paths.get(&row) else {
                if discover::is_core(kind) {
                    // Every cluster has it: whoever hides it must be seen in what is missing.
                    let version = match kind.group {
                        "" => "/api/v1".to_owned(),
                        group => format!("/apis/{group}/v1"),
                    };
                    self.want(&mut wanted, row, &format!("{version}/{}", kind.plural));
                }
                continue;
            };
            if kind.group != "kueue.x-k8s.io" || self.has_kueue {
                self.want(&mut wanted, row, path);
            }
        }
        wanted
    }

    fn want(&self, wanted: &mut BTreeMap<Source, String>, row: usize, path: &str) {
        if KINDS[row].kind != "Pod" {
            wanted.insert(Source::row(row), path.to_owned());
            return;
        }
        for number in 0..self.names.len() {
            wanted.insert(Source::pods(Part::Ours(number)), path.to_owned());
        }
        wanted.insert(Source::pods(Part::Others), path.to_owned());
    }

    fn selector(&self, source: Source) -> String {
        let selector = match source.part() {
            Part::All => String::new(),
            Part::Ours(number) => format!("spec.schedulerName={}", self.names[number]),
            Part::Others => {
                let ours = self.names.iter().map(|name| format!("spec.schedulerName!={name},"));
                let unfinished = "status.phase!=Succeeded,status.phase!=Failed";
                ours.collect::<String>() + unfinished
            }
        };
        pump::encoded(&selector)
    }

    fn begin(&mut self, source: Source, path: String) {
        self.board.add(source, self.setting.clock.now());
        let pump = Pump {
            source,
            path: path.clone(),
            selector: self.selector(source),
            setting: Arc::clone(&self.setting),
            board: Arc::clone(&self.board),
            lost: Arc::clone(&self.lost),
            out: self.out.clone(),
        };
        self.seed =
            self.seed.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        let task = tokio::spawn(pump.run(self.seed));
        self.running.insert(source, Running { path, task });
    }

    async fn end(&mut self, source: Source, is_gone: bool) {
        let Some(mut running) = self.running.remove(&source) else { return };
        running.task.abort();
        // An aborted task ends with an error, which is what was asked for.
        let _ = (&mut running.task).await;
        if is_gone {
            self.board.remove(source);
            // Nobody listens only while all of it ends.
            let _ = self.out.send(vec![News::Drop(source)]).await;
        }
    }
}
