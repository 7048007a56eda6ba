//! The words for states and cures, the same in the table and in JSON.

use scheduler_core::view::{GangView, Standing};
use scheduler_model::explain::Cure;
use scheduler_model::spec::GangKey;
use scheduler_model::time::Time;
use scheduler_sim::stage::{Happening, RunReport};
use std::collections::BTreeMap;

/// How a gang stands.
pub(super) const fn state(standing: Standing) -> &'static str {
    match standing {
        Standing::Empty => "empty",
        Standing::Done => "done",
        Standing::Waiting => "waiting",
        Standing::Broken => "broken",
        Standing::Partial => "partial",
        Standing::Running => "running",
    }
}

/// Who or what can change it, for a person.
pub(super) const fn cure_sentence(cure: Cure) -> &'static str {
    match cure {
        Cure::Wait => "time: something that runs will end",
        Cure::Nodes => "more or freer nodes",
        Cure::Queue => "the administrator of the queue",
        Cure::Author => "the author of the gang; no change of any node helps",
    }
}

/// Members that have a node.
pub(super) fn placed(gang: &GangView) -> usize {
    gang.members.iter().filter(|member| member.node.is_some()).count()
}

/// When gangs last started in this run.
pub(super) fn starts(report: &RunReport) -> BTreeMap<&GangKey, Time> {
    let started = report.timeline.iter().filter_map(|(time, what)| match what {
        Happening::Started { gang, .. } => Some((gang, *time)),
        _ => None,
    });
    started.collect()
}

/// A name as it may stand in one line of a table.
pub(super) fn line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}
