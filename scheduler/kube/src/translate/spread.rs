//! Topology spread constraints. A hard one that cannot be read would count no pod and so
//! always hold: its pod waits instead. A soft one is dropped.

use super::shape::Findings;
use super::{Problems, selector, shorten};
use crate::wire::{self, Number};
use scheduler_model::spec::{Labels, SpreadSpec, WhenUnsatisfiable};
use std::fmt::Arguments;

/// All constraints that can be honoured.
pub(super) fn all(
    written: &[wire::SpreadConstraint],
    own: &Labels,
    findings: &mut Findings<'_>,
) -> Vec<SpreadSpec> {
    let mut read = Vec::with_capacity(written.len());
    for (index, constraint) in written.iter().enumerate() {
        let field = format_args!("spec.topologySpreadConstraints[{index}]");
        let when = when_unsatisfiable(constraint, field, findings.problems);
        match (one(constraint, when, own, field, findings.problems), when) {
            (Some(spread), _) => read.push(spread),
            (None, WhenUnsatisfiable::DoNotSchedule) => {
                findings.unsupported("a topology spread constraint that cannot be read");
            }
            (None, WhenUnsatisfiable::ScheduleAnyway) => {}
        }
    }
    read
}

fn one(
    constraint: &wire::SpreadConstraint,
    when_unsatisfiable: WhenUnsatisfiable,
    own: &Labels,
    field: Arguments<'_>,
    problems: &mut Problems,
) -> Option<SpreadSpec> {
    let selector = match &constraint.label_selector {
        Some(written) => {
            let field = format_args!("{field}.labelSelector");
            let mut selector = selector::labels(written, field, problems)?;
            selector::fold_keys(&mut selector, own, &constraint.match_label_keys, &[]);
            Some(selector)
        }
        None if !constraint.match_label_keys.is_empty() => {
            problems.add(
                format!("{field}.labelSelector"),
                "it is missing beside label keys, so nothing is counted",
                "add a labelSelector, or remove the keys",
            );
            return None;
        }
        None => None,
    };
    if constraint.topology_key.is_empty() {
        problems.add(
            format!("{field}.topologyKey"),
            "it is empty, so there are no domains",
            "name a node label such as topology.kubernetes.io/zone",
        );
        return None;
    }
    // Soft constraints know no least number of domains.
    let min_domains = match when_unsatisfiable {
        WhenUnsatisfiable::DoNotSchedule => constraint.min_domains.as_ref(),
        WhenUnsatisfiable::ScheduleAnyway => None,
    };
    let min_domains = min_domains.unwrap_or(&Number::Whole(1));
    let max_skew = constraint.max_skew.as_ref().unwrap_or(&Number::Whole(0));
    Some(SpreadSpec {
        max_skew: positive(max_skew, format_args!("{field}.maxSkew"), problems),
        topology_key: constraint.topology_key.clone(),
        when_unsatisfiable,
        selector,
        min_domains: positive(min_domains, format_args!("{field}.minDomains"), problems),
        honour_affinity: is_honoured(
            &constraint.node_affinity_policy,
            Policy::Affinity,
            field,
            problems,
        ),
        honour_taints: is_honoured(&constraint.node_taints_policy, Policy::Taints, field, problems),
    })
}

fn when_unsatisfiable(
    constraint: &wire::SpreadConstraint,
    field: Arguments<'_>,
    problems: &mut Problems,
) -> WhenUnsatisfiable {
    match constraint.when_unsatisfiable.as_str() {
        "DoNotSchedule" => WhenUnsatisfiable::DoNotSchedule,
        "ScheduleAnyway" => WhenUnsatisfiable::ScheduleAnyway,
        other => {
            problems.add(
                format!("{field}.whenUnsatisfiable"),
                format!("`{}` is no choice; taken as DoNotSchedule", shorten(other)),
                "use DoNotSchedule or ScheduleAnyway",
            );
            WhenUnsatisfiable::DoNotSchedule
        }
    }
}

/// At least 1, the strictest skew and the default number of domains.
fn positive(number: &Number, field: Arguments<'_>, problems: &mut Problems) -> u32 {
    match number {
        Number::Whole(number) if *number > 0 => u32::try_from(*number).unwrap_or(u32::MAX),
        other => {
            problems.add(
                field.to_string(),
                format!("`{}` is no number from 1 on; taken as 1", shorten(&other.to_string())),
                "use a whole number of at least 1",
            );
            1
        }
    }
}

#[derive(Clone, Copy)]
enum Policy {
    Affinity,
    Taints,
}

fn is_honoured(text: &str, policy: Policy, field: Arguments<'_>, problems: &mut Problems) -> bool {
    let (name, default) = match policy {
        Policy::Affinity => ("nodeAffinityPolicy", true),
        Policy::Taints => ("nodeTaintsPolicy", false),
    };
    match text {
        "" => default,
        "Honor" => true,
        "Ignore" => false,
        other => {
            let taken = if default { "Honor" } else { "Ignore" };
            problems.add(
                format!("{field}.{name}"),
                format!("`{}` is no policy; taken as {taken}", shorten(other)),
                "use Honor or Ignore",
            );
            default
        }
    }
}
