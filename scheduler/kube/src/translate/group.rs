//! What all group objects and controllers have in common: identity, and the labels and
//! annotations that any of them may carry.

use super::{Problems, created_at, membership, shorten, wishes};
use crate::duration;
use crate::names;
use crate::wire::{Meta, ledger};
use scheduler_model::spec::{Dialect, GangKey, GangSpec, Ledger, TopologyWish};
use scheduler_model::time::Span;

/// The key of the gang that the object with this metadata describes.
pub(super) fn key(meta: &Meta, dialect: Dialect) -> GangKey {
    GangKey { namespace: meta.namespace_or_default().to_owned(), name: meta.name.clone(), dialect }
}

/// A gang called `key` with what the metadata of its object says: identity, generation, queue,
/// walltime, ledger.
pub(super) fn gang(key: GangKey, meta: &Meta, problems: &mut Problems) -> GangSpec {
    let mut gang = GangSpec::plain(key);
    if !meta.uid.is_empty() {
        gang.uid.clone_from(&meta.uid);
    }
    gang.created_at = created_at(meta, problems);
    // Other dialects have no word for it; and where a status is no subresource, each write of
    // it would make another generation, to be written in turn.
    if matches!(gang.key.dialect, Dialect::Muster | Dialect::Kubernetes) {
        gang.generation = meta.generation;
    }
    gang.queue = membership::queue(meta);
    gang.walltime = annotated_walltime(meta, problems);
    gang.topology = wish(meta);
    gang.wishes = wishes::of(meta, problems);
    gang.labels.clone_from(&meta.labels);
    gang.ledger = annotated_ledger(&gang, meta, problems);
    gang
}

/// What muster wrote down on a group of another dialect. Its own groups carry that in their
/// status, and plain gangs on their pods.
fn annotated_ledger(gang: &GangSpec, meta: &Meta, problems: &mut Problems) -> Ledger {
    if matches!(gang.key.dialect, Dialect::Muster | Dialect::Plain | Dialect::Pod) {
        return Ledger::default();
    }
    let Some(text) = meta.annotation(names::STATE) else { return Ledger::default() };
    let mut ledger = ledger::read(text, problems);
    // Users may write annotations: nobody gets ahead by an age from before the group was there.
    ledger.age = ledger.age.map(|age| age.max(gang.created_at));
    ledger
}

/// `text`, unless it is empty.
pub(super) fn filled(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

/// A label, or the annotation of that name.
pub(super) fn marked<'a>(meta: &'a Meta, key: &str) -> Option<&'a str> {
    meta.label(key).or_else(|| meta.annotation(key)).filter(|value| !value.is_empty())
}

/// The topology wish that the annotations of an object spell.
pub(super) fn wish(meta: &Meta) -> TopologyWish {
    let first =
        |keys: [&str; 2]| keys.into_iter().find_map(|key| marked(meta, key)).map(str::to_owned);
    TopologyWish {
        topology: marked(meta, names::TOPOLOGY).map(str::to_owned),
        required: first([names::TOPOLOGY_REQUIRED, names::KUEUE_TOPOLOGY_REQUIRED]),
        preferred: first([names::TOPOLOGY_PREFERRED, names::KUEUE_TOPOLOGY_PREFERRED]),
    }
}

fn annotated_walltime(meta: &Meta, problems: &mut Problems) -> Option<Span> {
    let field = format!("metadata.annotations[{}]", names::WALLTIME);
    if let Some(span) = walltime(meta.annotation(names::WALLTIME), &field, problems) {
        return Some(span);
    }
    let seconds = meta.label(names::KUEUE_MAX_EXEC_TIME)?;
    match seconds.parse::<u32>() {
        Ok(seconds) => Some(Span::from_secs(i64::from(seconds))),
        Err(_) => {
            problems.add(
                format!("metadata.labels[{}]", names::KUEUE_MAX_EXEC_TIME),
                format!("`{}` is not a number of seconds, ignored", shorten(seconds)),
                "write whole seconds, such as 3600",
            );
            None
        }
    }
}

/// A walltime as it is written; unknown where it cannot be read.
pub(super) fn walltime(text: Option<&str>, field: &str, problems: &mut Problems) -> Option<Span> {
    let text = text?;
    let span = duration::parse(text);
    if span.is_none() {
        problems.add(
            field,
            format!("`{}` is not a duration, so its run time is unknown", shorten(text)),
            "write it like 90m or 1h30m",
        );
    }
    span
}
