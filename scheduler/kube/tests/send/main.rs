//! Calls on the wire: what they look like, what comes back, and when nothing may go out.

mod answers;
mod golden;
mod ledgers;
mod make;
mod queues;
mod server;
mod wire;
