//! YAML into single objects: documents at `---`, and the items of a `kind: List` one by one.
//!
//! Only lines and their indentation are looked at. That is enough, since nothing of an inner
//! block may stand as far left as the dash of a list's item or the mark of a document.

use super::split::{Feed, Format, Piece, Taker};
use std::io;

/// Takes objects until the stream ends or a document is JSON.
pub(super) fn objects(feed: &mut Feed, taker: &mut dyn Taker) -> io::Result<()> {
    let mut split = Split::default();
    let mut line = Vec::new();
    loop {
        if split.is_at_start() && matches!(feed.reader.fill_buf()?.first(), Some(b'{' | b'[')) {
            return Ok(());
        }
        line.clear();
        if feed.reader.read_until(b'\n', &mut line)? == 0 {
            split.end_document(taker);
            return Ok(());
        }
        split.line(&line, feed.line, taker);
        feed.line += 1;
    }
}

/// The part of a document that the next line belongs to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Part {
    #[default]
    Shell,
    /// After `items:`, before the first dash.
    Items,
    /// Inside the items, whose dashes stand after so many spaces.
    Item(usize),
}

#[derive(Default)]
struct Split {
    shell: Vec<u8>,
    shell_line: u64,
    item: Vec<u8>,
    item_line: u64,
    part: Part,
    is_list: bool,
}

impl Split {
    fn is_at_start(&self) -> bool {
        self.shell.is_empty()
    }

    fn line(&mut self, line: &[u8], number: u64, taker: &mut dyn Taker) {
        if let Some(rest) = mark(line, b"---") {
            self.end_document(taker);
            if !is_blank(rest) {
                self.shell_line = number;
                self.shell.extend_from_slice(rest.trim_ascii_start());
            }
            return;
        }
        if mark(line, b"...").is_some() {
            return self.end_document(taker);
        }
        if self.is_at_start() {
            if is_blank(line) || line.starts_with(b"%") {
                return;
            }
            self.shell_line = number;
        }
        let indent = line.iter().take_while(|byte| **byte == b' ').count();
        let is_dash = mark(&line[indent..], b"-").is_some();
        match self.part {
            Part::Items if is_dash => self.begin_item(line, indent, number, taker),
            Part::Item(dash) if is_dash && indent == dash => {
                self.end_item(taker);
                self.begin_item(line, indent, number, taker);
            }
            Part::Item(dash) if is_blank(line) || indent > dash => {
                self.item.extend_from_slice(line);
            }
            Part::Items if is_blank(line) => {}
            Part::Items | Part::Item(_) => {
                self.end_item(taker);
                self.part = Part::Shell;
                self.shell.extend_from_slice(line);
            }
            Part::Shell => {
                self.shell.extend_from_slice(line);
                if !self.is_list && is_items(line) {
                    self.part = Part::Items;
                }
            }
        }
    }

    fn begin_item(&mut self, line: &[u8], indent: usize, number: u64, taker: &mut dyn Taker) {
        if !self.is_list {
            self.is_list = true;
            taker.list_begins(piece(&self.shell, self.shell_line));
        }
        self.part = Part::Item(indent);
        self.item_line = number;
        self.item.extend_from_slice(line);
        // Without its dash the item is a document of its own, indented as a whole.
        self.item[indent] = b' ';
    }

    fn end_item(&mut self, taker: &mut dyn Taker) {
        if !self.item.is_empty() {
            taker.object(piece(&self.item, self.item_line));
            self.item.clear();
        }
    }

    fn end_document(&mut self, taker: &mut dyn Taker) {
        self.end_item(taker);
        let shell = piece(&self.shell, self.shell_line);
        if self.is_list {
            taker.list_ends(shell);
        } else if !self.is_at_start() {
            taker.object(shell);
        }
        *self = Self::default();
    }
}

fn piece(text: &[u8], line: u64) -> Piece<'_> {
    Piece { format: Format::Yaml, text, line }
}

/// What follows `mark` on a line that begins with it, if the mark stands alone.
fn mark<'a>(line: &'a [u8], mark: &[u8]) -> Option<&'a [u8]> {
    let rest = line.strip_prefix(mark)?;
    matches!(rest.first(), None | Some(b' ' | b'\t' | b'\r' | b'\n')).then_some(rest)
}

/// True if there is nothing on the line but a comment.
fn is_blank(line: &[u8]) -> bool {
    matches!(line.trim_ascii_start().first(), None | Some(b'#'))
}

fn is_items(line: &[u8]) -> bool {
    line.strip_prefix(b"items:").is_some_and(is_blank)
}
