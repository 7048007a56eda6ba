//! Why a gang waits, as one JSON value: the same in `-o json`, at the admin port, in the status
//! of muster's own groups and in an annotation of others. `docs/simulate.md` is its schema.
//!
//! Invariants: keys are sorted, there are no floats, and a field that does not apply is `null`
//! or empty, never left out.

use scheduler_model::amount::{Amount, Unit};
use scheduler_model::explain::{Explanation, SetTally, WaitReason};
use scheduler_model::queue::{Bound, NamedClash};
use scheduler_model::spec::GangKey;
use scheduler_model::time::Time;
use serde_json::{Value, json};

/// Most bytes that an explanation takes in an object of the API.
pub const BYTES: usize = 8 << 10;
/// Most bytes of one text in an explanation that had to be shortened.
const TEXT_BYTES: usize = 1 << 10;

/// All of it.
#[must_use]
pub fn value(explanation: &Explanation) -> Value {
    let nearest = explanation.nearest.as_ref().map(|nearest| {
        json!({
            "places": nearest.places,
            "each": amounts(nearest.each.iter().map(|(name, amount)| (name, *amount))),
            "domain": nearest.domain,
            "expectedMs": nearest.expected_at.map(Time::ms),
        })
    });
    let mut value = json!({
        "reason": explanation.reason.word(),
        "details": details(&explanation.reason),
        "sentence": explanation.to_string(),
        "placeable": explanation.placeable,
        "needed": explanation.needed,
        "sets": explanation.sets.iter().map(set).collect::<Vec<Value>>(),
        "nearest": nearest,
        "cure": explanation.cure.word(),
        "nextStep": explanation.next_step,
    });
    value.sort_all_objects();
    value
}

/// As much of it as fits into [`BYTES`]. The kinds of member that lack places come first, so
/// what goes first is what tells least.
#[must_use]
pub fn bounded(explanation: &Explanation) -> Value {
    let fits = |value: &Value| value.to_string().len() <= BYTES;
    let mut whole = value(explanation);
    let mut short = explanation.clone();
    while !fits(&whole) && short.sets.len() > 1 {
        short.sets.pop();
        whole = value(&short);
    }
    while !fits(&whole) && short.sets.iter().any(|set| set.nodes.len() > 1) {
        for set in &mut short.sets {
            set.nodes.truncate(set.nodes.len().div_ceil(2));
        }
        whole = value(&short);
    }
    if fits(&whole) {
        return whole;
    }
    // Names of absurd length, or hundreds of them.
    short.sets.clear();
    short.nearest = None;
    let cut = |text: &str| text[..text.floor_char_boundary(TEXT_BYTES)].to_owned();
    let (sentence, next_step) = (cut(&short.to_string()), cut(&short.next_step));
    short.next_step = String::new();
    let mut rest = value(&short);
    rest["details"] = json!({});
    rest["sentence"] = sentence.into();
    rest["nextStep"] = next_step.into();
    rest
}

/// Amounts in the way of manifests: texts, never floats.
pub fn amounts<'a>(of: impl Iterator<Item = (&'a String, Amount)>) -> Value {
    let shown = of.map(|(name, amount)| (name.clone(), Unit::of(name).show(amount).into()));
    Value::Object(shown.collect())
}

fn set(set: &SetTally) -> Value {
    let nodes = set.nodes.iter().map(|(reason, count)| {
        json!({"reason": reason.word(), "sentence": reason.to_string(), "count": count})
    });
    json!({
        "role": set.role,
        "requests": amounts(set.requests.iter().map(|(name, amount)| (name, *amount))),
        "wanted": set.wanted,
        "placed": set.placed,
        "nodes": nodes.collect::<Vec<Value>>(),
    })
}

