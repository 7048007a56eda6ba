//! The last word on whether a request may go out, spoken where nothing can come between it and
//! the socket.
//!
//! A check before `send` would be worth little: after it come the pool, perhaps a TLS
//! handshake, a fresh token, and any number of pauses of the whole process. So the check sits in
//! the request's body. Over HTTP/1.1 hyper serialises the head into memory, asks the body for
//! its bytes, and writes both to the socket, all within one poll of the connection and in this
//! order; a body that answers with an error makes it drop the connection instead, head and all.
//! Between the check and the system call there is no other task and no await. What the check
//! lets pass is "handed to the socket" in the sense of the lease's promise.
//!
//! Invariant: a pass is opened or withdrawn, once, by one side. Withdrawn means that the server
//! cannot carry the request out: it never gets the body that the head would announce.

use crate::clock::Clock;
use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use scheduler_model::time::Time;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::task::{Context, Poll};

const WAITING: u8 = 0;
const OPENED: u8 = 1;
const WITHDRAWN: u8 = 2;

/// The right of one request to go out.
#[derive(Debug)]
pub struct Pass {
    state: AtomicU8,
    not_after: Time,
    clock: Clock,
}

impl Pass {
    /// A pass that opens until `not_after`.
    #[must_use]
    pub fn new(clock: Clock, not_after: Time) -> Arc<Self> {
        Arc::new(Self { state: AtomicU8::new(WAITING), not_after, clock })
    }

    /// Takes the right back. False if the request is out already, wholly or in part.
    pub fn withdraw(&self) -> bool {
        self.settle(WITHDRAWN) != OPENED
    }

    /// True if the time has run out.
    #[must_use]
    pub fn is_late(&self) -> bool {
        self.clock.now() >= self.not_after
    }

    /// True if the request may go out, which it does right after this.
    fn open(&self) -> bool {
        if self.is_late() {
            return self.settle(WITHDRAWN) == OPENED;
        }
        self.settle(OPENED) == OPENED
    }

    /// Moves on from waiting, and says where it stands.
    fn settle(&self, wish: u8) -> u8 {
        let change =
            self.state.compare_exchange(WAITING, wish, Ordering::AcqRel, Ordering::Acquire);
        change.map_or_else(|found| found, |_| wish)
    }
}

/// The body of a write, handed out only with an open pass.
#[derive(Debug)]
pub struct Guarded {
    bytes: Option<Bytes>,
    pass: Arc<Pass>,
}

impl Guarded {
    /// `bytes` under a pass; without bytes there is nothing to guard.
    #[must_use]
    pub fn new(bytes: Bytes, pass: Arc<Pass>) -> Self {
        Self { bytes: Some(bytes).filter(|bytes| !bytes.is_empty()), pass }
    }
}

/// A request came too late to be allowed.
#[derive(Debug)]
pub struct TooLate;

impl fmt::Display for TooLate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the right to write, or the time for an answer, ran out before the request was on the wire")
    }
}

impl std::error::Error for TooLate {}

impl Body for Guarded {
    type Data = Bytes;
    type Error = TooLate;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, TooLate>>> {
        let Some(bytes) = self.bytes.take() else { return Poll::Ready(None) };
        let frame = if self.pass.open() { Ok(Frame::data(bytes)) } else { Err(TooLate) };
        Poll::Ready(Some(frame))
    }

    fn is_end_stream(&self) -> bool {
        self.bytes.is_none()
    }

    fn size_hint(&self) -> SizeHint {
        let length = self.bytes.as_ref().map_or(0, Bytes::len);
        SizeHint::with_exact(u64::try_from(length).unwrap_or(u64::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use scheduler_model::time::Span;

    fn clock() -> Clock {
        Clock::start_at(Time::from_ms(1_000))
    }

    #[test]
    fn a_pass_in_time_opens_and_can_then_not_be_withdrawn() {
        let pass = Pass::new(clock(), Time::NEVER);
        assert!(pass.open());
        assert!(!pass.withdraw());
    }

    #[test]
    fn a_late_pass_does_not_open() {
        let pass = Pass::new(clock(), Time::from_ms(1_000));
        assert!(!pass.open());
        assert!(pass.withdraw());
    }

    #[test]
    fn a_withdrawn_pass_does_not_open_though_there_is_time() {
        let pass = Pass::new(clock(), Time::from_ms(1_000).after(Span::from_secs(3_600)));
        assert!(pass.withdraw());
        assert!(!pass.open());
    }
}
