//! What came of a simulation, for people and for programs.

mod explain;
mod nodes;
pub(crate) mod share;
mod table;
mod timeline;
pub(crate) mod value;
mod words;

pub use nodes::compress;

use crate::arguments::Simulate;
use crate::simulate::{Input, Told};
use scheduler_core::view::{GangView, Standing};
use scheduler_model::problem::Problem;
use scheduler_sim::stage::RunReport;
use std::io::{self, Write};

/// Everything there is to show.
#[derive(Clone, Copy, Debug)]
pub struct Shown<'a> {
    /// The run.
    pub report: &'a RunReport,
    /// What was read; its world has gone into the run.
    pub input: &'a Input,
    /// What came of the scenarios.
    pub told: &'a [Told],
    /// Number of nodes.
    pub nodes: usize,
}

impl Shown<'_> {
    /// The gangs that a name means, with or without a namespace.
    fn named(&self, name: &str) -> Vec<&GangView> {
        let is_meant = |gang: &&GangView| gang.key.name == name || gang.key.to_string() == name;
        self.report.gangs.iter().filter(is_meant).collect()
    }
}

/// What to say if one of the gangs to explain does not exist.
#[must_use]
pub fn missing(shown: &Shown<'_>, names: &[String]) -> Option<String> {
    let name = names.iter().find(|name| shown.named(name).is_empty())?;
    let known: Vec<String> = shown.report.gangs.iter().map(|gang| gang.key.to_string()).collect();
    let known = match known.as_slice() {
        [] => "there is no gang at all".to_owned(),
        known if known.len() <= 10 => format!("there are {}", known.join(", ")),
        known => format!("there are {}, without --explain all are listed", known.len()),
    };
    Some(format!("no gang is called {name:?} ({known})"))
}

/// The output for people.
///
/// # Errors
/// If `out` cannot be written to.
pub fn people(shown: &Shown<'_>, wish: &Simulate, out: &mut dyn Write) -> io::Result<()> {
    for told in shown.told {
        let holds = if told.failures.is_empty() { "holds" } else { "fails" };
        writeln!(out, "{holds}: {} ({})", told.story, told.file)?;
        for failure in &told.failures {
            writeln!(out, "  {failure}")?;
        }
    }
    let is_about_world = shown.nodes > 0 || !shown.report.gangs.is_empty();
    if !is_about_world && !shown.told.is_empty() {
        return Ok(());
    }
    if wish.explain.is_empty() {
        table::write(shown, out)?;
    }
    for name in &wish.explain {
        for gang in shown.named(name) {
            explain::write(shown, gang, out)?;
        }
    }
    if wish.timeline {
        timeline::write(shown, out)?;
    }
    writeln!(out, "{}", summary(shown))
}

/// The run in one line.
fn summary(shown: &Shown<'_>) -> String {
    let count = |standings: &[Standing]| {
        shown.report.gangs.iter().filter(|gang| standings.contains(&gang.standing)).count()
    };
    let mut parts = Vec::new();
    for (standings, word) in [
        (&[Standing::Running, Standing::Partial][..], "running"),
        (&[Standing::Waiting][..], "waiting"),
        (&[Standing::Broken][..], "broken"),
        (&[Standing::Done][..], "done"),
        (&[Standing::Empty][..], "without pods"),
    ] {
        let found = count(standings);
        if found > 0 {
            parts.push(format!("{found} {word}"));
        }
    }
    let gangs = shown.report.gangs.len();
    let gangs = if gangs == 1 { "1 gang".to_owned() } else { format!("{gangs} gangs") };
    let nodes =
        if shown.nodes == 1 { "1 node".to_owned() } else { format!("{} nodes", shown.nodes) };
    let what = if parts.is_empty() { gangs } else { format!("{gangs}: {}", parts.join(", ")) };
    let time = shown.report.ended_at.since(shown.report.started_at);
    format!("{what}; {nodes}; simulated {time}")
}

/// The output for programs.
///
/// # Errors
/// If `out` cannot be written to.
pub fn json(shown: &Shown<'_>, wish: &Simulate, out: &mut dyn Write) -> io::Result<()> {
    let value = value::of(shown, wish);
    serde_json::to_writer_pretty(&mut *out, &value)?;
    writeln!(out)
}

/// The same as [`json`], in YAML.
///
/// # Errors
/// If `out` cannot be written to.
pub fn yaml(shown: &Shown<'_>, wish: &Simulate, out: &mut dyn Write) -> io::Result<()> {
    let value = value::of(shown, wish);
    let text = serde_saphyr::to_string(&value).map_err(io::Error::other)?;
    writeln!(out, "{}", text.trim_end())
}

/// Most problems that are listed for a person.
const PROBLEMS_MAX: usize = 100;

/// What was wrong with the input, and which kinds were left out.
///
/// # Errors
/// If `err` cannot be written to.
pub fn problems(input: &Input, found: &[Problem], err: &mut dyn Write) -> io::Result<()> {
    let read = input.problems.iter().map(ToString::to_string);
    let mut all = read.chain(found.iter().map(ToString::to_string));
    for problem in all.by_ref().take(PROBLEMS_MAX) {
        writeln!(err, "problem: {}", words::line(&problem))?;
    }
    let rest = all.count();
    if rest > 0 {
        writeln!(err, "and {rest} more problems (-o json lists all of them)")?;
    }
    if !input.unknown.is_empty() {
        let kinds: Vec<String> =
            input.unknown.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
        writeln!(err, "not read: {}", words::line(&kinds.join(", ")))?;
    }
    Ok(())
}
