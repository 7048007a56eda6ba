//! What objects wish where others want their room, and what queues grant of that.
//!
//! The same annotations mean the same on group objects and on pods; Volcano's are labels as well.
//! What cannot be read is not wished, and said.

use super::{Problems, shorten, time};
use crate::wire::groups::{PodGroupSpec, WishMaxima};
use crate::wire::{Meta, Number};
use crate::{duration, names};
use scheduler_model::spec::{Grants, Wishes};
use scheduler_model::time::Span;

/// What the labels and annotations of a pod or group wish.
pub(super) fn of(meta: &Meta, problems: &mut Problems) -> Wishes {
    let own = meta.annotation(names::PREEMPTIBLE).and_then(|text| {
        let field = annotation(names::PREEMPTIBLE);
        truth(text, &field, problems)
    });
    let theirs = mark(meta, names::VOLCANO_PREEMPTABLE)
        .and_then(|(text, field)| truth(text, &field, problems));
    let field = annotation(names::CHECKPOINTED_AT);
    Wishes {
        non_preemptible: own == Some(false) || theirs == Some(false),
        min_runtime: span(
            meta.annotation(names::MIN_RUNTIME),
            &annotation(names::MIN_RUNTIME),
            problems,
        )
        .unwrap_or_default(),
        cooldown: mark(meta, names::VOLCANO_COOLDOWN)
            .and_then(|(text, field)| span(Some(text), &field, problems))
            .unwrap_or_default(),
        preemption_cost: cost(
            meta.annotation(names::PREEMPTION_COST).map(Number::of).as_ref(),
            &annotation(names::PREEMPTION_COST),
            problems,
        ),
        checkpointed_at: time(meta.annotation(names::CHECKPOINTED_AT), &field, problems),
    }
}

/// What the fields of a muster PodGroup wish, over what its annotations do.
pub(super) fn of_spec(spec: &PodGroupSpec, marked: Wishes, problems: &mut Problems) -> Wishes {
    let min_runtime = span(spec.min_runtime.as_deref(), "spec.minRuntime", problems);
    let cost = cost(spec.preemption_cost.as_ref(), "spec.preemptionCost", problems);
    Wishes {
        non_preemptible: spec.preemptible.map_or(marked.non_preemptible, |may_go| !may_go),
        min_runtime: min_runtime.unwrap_or(marked.min_runtime),
        preemption_cost: cost.or(marked.preemption_cost),
        ..marked
    }
}

/// What a muster Queue grants. Where a maximum cannot be read, nothing of it is granted.
pub(super) fn granted(maxima: &WishMaxima, problems: &mut Problems) -> Grants {
    let read = |text: &String, problems: &mut Problems| {
        span(Some(text), "spec.wishes.minRuntime", problems).unwrap_or_default()
    };
    let number = maxima.preemption_cost.as_ref();
    Grants {
        non_preemptible: maxima.non_preemptible,
        min_runtime: maxima.min_runtime.as_ref().map(|text| read(text, problems)),
        preemption_cost: number
            .map(|it| cost(Some(it), "spec.wishes.preemptionCost", problems).unwrap_or(0)),
    }
}

/// A length of time; `None` with a problem where it is none.
pub(super) fn span(text: Option<&str>, field: &str, problems: &mut Problems) -> Option<Span> {
    let text = text?;
    let span = duration::parse(text);
    if span.is_none() {
        problems.add(
            field,
            format!("`{}` is not a duration, ignored", shorten(text)),
            "write it like 30m or 1h30m",
        );
    }
    span
}

fn cost(number: Option<&Number>, field: &str, problems: &mut Problems) -> Option<u32> {
    match number? {
        Number::Whole(value) if *value >= 0 => Some(u32::try_from(*value).unwrap_or(u32::MAX)),
        other => {
            problems.add(
                field,
                format!("`{}` is no number of pod-seconds, ignored", shorten(&other.to_string())),
                "write a whole number from 0, such as 600",
            );
            None
        }
    }
}

/// As Volcano reads it, whose annotation it is as well.
fn truth(text: &str, field: &str, problems: &mut Problems) -> Option<bool> {
    match text {
        "true" | "True" | "TRUE" | "t" | "T" | "1" => Some(true),
        "false" | "False" | "FALSE" | "f" | "F" | "0" => Some(false),
        other => {
            problems.add(
                field,
                format!("`{}` is neither true nor false, ignored", shorten(other)),
                "write \"true\" or \"false\"",
            );
            None
        }
    }
}

fn annotation(key: &str) -> String {
    format!("metadata.annotations[{key}]")
}

/// What an annotation or a label says, and where it stands.
fn mark<'a>(meta: &'a Meta, key: &str) -> Option<(&'a str, String)> {
    let marked = meta.annotation(key).map(|text| (text, annotation(key)));
    marked.or_else(|| Some((meta.label(key)?, format!("metadata.labels[{key}]"))))
}
