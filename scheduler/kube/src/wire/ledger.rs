//! The ledger of a gang as it is written down: `muster.sh/state` on groups of other dialects and
//! on pods of plain gangs, `status.ledger` on muster's own groups.
//!
//! The annotation is one JSON object with its version in `v`, at most 4 KiB. Invariants: what is
//! written reads back as the same ledger; unknown fields are ignored; what cannot be read is a
//! problem and an empty ledger, as if nothing had been written down.

use super::{Number, null_default};
use crate::names;
use crate::translate::{Problems, shorten};
use jiff::Timestamp;
use scheduler_api::{NodeCount, PodGroupLedger, PodGroupMinimum, PodGroupReservation, RoleCount};
use scheduler_model::spec::{Ledger, Minimum, NodeTally, Reservation, RoleTally};
use scheduler_model::time::Time;
use serde::Deserialize;
use serde_json::{Value, json};

/// Raised when a field changes its meaning.
const VERSION: i64 = 1;
/// Longest annotation that is written, in bytes.
const BYTES: usize = 4 << 10;

/// The facts as they are read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct LedgerBody {
    /// Version of an annotation.
    pub v: Option<Number>,
    /// Creation of the run's first member.
    #[serde(deserialize_with = "null_default")]
    pub run: Option<String>,
    /// Creation of the youngest member that it knows; earlier releases did not write it.
    #[serde(deserialize_with = "null_default")]
    pub youngest: Option<String>,
    /// When the gang first had its minimum of members.
    #[serde(deserialize_with = "null_default")]
    pub age: Option<String>,
    /// Since when it lacks room.
    #[serde(deserialize_with = "null_default")]
    pub blocked_since: Option<String>,
    /// Since when it is broken.
    #[serde(deserialize_with = "null_default")]
    pub broken_since: Option<String>,
    /// It once had its minimum in place.
    #[serde(deserialize_with = "null_default")]
    pub has_started: bool,
    /// How often it was released.
    pub releases: Option<Number>,
    /// Members that succeeded.
    #[serde(deserialize_with = "null_default")]
    pub succeeded: Vec<RoleBody>,
    /// The minimum with which it was begun.
    pub begun: Option<MinimumBody>,
    /// When it was evicted lately.
    #[serde(deserialize_with = "null_default")]
    pub evicted: Vec<String>,
    /// Room that is being made for it.
    pub reservation: Option<ReservationBody>,
}

/// Room that is being made for a gang.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct ReservationBody {
    /// Names the plan.
    pub plan: Option<Number>,
    /// Until when it holds.
    #[serde(deserialize_with = "null_default")]
    pub until: Option<String>,
    /// Pods that have to go.
    pub victims: Option<Number>,
    /// Members by node.
    #[serde(deserialize_with = "null_default")]
    pub nodes: Vec<NodeBody>,
}

/// Members on one node.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct NodeBody {
    /// The node.
    #[serde(deserialize_with = "null_default")]
    pub node: String,
    /// How many.
    pub count: Option<Number>,
}

/// A minimum in total and by role.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct MinimumBody {
    /// Of all roles together.
    pub total: Option<Number>,
    /// Of single roles.
    #[serde(deserialize_with = "null_default")]
    pub roles: Vec<RoleBody>,
}

/// Members of one role that succeeded.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct RoleBody {
    /// The role.
    #[serde(deserialize_with = "null_default")]
    pub role: String,
    /// How many.
    pub count: Option<Number>,
}

/// The ledger that an annotation holds.
pub fn read(text: &str, problems: &mut Problems) -> Ledger {
    let field = format!("metadata.annotations[{}]", names::STATE);
    let mut fail = |words: String| {
        problems.add(
            &field,
            format!("{words}; what was written down about the gang is lost"),
            "nothing: muster writes it anew; leave this annotation to it",
        );
        Ledger::default()
    };
    match serde_json::from_str::<LedgerBody>(text) {
        Err(error) => fail(format!("`{}` is not what muster writes: {error}", shorten(text))),
        Ok(body) if body.v != Some(Number::Whole(VERSION)) => {
            let found = body.v.map_or("none".to_owned(), |version| version.to_string());
            fail(format!("its version is {}, this release reads {VERSION}", shorten(&found)))
        }
        Ok(body) => body.read(&field, problems),
    }
}

