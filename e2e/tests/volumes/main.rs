//! Gangs whose pods have volume claims, on a real API server with Kubernetes' own controllers.
//! The driver that makes volumes is played by the test. Read [`bench`] first.

mod alone;
mod bench;
mod late;
mod other;
mod undone;
