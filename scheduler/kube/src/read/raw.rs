//! One object, cut out of its stream, on its way into a wire struct.

use super::head::{Depth, Head};
use super::split::{Format, Piece};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// One object, not read yet.
#[derive(Clone, Copy, Debug)]
pub(super) enum Raw<'a> {
    Json(&'a [u8]),
    Yaml(&'a str),
    /// An item of a list inside an object, read once already.
    Inner(&'a Value),
}

/// Why an object cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    /// Line inside the object, counted from 1; 0 if it is not known.
    pub line: u64,
    pub message: String,
    pub remedy: &'static str,
}

impl Fault {
    fn new(line: u64, message: impl Into<String>, remedy: &'static str) -> Self {
        Self { line, message: message.into(), remedy }
    }
}

/// Any list inside an object.
#[derive(Deserialize)]
struct Items {
    #[serde(default)]
    items: Option<Vec<Value>>,
}

impl<'a> Raw<'a> {
    /// The object of a piece.
    pub(super) fn of(piece: Piece<'a>) -> Result<Self, Fault> {
        // YAML may be written with brackets too; JSON always has its keys in quotes.
        let is_json = piece.format == Format::Json && {
            let inside = piece.text.get(1..).unwrap_or_default().trim_ascii_start();
            matches!(inside.first(), Some(b'"' | b'}'))
        };
        if is_json {
            return Ok(Self::Json(piece.text));
        }
        str::from_utf8(piece.text).map(Self::Yaml).map_err(|error| {
            let before = &piece.text[..error.valid_up_to()];
            let lines = before.iter().filter(|byte| **byte == b'\n').count();
            let line = u64::try_from(lines).unwrap_or(0) + 1;
            Fault::new(line, "it is not UTF-8", "save the file as UTF-8")
        })
    }

    /// What the object says about itself.
    pub(super) fn head(self, depth: Depth) -> Head {
        match self {
            Self::Json(text) => Head::of_json(text, depth),
            Self::Yaml(text) => {
                let head = Head::of_lines(text);
                if !head.kind.is_empty() || head.is_story {
                    return head;
                }
                yaml(text).unwrap_or(head)
            }
            Self::Inner(value) => Head::deserialize(value).unwrap_or_default(),
        }
    }

    /// The object in its wire struct.
    pub(super) fn parse<T: DeserializeOwned>(self) -> Result<T, Fault> {
        match self {
            Self::Json(text) => serde_json::from_slice(text).map_err(|error| {
                let line = u64::try_from(error.line()).unwrap_or(0);
                let remedy = match error.classify() {
                    serde_json::error::Category::Data => WRONG_TYPE,
                    _ => "mend the JSON there",
                };
                Fault::new(line, without_place(&error.to_string()), remedy)
            }),
            Self::Yaml(text) => yaml(text),
            Self::Inner(value) => T::deserialize(value)
                .map_err(|error| Fault::new(0, without_place(&error.to_string()), WRONG_TYPE)),
        }
    }

    /// The items of the list that the object is.
    pub(super) fn items(self) -> Result<Vec<Value>, Fault> {
        Ok(self.parse::<Items>()?.items.unwrap_or_default())
    }

    /// True if there is nothing in it: a document of comments only, or an empty one.
    pub(super) fn is_empty(self) -> bool {
        match self {
            Self::Json(_) => false,
            Self::Yaml(text) => text.lines().all(|line| {
                let line = line.trim_start();
                line.is_empty() || line.starts_with('#')
            }),
            Self::Inner(value) => value.is_null(),
        }
    }
}

const WRONG_TYPE: &str = "write the field as its kind describes it; kubectl explain shows how";

fn yaml<T: DeserializeOwned>(text: &str) -> Result<T, Fault> {
    // One object may be large (a label of a megabyte, an inventory of devices); aliases keep
    // their own limits. A bare `1e999` is for the translation to judge.
    const LIMIT: usize = 1 << 32;
    let options = serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_events: LIMIT,
            max_nodes: LIMIT,
            max_total_scalar_bytes: LIMIT,
            max_depth: 128,
        },
        non_finite_float_policy: serde_saphyr::options::NonFiniteFloatPolicy::PassThrough,
        with_snippet: false,
    };
    serde_saphyr::from_str_with_options(text, options).map_err(|error| {
        let line = error.location().map_or(0, |location| location.line());
        let message = in_words(without_place(&error.without_snippet().to_string()));
        let is_wrong_type = message.contains("invalid type") || message.starts_with("expected ");
        let remedy = match () {
            () if message.contains("duplicate") => "write each key once",
            () if is_wrong_type => WRONG_TYPE,
            () => "mend the YAML there; indentation and quotes are the usual places",
        };
        Fault::new(line, message, remedy)
    })
}

/// Some messages of the YAML reader speak of its events.
fn in_words(said: String) -> String {
    match said.as_str() {
        "expected sequence start" => "expected a list here".to_owned(),
        "expected mapping start" => "expected fields with values here".to_owned(),
        _ => said,
    }
}

/// The message without the place inside the object, which is told as a line of the file.
fn without_place(said: &str) -> String {
    let said = said.rfind(" at line ").map_or(said, |cut| &said[..cut]);
    // What is quoted in it may be a megabyte long.
    match said.char_indices().nth(200) {
        Some((end, _)) => format!("{}…", &said[..end]),
        None => said.to_owned(),
    }
}
