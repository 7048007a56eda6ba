//! All about one gang.

use super::nodes::compress;
use super::{Shown, words};
use scheduler_core::view::{GangView, Standing};
use scheduler_model::explain::{Explanation, SetTally, show_amount};
use std::io::{self, Write};

/// Writes a paragraph about the gang.
pub(super) fn write(shown: &Shown<'_>, gang: &GangView, out: &mut dyn Write) -> io::Result<()> {
    let state = words::state(gang.standing);
    let (key, queue) = (words::line(&gang.key.to_string()), words::line(&gang.queue));
    let dialect = gang.key.dialect.name();
    writeln!(out, "gang {key} ({dialect}) in queue {queue}, priority {}: {state}", gang.priority)?;
    let (placed, all) = (words::placed(gang), gang.members.len());
    let succeeded = match gang.succeeded {
        0 => String::new(),
        count => format!(", {count} succeeded"),
    };
    writeln!(
        out,
        "  pods       {placed} of {all} have a node, at least {} must{succeeded}",
        gang.min
    )?;
    if placed > 0 {
        let nodes = gang.members.iter().filter_map(|member| member.node.as_deref());
        writeln!(out, "  nodes      {}", words::line(&compress(nodes)))?;
    }
    if let Some(time) = words::starts(shown.report).get(&gang.key) {
        writeln!(out, "  start      {}", time.since(shown.report.started_at))?;
    }
    if let Some(explanation) = gang.why() {
        why(explanation, out)?;
    } else if gang.standing == Standing::Empty {
        writeln!(out, "  why        its group exists, but no pod names it yet")?;
    }
    writeln!(out)
}

fn why(explanation: &Explanation, out: &mut dyn Write) -> io::Result<()> {
    let sentence = explanation.to_string();
    writeln!(out, "  why        {}", words::line(&sentence))?;
    for set in &explanation.sets {
        tally(set, out)?;
    }
    if let Some(nearest) = &explanation.nearest {
        writeln!(out, "  nearest    {}", words::line(&nearest.to_string()))?;
    }
    if !explanation.next_step.is_empty() {
        writeln!(out, "  next step  {}", words::line(&explanation.next_step))?;
    }
    writeln!(out, "  cure       {}", words::cure_sentence(explanation.cure))
}

fn tally(set: &SetTally, out: &mut dyn Write) -> io::Result<()> {
    let role = if set.role.is_empty() { "members" } else { set.role.as_str() };
    let each: Vec<String> =
        set.requests.iter().map(|(name, amount)| show_amount(name, *amount)).collect();
    let each = if each.is_empty() { String::new() } else { format!(", each {}", each.join(", ")) };
    let (placed, wanted) = (set.placed, set.wanted);
    let head = format!("{role}: {placed} of {wanted} could be placed{each}");
    writeln!(out, "             {}", words::line(&head))?;
    let mut all = 0_u32;
    for (reason, count) in &set.nodes {
        let nodes = if *count == 1 { "node" } else { "nodes" };
        let reason = words::line(&reason.to_string());
        writeln!(out, "             {count:>6} {nodes}: {reason}")?;
        all = all.saturating_add(*count);
    }
    writeln!(out, "             {all:>6} nodes in all")
}
