//! Where objects come from: one kind, or the part of it that one watch selects.

use crate::read::{KINDS, Kind};
use std::fmt;

/// One stream of objects of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Source {
    row: usize,
    part: Part,
}

/// Which objects of the kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    /// All of them.
    All,
    /// Pods that name our scheduler with this number, in all phases.
    Ours(usize),
    /// Pods of all other schedulers that are not finished.
    Others,
}

impl Source {
    /// All objects of the kind in this row of [`KINDS`].
    #[must_use]
    pub fn row(row: usize) -> Self {
        assert!(row < KINDS.len(), "there is no such row in the table of kinds");
        Self { row, part: Part::All }
    }

    /// All objects of a kind; `None` if it is not read.
    #[must_use]
    pub fn of(group: &str, kind: &str) -> Option<Self> {
        KINDS.iter().position(|one| one.group == group && one.kind == kind).map(Self::row)
    }

    /// A part of the pods.
    #[must_use]
    pub fn pods(part: Part) -> Self {
        Self { part, ..Self::of("", "Pod").expect("pods are read") }
    }

    /// Its kind.
    #[must_use]
    pub fn kind(self) -> &'static Kind {
        &KINDS[self.row]
    }

    /// Which objects of the kind.
    #[must_use]
    pub fn part(self) -> Part {
        self.part
    }
}

/// As people name it: `jobs.batch`, `pods (ours)`.
impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.kind().resource())?;
        match self.part {
            Part::All => Ok(()),
            Part::Ours(0) => f.write_str(" (ours)"),
            Part::Ours(number) => write!(f, " (ours, name {})", number + 1),
            Part::Others => f.write_str(" (of other schedulers)"),
        }
    }
}
