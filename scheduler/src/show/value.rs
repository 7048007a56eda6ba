//! What came of a simulation as one JSON value; `docs/simulate.md` is its schema.
//!
//! Invariants: keys are sorted, there are no floats, and a field that does not apply is `null`
//! or empty, never left out.

use super::{Shown, words};
use crate::arguments::Simulate;
use scheduler_core::view::{GangView, MemberView};
use scheduler_kube::wire::explanation;
use scheduler_model::problem::Problem;
use scheduler_model::spec::GangKey;
use scheduler_model::time::Time;
use scheduler_sim::stage::Happening;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Raised when a field changes its meaning or goes away.
const VERSION: u32 = 1;

/// All of it.
pub(super) fn of(shown: &Shown<'_>, wish: &Simulate) -> Value {
    let report = shown.report;
    let starts = words::starts(report);
    let gangs: Vec<Value> = report
        .gangs
        .iter()
        .map(|view| gang(view, starts.get(&view.key).copied(), report.started_at))
        .collect();
    let queues: Map<String, Value> = report
        .queues
        .iter()
        .map(|(name, uses)| {
            (name.clone(), explanation::amounts(uses.iter().map(|(name, it)| (name, *it))))
        })
        .collect();
    let mut value = json!({
        "version": VERSION,
        "startMs": report.started_at.ms(),
        "simulatedMs": report.ended_at.since(report.started_at).ms(),
        "cycles": report.cycles,
        "nodesCount": shown.nodes,
        "gangs": gangs,
        "queues": queues,
        "problems": problems(shown),
        "unknownKinds": shown.input.unknown,
        "unreadable": shown.input.cut_short,
        "stories": shown.told.iter().map(|told| json!({
            "file": told.file, "story": told.story, "failures": told.failures,
        })).collect::<Vec<Value>>(),
        "faults": report.violations,
        "timeline": wish.timeline.then(|| timeline(shown)),
    });
    value.sort_all_objects();
    value
}

/// One gang; its start counts from `begin`.
pub(crate) fn gang(view: &GangView, started: Option<Time>, begin: Time) -> Value {
    let placed = words::placed(view);
    let mut value = key(&view.key);
    let fields = json!({
        "queue": view.queue,
        "priority": view.priority,
        "state": words::state(view.standing),
        "min": view.min,
        "placed": placed,
        "succeeded": view.succeeded,
        "members": view.members.iter().map(member).collect::<Vec<Value>>(),
        "startMs": started.map(|time| time.ms().saturating_sub(begin.ms())),
        "explanation": view.why().map(explanation::value),
    });
    if let Value::Object(fields) = fields {
        value.extend(fields);
    }
    Value::Object(value)
}

fn key(key: &GangKey) -> Map<String, Value> {
    let mut map = Map::new();
    map.insert("namespace".to_owned(), key.namespace.clone().into());
    map.insert("name".to_owned(), key.name.clone().into());
    map.insert("dialect".to_owned(), key.dialect.name().into());
    map
}

fn member(member: &MemberView) -> Value {
    json!({"pod": member.name, "role": member.role, "node": member.node})
}

fn problems(shown: &Shown<'_>) -> Vec<Value> {
    let problem = |file: Option<&str>, line: u64, problem: &Problem| {
        json!({
            "file": file,
            "line": Some(line).filter(|line| *line > 0),
            "object": problem.object,
            "field": problem.field,
            "message": problem.message,
            "remedy": problem.remedy,
        })
    };
    let read = shown.input.problems.iter();
    let read = read.map(|one| problem(Some(&one.file), one.line, &one.problem));
    read.chain(shown.report.problems.iter().map(|one| problem(None, 0, one))).collect()
}

fn timeline(shown: &Shown<'_>) -> Vec<Value> {
    let begin = shown.report.started_at;
    let row = |(time, what): &(Time, Happening)| {
        let (word, steps) = match what {
            Happening::Started { steps, .. } => ("starts", steps.as_slice()),
            Happening::Grew { steps, .. } => ("grows", steps.as_slice()),
            Happening::Ended { .. } => ("ends", &[][..]),
            Happening::Evicts(_) => ("makes room", &[][..]),
            Happening::Waits(_) => return None,
        };
        let mut nodes: BTreeMap<&str, u32> = BTreeMap::new();
        for step in steps {
            *nodes.entry(&step.node).or_default() += 1;
        }
        let mut value = key(what.gang());
        value.insert("event".to_owned(), word.into());
        value.insert("atMs".to_owned(), time.since(begin).ms().into());
        value.insert("nodes".to_owned(), json!(nodes));
        Some(Value::Object(value))
    };
    shown.report.timeline.iter().filter_map(row).collect()
}
