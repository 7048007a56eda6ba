//! One watch, pumped: what [`Watch`] asks for is asked for, and what comes back is read.
//!
//! Invariant: nothing is decided here. Every answer, silence and failure goes to the machine,
//! and the machine says what is next.

use super::board::Board;
use super::frame::{self, Lines};
use super::{Setting, fault, until};
use crate::client::Response;
use crate::desk::{News, Source};
use bytes::Bytes;
use http_body_util::BodyExt;
use scheduler_protocol::watch::{Fault, Line, Mark, Request, Step, Watch};
use std::fmt::Write;
use std::sync::Arc;
use tokio::sync::{Notify, mpsc};
use tokio::time::timeout_at;

/// Most news that are handed on at once.
const BATCH: usize = 512;

/// Where news go.
pub(super) type Out = mpsc::Sender<Vec<News>>;

/// One watch and its connection.
pub(super) struct Pump {
    pub source: Source,
    /// Path of the collection.
    pub path: String,
    /// Field selector, percent-encoded; empty for everything.
    pub selector: String,
    pub setting: Arc<Setting>,
    pub board: Arc<Board>,
    /// Told when the server does not have the kind any more.
    pub lost: Arc<Notify>,
    pub out: Out,
}

/// What is being read.
enum Open {
    Nothing,
    Page(Response, Vec<u8>),
    Lines(Response, Lines),
}

/// The other end is gone, so nobody wants any news.
struct Unwanted;

type Pumped = Result<(), Unwanted>;

impl Pump {
    /// Runs until it is dropped, or nobody wants its news.
    pub(super) async fn run(self, seed: u64) {
        let mut watch = Watch::new(self.setting.times, seed);
        let mut open = Open::Nothing;
        while self.step(&mut watch, &mut open).await.is_ok() {
            let health = watch.health();
            if health.is_refused() {
                self.lost.notify_one();
            }
            self.board.note(self.source, health);
        }
    }

    async fn step(&self, watch: &mut Watch, open: &mut Open) -> Pumped {
        let clock = &self.setting.clock;
        match watch.next(clock.now()) {
            Step::Pause(time) => {
                *open = Open::Nothing;
                tokio::time::sleep_until(until(clock, time)).await;
                Ok(())
            }
            Step::Send(request) => {
                *open = Open::Nothing;
                self.send(watch, open, &request).await
            }
            Step::Read(time) => {
                let (Open::Page(response, _) | Open::Lines(response, _)) = open else {
                    watch.failed(Fault::lost("the connection is gone"), clock.now());
                    return Ok(());
                };
                let frame = timeout_at(until(clock, time), response.body_mut().frame()).await;
                match frame {
                    // The machine sees the time itself.
                    Err(_) => Ok(()),
                    Ok(None) => self.ended(watch, open).await,
                    Ok(Some(Err(error))) => {
                        watch.failed(Fault::lost(error.to_string()), clock.now());
                        Ok(())
                    }
                    Ok(Some(Ok(frame))) => match frame.into_data() {
                        Ok(bytes) => self.chunk(watch, open, &bytes).await,
                        Err(_) => Ok(()),
                    },
                }
            }
        }
    }

    async fn send(&self, watch: &mut Watch, open: &mut Open, request: &Request) -> Pumped {
        let clock = &self.setting.clock;
        let Step::Read(deadline) = watch.next(clock.now()) else { return Ok(()) };
        let target = self.target(request);
        let sent = self.setting.reader.get(&target, "application/json");
        let response = match timeout_at(until(clock, deadline), sent).await {
            Err(_) => return Ok(()),
            Ok(Err(words)) => {
                watch.failed(Fault::lost(words), clock.now());
                return Ok(());
            }
            Ok(Ok(response)) => response,
        };
        if !response.status().is_success() {
            let (head, body) = response.into_parts();
            // Its words are welcome, its code is enough.
            let words = timeout_at(until(clock, deadline), body.collect()).await;
            let words = words.ok().and_then(Result::ok).map(|body| body.to_bytes());
            let words = words.unwrap_or_default();
            let fault = fault::of_response(head.status.as_u16(), &head.headers, &words);
            watch.failed(fault, clock.now());
            return Ok(());
        }
        let mark = watch.opened(clock.now());
        *open = match request {
            Request::Page { .. } => Open::Page(response, Vec::new()),
            Request::Stream { .. } | Request::Watch { .. } => {
                Open::Lines(response, Lines::default())
            }
        };
        let mut news = Vec::new();
        self.mark(mark, &mut news);
        self.hand_on(watch, news).await
    }

