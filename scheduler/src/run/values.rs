//! What the admin server says of gangs and queues, as JSON: a gang as in `muster simulate -o
//! json`, whose schema stands in `docs/simulate.md`.

use crate::show::value::gang;
use scheduler_core::engine::Engine;
use scheduler_core::view::{GangView, Standing};
use scheduler_kube::wire::explanation::amounts;
use scheduler_model::queue::QueueState;
use scheduler_model::time::Time;
use serde_json::{Value, json};

/// One gang by namespace and name; where several dialects have one, that of `dialect`, else the
/// first.
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
    engine.gang(key).map(|view| value(&view))
}

/// All gangs that have pods or had some, of one namespace or of all.
#[must_use]
pub fn gangs(engine: &Engine, namespace: Option<&str>) -> Value {
    let views = engine.gangs().into_iter().filter(|view| {
        namespace.is_none_or(|namespace| namespace == view.key.namespace)
            && view.standing != Standing::Empty
    });
    let gangs: Vec<Value> = views.map(|view| value(&view)).collect();
    json!({"gangs": gangs})
}

fn value(view: &GangView) -> Value {
    let mut value = gang(view, view.started_at, Time::ZERO);
    value.sort_all_objects();
    value
}

/// All queues with what they use, may use, and what waits in them.
#[must_use]
pub fn queues(engine: &Engine, now: Time) -> Value {
    let census = engine.census(now);
    let rows = engine.snapshot().queues().iter().map(|(_, queue)| {
        let name = &queue.spec.name;
        let counted = census.queues.get(name).cloned().unwrap_or_default();
        let waiting = census.pending.iter().filter(|((queue, _), _)| queue == name);
        let waiting: serde_json::Map<String, Value> =
            waiting.map(|((_, reason), count)| ((*reason).to_owned(), (*count).into())).collect();
        let mut row = json!({
            "name": name,
            "parent": queue.spec.parent,
            "state": match queue.state {
                QueueState::Open => "open",
                QueueState::Closed => "closed",
                QueueState::Broken => "broken",
            },
            "weight": queue.spec.weight,
            "priority": queue.spec.priority,
            "used": amounts(counted.used.iter().map(|(name, it)| (name, *it))),
            "limit": amounts(counted.limit.iter().map(|(name, it)| (name, *it))),
            "waiting": waiting,
            "oldestWaitMs": census.oldest.get(name).map(|span| span.ms()),
        });
        row.sort_all_objects();
        row
    });
    json!({"queues": rows.collect::<Vec<Value>>()})
}
