//! What the admin server says of gangs and queues, as JSON: a gang as in `muster simulate -o
//! json`, whose schema stands in `docs/simulate.md`; a queue as in `docs/queues.md`.

use crate::show::share;
use crate::show::value::gang;
use scheduler_core::engine::Engine;
use scheduler_core::queues::QueueView;
use scheduler_core::view::{GangView, Standing};
use scheduler_model::explain::WaitReason;
use scheduler_model::queue::QueueState;
use scheduler_model::spec::GangKey;
use scheduler_model::time::Time;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// One gang by namespace and name, with what its queue has where it waits for room or quota;
/// where several dialects have one, that of `dialect`, else the first.
#[must_use]
pub fn explain(
    engine: &Engine,
    namespace: &str,
    name: &str,
    dialect: Option<&str>,
) -> Option<Value> {
    let keys = engine.snapshot().gangs().iter().map(|(_, gang)| &gang.key);
    let mut named = keys.filter(|key| key.namespace == namespace && key.name == name);
    let key = named.find(|key| dialect.is_none_or(|dialect| dialect == key.dialect.name()))?;
    let view = engine.gang(key)?;
    let mut value = value(&view);
    value["queueUse"] = queue_use(engine, &view).unwrap_or(Value::Null);
    value.sort_all_objects();
    Some(value)
}

/// What its queue has of what a gang asks for, if that has to do with why it waits.
fn queue_use(engine: &Engine, view: &GangView) -> Option<Value> {
    let scarce = match &view.why()?.reason {
        WaitReason::Limit { resource, .. } | WaitReason::UserLimit { resource, .. } => {
            Some(resource.as_str())
        }
        WaitReason::Room
        | WaitReason::Held { .. }
        | WaitReason::Evicting { .. }
        | WaitReason::Elastic => None,
        _ => return None,
    };
    let queue = engine.queue_named(&view.queue)?;
    Some(share::told(&queue, &asked(engine, &view.key), scarce))
}

/// Resources that the members of a gang ask for.
fn asked(engine: &Engine, key: &GangKey) -> Vec<String> {
    let snap = engine.snapshot();
    let gang = snap.gangs().find(key).map(|id| snap.gangs().get(id));
    let members = gang.into_iter().flat_map(|gang| &gang.members);
    let classes: BTreeSet<_> = members.filter_map(|pod| snap.pods().get(*pod).class).collect();
    let requests = classes.iter().flat_map(|class| &snap.classes().get(*class).request);
    let resources: BTreeSet<_> = requests.map(|(resource, _)| *resource).collect();
    let resources = resources.into_iter().filter(|it| *it != snap.resources().pods());
    resources.map(|resource| snap.resources().name(resource).to_owned()).collect()
}

/// All gangs that have pods or had some, of one namespace or of all, of one queue and those below
/// it or of all.
#[must_use]
pub fn gangs(engine: &Engine, namespace: Option<&str>, queue: Option<&str>) -> Value {
    let snap = engine.snapshot();
    let is_in = |view: &GangView| match (queue, snap.queues().find(&view.queue)) {
        (None, _) => true,
        (Some(queue), Some(id)) => snap.queues().path(id).any(|row| row.spec.name == queue),
        // Nobody made the queue that it names.
        (Some(queue), None) => view.queue == queue,
    };
    let views = engine.gangs().into_iter().filter(|view| {
        namespace.is_none_or(|namespace| namespace == view.key.namespace)
            && view.standing != Standing::Empty
            && is_in(view)
    });
    let gangs: Vec<Value> = views.map(|view| value(&view)).collect();
    json!({"gangs": gangs})
}

fn value(view: &GangView) -> Value {
    let mut value = gang(view, view.started_at, Time::ZERO);
    value.sort_all_objects();
    value
}

/// All queues with what they have, may use, and what waits in them.
#[must_use]
pub fn queues(engine: &Engine, now: Time) -> Value {
    let census = engine.census(now);
    let mut waiting: BTreeMap<&str, Map<String, Value>> = BTreeMap::new();
    for ((queue, reason), count) in &census.pending {
        waiting.entry(queue).or_default().insert((*reason).to_owned(), (*count).into());
    }
    let rows = engine.queues().into_iter().map(|view| {
        let waiting = waiting.remove(view.name.as_str()).unwrap_or_default();
        queue(&view, waiting, census.oldest.get(&view.name).map(|span| span.ms()))
    });
    json!({"queues": rows.collect::<Vec<Value>>()})
}

fn queue(view: &QueueView, waiting: Map<String, Value>, oldest_ms: Option<i64>) -> Value {
    let mut row = json!({
        "name": view.name,
        "parent": view.parent,
        "state": match view.state {
            QueueState::Open => "open",
            QueueState::Closed => "closed",
            QueueState::Broken => "broken",
            QueueState::Contradictory => "contradictory",
        },
        "trouble": view.trouble.as_ref().map(|it| json!({
            "reason": it.reason(), "message": it.to_string(),
        })),
        "weight": view.weight,
        "priority": view.priority,
        "used": share::of_all(view, |it| Some(it.used)),
        "limit": share::of_all(view, |it| it.limit),
        "amounts": share::all(view),
        "waiting": waiting,
        "oldestWaitMs": oldest_ms,
    });
    row.sort_all_objects();
    row
}
