//! What people install, looked at without a cluster: kustomize and Helm give the same, rights
//! match what is read, alert rules and dashboards are valid.
//!
//! Files that are copies of others are written anew with
//! `UPDATE=1 cargo test -p e2e --test manifests`.

mod config;
mod copies;
mod dashboards;
mod rights;
mod rules;
mod same;
