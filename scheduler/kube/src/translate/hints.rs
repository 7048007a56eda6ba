//! What only a simulator may know: how long a pod really runs, and when it arrives.

use super::{Problems, Translated, shorten};
use crate::wire::Meta;
use crate::{duration, names};
use scheduler_model::time::{Span, Time};
use scheduler_model::world::SimHints;

/// Hints on an object of this kind. A hint that is no duration is ignored with a problem.
#[must_use]
pub fn of(kind: &str, meta: &Meta) -> Translated<SimHints> {
    let mut problems = Problems::of(kind, meta);
    let runtime = span(meta, names::SIMULATED_RUNTIME, &mut problems);
    let arrival = span(meta, names::SIMULATED_ARRIVAL, &mut problems);
    problems.with(SimHints { runtime, arrival: arrival.map(|span| Time::ZERO.after(span)) })
}

fn span(meta: &Meta, key: &str, problems: &mut Problems) -> Option<Span> {
    let text = meta.annotation(key)?;
    let span = duration::parse(text);
    if span.is_none() {
        problems.add(
            format!("annotation {key}"),
            format!("`{}` is no duration, ignored", shorten(text)),
            "write it like 90s, 1h30m or 2m; a plain number is seconds",
        );
    }
    span
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints_are_durations_from_the_start() {
        let json = r#"{"annotations":{"muster.sh/simulated-runtime":"1h30m",
            "muster.sh/simulated-arrival":"90"}}"#;
        let hints = of("Pod", &serde_json::from_str(json).expect("metadata"));
        assert_eq!(hints.value.runtime, Some(Span::from_secs(5400)));
        assert_eq!(hints.value.arrival, Some(Time::from_ms(90_000)));
        assert_eq!(hints.problems, []);
    }

    #[test]
    fn a_hint_that_is_no_duration_is_ignored_with_a_problem() {
        let json = r#"{"name":"a","annotations":{"muster.sh/simulated-runtime":"soon"}}"#;
        let hints = of("Pod", &serde_json::from_str(json).expect("metadata"));
        assert_eq!(hints.value, SimHints::default());
        assert_eq!(
            hints.problems[0].to_string(),
            "Pod a annotation muster.sh/simulated-runtime: `soon` is no duration, ignored \
             (write it like 90s, 1h30m or 2m; a plain number is seconds)"
        );
    }
}
