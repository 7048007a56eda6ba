//! Typed row numbers and the vectors they index. No bare `usize` crosses a function boundary
//! in the pure crates, so two ids can never be swapped unnoticed.

use std::fmt;
use std::marker::PhantomData;

/// A typed row number.
pub trait Id: Copy + Ord {
    /// The id of row `index`. Panics beyond `u32::MAX` rows, which no cluster has.
    fn from_index(index: usize) -> Self;
    /// The row number.
    fn index(self) -> usize;
}

macro_rules! define_id {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u32);

        impl Id for $name {
            #[inline]
            fn from_index(index: usize) -> Self {
                Self(u32::try_from(index).expect("no table has four billion rows"))
            }
            #[inline]
            fn index(self) -> usize {
                usize::try_from(self.0).expect("a u32 fits a usize")
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), self.0)
            }
        }
    )*};
}

define_id! {
    /// Row of a node in every node column.
    NodeId;
    /// Row of a pod.
    PodId;
    /// Row of a gang.
    GangId;
    /// Row of a queue.
    QueueId;
    /// Interned shape of a pod; pods of one class are interchangeable for placement.
    ClassId;
    /// Interned demand on the node alone (selector, node affinity, tolerations).
    ConstraintId;
    /// A resource that some node or pod names.
    ResourceId;
    /// A node label key with a dense column.
    KeyId;
    /// A value in the column of one [`KeyId`]; row 0 means the label is absent.
    ValueId;
    /// An interned pod selector with its namespaces.
    SelectorId;
    /// An interned pod term that placed pods carry and that acts on others.
    CarrierId;
    /// A level of a topology with its domains.
    LevelId;
    /// A domain at one [`LevelId`]; row 0 means the node is in none.
    DomainId;
    /// A group of nodes with quota of its own.
    FlavourId;
}

/// A vector that only its own id can index.
#[derive(Clone, PartialEq, Eq)]
pub struct IndexVec<I, T> {
    rows: Vec<T>,
    id: PhantomData<fn(I) -> I>,
}

impl<I: Id, T> IndexVec<I, T> {
    /// No rows.
    #[must_use]
    pub const fn new() -> Self {
        Self { rows: Vec::new(), id: PhantomData }
    }

    /// Appends a row and says its id.
    pub fn push(&mut self, row: T) -> I {
        let id = I::from_index(self.rows.len());
        self.rows.push(row);
        id
    }

    /// Number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// True without rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The row, if there is one.
    #[must_use]
    pub fn get(&self, id: I) -> Option<&T> {
        self.rows.get(id.index())
    }

    /// All rows in order.
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.rows.iter()
    }

    /// All rows with their ids, in order.
    pub fn iter_with_id(&self) -> impl Iterator<Item = (I, &T)> {
        self.rows.iter().enumerate().map(|(index, row)| (I::from_index(index), row))
    }

    /// All ids in order.
    pub fn ids(&self) -> impl Iterator<Item = I> + use<I, T> {
        (0..self.rows.len()).map(I::from_index)
    }

    /// The rows as a slice, for scans.
    #[must_use]
    pub fn as_slice(&self) -> &[T] {
        &self.rows
    }

    /// The rows as a slice, for scans that write.
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        &mut self.rows
    }
}

impl<I: Id, T: Clone> IndexVec<I, T> {
    /// Appends copies of `row` until there are `len` rows.
    pub fn grow(&mut self, len: usize, row: T) {
        if len > self.rows.len() {
            self.rows.resize(len, row);
        }
    }
}

impl<I: Id, T> Default for IndexVec<I, T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<I: Id, T> std::ops::Index<I> for IndexVec<I, T> {
    type Output = T;
    #[inline]
    fn index(&self, id: I) -> &T {
        &self.rows[id.index()]
    }
}

impl<I: Id, T> std::ops::IndexMut<I> for IndexVec<I, T> {
    #[inline]
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.rows[id.index()]
    }
}

impl<I, T: fmt::Debug> fmt::Debug for IndexVec<I, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.rows).finish()
    }
}

/// A table whose rows come and go: freed rows are used again, smallest first, so that ids
/// stay dense and equal histories give equal ids.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Slots<I: Id, T> {
    rows: IndexVec<I, Option<T>>,
    free: std::collections::BTreeSet<I>,
}

impl<I: Id, T> Slots<I, T> {
    /// Puts `row` into the smallest free slot.
    pub fn insert(&mut self, row: T) -> I {
        match self.free.pop_first() {
            Some(id) => {
                self.rows[id] = Some(row);
                id
            }
            None => self.rows.push(Some(row)),
        }
    }

    /// Takes a row out. Panics if the slot is empty: ids are never guessed.
    pub fn remove(&mut self, id: I) -> T {
        self.free.insert(id);
        self.rows[id].take().expect("a removed row was live")
    }

    /// The row, if it is live.
    #[must_use]
    pub fn get(&self, id: I) -> Option<&T> {
        self.rows.get(id).and_then(Option::as_ref)
    }

    /// All live rows with their ids, in order of id.
    pub fn iter(&self) -> impl Iterator<Item = (I, &T)> {
        self.rows.iter_with_id().filter_map(|(id, row)| row.as_ref().map(|row| (id, row)))
    }

    /// All live ids, in order.
    #[must_use]
    pub fn ids(&self) -> Vec<I> {
        self.iter().map(|(id, _)| id).collect()
    }

    /// Number of live rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len() - self.free.len()
    }

    /// True without live rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// One more than the largest id ever used.
    #[must_use]
    pub fn bound(&self) -> usize {
        self.rows.len()
    }
}

impl<I: Id, T> Default for Slots<I, T> {
    fn default() -> Self {
        Self { rows: IndexVec::new(), free: std::collections::BTreeSet::new() }
    }
}

impl<I: Id, T> std::ops::Index<I> for Slots<I, T> {
    type Output = T;
    #[inline]
    fn index(&self, id: I) -> &T {
        self.rows[id].as_ref().expect("an id names a live row")
    }
}

impl<I: Id, T> std::ops::IndexMut<I> for Slots<I, T> {
    #[inline]
    fn index_mut(&mut self, id: I) -> &mut T {
        self.rows[id].as_mut().expect("an id names a live row")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn freed_slots_are_used_again_smallest_first() {
        let mut slots: Slots<NodeId, &str> = Slots::default();
        let (a, b, _) = (slots.insert("a"), slots.insert("b"), slots.insert("c"));
        slots.remove(b);
        slots.remove(a);
        assert_eq!(slots.insert("d"), a);
        assert_eq!(slots.insert("e"), b);
        assert_eq!(slots.len(), 3);
    }
}
