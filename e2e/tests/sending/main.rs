//! Every kind of call against a real API server: what stands there afterwards, and that what is
//! wrong is refused.

mod bench;
mod groups;
mod objects;
mod pods;
mod queues;
