//! Sets of nodes as bits: what may run where, one bit a node.

use crate::ids::{Id, NodeId};

/// A set of nodes. Comparing two sets of one table is a walk over words.
#[derive(Debug, Default)]
pub struct NodeSet {
    words: Vec<u64>,
}

impl Clone for NodeSet {
    fn clone(&self) -> Self {
        Self { words: self.words.clone() }
    }

    /// Reuses the room that is there, which a derived `Clone` would not.
    fn clone_from(&mut self, source: &Self) {
        self.words.clone_from(&source.words);
    }
}

/// By members: a set that grew and shrank again equals one that never grew.
impl PartialEq for NodeSet {
    fn eq(&self, other: &Self) -> bool {
        let (short, long) = if self.words.len() <= other.words.len() {
            (&self.words, &other.words)
        } else {
            (&other.words, &self.words)
        };
        let (head, tail) = long.split_at(short.len());
        head == short && tail.iter().all(|word| *word == 0)
    }
}

impl Eq for NodeSet {}

const BITS: usize = 64;

/// Words with at most so many members are asked bit by bit rather than whole.
const SPARSE: u32 = 16;

impl NodeSet {
    /// The empty set.
    #[must_use]
    pub const fn new() -> Self {
        Self { words: Vec::new() }
    }

    /// All ids below `bound`.
    #[must_use]
    pub fn full(bound: usize) -> Self {
        let mut words = vec![u64::MAX; bound.div_ceil(BITS)];
        if let (Some(last), rest @ 1..) = (words.last_mut(), bound % BITS) {
            *last = (1 << rest) - 1;
        }
        Self { words }
    }

    /// Puts `node` in.
    pub fn insert(&mut self, node: NodeId) {
        let (word, bit) = split(node);
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        self.words[word] |= bit;
    }

    /// Takes `node` out.
    pub fn remove(&mut self, node: NodeId) {
        let (word, bit) = split(node);
        if let Some(word) = self.words.get_mut(word) {
            *word &= !bit;
        }
    }

    /// True if `node` is in.
    #[inline]
    #[must_use]
    pub fn contains(&self, node: NodeId) -> bool {
        let (word, bit) = split(node);
        self.words.get(word).is_some_and(|word| word & bit != 0)
    }

    /// Keeps what is also in `other`.
    pub fn retain(&mut self, other: &Self) {
        for (index, word) in self.words.iter_mut().enumerate() {
            *word &= other.words.get(index).copied().unwrap_or(0);
        }
    }

    /// Takes out what is in `other`.
    pub fn subtract(&mut self, other: &Self) {
        for (word, theirs) in self.words.iter_mut().zip(&other.words) {
            *word &= !theirs;
        }
    }

    /// Keeps the members for which `keep` says yes.
    pub fn retain_if(&mut self, mut keep: impl FnMut(NodeId) -> bool) {
        for (index, word) in self.words.iter_mut().enumerate() {
            let mut rest = *word;
            while rest != 0 {
                let bit = rest.trailing_zeros();
                rest &= rest - 1;
                if !keep(id(index, bit)) {
                    *word &= !(1 << bit);
                }
            }
        }
    }

    /// Keeps the members whose entry in `column` is at least `want`. Missing entries go.
    pub fn retain_at_least(&mut self, column: &[i64], want: i64) {
        let chunks = column.chunks(BITS).chain(std::iter::repeat(&[][..]));
        for (word, chunk) in self.words.iter_mut().zip(chunks) {
            if word.count_ones() <= SPARSE {
                *word = sparse_at_least(*word, chunk, want);
                continue;
            }
            let mut fits = 0_u64;
            for (bit, have) in chunk.iter().enumerate() {
                fits |= u64::from(*have >= want) << bit;
            }
            *word &= fits;
        }
    }

    /// Number of members.
    #[must_use]
    pub fn count(&self) -> usize {
        self.words
            .iter()
            .map(|word| usize::try_from(word.count_ones()).expect("64 fits a usize"))
            .sum()
    }

    /// True without members.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|word| *word == 0)
    }

    /// Members in order of id.
    pub fn iter(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.words.iter().enumerate().flat_map(|(index, word)| {
            let mut rest = *word;
            std::iter::from_fn(move || {
                if rest == 0 {
                    return None;
                }
                let bit = rest.trailing_zeros();
                rest &= rest - 1;
                Some(id(index, bit))
            })
        })
    }
}

impl FromIterator<NodeId> for NodeSet {
    fn from_iter<T: IntoIterator<Item = NodeId>>(nodes: T) -> Self {
        let mut set = Self::new();
        for node in nodes {
            set.insert(node);
        }
        set
    }
}

fn sparse_at_least(word: u64, chunk: &[i64], want: i64) -> u64 {
    let (mut rest, mut fits) = (word, 0);
    while rest != 0 {
        let bit = rest & rest.wrapping_neg();
        let index = usize::try_from(rest.trailing_zeros()).expect("a bit number fits a usize");
        rest ^= bit;
        if chunk.get(index).is_some_and(|have| *have >= want) {
            fits |= bit;
        }
    }
    fits
}

#[inline]
fn split(node: NodeId) -> (usize, u64) {
    (node.index() / BITS, 1 << (node.index() % BITS))
}

#[inline]
fn id(word: usize, bit: u32) -> NodeId {
    NodeId::from_index(word * BITS + usize::try_from(bit).expect("a bit number fits a usize"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(ids: &[usize]) -> NodeSet {
        ids.iter().map(|index| NodeId::from_index(*index)).collect()
    }

    fn list(set: &NodeSet) -> Vec<usize> {
        set.iter().map(Id::index).collect()
    }

    #[test]
    fn members_come_back_in_order() {
        assert_eq!(list(&set(&[130, 0, 63, 64])), [0, 63, 64, 130]);
    }

    #[test]
    fn what_left_the_set_leaves_no_trace_in_a_comparison() {
        let mut nodes = set(&[1, 200]);
        assert_ne!(nodes, set(&[1]));
        nodes.remove(NodeId::from_index(200));
        assert_eq!(nodes, set(&[1]));
    }

    #[test]
    fn a_full_set_ends_at_its_bound() {
        assert_eq!(NodeSet::full(65).count(), 65);
        assert_eq!(NodeSet::full(64).count(), 64);
        assert!(!NodeSet::full(65).contains(NodeId::from_index(65)));
    }

    #[test]
    fn a_shorter_partner_keeps_nothing_beyond_its_end() {
        let mut nodes = set(&[1, 200]);
        nodes.retain(&set(&[1]));
        assert_eq!(list(&nodes), [1]);
    }

    #[test]
    fn the_column_scan_equals_asking_one_by_one() {
        let column: Vec<i64> = (0..150).map(|i| i * 7 % 10).collect();
        let mut nodes = NodeSet::full(160);
        nodes.retain_at_least(&column, 5);
        let expected: Vec<usize> = (0..150).filter(|i| column[*i] >= 5).collect();
        assert_eq!(list(&nodes), expected);
        let mut few = set(&[3, 64, 70, 149, 155]);
        few.retain_at_least(&column, 5);
        let expected: Vec<usize> =
            [3, 64, 70, 149].into_iter().filter(|i| column[*i] >= 5).collect();
        assert_eq!(list(&few), expected);
    }
}
