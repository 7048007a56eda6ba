//! What is kept of each pod: its name and uid, and the one shape that equal pods share.
//!
//! Invariant: nothing else is kept, so that a hundred thousand pods stay small. A pod of one
//! name that has another uid is another pod, and the one before it is gone.

use super::source::{Part, Source};
use scheduler_model::spec::{GangKey, PodShape};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

/// The pods of all sources.
#[derive(Debug, Default)]
pub(super) struct Pods {
    shelves: BTreeMap<Source, Shelf>,
    shapes: Shapes,
    wanted: Wanted,
}

#[derive(Debug, Default)]
struct Shelf {
    round: u32,
    rows: HashMap<Box<str>, Row>,
}

#[derive(Debug)]
struct Row {
    uid: Box<str>,
    round: u32,
}

impl Pods {
    /// A fresh list begins.
    pub(super) fn begin(&mut self, source: Source) {
        let shelf = self.shelves.entry(source).or_default();
        shelf.round = shelf.round.wrapping_add(1);
    }

    /// A pod as it is now; the uid of the one whose name it took, if that is gone by it.
    pub(super) fn put(&mut self, source: Source, key: &str, uid: &str) -> Option<Box<str>> {
        let shelf = self.shelves.entry(source).or_default();
        let round = shelf.round;
        if let Some(row) = shelf.rows.get_mut(key) {
            row.round = round;
            if *row.uid == *uid {
                return None;
            }
            let before = std::mem::replace(&mut row.uid, uid.into());
            return self.gone(key, before);
        }
        shelf.rows.insert(key.into(), Row { uid: uid.into(), round });
        None
    }

    /// The pod is named by the list, though it cannot be read.
    pub(super) fn keep(&mut self, source: Source, key: &str) {
        if let Some(shelf) = self.shelves.get_mut(&source)
            && let Some(row) = shelf.rows.get_mut(key)
        {
            row.round = shelf.round;
        }
    }

    /// The pod left the source; its uid, if it is gone.
    pub(super) fn remove(&mut self, source: Source, key: &str) -> Option<Box<str>> {
        let row = self.shelves.get_mut(&source)?.rows.remove(key)?;
        self.gone(key, row.uid)
    }

    /// The list is complete: names of pods that it did not name.
    pub(super) fn unnamed(&self, source: Source) -> Vec<Box<str>> {
        let Some(shelf) = self.shelves.get(&source) else { return Vec::new() };
        let unnamed = shelf.rows.iter().filter(|(_, row)| row.round != shelf.round);
        let mut unnamed: Vec<Box<str>> = unnamed.map(|(key, _)| key.clone()).collect();
        unnamed.sort_unstable();
        unnamed
    }

    /// How many there are.
    pub(super) fn count(&self, source: Source) -> usize {
        self.shelves.get(&source).map_or(0, |shelf| shelf.rows.len())
    }

    /// A pod that moved to another source is not gone.
    fn gone(&mut self, key: &str, uid: Box<str>) -> Option<Box<str>> {
        let is_held = |shelf: &Shelf| shelf.rows.get(key).is_some_and(|row| row.uid == uid);
        if self.shelves.values().any(is_held) {
            return None;
        }
        self.wanted.forget(&uid);
        Some(uid)
    }

    /// The shape that all equal pods share.
    pub(super) fn share(&mut self, shape: Arc<PodShape>) -> Arc<PodShape> {
        self.shapes.share(shape)
    }

    /// Notes which gang the pod names, where nobody may describe it, and whence that is known;
    /// true if that changed.
    pub(super) fn want(&mut self, uid: &str, wish: Option<Wish>) -> bool {
        self.wanted.note(uid, wish)
    }

    /// Gangs that pods name and nobody may describe.
    pub(super) fn wanted(&self) -> impl Iterator<Item = &Wish> {
        self.wanted.counts.keys()
    }

    /// Sources of pods.
    pub(super) fn is_of(source: Source) -> bool {
        source.part() != Part::All || source.kind().kind == "Pod"
    }
}

