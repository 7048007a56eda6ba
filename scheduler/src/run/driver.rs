//! The loop on its own thread: letters in, a turn of the engine and the machines, calls out.
//!
//! One round: wait for a letter or for the time to wake; take in all that is there; answer
//! questions; a turn. News of objects waits for more of its kind for a few milliseconds, so
//! that the pods of a gang are seen together; answers of the API server wait for nothing but for
//! the breath between two rounds, without which each of them would wake the thread.
//!
//! Invariant: nothing here decides; with no news and nothing due it uses no time at all.

use super::ask::Letter;
use super::logs;
use super::metrics::Metrics;
use scheduler_kube::clock::Clock;
use scheduler_live::driver::Live;
use scheduler_live::news::{End, News, Notice};
use scheduler_model::time::Time;
use scheduler_protocol::call::Send;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

/// Letters taken in before a turn at most: a flood must not keep binds from leaving.
const LETTERS_MAX: usize = 5_000;

/// Puts a call on the wire, without waiting for anything.
pub type Wire = Box<dyn FnMut(Send) + std::marker::Send>;

/// The loop and its surroundings.
pub struct Driver {
    /// Engine and machines.
    pub live: Live,
    /// What time it is.
    pub clock: Clock,
    /// Where letters come from.
    pub inbox: Receiver<Letter>,
    /// Puts a call on the wire.
    pub send: Wire,
    /// What is counted.
    pub metrics: Arc<Metrics>,
    /// How long news of objects waits for more.
    pub coalesce: Duration,
}

impl std::fmt::Debug for Driver {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Driver").field("live", &self.live).finish_non_exhaustive()
    }
}

impl Driver {
    /// Runs until the end. `None` if nobody can write letters any more.
    pub fn run(mut self) -> Option<End> {
        self.metrics.notice(&Notice::Led(self.live.leadership().clone()));
        logs::notice(&Notice::Led(self.live.leadership().clone()));
        loop {
            self.take_in()?;
            if let Some(end) = self.turn() {
                return Some(end);
            }
        }
    }

    /// Waits for a letter or the time to wake, and takes in what is there; `None` at the end.
    fn take_in(&mut self) -> Option<()> {
        let now = self.clock.now();
        let until = self.live.wake_at(now).map(|time| until(now, time));
        let mut letter = match until {
            Some(Duration::ZERO) => None,
            Some(until) => match self.inbox.recv_timeout(until) {
                Ok(letter) => Some(letter),
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => return None,
            },
            None => Some(self.inbox.recv().ok()?),
        };
        if letter.is_some() {
            self.breathe();
        }
        let begin = Instant::now();
        let mut is_patient = true;
        for _ in 0..LETTERS_MAX {
            match letter {
                Some(Letter::News(news)) => {
                    is_patient &= news.iter().all(|one| matches!(one, News::Event(_)));
                    let now = self.clock.now();
                    news.into_iter().for_each(|one| self.live.take(one, now));
                }
                Some(Letter::Question(question)) => question(&self.live, self.clock.now()),
                None => {}
            }
            let rest = self.coalesce.saturating_sub(begin.elapsed());
            let is_waiting = is_patient && letter_waits(until) && !rest.is_zero();
            letter = if is_waiting {
                self.inbox.recv_timeout(rest).ok()
            } else {
                self.inbox.try_recv().ok()
            };
            if letter.is_none() {
                break;
            }
        }
        Some(())
    }

    /// Lets letters gather. Nobody has to wake a thread that waits for none of them.
    fn breathe(&self) {
        loop {
            let rest = until(self.clock.now(), self.live.breathes_until());
            if rest.is_zero() {
                return;
            }
            std::thread::park_timeout(rest);
        }
    }

    fn turn(&mut self) -> Option<End> {
        let span = tracing::debug_span!("turn");
        let _in_turn = span.enter();
        let begin = Instant::now();
        let turn = self.live.turn(self.clock.now());
        let took = begin.elapsed();
        for send in turn.sends {
            (self.send)(send);
        }
        for notice in &turn.notices {
            if matches!(notice, Notice::Cycle { .. }) {
                self.metrics.cycle(took);
            }
            self.metrics.notice(notice);
            logs::notice(notice);
        }
        turn.end
    }
}

/// True unless something was due already: then nothing waits for more news.
fn letter_waits(until: Option<Duration>) -> bool {
    until != Some(Duration::ZERO)
}

fn until(now: Time, time: Time) -> Duration {
    Duration::from_millis(u64::try_from(time.since(now).ms()).unwrap_or(0))
}
