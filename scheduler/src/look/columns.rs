//! Plain aligned columns, as kubectl prints them.

use serde_json::Value;
use std::io::{self, Write};

/// Writes titles and rows; the last column is as long as it likes.
pub(super) fn columns(
    titles: &[&str],
    rows: Vec<Vec<String>>,
    out: &mut dyn Write,
) -> io::Result<()> {
    columns_apart("   ", titles, rows, out)
}

/// The same with this between the columns.
pub(super) fn columns_apart(
    gap: &str,
    titles: &[&str],
    rows: Vec<Vec<String>>,
    out: &mut dyn Write,
) -> io::Result<()> {
    if rows.is_empty() {
        return writeln!(out, "There are none.");
    }
    let titles: Vec<String> = titles.iter().map(|title| (*title).to_owned()).collect();
    let all: Vec<Vec<String>> = std::iter::once(titles).chain(rows).collect();
    let count = all[0].len();
    let width = |column: usize| {
        let cells = all.iter().map(|row| row[column].chars().count());
        cells.max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..count).map(width).collect();
    for row in &all {
        let mut line = String::new();
        for (cell, width) in row.iter().zip(&widths) {
            let cell: String = cell.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
            line.push_str(&format!("{cell:<width$}{gap}"));
        }
        writeln!(out, "{}", line.trim_end())?;
    }
    Ok(())
}

/// A value of JSON as it stands in a cell.
pub(super) fn text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
