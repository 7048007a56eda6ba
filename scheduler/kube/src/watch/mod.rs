//! Live watching: every kind that is read and served, as events for the engine.
//!
//! [`start`] begins; what comes of it arrives as [`Update`]s. `discover` finds out what is
//! served, `pump` moves the bytes of one watch (all decisions are those of
//! [`scheduler_protocol::watch`]), [`crate::desk`] turns objects into events, `board` knows how
//! it all stands.
//!
//! Invariants: one source that fails stops no other. A kind that appears later is watched
//! without a restart, and one that goes takes only its own objects along. [`Update::is_ready`]
//! is true only once everything that is needed stands in this update or an earlier one.

mod board;
mod discover;
mod fault;
mod frame;
mod pump;
mod seek;
mod spread;

pub use board::{Readiness, Standing};

use crate::client::Reader;
use crate::clock::Clock;
use crate::desk::{Desk, DeskConfig, News, Outcome, Source};
use crate::served::Served;
use board::{Board, Patience};
use scheduler_model::event::Event;
use scheduler_model::problem::Problem;
use scheduler_model::time::{Span, Time};
use scheduler_protocol::watch::Times;
use scheduler_protocol::watch::poll::Pace;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

/// Most batches of news that wait to be read.
const WAITING: usize = 64;
/// The kind that forbids evictions while it cannot be read.
const BUDGETS: &str = "PodDisruptionBudget";
/// Most news that become one update.
const TOGETHER: usize = 4096;

/// What is watched, and how.
#[derive(Clone, Debug, Default)]
pub struct WatchConfig {
    /// How objects are read; its scheduler names are watched in all phases.
    pub desk: DeskConfig,
    /// How long connections last.
    pub times: Times,
    /// How often it is asked what the server serves.
    pub discovery: Pace,
    /// Spreads the jitter of several processes.
    pub seed: u64,
}

/// What happened since the last update.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Update {
    /// For the engine, in order.
    pub events: Vec<Event>,
    /// For people.
    pub problems: Vec<Problem>,
    /// Everything that is needed to decide was told by now.
    pub is_ready: bool,
    /// The versions in which groups are to be written from now on, where that changed.
    pub served: Option<Served>,
}

/// What all watches share.
#[derive(Debug)]
struct Setting {
    reader: Reader,
    clock: Clock,
    times: Times,
}

/// All watches. Dropping it ends them.
#[derive(Debug)]
pub struct Hub {
    board: Arc<Board>,
    clock: Clock,
    tasks: [JoinHandle<()>; 2],
}

/// Begins to watch, inside a tokio runtime. Updates arrive through `updates` until the hub is
/// dropped or nobody receives them.
#[must_use]
pub fn start(
    reader: Reader,
    clock: Clock,
    config: WatchConfig,
    updates: mpsc::Sender<Update>,
) -> Hub {
    // A watch may say nothing for as long as it lasts, and a little more while it is renewed.
    let times = config.times;
    let lasts = [times.watch_least, times.watch_spread, times.grace, times.silence];
    let silence = Span::from_ms(lasts.iter().fold(0, |sum, span| sum.saturating_add(span.ms())));
    let patience = Patience { optional: Span::from_secs(15), silence };
    let board = Arc::new(Board::new(patience));
    let (out, news) = mpsc::channel(WAITING);
    let setting = Arc::new(Setting { reader, clock, times });
    let spread = spread::Spread::new(&config, Arc::clone(&setting), Arc::clone(&board), out);
    let desk = Desk::new(config.desk);
    let reading = Reading { desk, updates, board: Arc::clone(&board), clock, was_ready: false };
    let reading = async move {
        // It ends when nobody wants more, which is no fault.
        let _ = reading.run(news).await;
    };
    let tasks = [tokio::spawn(spread.run(config.discovery)), tokio::spawn(reading)];
    Hub { board, clock, tasks }
}

impl Hub {
    /// Whether everything that is needed was told, and what is wrong.
    #[must_use]
    pub fn readiness(&self) -> Readiness {
        self.board.readiness(self.clock.now())
    }

    /// How each source stands.
    #[must_use]
    pub fn standings(&self) -> Vec<Standing> {
        self.board.standings(self.clock.now())
    }

    /// How many things are wrong with objects now.
    #[must_use]
    pub fn problems(&self) -> usize {
        self.board.problems()
    }
}

impl Drop for Hub {
    fn drop(&mut self) {
        for task in &self.tasks {
            task.abort();
        }
    }
}

/// Turns news into updates, many at once where many wait.
struct Reading {
    desk: Desk,
    updates: mpsc::Sender<Update>,
    board: Arc<Board>,
    clock: Clock,
    was_ready: bool,
}

/// Nobody wants updates any more.
struct Unwanted;

impl Reading {
    async fn run(mut self, mut news: mpsc::Receiver<Vec<News>>) -> Result<(), Unwanted> {
        loop {
            let batch = tokio::select! {
                batch = news.recv() => batch,
                () = self.board.changed() => Some(Vec::new()),
            };
            let Some(batch) = batch else { return Ok(()) };
            self.take(batch, &mut news).await?;
        }
    }

    async fn take(
        &mut self,
        batch: Vec<News>,
        news: &mut mpsc::Receiver<Vec<News>>,
    ) -> Result<(), Unwanted> {
        let (mut next, mut count) = (Some(batch), 0);
        let (mut touched, mut whole) = (BTreeSet::new(), BTreeSet::new());
        while let Some(batch) = next {
            count += batch.len();
            for one in batch {
                touched.insert(source(&one));
                if let News::ListEnd(source) = one {
                    whole.insert(source);
                }
                self.desk.take(one);
            }
            next = if count < TOGETHER { news.try_recv().ok() } else { None };
        }
        for source in touched {
            self.board.told(source, whole.contains(&source), self.desk.count(source));
        }
        self.desk.hide_budgets(self.board.hides(BUDGETS));
        let Outcome { events, problems } = self.desk.flush();
        self.board.wrong(self.desk.problems());
        let is_ready = self.board.readiness(self.clock.now()).is_ready();
        let served = self.board.take_served();
        let is_same = served.is_none() && is_ready == self.was_ready;
        if events.is_empty() && problems.is_empty() && is_same {
            return Ok(());
        }
        self.was_ready = is_ready;
        let update = Update { events, problems, is_ready, served };
        self.updates.send(update).await.map_err(|_| Unwanted)
    }
}

fn source(news: &News) -> Source {
    match news {
        News::ListStart(source)
        | News::ListEnd(source)
        | News::Apply(source, _)
        | News::Unreadable(source, ..)
        | News::Delete(source, _)
        | News::Drop(source) => *source,
    }
}

/// A moment of our clock as one of the runtime's.
fn until(clock: &Clock, time: Time) -> tokio::time::Instant {
    let left = time.since(clock.now()).ms();
    tokio::time::Instant::now() + Duration::from_millis(left.unsigned_abs().min(1 << 40))
}