/// The fields of one reason.
fn details(reason: &WaitReason) -> Value {
    match reason {
        WaitReason::Members { role, exist, min, setting } => {
            json!({"role": role, "exist": exist, "min": min, "setting": setting})
        }
        WaitReason::Gated { gated, gates } => json!({"gated": gated, "gates": gates}),
        WaitReason::Unsupported(parts) => json!({"parts": parts}),
        WaitReason::Volume { pods, claim, why } => {
            json!({"pods": pods, "claim": claim, "why": why})
        }
        WaitReason::BindRefused { pods, why } => json!({"pods": pods, "why": why}),
        WaitReason::QueueMissing(queue)
        | WaitReason::QueueClosed(queue)
        | WaitReason::QueueBroken(queue) => json!({"queue": queue}),
        WaitReason::QueueContradictory(clash) => {
            let NamedClash { queue, flavour, resource, dedicated, bound, of, most } = clash;
            let show = |amount: &Amount| Unit::of(resource).show(*amount);
            let bound = match bound {
                Bound::Limit => "limit",
                Bound::Borrowing => "borrowing-limit",
                Bound::Dedicated => "dedicated",
            };
            json!({
                "queue": queue, "flavour": flavour, "resource": resource,
                "dedicated": show(dedicated), "bound": bound, "of": of, "most": show(most),
            })
        }
        WaitReason::QueueForbidden { queue, namespace } => {
            json!({"queue": queue, "namespace": namespace})
        }
        WaitReason::LevelMissing(level) => json!({"level": level}),
        // Which ceiling it is stands in the reason's word.
        WaitReason::Limit { ceiling: _, queue, flavour, resource, used, wants, limit } => {
            let show = |amount: &Amount| Unit::of(resource).show(*amount);
            json!({
                "queue": queue, "flavour": flavour, "resource": resource,
                "used": show(used), "wants": show(wants), "limit": show(limit),
            })
        }
        WaitReason::UserLimit { queue, user, resource, used, wants, limit } => {
            let show = |amount: &Amount| Unit::of(resource).show(*amount);
            json!({
                "queue": queue, "user": user, "resource": resource,
                "used": show(used), "wants": show(wants), "limit": show(limit),
            })
        }
        WaitReason::Running { queue, user, running, most } => {
            json!({"queue": queue, "user": user, "running": running, "maxRunning": most})
        }
        WaitReason::Held { holder } => json!({"holder": gang(holder)}),
        WaitReason::Behind { head } => json!({"head": gang(head)}),
        WaitReason::Evicting { pods } => json!({"pods": pods}),
        WaitReason::NoGroup
        | WaitReason::Schedulers
        | WaitReason::Room
        | WaitReason::Fuel
        | WaitReason::Elastic => json!({}),
    }
}

/// What a gang is called.
#[must_use]
pub fn gang(key: &GangKey) -> Value {
    json!({"namespace": key.namespace, "name": key.name, "dialect": key.dialect.name()})
}

#[cfg(test)]
mod tests {
    use super::*;
    use scheduler_model::explain::Cure;
    use scheduler_model::queue::Ceiling;
    use scheduler_model::spec::Dialect;

    #[test]
    fn the_reason_says_which_ceiling_of_a_queue_is_in_the_way() {
        let words = [
            (Ceiling::Limit, "limit"),
            (Ceiling::Borrowing, "borrowing-limit"),
            (Ceiling::Kept, "dedicated"),
        ];
        for (ceiling, word) in words {
            let explanation = Explanation {
                gang: GangKey {
                    namespace: "a".to_owned(),
                    name: "g".to_owned(),
                    dialect: Dialect::Muster,
                },
                reason: WaitReason::Limit {
                    ceiling,
                    queue: "q".to_owned(),
                    flavour: None,
                    resource: "cpu".to_owned(),
                    used: Amount::new(1000),
                    wants: Amount::new(2000),
                    limit: Amount::new(2500),
                },
                placeable: 0,
                needed: 1,
                sets: Vec::new(),
                nearest: None,
                cure: Cure::Queue,
                next_step: String::new(),
            };
            let value = value(&explanation);
            assert_eq!(value["reason"], word);
            assert_eq!(value["details"]["limit"], "2500m");
        }
    }
}
