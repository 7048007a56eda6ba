//! JSON into single objects: lists are entered, whatever their size, and one item at a time is
//! held.
//!
//! This is no parser: it follows quotes and brackets only, which is as fast as memory allows,
//! and leaves every other judgement to the parser of the single object. So an item that is no
//! JSON spoils no other, as long as its brackets match.

use super::split::{Feed, Format, Piece, Taker};
use memchr::memchr3;
use std::io;

/// Takes objects until the stream ends or goes on with something else than JSON.
pub(super) fn objects(feed: &mut Feed, taker: &mut dyn Taker) -> io::Result<()> {
    while let Some(b'{' | b'[') = feed.peek()? {
        let mut scan = Scan::new(feed.line);
        loop {
            let chunk = feed.reader.fill_buf()?;
            if chunk.is_empty() {
                scan.broken(taker, "it breaks off before its end");
                return Ok(());
            }
            let (used, state) = scan.chunk(chunk, taker);
            feed.reader.consume(used);
            feed.line = scan.line;
            match state {
                State::More => {}
                State::Done => break,
                State::Broken(why) => {
                    scan.broken(taker, why);
                    skip(feed)?;
                    break;
                }
                State::Overrun => {
                    scan.broken(taker, "it has no end before the next object");
                    break;
                }
            }
        }
    }
    Ok(())
}

enum State {
    More,
    Done,
    Broken(&'static str),
    /// The next object begins here.
    Overrun,
}

/// Skips to the next line that begins a new object or document.
fn skip(feed: &mut Feed) -> io::Result<()> {
    let mut is_line_start = false;
    loop {
        let chunk = feed.reader.fill_buf()?;
        if chunk.is_empty() || (is_line_start && matches!(chunk[0], b'{' | b'-')) {
            return Ok(());
        }
        let Some(end) = memchr::memchr(b'\n', chunk) else {
            let all = chunk.len();
            feed.reader.consume(all);
            is_line_start = false;
            continue;
        };
        is_line_start = true;
        feed.reader.consume(end + 1);
        feed.line += 1;
    }
}

/// One top-level value.
struct Scan {
    /// Brackets that are open.
    open: Vec<u8>,
    is_in_string: bool,
    is_escaped: bool,
    /// The last byte of the chunk before.
    before: u8,
    line: u64,
    /// The value, without the items of a list.
    shell: Vec<u8>,
    shell_line: u64,
    /// The item that is being read.
    item: Vec<u8>,
    item_line: u64,
    /// Number of open brackets between two items, while inside a list.
    items_at: Option<usize>,
    is_list: bool,
}

impl Scan {
    fn new(line: u64) -> Self {
        Self {
            open: Vec::new(),
            is_in_string: false,
            is_escaped: false,
            before: b'\n',
            line,
            shell: Vec::new(),
            shell_line: line,
            item: Vec::new(),
            item_line: line,
            items_at: None,
            is_list: false,
        }
    }

    /// Takes as much of `chunk` as belongs to the value; how much, and what now.
    fn chunk(&mut self, chunk: &[u8], taker: &mut dyn Taker) -> (usize, State) {
        let (mut at, mut mark) = (0, 0);
        if self.is_escaped {
            (at, self.is_escaped) = (1, false);
        }
        while at < chunk.len() {
            if self.is_in_string {
                let Some(found) = memchr3(b'"', b'\\', b'\n', &chunk[at..]) else { break };
                at += found;
                match chunk[at] {
                    b'"' => self.is_in_string = false,
                    b'\\' => {
                        at += 1;
                        self.is_escaped = at == chunk.len();
                    }
                    _ => {
                        self.keep(&chunk[mark..at]);
                        return (at, State::Broken("a text in quotes has no end on its line"));
                    }
                }
                at += 1;
                continue;
            }
            match chunk[at] {
                b'\n' => self.line += 1,
                b'"' => self.is_in_string = true,
                b'{' | b'[' => {
                    let before = if at == 0 { self.before } else { chunk[at - 1] };
                    let is_first = self.open.is_empty();
                    if chunk[at] == b'{' && before == b'\n' && !is_first {
                        self.keep(&chunk[mark..at]);
                        mark = at;
                        if !self.awaits_value() {
                            return (at, State::Overrun);
                        }
                    }
                    self.opens(chunk, at, &mut mark, taker);
                }
                b'}' | b']' => {
                    if self.closes(chunk, at, &mut mark, taker).is_none() {
                        return (at + 1, State::Broken("its brackets do not match"));
                    }
                    if self.open.is_empty() {
                        return (at + 1, State::Done);
                    }
                }
                _ => {}
            }
            at += 1;
        }
        self.keep(&chunk[mark.min(chunk.len())..]);
        self.before = chunk[chunk.len() - 1];
        (chunk.len(), State::More)
    }

