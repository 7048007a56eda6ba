//! Kubernetes objects, translated into muster's own words.
//!
//! 1. [`wire`]: slim serde structs of exactly the fields that decide something. Everything
//!    else is skipped while it is read, so that a 10 KB pod costs microseconds.
//! 2. [`translate`]: pure functions from wire objects to specs, one file per kind or dialect.
//!    Each is total: it returns a value and the problems it met, never an error.
//! 3. [`controllers`]: Jobs and the like whose pods are not in the input, played.
//! 4. [`mod@read`]: files, folders and streams of such objects into one world.
//!    [`desk`]: such objects one by one, as they change, into events.
//! 5. [`quantity`], [`duration`]: the two small languages inside those objects.
//! 6. [`names`]: every label, annotation and gate that is read, by name.
//! 7. [`send`]: calls of `scheduler/protocol` as requests, responses as answers; [`clock`] says
//!    when it is too late for one.
//! 8. [`mod@watch`]: a live cluster into events, over [`client`] and through the [`desk`].
//! 9. [`look`]: what commands read for a person, with kubectl's credentials.
//!
//! Invariant: one bad object never stops the rest, and what cannot be read exactly is read
//! against the pod (it waits; it is never placed wrongly).

pub mod client;
pub mod clock;
pub mod controllers;
pub mod desk;
pub mod duration;
pub mod look;
pub mod names;
pub mod object;
pub mod quantity;
pub mod read;
pub mod send;
mod served;
pub mod translate;
pub mod watch;
pub mod wire;
