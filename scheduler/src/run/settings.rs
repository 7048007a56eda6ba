//! Configuration and flags become what engine, machines and watches are told.

use super::config::{self, Config, Fault, Plugins};
use crate::arguments::live::Run;
use scheduler_core::engine;
use scheduler_core::evict::{Budgets, Evicts};
use scheduler_framework::profile::Profile;
use scheduler_live::settings::Settings;
use scheduler_model::time::Span;
use scheduler_protocol::call::LeaseRef;
use scheduler_protocol::lanes::Windows;
use scheduler_protocol::repair::RepairConfig;
use scheduler_protocol::tell::PodEvents;
use std::collections::BTreeMap;
use std::hash::{BuildHasher, RandomState};

/// The configuration in force: defaults, then the file, then environment and flags.
///
/// # Errors
/// Everything that is wrong with the file.
pub fn configured(wish: &Run) -> Result<Config, Vec<Fault>> {
    let mut config = match &wish.config {
        Some(path) => config::read(path)?,
        None => Config::default(),
    };
    if !wish.scheduler_names.is_empty() {
        config.scheduler_names.clone_from(&wish.scheduler_names);
    }
    if let Some(listen) = wish.listen {
        config.listen = listen;
    }
    if let Some(level) = &wish.log_level {
        config.log.level = level.clone();
    }
    if let Some(format) = wish.log_format {
        config.log.format = format;
    }
    if wish.no_leader_election {
        config.leader_election.enabled = false;
    }
    if config.leader_election.namespace.is_empty() {
        let own = wish.lease_namespace.clone();
        config.leader_election.namespace = own.unwrap_or_else(|| "default".to_owned());
    }
    Ok(config)
}

/// A name that no other process ever has: that of the pod or computer, and chance.
#[must_use]
pub fn identity(wish: &Run) -> String {
    let of_computer = || std::fs::read_to_string("/proc/sys/kernel/hostname").ok();
    let name = wish.identity.clone().or_else(of_computer).unwrap_or_default();
    let name = if name.trim().is_empty() { "muster" } else { name.trim() };
    let chance = RandomState::new().hash_one((std::process::id(), std::time::SystemTime::now()));
    format!("{name}_{chance:016x}")
}

/// What engine and machines are told.
#[must_use]
pub fn settings(config: &Config, identity: &str) -> Settings {
    let (timings, limits, election) = (&config.timings, &config.limits, &config.leader_election);
    let lease = election
        .enabled
        .then(|| LeaseRef { namespace: election.namespace.clone(), name: election.name.clone() });
    let mut settings = Settings::of(identity, lease);
    settings.scheduler_names.clone_from(&config.scheduler_names);
    if let Some(lease) = &mut settings.lease {
        lease.duration = election.lease_duration.0;
        lease.renew_deadline = election.renew_deadline.0;
        lease.retry_period = election.retry_period.0;
    }
    settings.engine = engine::Config {
        hold_after: timings.hold_after.0,
        fresh_for: timings.fresh_for.0,
        node_lost_after: timings.node_lost_after.0,
        repair_grace: timings.repair_grace.0,
        evicts: if config.eviction.enabled { Evicts::ByQueue } else { Evicts::Never },
        evictions_per_hour: config.eviction.per_hour,
        evict_after: config.eviction.after.0,
        share_tolerance: config.eviction.tolerance.0,
        budgets: match config.eviction.budgets {
            config::Budgets::Keep => Budgets::Keep,
            config::Budgets::BreakLast => Budgets::BreakLast,
        },
        ..engine::Config::default()
    };
    settings.volumes.timeout = timings.volume_bind_timeout.0;
    settings.repair =
        RepairConfig { grace: timings.repair_grace.0, releases_max: config.releases.max };
    // Numbers of an explanation change with every pod that comes or goes, and matter less.
    let every = timings.status_every.0;
    settings.tell.counts_every = every;
    settings.tell.numbers_every = Span::from_ms(every.ms().saturating_mul(3));
    settings.tell.pod_events =
        if config.events.scheduled_per_pod { PodEvents::On } else { PodEvents::Off };
    let window = |of: config::Window| usize::try_from(of.0).unwrap_or(usize::MAX);
    settings.windows = Windows {
        bind: window(limits.binds_in_flight),
        volume: window(limits.volumes_in_flight),
        repair: window(limits.deletions_in_flight),
        status: window(limits.status_in_flight),
        event: window(limits.events_in_flight),
    };
    settings
}

/// The plugins in force, and which of their sets judges the pods of each scheduler name.
#[must_use]
pub fn profiles(config: &Config) -> (Profile, BTreeMap<String, u8>) {
    let mut kinds: Vec<Plugins> = Vec::new();
    let mut number_of = BTreeMap::new();
    for name in &config.scheduler_names {
        let own = config.plugins(name);
        let known = kinds.iter().position(|kind| *kind == own);
        let number = known.unwrap_or_else(|| {
            kinds.push(own);
            kinds.len() - 1
        });
        number_of.insert(name.clone(), u8::try_from(number).unwrap_or(u8::MAX));
    }
    let mut kinds = kinds.iter().map(chosen);
    let first = kinds.next().unwrap_or_else(|| chosen(&Plugins::default()));
    (kinds.fold(first, Profile::or), number_of)
}

fn chosen(plugins: &Plugins) -> Profile {
    plugins::chosen_profile(
        |name| plugins.disabled.iter().any(|plugin| plugin.0 == name),
        |name| plugins.weights.iter().find(|(plugin, _)| plugin.0 == name).map(|(_, it)| it.0),
    )
}