    fn target(&self, request: &Request) -> String {
        let mut target = format!("{}?", self.path);
        let written = match request {
            Request::Page { limit, token } => {
                if let Some(limit) = limit {
                    let _ = write!(target, "limit={limit}&");
                }
                if !token.is_empty() {
                    let _ = write!(target, "continue={}&", encoded(token));
                }
                Ok(())
            }
            Request::Stream { timeout } => write!(
                target,
                "watch=true&allowWatchBookmarks=true&sendInitialEvents=true&\
                 resourceVersionMatch=NotOlderThan&timeoutSeconds={}&",
                timeout.ms() / 1000
            ),
            Request::Watch { version, timeout } => write!(
                target,
                "watch=true&allowWatchBookmarks=true&resourceVersion={}&timeoutSeconds={}&",
                encoded(version),
                timeout.ms() / 1000
            ),
        };
        written.expect("text can be written to text");
        if !self.selector.is_empty() {
            let _ = write!(target, "fieldSelector={}&", self.selector);
        }
        target.pop();
        target
    }

    async fn ended(&self, watch: &mut Watch, open: &mut Open) -> Pumped {
        let now = self.setting.clock.now();
        let Open::Page(_, body) = std::mem::replace(open, Open::Nothing) else {
            watch.ended(now);
            return Ok(());
        };
        let page = match frame::page(&body) {
            Ok(page) => page,
            Err(fault) => {
                watch.failed(fault, now);
                return Ok(());
            }
        };
        let [before, after] =
            watch.paged(&page.metadata.resource_version, &page.metadata.token, now);
        let mut news = Vec::new();
        self.mark(before, &mut news);
        for item in page.items.iter().flatten() {
            news.push(self.object(item.get().as_bytes()));
            if news.len() >= BATCH {
                self.hand_on(watch, std::mem::take(&mut news)).await?;
            }
        }
        self.mark(after, &mut news);
        self.hand_on(watch, news).await
    }

    async fn chunk(&self, watch: &mut Watch, open: &mut Open, bytes: &Bytes) -> Pumped {
        let clock = &self.setting.clock;
        watch.heard(clock.now());
        let lines = match open {
            Open::Nothing => return Ok(()),
            Open::Page(_, body) => {
                body.extend_from_slice(bytes);
                return Ok(());
            }
            Open::Lines(_, lines) => lines,
        };
        if let Err(fault) = lines.push(bytes) {
            watch.failed(fault, clock.now());
            return Ok(());
        }
        let mut news = Vec::new();
        while let Some(line) = lines.next() {
            if line.trim_ascii().is_empty() {
                continue;
            }
            let (read, changed) = match self.read(line, watch) {
                Err(fault) => {
                    watch.failed(fault, clock.now());
                    break;
                }
                Ok(read) => read,
            };
            match watch.line(read.line, clock.now()) {
                Mark::Apply => news.extend(changed),
                Mark::Delete => {
                    news.push(News::Delete(self.source, frame::name(read.object)));
                }
                mark => self.mark(mark, &mut news),
            }
            if news.len() >= BATCH {
                self.hand_on(watch, std::mem::take(&mut news)).await?;
            }
        }
        self.hand_on(watch, news).await
    }

    /// Reads a line, and the object in it if it changed.
    fn read<'a>(
        &self,
        line: &'a [u8],
        watch: &Watch,
    ) -> Result<(frame::Read<'a>, Option<News>), Fault> {
        let read = frame::line(line, !watch.is_listing())?;
        if !matches!(read.line, Line::Changed { .. }) {
            return Ok((read, None));
        }
        let news = match self.object(read.object) {
            // Perhaps the line goes on behind the object, or is torn.
            News::Unreadable(..) => self.object(frame::whole(line)?),
            news => news,
        };
        Ok((read, Some(news)))
    }

    fn object(&self, json: &[u8]) -> News {
        match self.source.kind().decode(json) {
            Ok(object) => News::Apply(self.source, Box::new(object)),
            Err(why) => News::Unreadable(self.source, frame::name(json), why),
        }
    }

    fn mark(&self, mark: Mark, news: &mut Vec<News>) {
        match mark {
            Mark::ListStart => news.push(News::ListStart(self.source)),
            Mark::ListEnd => news.push(News::ListEnd(self.source)),
            Mark::Apply | Mark::Delete | Mark::Nothing => {}
        }
    }

    async fn hand_on(&self, watch: &mut Watch, news: Vec<News>) -> Pumped {
        if news.is_empty() {
            return Ok(());
        }
        if let Err(mpsc::error::TrySendError::Full(news)) = self.out.try_send(news) {
            self.out.send(news).await.map_err(|_| Unwanted)?;
            // It was us who kept the server waiting.
            watch.heard(self.setting.clock.now());
        } else if self.out.is_closed() {
            return Err(Unwanted);
        }
        Ok(())
    }
}

/// A value inside a query.
pub(super) fn encoded(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}
