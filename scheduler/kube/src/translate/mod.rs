//! From wire objects to specs: pure, total, one file per kind or dialect.
//!
//! Invariant: every function returns a value and the [`Problem`]s it met. What cannot be
//! read is read against the pod: it waits with a reason, it is never placed wrongly.

mod access;
pub mod affinity;
pub mod amounts;
pub mod budget;
pub mod coscheduling;
pub(crate) mod count;
pub mod daemon;
mod group;
pub mod hints;
pub mod hypernode;
pub mod kueue;
pub mod membership;
pub mod muster;
pub mod namespace;
pub mod native;
pub mod node;
mod order;
pub(crate) mod owner;
pub mod plain;
pub mod pod;
pub mod priority;
pub mod queue;
mod quota;
pub mod rank;
pub mod requests;
pub mod selector;
pub mod shape;
pub mod spread;
pub mod supply;
pub mod toleration;
pub mod topology;
mod users;
pub mod volcano;
pub mod volume;
mod wishes;

use crate::wire::Meta;
use scheduler_model::problem::Problem;
use scheduler_model::time::Time;
use std::collections::BTreeMap;

/// A translated object, and what was wrong with it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Translated<T> {
    /// The object in our words.
    pub value: T,
    /// What could not be taken as it was written.
    pub problems: Vec<Problem>,
}

/// What translation must know beside the object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Context {
    /// The scheduler names that are ours.
    pub scheduler_names: Vec<String>,
    /// Which set of plugins judges the pods of a name; those that are not here, the first.
    pub profiles: BTreeMap<String, u8>,
}

impl Context {
    /// Pods of these names are ours, and one set of plugins judges them all.
    #[must_use]
    pub fn of(scheduler_names: Vec<String>) -> Self {
        Self { scheduler_names, profiles: BTreeMap::new() }
    }
}

impl Default for Context {
    fn default() -> Self {
        Self::of(vec!["muster".to_owned()])
    }
}

/// Collects the problems of one object while it is translated.
#[derive(Debug)]
pub struct Problems {
    object: String,
    found: Vec<Problem>,
}

impl Problems {
    /// No problems yet with the object of this kind and metadata.
    #[must_use]
    pub fn of(kind: &str, meta: &Meta) -> Self {
        Self { object: object_name(kind, meta), found: Vec::new() }
    }

    /// Notes one: where, what is wrong and what is assumed instead, what to do about it.
    pub fn add(
        &mut self,
        field: impl Into<String>,
        message: impl Into<String>,
        remedy: impl Into<String>,
    ) {
        self.found.push(Problem::new(self.object.clone(), field, message, remedy));
    }

    /// Hands over `value` with all that was noted.
    #[must_use]
    pub fn with<T>(self, value: T) -> Translated<T> {
        Translated { value, problems: self.found }
    }
}

/// The object as a person names it: `Pod team-a/train-0`, `Node n1`.
#[must_use]
pub fn object_name(kind: &str, meta: &Meta) -> String {
    let name = if meta.name.is_empty() { &meta.generate_name } else { &meta.name };
    if meta.namespace.is_empty() {
        format!("{kind} {name}")
    } else {
        format!("{kind} {}/{name}", meta.namespace)
    }
}

/// Reads an RFC 3339 time; `None` with a problem if it is none.
pub fn time(text: Option<&str>, field: &str, problems: &mut Problems) -> Option<Time> {
    let text = text?;
    match text.parse::<jiff::Timestamp>() {
        Ok(moment) => Some(Time::from_ms(moment.as_millisecond())),
        Err(_) => {
            problems.add(
                field,
                format!("`{}` is no time, ignored", shorten(text)),
                "write it like 2026-11-30T06:00:00Z",
            );
            None
        }
    }
}

/// When the object was created; [`Time::ZERO`] where it does not say.
pub fn created_at(meta: &Meta, problems: &mut Problems) -> Time {
    let text = meta.creation_timestamp.as_deref();
    time(text, "metadata.creationTimestamp", problems).unwrap_or(Time::ZERO)
}

/// At most the first 64 characters, for messages: a label may be a megabyte long.
#[must_use]
pub fn shorten(text: &str) -> String {
    match text.char_indices().nth(64) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_named_as_people_name_them() {
        let mut meta = Meta { name: "n1".to_owned(), ..Meta::default() };
        assert_eq!(object_name("Node", &meta), "Node n1");
        meta.namespace = "team-a".to_owned();
        assert_eq!(object_name("Pod", &meta), "Pod team-a/n1");
    }

    #[test]
    fn times_are_milliseconds_and_a_bad_one_is_a_problem() {
        let mut problems = Problems::of("Pod", &Meta::default());
        let read = |text, problems: &mut Problems| time(Some(text), "f", problems).map(Time::ms);
        assert_eq!(read("1970-01-01T00:00:01.5Z", &mut problems), Some(1500));
        assert_eq!(read("1970-01-01T01:00:00+01:00", &mut problems), Some(0));
        assert_eq!(read("yesterday", &mut problems), None);
        assert_eq!(problems.with(()).problems.len(), 1);
    }

    #[test]
    fn long_text_is_cut_at_a_character() {
        assert_eq!(shorten(&"ä".repeat(100)).chars().count(), 65);
    }
}
