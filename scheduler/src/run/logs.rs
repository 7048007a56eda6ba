//! The log: one line per thing that happened, JSON or text, at a level that can be changed
//! while muster runs.
//!
//! Invariant: standard error has the log and nothing else; a log that cannot be written stops
//! nothing.

use super::config::{Format, Level};
use scheduler_live::news::{Leadership, Notice};
use std::sync::Mutex;
use tracing::{debug, info, warn};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer, Registry, fmt, reload};

/// Libraries that log at `info` what only concerns them; a filter that names one goes before.
const QUIET: [&str; 5] =
    ["kube=warn", "kube_client=warn", "hyper=warn", "hyper_util=warn", "tower=warn"];

/// Changes the level while muster runs.
#[derive(Debug)]
pub struct Logs {
    handle: reload::Handle<EnvFilter, Registry>,
    level: Mutex<Level>,
}

impl Logs {
    /// Begins to log; once per process.
    ///
    /// # Errors
    /// If somebody else logs already.
    pub fn begin(level: &Level, format: Format) -> Result<Self, String> {
        let (filter, handle) = reload::Layer::new(filter(level));
        let lines: Box<dyn Layer<_> + core::marker::Send + Sync> = match format {
            Format::Json => {
                Box::new(fmt::layer().json().flatten_event(true).with_writer(std::io::stderr))
            }
            Format::Text => Box::new(fmt::layer().with_ansi(false).with_writer(std::io::stderr)),
        };
        let begun = tracing_subscriber::registry().with(filter).with(lines).try_init();
        begun.map_err(|error| format!("the log cannot begin: {error}"))?;
        Ok(Self { handle, level: Mutex::new(level.clone()) })
    }

    /// The level in force.
    #[must_use]
    pub fn level(&self) -> Level {
        self.level.lock().expect("nobody panics while holding it").clone()
    }

    /// Changes the level.
    ///
    /// # Errors
    /// If the log is gone.
    pub fn set(&self, level: Level) -> Result<(), String> {
        self.handle.reload(filter(&level)).map_err(|error| error.to_string())?;
        info!(filters = level.as_str(), "the log level changes");
        *self.level.lock().expect("nobody panics while holding it") = level;
        Ok(())
    }
}

fn filter(level: &Level) -> EnvFilter {
    let mut text = level.as_str().to_owned();
    for quiet in QUIET {
        let target = quiet.split('=').next().unwrap_or(quiet);
        if !level.as_str().contains(&format!("{target}=")) {
            text = format!("{quiet},{text}");
        }
    }
    EnvFilter::try_new(text).unwrap_or_else(|_| EnvFilter::new("info"))
}

/// Logs one notice; those about a gang within a span of it.
pub fn notice(notice: &Notice) {
    let span = |gang: &scheduler_model::spec::GangKey| {
        tracing::info_span!("gang", gang = %gang, dialect = gang.dialect.name()).entered()
    };
    match notice {
        Notice::Cycle { steps, plans, waits } => debug!(steps, plans, waits, "cycle"),
        Notice::Planned { gang, queue, members, is_minimum } => {
            let _of = span(gang);
            info!(queue, members, is_minimum, "planned");
        }
        Notice::Waits { gang, queue, reason, sentence } => {
            let _of = span(gang);
            info!(queue, reason, sentence, "waits");
        }
        // One for each pod: where nobody reads it, not even its span is made.
        Notice::Bind { result: "done", .. } if !tracing::enabled!(tracing::Level::DEBUG) => {}
        Notice::Bind { gang, result, why } => {
            let _of = span(gang);
            match *result {
                "done" => debug!(result, "bind"),
                _ => warn!(result, why, "bind"),
            }
        }
        Notice::Started(started) => {
            let _of = span(&started.gang);
            info!(
                queue = started.queue,
                wait_ms = started.wait.ms(),
                members_ms = started.members.ms(),
                quota_ms = started.quota.ms(),
                placement_ms = started.placement.ms(),
                bind_ms = started.bind.ms(),
                skew_ms = started.skew.ms(),
                "started"
            );
        }
        Notice::Withdrawn(gang, why) => {
            let _of = span(gang);
            warn!(why, "withdrawn");
        }
        Notice::Rejected(gang, reason) => {
            let _of = span(gang);
            warn!(reason, "a kubelet turned a member away");
        }
        Notice::Broken(gang) => {
            let _of = span(gang);
            warn!("broken");
        }
        Notice::Repaired(gang) => {
            let _of = span(gang);
            info!("repaired");
        }
        Notice::Released { gang, times, pods } => {
            let _of = span(gang);
            warn!(times, pods, "released to start again");
        }
        Notice::Evicted { gang, queue, pods, gainer, gainer_queue } => {
            let _of = span(gang);
            let gainer = gainer.to_string();
            warn!(queue, pods, gainer, gainer_queue, "evicted for another gang");
        }
        Notice::Contested { gang, is_first } => {
            let _of = span(gang);
            contested(*is_first);
        }
        Notice::Led(Leadership::Alone) => info!("leads without a lease"),
        Notice::Led(Leadership::Leading) => info!("leads"),
        Notice::Led(Leadership::Following(leader)) => info!(leader, "follows"),
        Notice::Trouble(what) => warn!(what, "trouble"),
    }
}

/// One warning for all groups of a kind: there may be thousands.
fn contested(is_first: bool) {
    if !is_first {
        debug!("another scheduler writes into its status");
        return;
    }
    warn!(
        remedy = "stop it, or keep it away from these groups: docs/OPERATIONS.md, Beside Volcano",
        "another scheduler writes into the status of groups whose pods name muster; further \
         groups are counted and not logged"
    );
}
