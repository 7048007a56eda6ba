//! Events on their way out.
//!
//! Invariants: one object never gets more than its rate, all together never more than theirs;
//! what waits is bounded, and of two alike only the later is sent. What is left out is counted.

use super::bucket::{Bucket, Rate};
use crate::answer::Answer;
use crate::call::{Call, CallId};
use crate::lanes::{Lane, Lanes};
use crate::meaning::{CallKind, Meaning, meaning};
use crate::retry::{Policy, seed_of};
use crate::status::{About, EventNote, EventReason};
use scheduler_model::time::{Span, Time};
use std::collections::BTreeMap;

/// Longest text of an event, in bytes: the API takes 1,024.
pub const NOTE_BYTES_MAX: usize = 1_000;
/// Events that wait at most.
const WAITING_MAX: usize = 1_000;
/// Objects remembered for their rate, before those at rest are forgotten.
const OBJECTS_MAX: usize = 4_096;

/// How many events there may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventRates {
    /// About one object.
    pub object: Rate,
    /// In all.
    pub total: Rate,
}

impl Default for EventRates {
    fn default() -> Self {
        Self {
            object: Rate { every: Span::from_secs(60), burst: 5 },
            total: Rate { every: Span::from_ms(20), burst: 500 },
        }
    }
}

#[derive(Clone, Debug, Default)]
pub(super) struct Desk {
    rates: EventRates,
    total: Bucket,
    objects: BTreeMap<About, Bucket>,
    next: u64,
    /// By when they may leave, then in the order they came; with the tries so far.
    waiting: BTreeMap<(Time, u64), (EventNote, u32)>,
    places: BTreeMap<(About, EventReason), (Time, u64)>,
    flying: BTreeMap<CallId, (EventNote, u32)>,
    dropped: u64,
    is_blocked: bool,
}

impl Desk {
    pub(super) fn new(rates: EventRates) -> Self {
        Self { rates, ..Self::default() }
    }

    /// Events left out so far.
    pub(super) const fn dropped(&self) -> u64 {
        self.dropped
    }

    pub(super) fn add(&mut self, mut note: EventNote, now: Time) {
        note.note = cut(&note.note, NOTE_BYTES_MAX).to_owned();
        if let Some(place) = self.places.get(&(note.about.clone(), note.reason)) {
            let alike = self.waiting.get_mut(place).expect("each place has its event");
            alike.0 = note;
            return;
        }
        if self.objects.len() >= OBJECTS_MAX {
            self.objects.retain(|_, bucket| !bucket.is_full(now));
        }
        let is_spoken =
            !self.objects.entry(note.about.clone()).or_default().take(self.rates.object, now);
        if is_spoken || self.waiting.len() >= WAITING_MAX {
            self.dropped += 1;
            return;
        }
        self.put(note, 0, now);
    }

    pub(super) fn turn(&mut self, now: Time, lanes: &mut Lanes) {
        let mut room = lanes.room(Lane::Event, now);
        while let Some((place, _)) = self.waiting.first_key_value() {
            let place = *place;
            let may_leave = place.0 <= now && self.total.free_at(self.rates.total, now) <= now;
            if !may_leave || room == 0 {
                break;
            }
            room -= 1;
            self.total.take(self.rates.total, now);
            let (note, tries) = self.waiting.remove(&place).expect("it was just seen");
            self.places.remove(&(note.about.clone(), note.reason));
            let timeout = Policy::of(CallKind::Event).timeout;
            let id = lanes.push(Lane::Event, Call::Event(note.clone()), timeout, now);
            self.flying.insert(id, (note, tries + 1));
        }
        self.is_blocked = room == 0;
    }

    /// True if the call was one of these.
    pub(super) fn answered(&mut self, id: CallId, answer: &Answer, now: Time) -> bool {
        let Some((note, tries)) = self.flying.remove(&id) else { return false };
        self.is_blocked = false;
        let asked = match meaning(CallKind::Event, answer) {
            Meaning::Done => return true,
            Meaning::Refused(..) => {
                self.dropped += 1;
                return true;
            }
            Meaning::Again { after, .. } => after,
            Meaning::Unknown(_) => None,
        };
        let has_newer = self.places.contains_key(&(note.about.clone(), note.reason));
        match Policy::of(CallKind::Event).next(tries, seed_of(&note.note), asked) {
            Some(pause) if !has_newer => self.put(note, tries, now.after(pause)),
            _ => self.dropped += 1,
        }
        true
    }

    pub(super) fn wake_at(&self, now: Time) -> Option<Time> {
        let ((due, _), _) = self.waiting.first_key_value().filter(|_| !self.is_blocked)?;
        Some((*due).max(self.total.free_at(self.rates.total, now)))
    }

    fn put(&mut self, note: EventNote, tries: u32, due: Time) {
        let place = (due, self.next);
        self.next += 1;
        self.places.insert((note.about.clone(), note.reason), place);
        self.waiting.insert(place, (note, tries));
    }
}

/// The longest beginning of at most `bytes` bytes that ends between two characters.
fn cut(text: &str, bytes: usize) -> &str {
    let end = (0..=bytes.min(text.len())).rev().find(|end| text.is_char_boundary(*end));
    &text[..end.expect("0 is a boundary")]
}
