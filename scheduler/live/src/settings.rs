//! Everything that can be tuned, in one value.

use scheduler_core::engine::Config;
use scheduler_model::time::Span;
use scheduler_protocol::bind::BindConfig;
use scheduler_protocol::call::LeaseRef;
use scheduler_protocol::lanes::Windows;
use scheduler_protocol::lease::LeaseConfig;
use scheduler_protocol::repair::RepairConfig;
use scheduler_protocol::tell::TellConfig;
use scheduler_protocol::volumes::VolumeConfig;

/// Settings of a driver.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// The schedulerNames that are ours.
    pub scheduler_names: Vec<String>,
    /// The engine's numbers.
    pub engine: Config,
    /// How much may fly at once.
    pub windows: Windows,
    /// Binding.
    pub bind: BindConfig,
    /// Volumes of plans.
    pub volumes: VolumeConfig,
    /// What becomes of gangs that lost members.
    pub repair: RepairConfig,
    /// How often people are told.
    pub tell: TellConfig,
    /// How long words to people wait while as many binds fly as may.
    pub words_wait: Span,
    /// Least time from one turn to the next while news come. Short beside the time that an
    /// answer takes when there are many, so that it keeps no call from leaving.
    pub breath: Span,
    /// Leadership; `None` for a single replica.
    pub lease: Option<LeaseConfig>,
    /// How long a process that was asked to stop lets its calls land.
    pub stop_within: Span,
    /// How long it then tries to give the lease back.
    pub release_within: Span,
}

impl Settings {
    /// The usual numbers, for a process of this name. With a lease where one is named.
    #[must_use]
    pub fn of(identity: &str, lease: Option<LeaseRef>) -> Self {
        let seed = scheduler_protocol::retry::seed_of(identity);
        Self {
            scheduler_names: vec!["muster".to_owned()],
            bind: BindConfig { seed, ..BindConfig::default() },
            volumes: VolumeConfig { seed, ..VolumeConfig::default() },
            lease: lease.map(|lease| LeaseConfig::new(lease, identity.to_owned())),
            words_wait: Span::from_secs(1),
            breath: Span::from_ms(2),
            stop_within: Span::from_ms(1_500),
            release_within: Span::from_secs(1),
            ..Self::default()
        }
    }
}