/// Shapes in use.
#[derive(Debug, Default)]
struct Shapes {
    all: HashSet<Arc<PodShape>>,
    /// Size at which those that nobody else holds are dropped.
    full_at: usize,
}

impl Shapes {
    /// Fewer are not worth a look.
    const FULL_LEAST: usize = 1024;

    fn share(&mut self, shape: Arc<PodShape>) -> Arc<PodShape> {
        if let Some(shared) = self.all.get(&shape) {
            return Arc::clone(shared);
        }
        if self.all.len() >= self.full_at.max(Self::FULL_LEAST) {
            self.all.retain(|shape| Arc::strong_count(shape) > 1);
            self.full_at = self.all.len() * 2;
        }
        self.all.insert(Arc::clone(&shape));
        shape
    }
}

/// A gang that a pod names, and the source of whoever describes it, where that is one object.
pub(super) type Wish = (GangKey, Option<Source>);

/// Gangs by the pods that name them.
#[derive(Debug, Default)]
struct Wanted {
    counts: BTreeMap<Wish, usize>,
    by_uid: HashMap<Box<str>, Wish>,
}

impl Wanted {
    fn note(&mut self, uid: &str, wish: Option<Wish>) -> bool {
        if self.by_uid.get(uid) == wish.as_ref() {
            return false;
        }
        self.forget(uid);
        if let Some(wish) = wish {
            *self.counts.entry(wish.clone()).or_default() += 1;
            self.by_uid.insert(uid.into(), wish);
        }
        true
    }

    fn forget(&mut self, uid: &str) {
        let Some(wish) = self.by_uid.remove(uid) else { return };
        let count = self.counts.get_mut(&wish).expect("each pod that names it was counted");
        *count -= 1;
        if *count == 0 {
            self.counts.remove(&wish);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OURS: Part = Part::Ours(0);

    #[test]
    fn a_pod_of_the_same_name_and_another_uid_is_another_pod() {
        let (mut pods, source) = (Pods::default(), Source::pods(OURS));
        assert_eq!(pods.put(source, "a/x", "1"), None);
        assert_eq!(pods.put(source, "a/x", "1"), None);
        assert_eq!(pods.put(source, "a/x", "2").as_deref(), Some("1"));
        assert_eq!(pods.remove(source, "a/x").as_deref(), Some("2"));
        assert_eq!(pods.remove(source, "a/x"), None);
    }

    #[test]
    fn a_pod_that_moves_between_sources_is_not_gone() {
        let mut pods = Pods::default();
        let (ours, others) = (Source::pods(OURS), Source::pods(Part::Others));
        pods.put(others, "a/x", "1");
        pods.put(ours, "a/x", "1");
        assert_eq!(pods.remove(others, "a/x"), None);
        assert_eq!(pods.remove(ours, "a/x").as_deref(), Some("1"));
    }

    #[test]
    fn a_list_tells_what_it_does_not_name() {
        let (mut pods, source) = (Pods::default(), Source::pods(OURS));
        pods.put(source, "a/x", "1");
        pods.put(source, "a/y", "2");
        pods.put(source, "a/z", "3");
        pods.begin(source);
        pods.put(source, "a/y", "2");
        pods.keep(source, "a/z");
        assert_eq!(pods.unnamed(source), ["a/x".into()]);
    }

    #[test]
    fn equal_shapes_are_kept_once_and_unused_ones_go() {
        let mut shapes = Shapes::default();
        let shape = |port: i32| {
            let port = scheduler_model::spec::HostPort {
                ip: String::new(),
                protocol: scheduler_model::spec::Protocol::Tcp,
                port,
            };
            Arc::new(PodShape { host_ports: vec![port], ..PodShape::default() })
        };
        let first = shapes.share(shape(0));
        assert!(Arc::ptr_eq(&first, &shapes.share(shape(0))));
        for port in 1..5000 {
            shapes.share(shape(port));
        }
        assert!(shapes.all.len() <= Shapes::FULL_LEAST + 1, "{}", shapes.all.len());
        assert!(Arc::ptr_eq(&first, &shapes.share(shape(0))));
    }
}
