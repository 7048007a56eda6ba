//! Specs by name, where several objects may describe the same thing: one of them counts.
//!
//! Invariant: what counts for a name is what the least claimant says, whatever the order in
//! which claims came and went. Names whose spec may have changed are told once, by `drain`.

use super::source::Source;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Who says something: the lesser one wins.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Claimant {
    rank: Rank,
    source: Option<Source>,
    key: Arc<str>,
}

/// How much a claim counts beside others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rank {
    /// The object itself.
    Object,
    /// A controller, whose group object would know better.
    Owner,
    /// Worked out from other objects.
    Derived,
    /// Taken for granted until an object says otherwise.
    Assumed,
}

impl Claimant {
    pub(super) fn object(rank: Rank, source: Source, key: Arc<str>) -> Self {
        Self { rank, source: Some(source), key }
    }

    pub(super) fn derived(rank: Rank, key: &str) -> Self {
        Self { rank, source: None, key: key.into() }
    }

    /// True if an object of this kind says it.
    pub(super) fn is_of(&self, kind: &str) -> bool {
        self.source.is_some_and(|source| source.kind().kind == kind)
    }

    /// A name that no other object has.
    pub(super) fn full_name(&self) -> String {
        self.source.map_or_else(|| self.key.to_string(), |source| full_name(source, &self.key))
    }

    /// As people name it.
    pub(super) fn object_name(&self) -> String {
        let kind = self.source.map_or("object", |source| source.kind().kind);
        format!("{kind} {}", self.key)
    }
}

/// A name that no other object has: kinds of several dialects are called alike.
pub(super) fn full_name(source: Source, key: &str) -> String {
    format!("{source} {key}")
}

/// Specs of one sort by name.
#[derive(Debug)]
pub(super) struct Claims<K, V> {
    rows: BTreeMap<K, BTreeMap<Claimant, V>>,
    claimed: BTreeMap<Claimant, Vec<K>>,
    dirty: BTreeSet<K>,
}

impl<K, V> Default for Claims<K, V> {
    fn default() -> Self {
        Self { rows: BTreeMap::new(), claimed: BTreeMap::new(), dirty: BTreeSet::new() }
    }
}

impl<K: Ord + Clone, V: PartialEq> Claims<K, V> {
    /// `claimant` says exactly this from now on, and nothing else.
    pub(super) fn set(&mut self, claimant: &Claimant, values: impl IntoIterator<Item = (K, V)>) {
        let before = self.claimed.remove(claimant).unwrap_or_default();
        let mut now = Vec::new();
        for (key, value) in values {
            let claims = self.rows.entry(key.clone()).or_default();
            let is_same = claims.get(claimant) == Some(&value);
            if !is_same {
                claims.insert(claimant.clone(), value);
                self.dirty.insert(key.clone());
            }
            now.push(key);
        }
        for key in before {
            if !now.contains(&key) {
                self.withdraw(claimant, &key);
            }
        }
        if !now.is_empty() {
            self.claimed.insert(claimant.clone(), now);
        }
    }

    /// `claimant` says nothing any more.
    pub(super) fn unset(&mut self, claimant: &Claimant) {
        for key in self.claimed.remove(claimant).unwrap_or_default() {
            self.withdraw(claimant, &key);
        }
    }

    fn withdraw(&mut self, claimant: &Claimant, key: &K) {
        let Some(claims) = self.rows.get_mut(key) else { return };
        claims.remove(claimant);
        if claims.is_empty() {
            self.rows.remove(key);
        }
        self.dirty.insert(key.clone());
    }

    /// What counts for this name.
    pub(super) fn get(&self, key: &K) -> Option<&V> {
        self.rows.get(key)?.first_key_value().map(|(_, value)| value)
    }

    /// What anybody says about this name, the one that counts first.
    pub(super) fn all(&self, key: &K) -> impl Iterator<Item = &V> {
        self.rows.get(key).into_iter().flat_map(BTreeMap::values)
    }

    /// What counts for each name, in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&K, &V)> {
        self.rows.iter().filter_map(|(key, claims)| Some((key, claims.first_key_value()?.1)))
    }

    /// Objects that claim this name in vain, after the one that counts.
    pub(super) fn rivals(&self, key: &K) -> Vec<&Claimant> {
        let claims = self.rows.get(key).into_iter().flat_map(BTreeMap::keys);
        claims.filter(|claimant| claimant.rank == Rank::Object).collect()
    }

    /// The spec of this name must be told again.
    pub(super) fn touch(&mut self, key: K) {
        self.dirty.insert(key);
    }

    /// True if there is nothing to tell.
    pub(super) fn is_clean(&self) -> bool {
        self.dirty.is_empty()
    }

    /// Names whose spec may have changed since the last time.
    pub(super) fn drain(&mut self) -> BTreeSet<K> {
        std::mem::take(&mut self.dirty)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claimant(rank: Rank, key: &str) -> Claimant {
        Claimant::derived(rank, key)
    }

    #[test]
    fn the_least_claimant_counts_whoever_came_first() {
        let (object, owner) = (claimant(Rank::Object, "z"), claimant(Rank::Owner, "a"));
        for order in [[&object, &owner], [&owner, &object]] {
            let mut claims: Claims<u8, &str> = Claims::default();
            for one in order {
                claims.set(one, [(1, if one == &object { "object" } else { "owner" })]);
            }
            assert_eq!(claims.get(&1), Some(&"object"));
            claims.unset(&object);
            assert_eq!(claims.get(&1), Some(&"owner"));
            claims.unset(&owner);
            assert_eq!(claims.get(&1), None);
        }
    }

    #[test]
    fn what_a_claimant_does_not_say_any_more_is_withdrawn() {
        let one = claimant(Rank::Object, "a");
        let mut claims: Claims<u8, &str> = Claims::default();
        claims.set(&one, [(1, "x"), (2, "y")]);
        claims.drain();
        claims.set(&one, [(2, "y")]);
        assert_eq!((claims.get(&1), claims.get(&2)), (None, Some(&"y")));
        assert_eq!(claims.drain(), BTreeSet::from([1]));
    }

    #[test]
    fn what_is_said_again_is_no_news() {
        let one = claimant(Rank::Object, "a");
        let mut claims: Claims<u8, &str> = Claims::default();
        claims.set(&one, [(1, "x")]);
        claims.drain();
        claims.set(&one, [(1, "x")]);
        assert!(claims.is_clean());
    }
}