    /// Appends to what is being read; what stands between two items is dropped.
    fn keep(&mut self, bytes: &[u8]) {
        match self.items_at {
            None => self.shell.extend_from_slice(bytes),
            Some(depth) if self.open.len() > depth => self.item.extend_from_slice(bytes),
            Some(_) => {}
        }
    }

    /// True if the text so far goes on with a value.
    fn awaits_value(&self) -> bool {
        match self.items_at {
            Some(depth) if self.open.len() == depth => true,
            Some(_) => matches!(self.item.trim_ascii_end().last(), Some(b',' | b':' | b'[')),
            None => matches!(self.shell.trim_ascii_end().last(), Some(b',' | b':' | b'[')),
        }
    }

    /// Takes an opening bracket: of an item, of a list, or of anything inside them.
    fn opens(&mut self, chunk: &[u8], at: usize, mark: &mut usize, taker: &mut dyn Taker) {
        let depth = self.open.len();
        self.open.push(chunk[at]);
        if self.items_at == Some(depth) {
            *mark = at;
            self.item_line = self.line;
            self.item.clear();
            return;
        }
        let may_be_list = self.items_at.is_none() && chunk[at] == b'[' && depth <= 1;
        if !may_be_list {
            return;
        }
        self.shell.extend_from_slice(&chunk[*mark..=at]);
        *mark = at + 1;
        if depth == 0 || is_items(&self.shell) {
            self.is_list = true;
            self.items_at = Some(depth + 1);
            taker.list_begins(piece(&self.shell, self.shell_line));
        }
    }

    /// Takes a closing bracket; `None` if no such bracket is open.
    fn closes(
        &mut self,
        chunk: &[u8],
        at: usize,
        mark: &mut usize,
        taker: &mut dyn Taker,
    ) -> Option<()> {
        let opened = if chunk[at] == b'}' { b'{' } else { b'[' };
        if self.open.last() != Some(&opened) {
            self.keep(&chunk[*mark..=at]);
            return None;
        }
        let depth = self.open.len() - 1;
        match self.items_at {
            Some(items) if depth == items => {
                self.keep(&chunk[*mark..=at]);
                *mark = at + 1;
                taker.object(piece(&self.item, self.item_line));
            }
            Some(items) if depth + 1 == items => {
                *mark = at;
                self.items_at = None;
            }
            _ => {}
        }
        self.open.pop();
        if self.open.is_empty() {
            self.shell.extend_from_slice(&chunk[*mark..=at]);
            let whole = piece(&self.shell, self.shell_line);
            if self.is_list { taker.list_ends(whole) } else { taker.object(whole) }
        }
        Some(())
    }

    fn broken(&self, taker: &mut dyn Taker, why: &str) {
        let is_item = self.items_at.is_some_and(|depth| self.open.len() > depth);
        let so_far = match is_item {
            true => piece(&self.item, self.item_line),
            false => piece(&self.shell, self.shell_line),
        };
        taker.broken(so_far, self.line, why);
    }
}

fn piece(text: &[u8], line: u64) -> Piece<'_> {
    Piece { format: Format::Json, text, line }
}

/// True if the text ends with the key `"items"` and the bracket that begins its value.
fn is_items(text: &[u8]) -> bool {
    let key = text.strip_suffix(b"[").map(<[u8]>::trim_ascii_end);
    let key = key.and_then(|key| key.strip_suffix(b":")).map(<[u8]>::trim_ascii_end);
    key.is_some_and(|key| key.ends_with(b"\"items\"") && !key.ends_with(b"\\\"items\""))
}
