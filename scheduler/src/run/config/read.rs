//! Text to configuration, and what is wrong with it.

use super::{Config, PluginName};
use scheduler_model::time::Span;
use scheduler_protocol::lease::LeaseConfig;
use scheduler_protocol::meaning::CallKind;
use scheduler_protocol::retry::Policy;
use std::fmt;
use std::path::Path;

/// One thing wrong with a configuration file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The file as it was named.
    pub file: String,
    /// Line, counted from 1; 0 if the whole file is meant.
    pub line: u64,
    /// Path of the key, such as `timings.holdAfter`; empty if the whole file is meant.
    pub field: String,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub remedy: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if self.line > 0 {
            write!(f, ":{}", self.line)?;
        }
        if !self.field.is_empty() {
            write!(f, ": {}", self.field)?;
        }
        write!(f, ": {} ({})", self.message, self.remedy)
    }
}

/// Reads a file.
///
/// # Errors
/// Everything that is wrong with it, as far as it could be read.
pub fn read(path: &Path) -> Result<Config, Vec<Fault>> {
    let file = path.display().to_string();
    let text = std::fs::read_to_string(path).map_err(|error| {
        vec![Fault {
            file: file.clone(),
            line: 0,
            field: String::new(),
            message: format!("it cannot be read: {error}"),
            remedy: "check the path and its rights".to_owned(),
        }]
    })?;
    parse(&file, &text)
}

/// Reads the text of a file. One without any key is all defaults.
///
/// # Errors
/// Everything that is wrong with it, as far as it could be read.
pub fn parse(file: &str, text: &str) -> Result<Config, Vec<Fault>> {
    let is_content = |line: &str| !line.trim().is_empty() && !line.trim().starts_with('#');
    if !text.lines().any(is_content) {
        return Ok(Config::default());
    }
    let options = serde_saphyr::options! { strict_booleans: true, with_snippet: false };
    let config: Config = serde_saphyr::from_str_with_options(text, options)
        .map_err(|error| vec![of_yaml(file, text, &error)])?;
    let faults: Vec<Fault> = conflicts(&config)
        .into_iter()
        .map(|(field, message, remedy)| Fault {
            file: file.to_owned(),
            line: line_of(text, field),
            field: field.to_owned(),
            message,
            remedy,
        })
        .collect();
    if faults.is_empty() { Ok(config) } else { Err(faults) }
}

fn of_yaml(file: &str, text: &str, error: &serde_saphyr::Error) -> Fault {
    let line = error.location().map_or(0, |location| location.line());
    let said = error.without_snippet().to_string();
    // The reader appends the line, which stands in its own field.
    let said = said.rfind(" at line ").map_or(said.as_str(), |cut| &said[..cut]);
    // What our own values say ends with what to write instead.
    let (message, remedy) = match said.rsplit_once("; write ") {
        Some((message, remedy)) => (message, format!("write {remedy}")),
        None if said.contains("unknown field") || said.contains("unknown variant") => {
            (said, "use one of the names listed, or remove it".to_owned())
        }
        None if said.contains("duplicate") => (said, "write each key once".to_owned()),
        None => (said, "`muster config show-default` prints every key".to_owned()),
    };
    Fault {
        file: file.to_owned(),
        line,
        field: field_at(text, line),
        message: message.to_owned(),
        remedy,
    }
}

