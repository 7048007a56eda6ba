//! What may stand at a leaf of the configuration; each type refuses what it does not mean.

use scheduler_framework::profile::Profile;
use scheduler_model::time::Span;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::net::SocketAddr;
use tracing_subscriber::EnvFilter;

/// A length of time, such as `90s` or `1h30m`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wait(pub Span);

impl Wait {
    /// So many milliseconds.
    #[must_use]
    pub const fn ms(ms: i64) -> Self {
        Self(Span::from_ms(ms))
    }

    /// So many seconds.
    #[must_use]
    pub const fn secs(secs: i64) -> Self {
        Self(Span::from_secs(secs))
    }

    /// For clocks of this process.
    #[must_use]
    pub fn duration(self) -> std::time::Duration {
        std::time::Duration::from_millis(u64::try_from(self.0.ms()).unwrap_or(0))
    }
}

impl<'de> Deserialize<'de> for Wait {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let span = scheduler_kube::duration::parse(&text);
        span.map(Self).ok_or_else(|| {
            D::Error::custom(format!(
                "{text:?} is no length of time; write it like 250ms, 90s, 30m or 1h30m"
            ))
        })
    }
}

impl Serialize for Wait {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

/// Most requests of a kind that can be allowed at once.
const WINDOW_MAX: u32 = 10_000;

/// A number of requests under way at once, at least 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Window(pub u32);

impl<'de> Deserialize<'de> for Window {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = u32::deserialize(deserializer)?;
        match number {
            1..=WINDOW_MAX => Ok(Self(number)),
            _ => Err(D::Error::custom(format!(
                "{number} requests at once are not possible; write a number from 1 to {WINDOW_MAX}"
            ))),
        }
    }
}

/// Hundredths of something, 0 to 100.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Percent(pub u8);

impl<'de> Deserialize<'de> for Percent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = u32::deserialize(deserializer)?;
        match u8::try_from(number) {
            Ok(number @ 0..=100) => Ok(Self(number)),
            _ => Err(D::Error::custom(format!(
                "{number} hundredths are not possible; write a number from 0 to 100"
            ))),
        }
    }
}

/// Highest weight; even all plugins at it stay far below what sums can hold.
const WEIGHT_MAX: i64 = 1_000_000;

/// How often the points of a scorer count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Weight(pub i64);

impl<'de> Deserialize<'de> for Weight {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = i64::deserialize(deserializer)?;
        match number {
            0..=WEIGHT_MAX => Ok(Self(number)),
            _ => Err(D::Error::custom(format!(
                "a weight of {number} is out of range; write a number from 0 to {WEIGHT_MAX}"
            ))),
        }
    }
}

/// The name of a plugin that exists.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct PluginName(pub String);

impl PluginName {
    /// True if it gives points, so that a weight means something.
    #[must_use]
    pub fn is_scorer(&self) -> bool {
        let profile: Profile = plugins::default_profile();
        profile.scorers().iter().any(|(scorer, _)| scorer.name() == self.0)
    }

    /// True if it puts gangs, queues or domains in order.
    #[must_use]
    pub fn is_order(&self) -> bool {
        let mut found = plugins::CATALOGUE.iter().filter(|it| it.name == self.0);
        found.any(|it| it.points.contains("order"))
    }
}

impl<'de> Deserialize<'de> for PluginName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        let known: Vec<&str> = plugins::CATALOGUE.iter().map(|it| it.name).collect();
        if known.contains(&name.as_str()) {
            return Ok(Self(name));
        }
        Err(D::Error::custom(format!(
            "there is no plugin {name:?}; write one of {}",
            known.join(", ")
        )))
    }
}

/// An address to listen on: `host:port`, or `:port` for every address of this computer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listen(pub SocketAddr);

impl Listen {
    /// Reads an address.
    ///
    /// # Errors
    /// What is wrong with it, and how it is written.
    pub fn parse(text: &str) -> Result<Self, String> {
        let whole = if text.starts_with(':') { format!("[::]{text}") } else { text.to_owned() };
        whole.parse().map(Self).map_err(|_| {
            format!("{text:?} is no address to listen on; write it like :9090 or 127.0.0.1:9090")
        })
    }
}

impl Default for Listen {
    fn default() -> Self {
        Self(SocketAddr::new(std::net::Ipv6Addr::UNSPECIFIED.into(), 9090))
    }
}

impl fmt::Display for Listen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.ip() == std::net::Ipv6Addr::UNSPECIFIED {
            return write!(f, ":{}", self.0.port());
        }
        self.0.fmt(f)
    }
}

impl<'de> Deserialize<'de> for Listen {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::parse(&String::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

impl Serialize for Listen {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// What is logged: `info`, or filters such as `info,scheduler=debug`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Level(String);

impl Level {
    /// Reads a level or filters.
    ///
    /// # Errors
    /// What is wrong with it, and how it is written.
    pub fn parse(text: &str) -> Result<Self, String> {
        let is_meant = |part: &str| {
            let level = part.rsplit_once('=').map_or(part, |(_, level)| level);
            let levels = ["off", "error", "warn", "info", "debug", "trace"];
            levels.contains(&level.to_lowercase().as_str())
        };
        let is_known = text.split(',').map(str::trim).all(is_meant);
        if is_known && EnvFilter::try_new(text).is_ok() {
            return Ok(Self(text.to_owned()));
        }
        Err(format!(
            "{text:?} is no log level; write error, warn, info, debug or trace, or several with \
             targets like info,scheduler=debug"
        ))
    }

    /// As it was written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Default for Level {
    fn default() -> Self {
        Self("info".to_owned())
    }
}

impl<'de> Deserialize<'de> for Level {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::parse(&String::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

/// The form of the log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, clap::ValueEnum)]
#[serde(rename_all = "camelCase")]
pub enum Format {
    /// One JSON object per line, for collectors.
    #[default]
    Json,
    /// For people.
    Text,
}

/// Whether PodDisruptionBudgets may be broken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Budgets {
    /// Never.
    #[default]
    Keep,
    /// Where no other victims would do.
    BreakLast,
}
