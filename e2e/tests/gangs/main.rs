//! `muster run` on a real API server, as it is installed: under the service account, the roles
//! and the kinds of `manifests/base`.
//!
//! All tests share one control plane and one muster ([`bench`]); namespaces and node labels keep
//! them apart. Read [`bench`] first, then any test: each file is one subject. [`who_asked`] waits
//! for all others, and looks at what muster asked the API server for.

mod bench;
mod between;
mod dialects;
mod explain;
mod kinds;
mod nodes;
mod queues;
mod repair;
mod sizes;
mod statuses;
mod volcano;
mod volumes;
mod who_asked;
