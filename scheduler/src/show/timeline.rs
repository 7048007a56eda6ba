//! Starts and ends in order of time.

use super::nodes::compress;
use super::{Shown, words};
use scheduler_sim::stage::Happening;
use std::io::{self, Write};

/// Writes one line per start, growth and end.
pub(super) fn write(shown: &Shown<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut rows = Vec::new();
    for (time, what) in &shown.report.timeline {
        let (word, steps) = match what {
            Happening::Started { steps, .. } => ("starts", steps.as_slice()),
            Happening::Grew { steps, .. } => ("grows", steps.as_slice()),
            Happening::Ended { .. } => ("ends", &[][..]),
            Happening::Evicts(_) => ("makes room", &[][..]),
            Happening::Waits(_) => continue,
        };
        let where_to = match steps {
            [] => String::new(),
            steps => {
                let nodes = compress(steps.iter().map(|step| step.node.as_str()));
                format!("{} on {nodes}", steps.len())
            }
        };
        let time = time.since(shown.report.started_at).to_string();
        rows.push((time, word, what.gang().to_string(), where_to));
    }
    let times = rows.iter().map(|row| row.0.len()).max().unwrap_or(0).max(4);
    let gangs = rows.iter().map(|row| row.2.chars().count()).max().unwrap_or(0);
    for (time, word, gang, where_to) in rows {
        let line = format!("{time:>times$}  {word:<6}  {gang:<gangs$}  {where_to}");
        writeln!(out, "{}", words::line(line.trim_end()))?;
    }
    writeln!(out)
}
