//! The bytes of lists and watches: lines, pages, and what stands around the objects in them.
//!
//! Invariant: an object that cannot be read is one object's problem. Only what stands around
//! objects can spoil a connection.
//!
//! A watch brings each object in full, half of it bookkeeping of the server. Lines about changed
//! objects are therefore gone through once, by whoever decodes the object; here only their ends
//! are looked at, and the version, which stands early.

use super::{fault, seek};
use crate::desk::Name;
use scheduler_protocol::watch::{Fault, Line};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Longest line or page that is read; a list of everything at once may be large.
const LONGEST: usize = 1 << 30;
/// The annotation of the bookmark that ends a streaming list.
const ENDS_LIST: &str = "k8s.io/initial-events-end";
/// Where the version of an object stands.
const VERSION: [&str; 2] = ["metadata", "resourceVersion"];

/// Cuts a stream into lines.
#[derive(Debug, Default)]
pub(super) struct Lines {
    buffer: Vec<u8>,
    /// Bytes in which no line ends.
    seen: usize,
    /// Bytes that were handed out.
    start: usize,
}

impl Lines {
    /// More of the stream.
    ///
    /// # Errors
    /// If a line has no end.
    pub(super) fn push(&mut self, chunk: &[u8]) -> Result<(), Fault> {
        if self.start > 0 {
            self.buffer.drain(..self.start);
            (self.seen, self.start) = (self.seen - self.start, 0);
        }
        if self.buffer.len() + chunk.len() > LONGEST {
            return Err(Fault::garbage("a line of the watch has no end"));
        }
        self.buffer.extend_from_slice(chunk);
        Ok(())
    }

    /// The next whole line.
    pub(super) fn next(&mut self) -> Option<&[u8]> {
        let Some(end) = memchr::memchr(b'\n', &self.buffer[self.seen..]) else {
            self.seen = self.buffer.len();
            return None;
        };
        let (start, end) = (self.start, self.seen + end);
        (self.start, self.seen) = (end + 1, end + 1);
        Some(&self.buffer[start..end])
    }
}

/// One line of a watch.
#[derive(Deserialize)]
struct Frame<'a> {
    #[serde(rename = "type", borrow)]
    kind: Cow<'a, str>,
    #[serde(borrow)]
    object: &'a RawValue,
}

/// What an object says about itself.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Head<'a> {
    #[serde(borrow)]
    metadata: HeadMeta<'a>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct HeadMeta<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
    #[serde(borrow)]
    namespace: Cow<'a, str>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Bookmark {
    metadata: BookmarkMeta,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct BookmarkMeta {
    resource_version: String,
    annotations: Option<BTreeMap<String, String>>,
}

/// A line, read as far as a watch needs it.
pub(super) struct Read<'a> {
    pub line: Line,
    /// The object, for lines that have one.
    pub object: &'a [u8],
}

/// Reads a line. The versions of objects are looked for only where they matter. Changed objects
/// are not gone through: where one cannot be decoded, [`whole`] says whether the line was one.
///
/// # Errors
/// If it makes no sense.
pub(super) fn line(bytes: &[u8], needs_version: bool) -> Result<Read<'_>, Fault> {
    let version = |object| needs_version.then(|| seek::text(object, &VERSION));
    let changed = |object| Read { line: Line::Changed { version: version(object) }, object };
    if let Some(object) = changed_object(bytes) {
        return Ok(changed(object));
    }
    let frame: Frame<'_> = serde_json::from_slice(bytes).map_err(|error| senseless(&error))?;
    let object = frame.object.get().as_bytes();
    let line = match &*frame.kind {
        "ADDED" | "MODIFIED" => return Ok(changed(object)),
        "DELETED" => Line::Deleted { version: version(object) },
        "BOOKMARK" => {
            let Bookmark { metadata } = serde_json::from_slice(object)
                .map_err(|error| Fault::garbage(format!("a bookmark makes no sense: {error}")))?;
            let marks = metadata.annotations.unwrap_or_default();
            let ends_list = marks.get(ENDS_LIST).is_some_and(|value| value == "true");
            Line::Bookmark { version: metadata.resource_version, ends_list }
        }
        "ERROR" => Line::Failed(fault::of_status(0, object)),
        other => return Err(Fault::garbage(format!("{other:?} is no line of a watch"))),
    };
    Ok(Read { line, object })
}

/// The object of a line about a changed one, as the API server writes such lines.
fn changed_object(bytes: &[u8]) -> Option<&[u8]> {
    let rest = bytes.strip_prefix(br#"{"type":""#)?;
    let rest = rest.strip_prefix(b"ADDED").or_else(|| rest.strip_prefix(b"MODIFIED"))?;
    rest.strip_prefix(br#"","object":"#)?.trim_ascii_end().strip_suffix(b"}")
}

/// Goes through a whole line, and gives the object in it.
///
/// # Errors
/// If it makes no sense, so that it is no object that is to blame.
pub(super) fn whole(bytes: &[u8]) -> Result<&[u8], Fault> {
    let frame: Frame<'_> = serde_json::from_slice(bytes).map_err(|error| senseless(&error))?;
    Ok(frame.object.get().as_bytes())
}

fn senseless(error: &serde_json::Error) -> Fault {
    Fault::garbage(format!("a line of the watch makes no sense: {error}"))
}

fn head(object: &[u8]) -> Head<'_> {
    serde_json::from_slice(object).unwrap_or_default()
}

/// What an object is called, though the rest of it may make no sense.
pub(super) fn name(object: &[u8]) -> Name {
    let HeadMeta { name, namespace, .. } = head(object).metadata;
    Name { namespace: namespace.into_owned(), name: name.into_owned() }
}

/// A page of a list.
#[derive(Deserialize)]
pub(super) struct Page<'a> {
    #[serde(default)]
    pub metadata: PageMeta,
    #[serde(borrow, default)]
    pub items: Option<Vec<&'a RawValue>>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct PageMeta {
    pub resource_version: String,
    #[serde(rename = "continue")]
    pub token: String,
}

