//! What queues have of each resource: for programs, and in a sentence.
//!
//! `docs/queues.md` is the schema, and explains each number.

use scheduler_core::queues::{QueueAmounts, QueueView};
use scheduler_kube::wire::explanation::amounts;
use scheduler_model::amount::{Amount, Unit};
use scheduler_model::explain::show_amount;
use serde_json::{Map, Value, json};

/// Everything a queue has, resource by resource: over all flavours first, then by flavour.
pub(crate) fn all(view: &QueueView) -> Vec<Value> {
    let amounts = view.amounts.iter();
    amounts.map(|((flavour, resource), it)| row(flavour.as_deref(), resource, it)).collect()
}

fn row(flavour: Option<&str>, resource: &str, it: &QueueAmounts) -> Value {
    let unit = Unit::of(resource);
    let show = |amount: Amount| unit.show(amount);
    json!({
        "flavour": flavour,
        "resource": resource,
        "used": show(it.used),
        "dedicated": show(it.kept),
        "entitled": show(it.entitled),
        "deserved": show(it.deserved),
        "fair": show(it.fair),
        "demand": show(it.demand),
        "limit": it.limit.map(show),
        "borrowed": show(it.borrowed()),
        "lent": show(it.lent()),
    })
}

/// One amount of each resource over all flavours, of those that have it.
pub(crate) fn of_all(view: &QueueView, of: impl Fn(&QueueAmounts) -> Option<Amount>) -> Value {
    let in_all = view.amounts.iter().filter(|((flavour, _), _)| flavour.is_none());
    amounts(in_all.filter_map(|((_, resource), it)| Some((resource, of(it)?))))
}

/// What a queue has of the resources that a gang asks for, `scarce` and devices first.
pub(crate) fn told(view: &QueueView, asked: &[String], scarce: Option<&str>) -> Value {
    let mut rows: Vec<(&String, &QueueAmounts)> = Vec::new();
    for name in asked {
        rows.extend(view.amounts.get(&(None, name.clone())).map(|it| (name, it)));
    }
    let rank = |name: &str| (scarce != Some(name), !name.contains('/'));
    rows.sort_by_key(|(name, _)| (rank(name), name.as_str()));
    // Where devices are asked for, the rest is rarely what matters.
    let has_devices = rows.iter().any(|(name, _)| name.contains('/'));
    let is_told = |name: &str| scarce == Some(name) || name.contains('/') || !has_devices;
    let told = rows.iter().filter(|(name, _)| is_told(name));
    let sentences = told.map(|(name, it)| sentence(&view.name, name, it).into());
    let mut value = Map::new();
    value.insert("queue".to_owned(), view.name.clone().into());
    value.insert("sentences".to_owned(), Value::Array(sentences.collect()));
    let rows = rows.iter().map(|(name, it)| row(None, name, it)).collect();
    value.insert("amounts".to_owned(), Value::Array(rows));
    Value::Object(value)
}

/// `queue ml uses 32 nvidia.com/gpu: 24 it is entitled to and 8 that others lend it`.
fn sentence(queue: &str, resource: &str, it: &QueueAmounts) -> String {
    let show = |amount| Unit::of(resource).show(amount);
    let mut text = format!("queue {queue} uses ");
    let borrowed = it.borrowed();
    if borrowed > Amount::ZERO {
        let all = show_amount(resource, it.used);
        let (own, lent) = (show(it.entitled), show(borrowed));
        text.push_str(&format!("{all}: {own} it is entitled to and {lent} that others lend it"));
    } else if it.demand == Amount::ZERO {
        text.push_str(&show_amount(resource, it.used));
    } else {
        let own = show_amount(resource, it.entitled);
        text.push_str(&format!("{} of the {own} it is entitled to", show(it.used)));
    }
    if let Some(limit) = it.limit {
        text.push_str(&format!(", and may use {}", show(limit)));
    }
    let lacks = it.demand.minus(it.used);
    if lacks > Amount::ZERO {
        text.push_str(&format!("; {} more are wanted", show(lacks)));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn amounts_of(used: i64, entitled: i64, demand: i64) -> QueueAmounts {
        let [used, entitled, demand] = [used, entitled, demand].map(Amount::new);
        QueueAmounts { used, entitled, demand, ..QueueAmounts::default() }
    }

    fn says(it: &QueueAmounts) -> String {
        sentence("ml", "nvidia.com/gpu", it)
    }

    #[test]
    fn what_others_lend_is_told_apart() {
        let want =
            "queue ml uses 32 nvidia.com/gpu: 24 it is entitled to and 8 that others lend it";
        assert_eq!(says(&amounts_of(32, 24, 32)), want);
    }

    #[test]
    fn what_is_wanted_and_what_it_may_use_at_most_are_told() {
        let limited = QueueAmounts { limit: Some(Amount::new(40)), ..amounts_of(16, 24, 40) };
        let want = "queue ml uses 16 of the 24 nvidia.com/gpu it is entitled to, and may use 40; \
                    24 more are wanted";
        assert_eq!(says(&limited), want);
    }

    #[test]
    fn nobody_is_entitled_to_what_nobody_divides() {
        assert_eq!(says(&amounts_of(3, 0, 0)), "queue ml uses 3 nvidia.com/gpu");
    }

    #[test]
    fn devices_are_told_of_and_the_rest_only_where_it_is_scarce() {
        let view = QueueView {
            name: "ml".to_owned(),
            uid: String::new(),
            dialect: None,
            parent: None,
            state: scheduler_model::queue::QueueState::Open,
            trouble: None,
            weight: 1,
            priority: 0,
            amounts: ["cpu", "memory", "nvidia.com/gpu"]
                .map(|name| ((None, name.to_owned()), amounts_of(1000, 1000, 1000)))
                .into(),
        };
        let count = |asked: &[&str], scarce| {
            let asked: Vec<String> = asked.iter().map(|name| (*name).to_owned()).collect();
            let value = told(&view, &asked, scarce);
            let first = value["sentences"][0].as_str().unwrap_or_default().to_owned();
            (value["sentences"].as_array().map(Vec::len), first.contains("/gpu"))
        };
        assert_eq!(count(&["cpu", "memory", "nvidia.com/gpu"], None), (Some(1), true));
        assert_eq!(count(&["cpu", "memory", "nvidia.com/gpu"], Some("cpu")), (Some(2), false));
        assert_eq!(count(&["cpu", "memory"], None), (Some(2), false));
    }
}
