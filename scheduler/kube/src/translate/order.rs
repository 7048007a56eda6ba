//! In which order queues serve their gangs, and when they hold room for them.

use super::{Problems, shorten};
use scheduler_model::spec::{Order, QueueSpec};

/// The order that a muster Queue asks for; `None` with a problem where there is no such order.
pub(super) fn read(text: Option<&str>, field: &str, problems: &mut Problems) -> Option<Order> {
    let text = text.filter(|text| !text.is_empty())?;
    let order = match text {
        "priority" => Some(Order::Priority),
        "fifo" => Some(Order::Fifo),
        "bestEffortFifo" => Some(Order::BestEffortFifo),
        "fairByUser" => Some(Order::FairByUser),
        _ => None,
    };
    if order.is_none() {
        problems.add(
            field,
            format!("there is no order `{}`; ignored", shorten(text)),
            "write priority, fifo, bestEffortFifo or fairByUser",
        );
    }
    order
}

/// The order that a ClusterQueue of Kueue asks for.
pub(super) fn strategy(text: &str, problems: &mut Problems) -> Option<Order> {
    match text {
        "" => None,
        "StrictFIFO" => Some(Order::Fifo),
        "BestEffortFIFO" => Some(Order::BestEffortFifo),
        _ => unknown(text, "spec.queueingStrategy", "write StrictFIFO or BestEffortFIFO", problems),
    }
}

/// The order that a Queue of Volcano asks for. What Volcano does without it is what a queue does
/// that says nothing.
pub(super) fn dequeued(text: &str, problems: &mut Problems) -> Option<Order> {
    match text {
        "" | "traverse" => None,
        "fifo" => Some(Order::Fifo),
        _ => unknown(text, "spec.dequeueStrategy", "write traverse or fifo", problems),
    }
}

fn unknown(text: &str, field: &str, remedy: &str, problems: &mut Problems) -> Option<Order> {
    problems.add(field, format!("there is no strategy `{}`; ignored", shorten(text)), remedy);
    None
}

/// Says what counts for nothing.
pub(super) fn check(queue: &QueueSpec, problems: &mut Problems) {
    if queue.hold_after.is_none() {
        return;
    }
    let why = match (queue.order, queue.holds) {
        (Some(Order::BestEffortFifo), _) => "the order bestEffortFifo holds no room",
        (_, Some(false)) => "spec.holds is false",
        _ => return,
    };
    let text = format!("it counts for nothing: {why}");
    problems.add("spec.holdAfter", text, "remove it, or let the queue hold room");
}

#[cfg(test)]
mod tests {
    use super::super::{kueue, queue, volcano};
    use super::*;
    use scheduler_model::problem::Problem;
    use scheduler_model::time::Span;

    fn read_muster(spec: &str) -> (QueueSpec, Vec<Problem>) {
        let text = format!(r#"{{"metadata":{{"name":"a"}},"spec":{spec}}}"#);
        let read = queue::queue(&serde_json::from_str(&text).expect("a Queue"));
        (read.value, read.problems)
    }

    #[test]
    fn every_order_is_read() {
        for (word, order) in [
            ("priority", Order::Priority),
            ("fifo", Order::Fifo),
            ("bestEffortFifo", Order::BestEffortFifo),
            ("fairByUser", Order::FairByUser),
        ] {
            let (read, problems) = read_muster(&format!(r#"{{"order":"{word}"}}"#));
            assert_eq!((read.order, problems), (Some(order), vec![]), "{word}");
        }
        for nothing in ["{}", r#"{"order":null,"holds":null,"holdAfter":null}"#] {
            let (read, problems) = read_muster(nothing);
            assert_eq!((read.order, read.holds, read.hold_after), (None, None, None));
            assert_eq!(problems, []);
        }
    }

    #[test]
    fn when_room_is_held_is_read() {
        let (read, problems) = read_muster(r#"{"holds":true,"holdAfter":"1m"}"#);
        assert_eq!((read.holds, read.hold_after), (Some(true), Some(Span::from_secs(60))));
        assert_eq!(problems, []);
    }

    #[test]
    fn what_cannot_be_read_or_counts_for_nothing_is_said_with_its_field() {
        for (spec, field) in [
            (r#"{"order":"lifo"}"#, "spec.order"),
            (r#"{"holdAfter":"soon"}"#, "spec.holdAfter"),
            (r#"{"order":"bestEffortFifo","holdAfter":"1m"}"#, "spec.holdAfter"),
            (r#"{"holds":false,"holdAfter":"1m"}"#, "spec.holdAfter"),
        ] {
            let (_, problems) = read_muster(spec);
            let fields: Vec<&str> = problems.iter().map(|it| &*it.field).collect();
            assert_eq!(fields, [field], "{spec}");
        }
        let (read, _) = read_muster(r#"{"order":"lifo","holdAfter":"soon"}"#);
        assert_eq!((read.order, read.hold_after), (None, None));
    }

    #[test]
    fn strategies_of_kueue_and_volcano_are_orders() {
        let kueue = |strategy: &str| {
            let text = format!(
                r#"{{"metadata":{{"name":"a"}},"spec":{{"queueingStrategy":"{strategy}"}}}}"#
            );
            let object = serde_json::from_str(&text).expect("a ClusterQueue");
            let read = kueue::cluster_queue(&object, &kueue::Cohorts::default());
            let field = "spec.queueingStrategy";
            (read.value.order, read.problems.iter().filter(|it| it.field == field).count())
        };
        assert_eq!(kueue("StrictFIFO"), (Some(Order::Fifo), 0));
        assert_eq!(kueue("BestEffortFIFO"), (Some(Order::BestEffortFifo), 0));
        assert_eq!((kueue(""), kueue("LIFO")), ((None, 0), (None, 1)));
        let volcano = |strategy: &str| {
            let text = format!(
                r#"{{"metadata":{{"name":"a"}},"spec":{{"dequeueStrategy":"{strategy}"}}}}"#
            );
            let read = volcano::volcano_queue(&serde_json::from_str(&text).expect("a Queue"));
            (read.value.order, read.problems.len())
        };
        assert_eq!((volcano("fifo"), volcano("traverse")), ((Some(Order::Fifo), 0), (None, 0)));
        assert_eq!((volcano(""), volcano("lifo")), ((None, 0), (None, 1)));
    }
}
