//! Comma-separated files with a line of titles. No field of the traces has quotes.

use std::collections::BTreeMap;
use std::path::Path;

/// One line, by title.
pub(super) struct Row<'a> {
    file: &'a Path,
    line: usize,
    fields: BTreeMap<&'a str, &'a str>,
}

/// All lines of a file.
pub(super) fn rows<'a>(file: &'a Path, text: &'a str) -> Vec<Row<'a>> {
    let mut lines = text.lines();
    let titles: Vec<&str> = lines.next().unwrap_or_default().split(',').map(str::trim).collect();
    let rows = (2..).zip(lines).filter(|(_, line)| !line.trim().is_empty());
    let row = |(line, text): (usize, &'a str)| {
        let fields = titles.iter().copied().zip(text.split(',').map(str::trim)).collect();
        Row { file, line, fields }
    };
    rows.map(row).collect()
}

impl<'a> Row<'a> {
    /// A field as it is written; empty where the line is too short.
    pub(super) fn text(&self, title: &str) -> &'a str {
        self.fields.get(title).copied().unwrap_or_default()
    }

    /// A field that is a whole number.
    pub(super) fn number(&self, title: &str) -> Result<u64, String> {
        let (text, file, line) = (self.text(title), self.file.display(), self.line);
        text.parse().map_err(|_| {
            format!(
                "{file}:{line}: {title} is {text:?}, not a whole number (name the file of the trace, \
                 unchanged)"
            )
        })
    }
}
