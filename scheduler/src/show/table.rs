//! One line per gang.

use super::nodes::compress;
use super::{Shown, words};
use scheduler_core::view::{GangView, Standing};
use scheduler_model::time::Time;
use std::io::{self, IsTerminal, Write};

const TITLES: [&str; 7] = ["GANG", "QUEUE", "STATE", "PODS", "MIN", "NODES", "START"];

/// What stands between two columns.
const GAP: &str = "  ";

/// Writes the table; groups without pods are left out.
pub(super) fn write(shown: &Shown<'_>, out: &mut dyn Write) -> io::Result<()> {
    let gangs: Vec<&GangView> =
        shown.report.gangs.iter().filter(|gang| gang.standing != Standing::Empty).collect();
    if gangs.is_empty() {
        return Ok(());
    }
    let starts = words::starts(shown.report);
    let rows: Vec<[String; 7]> = gangs
        .iter()
        .map(|gang| {
            let nodes = gang.members.iter().filter_map(|member| member.node.as_deref());
            [
                words::line(&gang.key.to_string()),
                words::line(&gang.queue),
                words::state(gang.standing).to_owned(),
                pods(gang),
                gang.min.to_string(),
                words::line(&compress(nodes)),
                start(gang, starts.get(&gang.key).copied(), shown.report.started_at),
            ]
        })
        .collect();
    let mut widths = TITLES.map(str::len);
    for row in &rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let limit = width();
    let titles = TITLES.map(str::to_owned);
    put(out, &line(&titles, &widths, "REASON"), limit)?;
    for (gang, row) in gangs.iter().zip(&rows) {
        let reason = gang.why().map(ToString::to_string).unwrap_or_default();
        put(out, &line(row, &widths, &words::line(&reason)), limit)?;
    }
    writeln!(out)
}

/// `3/4`: members that have a node, of all unfinished ones; those that succeeded by themselves.
fn pods(gang: &GangView) -> String {
    let counts = format!("{}/{}", words::placed(gang), gang.members.len());
    match gang.succeeded {
        0 => counts,
        done => format!("{counts}+{done}"),
    }
}

fn start(gang: &GangView, started: Option<Time>, begin: Time) -> String {
    match started {
        Some(time) => time.since(begin).to_string(),
        None if words::placed(gang) > 0 => "before".to_owned(),
        None => String::new(),
    }
}

fn line(cells: &[String; 7], widths: &[usize; 7], reason: &str) -> String {
    let mut line = String::new();
    for (cell, width) in cells.iter().zip(widths) {
        line.push_str(cell);
        let blanks = width.saturating_sub(cell.chars().count());
        line.extend(std::iter::repeat_n(' ', blanks));
        line.push_str(GAP);
    }
    line.push_str(reason);
    line
}

/// Writes a line, cut where a terminal would wrap it.
fn put(out: &mut dyn Write, line: &str, limit: Option<usize>) -> io::Result<()> {
    let line = line.trim_end();
    match limit {
        Some(limit) if line.chars().count() > limit => {
            let cut: String = line.chars().take(limit.saturating_sub(1)).collect();
            writeln!(out, "{cut}…")
        }
        _ => writeln!(out, "{line}"),
    }
}

/// Columns of the terminal; `None` where standard output is none, and nothing is cut.
fn width() -> Option<usize> {
    if !io::stdout().is_terminal() {
        return None;
    }
    let (terminal_size::Width(columns), _) = terminal_size::terminal_size()?;
    // Narrower than the fixed columns usually are, cutting would hide the reason altogether.
    Some(usize::from(columns)).filter(|columns| *columns >= 60)
}