/// Reads a page.
///
/// # Errors
/// If it makes no sense.
pub(super) fn page(bytes: &[u8]) -> Result<Page<'_>, Fault> {
    serde_json::from_slice(bytes)
        .map_err(|error| Fault::garbage(format!("the list makes no sense: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_whole_however_the_chunks_fall() {
        let text = b"{\"a\":1}\n\n{\"b\":2}\n{\"c\"";
        for size in 1..text.len() {
            let (mut lines, mut found) = (Lines::default(), Vec::new());
            for chunk in text.chunks(size) {
                lines.push(chunk).expect("it is short");
                while let Some(line) = lines.next() {
                    found.push(String::from_utf8_lossy(line).into_owned());
                }
            }
            assert_eq!(found, ["{\"a\":1}", "", "{\"b\":2}"], "chunks of {size}");
        }
    }

    #[test]
    fn a_changed_object_has_its_version_where_it_matters() {
        let text =
            br#"{"type":"MODIFIED","object":{"metadata":{"name":"x","resourceVersion":"7"}}}"#;
        let read = line(text, true).expect("a line");
        assert_eq!(read.line, Line::Changed { version: Some("7".to_owned()) });
        assert_eq!(name(read.object).name, "x");
        assert_eq!(line(text, false).expect("a line").line, Line::Changed { version: None });
    }

    #[test]
    fn a_changed_object_is_found_however_its_line_is_written() {
        let object = r#"{"kind":"Pod","metadata":{"uid":"u","resourceVersion":"7"},"a":[{}]}"#;
        let texts = [
            format!(r#"{{"type":"ADDED","object":{object}}}"#),
            format!(r#"{{"type":"MODIFIED","object":{object}}}  "#),
            format!(r#"{{ "type" : "ADDED", "object" : {object} }}"#),
            format!(r#"{{"object":{object},"type":"MODIFIED"}}"#),
        ];
        for text in texts {
            let read = line(text.as_bytes(), true).expect("a line");
            assert_eq!(read.line, Line::Changed { version: Some("7".to_owned()) }, "{text}");
            assert_eq!(String::from_utf8_lossy(read.object), object, "{text}");
            assert!(whole(text.as_bytes()).is_ok(), "{text}");
        }
    }

    #[test]
    fn a_torn_line_is_told_from_an_object_that_makes_no_sense() {
        let torn = [
            r#"{"type":"ADDED","object":{"metadata":{}"#,
            r#"{"type":"ADDED","object":{"metadata":{}}} and more}"#,
            r#"{"type":"MODIFIED","object":}"#,
        ];
        for text in torn {
            assert!(whole(text.as_bytes()).is_err(), "{text}");
        }
        assert_eq!(whole(br#"{"type":"ADDED","object":7}"#).ok(), Some(&b"7"[..]));
        let more = br#"{"type":"ADDED","object":{"a":1},"more":{}}"#;
        assert_eq!(whole(more).ok(), Some(&br#"{"a":1}"#[..]));
    }

    #[test]
    fn the_bookmark_that_ends_a_list_is_told_from_others() {
        let bookmark = |more: &str| {
            let text = format!(
                r#"{{"type":"BOOKMARK","object":{{"metadata":{{"resourceVersion":"9"{more}}}}}}}"#
            );
            line(text.as_bytes(), true).expect("a line").line
        };
        let version = "9".to_owned();
        assert_eq!(bookmark(""), Line::Bookmark { version: version.clone(), ends_list: false });
        let mark = r#","annotations":{"k8s.io/initial-events-end":"true"}"#;
        assert_eq!(bookmark(mark), Line::Bookmark { version, ends_list: true });
    }

    #[test]
    fn an_error_line_is_a_fault_with_its_code() {
        let text = br#"{"type":"ERROR","object":{"kind":"Status","code":410,"reason":"Expired",
            "message":"too old","details":{"retryAfterSeconds":3}}}"#;
        let Line::Failed(fault) = line(text, true).expect("a line").line else { panic!("a fault") };
        assert_eq!((fault.code, &*fault.reason, &*fault.message), (410, "Expired", "too old"));
        assert_eq!(fault.retry_after.map(|span| span.ms()), Some(3000));
    }

    #[test]
    fn what_makes_no_sense_is_a_fault_and_no_panic() {
        let texts =
            ["", "{", "[]", r#"{"type":"ODD","object":{}}"#, r#"{"type":"ADDED"}"#, "\u{0}"];
        for text in texts {
            let fault = line(text.as_bytes(), true).err().expect(text);
            assert!(fault.is_garbage, "{text}");
        }
        assert!(page(b"no list").is_err());
    }

    #[test]
    fn a_page_hands_out_its_items_unread() {
        let text = br#"{"metadata":{"resourceVersion":"5","continue":"t"},"items":[{"a":1},7]}"#;
        let page = page(text).expect("a page");
        let items: Vec<&str> = page.items.iter().flatten().map(|item| item.get()).collect();
        assert_eq!((items, &*page.metadata.token), (vec!["{\"a\":1}", "7"], "t"));
        assert!(super::page(br#"{"metadata":{},"items":null}"#).is_ok());
    }
}
