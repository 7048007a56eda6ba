//! Files, dumps and streams, read into one [`World`].
//!
//! The way of an object: [`open`] finds the files; `split` (JSON in `json`, YAML in `yaml`)
//! cuts a stream into single objects without ever holding more than one; `raw` parses one;
//! [`KINDS`] says what its kind is read as; `collect` keeps it; `finish` joins what needs more
//! than one object (owners and their pods, HyperNodes and nodes).
//!
//! Invariants: nothing that is read is fatal, every problem has its file and line, and the
//! world does not depend on the order of the objects, except that of two objects of one name
//! the last wins.

mod check;
mod collect;
mod finish;
mod head;
mod json;
mod kinds;
mod open;
mod owner;
mod raw;
mod split;
mod yaml;

pub use kinds::{KINDS, Kind};
pub use open::{Unreadable, open};

use crate::translate::Context;
use collect::Collector;
use scheduler_model::problem::Problem;
use scheduler_model::world::World;
use std::collections::BTreeMap;
use std::fmt;
use std::io::Read;

/// One stream of objects: YAML, JSON or either of them compressed by gzip.
pub struct Source {
    /// What people call it: the path, or `stdin`.
    pub name: String,
    /// Its bytes.
    pub reader: Box<dyn Read>,
}

/// A problem and where it was met.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Located {
    /// Name of the source.
    pub file: String,
    /// Line on which the object begins, or the one that is wrong inside it; 0 if the whole
    /// source is meant.
    pub line: u64,
    /// What is wrong.
    pub problem: Problem,
}

impl fmt::Display for Located {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if self.line > 0 {
            write!(f, ":{}", self.line)?;
        }
        write!(f, ": {}", self.problem)
    }
}

/// A document with a top-level `story:`; this crate does not know what is in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Story {
    /// Name of the source.
    pub file: String,
    /// The document, after as many empty lines as keep its line numbers right.
    pub text: String,
}

/// Everything that was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// The objects.
    pub world: World,
    /// What was wrong, in reading order.
    pub problems: Vec<Located>,
    /// Objects of kinds that are not read: how many of each `group/Kind`.
    pub unknown: BTreeMap<String, usize>,
    /// Scenario documents, in reading order.
    pub stories: Vec<Story>,
    /// Number of objects of kinds that are read, the broken ones left out.
    pub objects: usize,
    /// Sources that could not be read to their end.
    pub cut_short: Vec<String>,
}

/// Reads all of `sources`.
#[must_use]
pub fn read(sources: Vec<Source>, context: &Context) -> Reading {
    let mut collector = Collector::new(context);
    for source in sources {
        split::source(source, &mut collector);
    }
    finish::finish(collector)
}
