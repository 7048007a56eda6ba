//! The one way to the loop: news, and questions that it answers between two turns.
//!
//! Invariant: a question reads; it never waits for anything, and never sees half a turn.

use scheduler_live::driver::Live;
use scheduler_live::news::News;
use scheduler_model::time::Time;
use std::fmt;
use std::sync::mpsc;
use std::time::Duration;

/// How long an answer may take; a cycle is shorter by far.
const PATIENCE: Duration = Duration::from_secs(4);

/// What comes to the loop.
pub enum Letter {
    /// News from outside, in order.
    News(Vec<News>),
    /// Somebody wants to know something.
    Question(Question),
}

/// A question to the loop, with where its answer goes.
pub type Question = Box<dyn FnOnce(&Live, Time) + Send>;

impl fmt::Debug for Letter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::News(news) => news.fmt(f),
            Self::Question(_) => f.write_str("Question"),
        }
    }
}

/// Where letters to the loop are put in.
#[derive(Clone, Debug)]
pub struct Letterbox {
    letters: mpsc::Sender<Letter>,
}

impl Letterbox {
    /// A letterbox, and the end that the loop reads from.
    #[must_use]
    pub fn new() -> (Self, mpsc::Receiver<Letter>) {
        let (letters, inbox) = mpsc::channel();
        (Self { letters }, inbox)
    }

    /// Tells the loop something. After its end nobody listens, and nobody needs to.
    pub fn tell(&self, news: impl IntoIterator<Item = News>) {
        let news: Vec<News> = news.into_iter().collect();
        if !news.is_empty() {
            let _ = self.letters.send(Letter::News(news));
        }
    }

    /// Asks the loop something; `None` if it does not answer in time.
    pub async fn ask<T: Send + 'static>(
        &self,
        question: impl FnOnce(&Live, Time) -> T + Send + 'static,
    ) -> Option<T> {
        let (reply, answer) = tokio::sync::oneshot::channel();
        let question: Question = Box::new(move |live, now| {
            let _ = reply.send(question(live, now));
        });
        self.letters.send(Letter::Question(question)).ok()?;
        tokio::time::timeout(PATIENCE, answer).await.ok()?.ok()
    }
}