type Conflict = (&'static str, String, String);

/// Values that are possible by themselves and not together.
fn conflicts(config: &Config) -> Vec<Conflict> {
    let mut found = Vec::new();
    let mut add = |field, message: String, remedy: &str| {
        found.push((field, message, remedy.to_owned()));
    };
    if config.scheduler_names.is_empty() {
        add("schedulerNames", "no pod would be scheduled".into(), "name at least one");
    }
    if config.scheduler_names.iter().any(String::is_empty) {
        add(
            "schedulerNames",
            "a name is empty".into(),
            "write the name that pods carry, or remove it",
        );
    }
    let lease = &config.leader_election;
    let (duration, deadline, retry) =
        (lease.lease_duration.0, lease.renew_deadline.0, lease.retry_period.0);
    if deadline >= duration {
        let message = format!("{deadline} is not less than leaseDuration, {duration}");
        add("leaderElection.renewDeadline", message, "the leader must stop before its lease ends");
    }
    // What the old leader sent last must have ended before the next one writes.
    let way = Policy::of(CallKind::Bind).timeout.ms() - LeaseConfig::FENCE.ms();
    if deadline < duration && duration.ms() - deadline.ms() < way {
        let message =
            format!("{deadline} leaves less than {} before {duration}", Span::from_ms(way));
        let remedy = "a write may be on its way for that long: lower it, or raise leaseDuration";
        add("leaderElection.renewDeadline", message, remedy);
    }
    if retry >= deadline || retry.ms() == 0 {
        let message = format!("{retry} is not between 0 and renewDeadline, {deadline}");
        add("leaderElection.retryPeriod", message, "2s is usual");
    }
    if lease.name.is_empty() {
        add("leaderElection.name", "it is empty".into(), "name the lease");
    }
    if config.timings.coalesce.0.ms() > 1000 {
        let message = format!("{} is too long", config.timings.coalesce.0);
        add("timings.coalesce", message, "every gang waits for it; write 1s or less");
    }
    found.extend(profile_conflicts(config));
    found
}

/// Most scheduler names.
const NAMES_MAX: usize = 64;

fn profile_conflicts(config: &Config) -> Vec<Conflict> {
    let mut found = Vec::new();
    let mut seen: Vec<&str> = Vec::new();
    for profile in &config.profiles {
        let name = profile.scheduler_name.as_str();
        if seen.contains(&name) {
            let remedy = "write one profile per name".to_owned();
            found.push(("profiles", format!("{name:?} has two profiles"), remedy));
        }
        seen.push(name);
        if !config.scheduler_names.iter().any(|known| known == name) {
            let message = format!("{name:?} is not among schedulerNames");
            found.push(("profiles", message, format!("add {name} there, or remove the profile")));
        }
        for plugin in profile.plugins.weights.keys().filter(|plugin| !plugin.is_scorer()) {
            let message = format!("{:?} gives no points, so a weight means nothing", plugin.0);
            found.push(("profiles", message, "remove the weight".to_owned()));
        }
    }
    if config.scheduler_names.len() > NAMES_MAX {
        let message = format!("there are more than {NAMES_MAX} names");
        found.push(("schedulerNames", message, "run more than one installation".to_owned()));
    }
    let orders = |name: &String| -> Vec<PluginName> {
        let disabled = config.plugins(name).disabled.into_iter();
        let mut orders: Vec<PluginName> = disabled.filter(PluginName::is_order).collect();
        orders.sort();
        orders
    };
    if let [first, others @ ..] = config.scheduler_names.as_slice()
        && let Some(other) = others.iter().find(|other| orders(other) != orders(first))
    {
        let message = format!(
            "{first:?} and {other:?} put gangs in different orders, but their gangs compete"
        );
        let remedy =
            "disable the same of priority, fair_share and topology_pack for both".to_owned();
        found.push(("profiles", message, remedy));
    }
    found
}

/// A line of block style as indentation and key.
fn key_of(line: &str) -> Option<(usize, &str)> {
    let inner = line.trim_start_matches([' ', '-']);
    let (key, _) = inner.split_once(':')?;
    let is_key = !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || "_-".contains(c));
    is_key.then_some((line.len() - inner.len(), key))
}

/// Path of the key that stands on a line: the keys above it, each less indented.
fn field_at(text: &str, line: u64) -> String {
    let count = usize::try_from(line).unwrap_or(usize::MAX);
    let mut keys: Vec<&str> = Vec::new();
    let mut indent = usize::MAX;
    let lines: Vec<&str> = text.lines().take(count).collect();
    for (depth, key) in lines.iter().rev().filter_map(|line| key_of(line)) {
        if depth < indent {
            keys.push(key);
            indent = depth;
        }
    }
    keys.reverse();
    if line == 0 { String::new() } else { keys.join(".") }
}

/// The line on which a path of keys stands; else that of the longest part of it, else 0.
fn line_of(text: &str, field: &str) -> u64 {
    let count = u64::try_from(text.lines().count()).unwrap_or(0);
    let find = |field: &str| (1..=count).find(|line| field_at(text, *line) == field);
    let found = find(field);
    let above = || field.rsplit_once('.').and_then(|(above, _)| find(above));
    found.or_else(above).unwrap_or(0)
}
