//! One stream into single objects, whatever it is written in.
//!
//! JSON and YAML may follow each other in one stream, as in `cat cluster.json new-job.yaml`.

use super::collect::Collector;
use super::{Source, json, open, yaml};
use flate2::read::MultiGzDecoder;
use std::io::{self, BufRead, BufReader, Read};

/// The first bytes of anything compressed by gzip.
const GZIP: [u8; 2] = [0x1f, 0x8b];
/// Large enough that a read costs nothing next to the scan of what it brought.
const CHUNK: usize = 256 << 10;

/// How one object is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Json,
    Yaml,
}

/// One object as it stands in its stream.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece<'a> {
    pub format: Format,
    pub text: &'a [u8],
    /// Line on which it begins.
    pub line: u64,
}

/// Who takes what a stream consists of.
pub(super) trait Taker {
    /// The next object.
    fn object(&mut self, piece: Piece<'_>);
    /// A list begins whose head, so far, is this. Its items follow as objects.
    fn list_begins(&mut self, head: Piece<'_>);
    /// The list is over; this is all of it but its items.
    fn list_ends(&mut self, shell: Piece<'_>);
    /// An object that cannot be told from what follows it: so much of it, the line that is
    /// wrong, and why.
    fn broken(&mut self, piece: Piece<'_>, line: u64, why: &str);
}

/// A stream that knows its line.
pub(super) struct Feed {
    pub reader: Box<dyn BufRead>,
    /// The line of the next byte, counted from 1.
    pub line: u64,
}

impl Feed {
    /// The next byte that is no white space, which is left in the stream.
    pub(super) fn peek(&mut self) -> io::Result<Option<u8>> {
        loop {
            let chunk = self.reader.fill_buf()?;
            if chunk.is_empty() {
                return Ok(None);
            }
            let blank = chunk.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
            let lines = chunk[..blank].iter().filter(|byte| **byte == b'\n').count();
            let next = chunk.get(blank).copied();
            self.reader.consume(blank);
            self.line += u64::try_from(lines).unwrap_or(u64::MAX);
            if next.is_some() {
                return Ok(next);
            }
        }
    }
}

/// Hands every object of the source to the collector.
pub(super) fn source(source: Source, collector: &mut Collector<'_>) {
    collector.begin(&source.name);
    let outcome = decoded(source.reader).and_then(|reader| {
        let mut feed = Feed { reader, line: 1 };
        objects(&mut feed, collector)
    });
    collector.end(outcome.err().map(|error| open::plain(&error)).as_deref());
}

fn decoded(mut reader: Box<dyn Read>) -> io::Result<Box<dyn BufRead>> {
    let start = start(&mut reader, GZIP.len())?;
    let is_gzip = start == GZIP;
    let whole = BufReader::with_capacity(CHUNK, io::Cursor::new(start).chain(reader));
    if !is_gzip {
        return without_mark(whole);
    }
    without_mark(BufReader::with_capacity(CHUNK, MultiGzDecoder::new(whole)))
}

/// The stream after its byte order mark, if it has one.
fn without_mark(mut reader: impl BufRead + 'static) -> io::Result<Box<dyn BufRead>> {
    const MARK: &[u8] = "\u{feff}".as_bytes();
    let start = start(&mut reader, MARK.len())?;
    let start = if start == MARK { Vec::new() } else { start };
    Ok(Box::new(io::Cursor::new(start).chain(reader)))
}

/// The first bytes, however few of them come at a time.
fn start(reader: &mut dyn Read, count: usize) -> io::Result<Vec<u8>> {
    let mut start = Vec::with_capacity(count);
    let limit = u64::try_from(count).unwrap_or(u64::MAX);
    reader.take(limit).read_to_end(&mut start)?;
    Ok(start)
}

fn objects(feed: &mut Feed, taker: &mut dyn Taker) -> io::Result<()> {
    while let Some(next) = feed.peek()? {
        match next {
            b'{' | b'[' => json::objects(feed, taker)?,
            _ => yaml::objects(feed, taker)?,
        }
    }
    Ok(())
}