impl LedgerBody {
    /// The facts, with a problem for each that cannot be read and is left out.
    pub fn read(&self, field: &str, problems: &mut Problems) -> Ledger {
        let mut time = |name: &str, text: &Option<String>| {
            crate::translate::time(text.as_deref(), &format!("{field}.{name}"), problems)
        };
        let mut ledger = Ledger {
            run: time("run", &self.run),
            youngest: time("youngest", &self.youngest),
            age: time("age", &self.age),
            blocked_since: time("blockedSince", &self.blocked_since),
            broken_since: time("brokenSince", &self.broken_since),
            has_started: self.has_started,
            ..Ledger::default()
        };
        ledger.evicted =
            self.evicted.iter().filter_map(|at| time("evicted", &Some(at.clone()))).collect();
        ledger.evicted.sort_unstable();
        let until = self.reservation.as_ref().and_then(|it| time("reservation.until", &it.until));
        ledger.releases = count(self.releases.as_ref(), &format!("{field}.releases"), problems);
        ledger.succeeded = tallies(&self.succeeded, &format!("{field}.succeeded"), problems);
        ledger.begun = self.begun.as_ref().map(|begun| {
            let field = format!("{field}.begun");
            let total = count(begun.total.as_ref(), &field, problems);
            Minimum { total, roles: tallies(&begun.roles, &field, problems) }
        });
        let reservation = self.reservation.as_ref().zip(until);
        ledger.reservation = reservation
            .and_then(|(body, until)| body.read(until, &format!("{field}.reservation"), problems));
        ledger
    }
}

impl ReservationBody {
    /// Without a plan it is nobody's.
    fn read(&self, until: Time, field: &str, problems: &mut Problems) -> Option<Reservation> {
        let Some(Number::Whole(plan)) = self.plan else {
            problems.add(field, "it names no plan, and is not heeded".to_owned(), "");
            return None;
        };
        let nodes = self.nodes.iter().map(|one| NodeTally {
            node: one.node.clone(),
            count: count(one.count.as_ref(), field, problems),
        });
        let nodes = nodes.collect();
        let victims = count(self.victims.as_ref(), field, problems);
        Some(Reservation { plan: Time::from_ms(plan), until, victims, nodes })
    }
}

/// Numbers by role, the first of each role.
fn tallies(roles: &[RoleBody], field: &str, problems: &mut Problems) -> Vec<RoleTally> {
    let tally = |one: &RoleBody| {
        let count = count(one.count.as_ref(), field, problems);
        RoleTally { role: one.role.clone(), count }
    };
    let mut tallies: Vec<RoleTally> = roles.iter().map(tally).collect();
    tallies.sort();
    tallies.dedup_by(|later, first| later.role == first.role);
    tallies
}

fn count(number: Option<&Number>, field: &str, problems: &mut Problems) -> u32 {
    let Some(number) = number else { return 0 };
    let read = match number {
        Number::Whole(number) => u32::try_from(*number).ok(),
        _ => None,
    };
    read.unwrap_or_else(|| {
        let text = shorten(&number.to_string());
        problems.add(field, format!("`{text}` is no number of members; taken as 0"), "");
        0
    })
}

/// The text of the annotation; `None` where there is nothing to write down.
#[must_use]
pub fn annotation(ledger: &Ledger) -> Option<String> {
    if ledger.is_empty() {
        return None;
    }
    let text = |ledger: &Ledger| {
        let mut value = json!(status(ledger));
        value["v"] = Value::from(VERSION);
        value.sort_all_objects();
        value.to_string()
    };
    let mut whole = text(ledger);
    if whole.len() > BYTES {
        let mut short = ledger.clone();
        // Nodes are named for people; the plan is found again without.
        if let Some(reservation) = &mut short.reservation {
            reservation.nodes.clear();
            whole = text(&short);
        }
        // Some hundred roles with long names: those of which most succeeded are kept.
        short.succeeded.sort_by_key(|tally| std::cmp::Reverse(tally.count));
        while whole.len() > BYTES && short.succeeded.pop().is_some() {
            whole = text(&short);
        }
    }
    Some(whole)
}

/// The ledger as it stands in the status of a muster PodGroup.
#[must_use]
pub fn status(ledger: &Ledger) -> PodGroupLedger {
    let number = |count: u32| i32::try_from(count).unwrap_or(i32::MAX);
    let role =
        |tally: &RoleTally| RoleCount { role: tally.role.clone(), count: number(tally.count) };
    PodGroupLedger {
        run: ledger.run.and_then(moment),
        youngest: ledger.youngest.and_then(moment),
        age: ledger.age.and_then(moment),
        blocked_since: ledger.blocked_since.and_then(moment),
        broken_since: ledger.broken_since.and_then(moment),
        has_started: ledger.has_started,
        releases: number(ledger.releases),
        succeeded: ledger.succeeded.iter().map(role).collect(),
        begun: ledger.begun.as_ref().map(|begun| PodGroupMinimum {
            total: number(begun.total),
            roles: begun.roles.iter().map(role).collect(),
        }),
        evicted: ledger.evicted.iter().copied().filter_map(moment).collect(),
        reservation: ledger.reservation.as_ref().map(|it| PodGroupReservation {
            plan: it.plan.ms(),
            until: moment(it.until),
            victims: number(it.victims),
            nodes: it
                .nodes
                .iter()
                .map(|one| NodeCount { node: one.node.clone(), count: number(one.count) })
                .collect(),
        }),
    }
}

/// To the millisecond; a moment that no calendar holds is not written.
fn moment(time: Time) -> Option<String> {
    Timestamp::from_millisecond(time.ms()).ok().map(|moment| moment.to_string())
}
