//! Expectations as they stand in the file: one-key maps, `train: {...}`, `queue q: {...}`,
//! `problems: [...]`.

use crate::read::{Amounts, Names};
use serde::Deserialize;
use serde::de::{Deserializer, Error as _, IgnoredAny, MapAccess, Visitor};
use std::collections::BTreeMap;
use std::fmt;

/// One entry of `expect:`: what it speaks of, and what it says.
#[derive(Debug)]
pub(crate) enum Entry {
    /// A gang by its name.
    Gang(String, Box<GangExpectFile>),
    /// A queue by its name.
    Queue(String, QueueExpectFile),
    /// Texts that some problem must contain.
    Problems(Vec<String>),
}

impl<'de> Deserialize<'de> for Entry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(EntryVisitor)
    }
}

struct EntryVisitor;

impl<'de> Visitor<'de> for EntryVisitor {
    type Value = Entry;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("one of <gang>: {...}, queue <name>: {...}, problems: [...]")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Entry, A::Error> {
        let Some(key) = map.next_key::<String>()? else {
            return Err(A::Error::custom("an expectation is empty; name a gang or a queue"));
        };
        let entry = if key == "problems" {
            Entry::Problems(map.next_value()?)
        } else if let Some(queue) = key.strip_prefix("queue ") {
            Entry::Queue(queue.trim().to_owned(), map.next_value()?)
        } else {
            Entry::Gang(key, map.next_value()?)
        };
        if map.next_key::<IgnoredAny>()?.is_some() {
            return Err(A::Error::custom(
                "an expectation speaks of one thing; begin the next one with a dash of its own",
            ));
        }
        Ok(entry)
    }
}

/// What is expected of a gang.
#[derive(Debug, Default)]
pub(crate) struct GangExpectFile {
    pub(crate) runs: Option<RunsFile>,
    pub(crate) waits: Option<WaitsFile>,
    pub(crate) untouched: Option<bool>,
    pub(crate) done: bool,
    pub(crate) silent: bool,
}

const WORDS: [&str; 5] = ["runs", "waits", "untouched", "done", "silent"];

impl<'de> Deserialize<'de> for GangExpectFile {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(GangExpectVisitor)
    }
}

struct GangExpectVisitor;

impl<'de> Visitor<'de> for GangExpectVisitor {
    type Value = GangExpectFile;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("one of runs, waits, untouched, done, silent")
    }

    fn visit_str<E: serde::de::Error>(self, word: &str) -> Result<GangExpectFile, E> {
        let mut file = GangExpectFile::default();
        match word {
            "runs" => file.runs = Some(RunsFile::default()),
            "waits" => file.waits = Some(WaitsFile::default()),
            "untouched" => file.untouched = Some(true),
            "done" => file.done = true,
            "silent" => file.silent = true,
            _ => return Err(E::unknown_variant(word, &WORDS)),
        }
        Ok(file)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<GangExpectFile, A::Error> {
        let mut file = GangExpectFile::default();
        while let Some(word) = map.next_key::<String>()? {
            match word.as_str() {
                "runs" => file.runs = Some(map.next_value()?),
                "waits" => file.waits = Some(map.next_value()?),
                "untouched" => file.untouched = Some(map.next_value()?),
                "done" => file.done = map.next_value()?,
                "silent" => file.silent = map.next_value()?,
                _ => return Err(A::Error::unknown_field(&word, &WORDS)),
            }
        }
        Ok(file)
    }
}

/// `runs: {...}`.
#[derive(Deserialize, Debug, Default)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct RunsFile {
    pub(crate) on: Option<Names>,
    pub(crate) among: Option<Names>,
    pub(crate) nodes: Option<u32>,
    pub(crate) members: Option<u32>,
    pub(crate) within: Option<String>,
    pub(crate) each: Option<BTreeMap<String, u32>>,
}

/// `waits: {...}`.
#[derive(Deserialize, Debug, Default)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct WaitsFile {
    pub(crate) because: Option<BecauseFile>,
}

/// `because: {...}`.
#[derive(Deserialize, Debug, Default)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct BecauseFile {
    pub(crate) reason: Option<String>,
    pub(crate) placeable: Option<u32>,
    pub(crate) needed: Option<u32>,
    pub(crate) role: Option<String>,
    pub(crate) nodes: BTreeMap<String, u32>,
    pub(crate) nearest: Option<NearestFile>,
    pub(crate) cure: Option<String>,
    pub(crate) text: Option<String>,
    pub(crate) step: Option<String>,
}

/// `nearest: {...}`.
#[derive(Deserialize, Debug, Default)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct NearestFile {
    pub(crate) places: Option<u32>,
    pub(crate) domain: Option<String>,
}

/// What is expected of a queue.
#[derive(Deserialize, Debug, Default)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct QueueExpectFile {
    pub(crate) uses: Amounts,
    pub(crate) kept: Amounts,
    pub(crate) entitled: Amounts,
    pub(crate) deserved: Amounts,
    pub(crate) fair: Amounts,
    pub(crate) demand: Amounts,
    /// The same on nodes of one flavour.
    pub(crate) on: BTreeMap<String, QueueExpectFile>,
}
