//! Which nodes changed since when, so that caches mend single rows instead of starting over.

use crate::ids::NodeId;

/// Entries kept before the oldest are dropped; a reader that is further behind starts over.
const ENTRIES_MAX: usize = 1 << 16;

/// A place in a [`Journal`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cursor(u64);

/// A log of touched nodes. It describes how a table came to be, not what it holds, so two
/// tables compare equal whatever their journals say.
#[derive(Clone, Debug, Default)]
pub struct Journal {
    start: u64,
    entries: Vec<NodeId>,
}

impl Journal {
    /// The end of the log: where a cache that is up to date now stands.
    #[must_use]
    pub fn cursor(&self) -> Cursor {
        Cursor(self.start + u64::try_from(self.entries.len()).expect("a length fits 64 bits"))
    }

    /// What was touched since `cursor`, repeats included; `None` if that is too long ago.
    #[must_use]
    pub fn since(&self, cursor: Cursor) -> Option<&[NodeId]> {
        let skip = usize::try_from(cursor.0.checked_sub(self.start)?).ok()?;
        self.entries.get(skip..)
    }

    pub(crate) fn touch(&mut self, node: NodeId) {
        if self.entries.len() >= ENTRIES_MAX {
            self.start += u64::try_from(self.entries.len()).expect("a length fits 64 bits");
            self.entries.clear();
        }
        self.entries.push(node);
    }
}

impl PartialEq for Journal {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Journal {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::Id;

    #[test]
    fn a_reader_too_far_behind_is_told_to_start_over() {
        let mut journal = Journal::default();
        let old = journal.cursor();
        for _ in 0..=ENTRIES_MAX {
            journal.touch(NodeId::from_index(1));
        }
        assert!(journal.since(old).is_none());
        assert_eq!(journal.since(journal.cursor()), Some(&[][..]));
    }
}
