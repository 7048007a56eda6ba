//! What was written down once stays so: within a run, whatever restarts happen in between, the
//! age does not move, the count of releases does not fall, a start is not taken back.

use scheduler_model::event::Event;
use scheduler_model::spec::Ledger;
use scheduler_model::time::{Span, Time};
use std::collections::BTreeMap;

/// What was taken back may stand so for this long: a write that was given up may be carried out
/// late, and is written over once the watch has shown it.
const HEALS: Span = Span::from_secs(60);

/// The ledgers as last read, by gang or by the uid of a pod.
#[derive(Clone, Debug, Default)]
pub(super) struct Ledgers {
    rows: BTreeMap<String, Row>,
}

#[derive(Clone, Debug, Default)]
struct Row {
    uid: String,
    ledger: Ledger,
    /// Since when less stands there than stood before, and what stood there.
    short: Option<(Time, Ledger)>,
}

impl Ledgers {
    /// Reads a change.
    pub(super) fn read(&mut self, event: &Event, at: Time) {
        match event {
            Event::Gang(gang) => {
                let name = format!("{} {}", gang.key.dialect.name(), gang.key);
                self.note(name, (&gang.uid, &gang.ledger), at);
            }
            Event::GangGone(key) => {
                self.rows.remove(&format!("{} {key}", key.dialect.name()));
            }
            // What a member bears that has finished is not read any more.
            Event::Pod(pod) if pod.phase.is_finished() => {
                self.rows.remove(&pod.uid);
            }
            Event::Pod(pod) => {
                let ledger = pod.ledger.as_deref().cloned().unwrap_or_default();
                self.note(pod.uid.clone(), (&pod.uid, &ledger), at);
            }
            Event::PodGone(uid) => {
                self.rows.remove(uid);
            }
            _ => {}
        }
    }

    /// Whoever would write it again was killed or held meanwhile.
    pub(super) fn excuse(&mut self) {
        for row in self.rows.values_mut() {
            row.short = None;
        }
    }

    /// What was taken back and did not come again in time.
    pub(super) fn overdue(&mut self, now: Time) -> Vec<String> {
        let mut faults = Vec::new();
        for (name, row) in &mut self.rows {
            if let Some((_, before)) = row.short.take_if(|(since, _)| now.since(*since) > HEALS) {
                let why = fault(&before, &row.ledger).unwrap_or_default();
                faults.push(format!("the ledger of {name}: {why}"));
            }
        }
        faults
    }

    fn note(&mut self, name: String, (uid, ledger): (&String, &Ledger), at: Time) {
        let row = self.rows.entry(name).or_default();
        // Another object of the same name starts with nothing.
        if row.uid != *uid {
            *row = Row { uid: uid.clone(), ledger: ledger.clone(), short: None };
            return;
        }
        let best = row.short.take().unwrap_or((at, row.ledger.clone()));
        row.ledger = ledger.clone();
        row.short = fault(&best.1, ledger).map(|_| best);
    }
}

fn fault(before: &Ledger, now: &Ledger) -> Option<String> {
    // Nothing at all is an empty gang, or a member that need not carry it any more.
    if before.run.is_none() || before.run != now.run {
        return None;
    }
    if before.age.is_some() && before.age != now.age {
        return Some(format!("its age was {:?} and is {:?}", before.age, now.age));
    }
    if before.releases > now.releases {
        return Some(format!("{} releases were and {} are", before.releases, now.releases));
    }
    (before.has_started && !now.has_started).then(|| "its start was taken back".to_owned())
}
