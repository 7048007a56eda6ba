//! Sends: a [`Call`](scheduler_protocol::call::Call) becomes HTTP, HTTP becomes an
//! [`Answer`](scheduler_protocol::answer::Answer).
//!
//! 1. [`encode`]: a call as [`request::Request`]s. Pure; with [`group`], the status of a group in
//!    the words of its dialect, `queue`, that of a queue, and [`event`].
//! 2. [`answer`]: a response as a reply. Pure and total.
//! 3. [`sender`]: one call on the wire, once. Its [`pass`] is the last word on whether a request
//!    may still go out.
//!
//! Invariants: nothing here knows what an answer means, sends anything twice, or waits for
//! anything but the answer: all that is `scheduler/protocol`'s. Every write names the uid (or
//! the version) of the object that was meant.

pub mod answer;
pub mod encode;
pub mod event;
pub mod group;
pub mod pass;
mod queue;
pub mod request;
pub mod sender;
mod when;

pub use crate::served::Served;
pub use encode::Encoder;
pub use sender::{Sender, Sent};
