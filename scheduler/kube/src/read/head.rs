//! The first look at an object: what it is and what it is called, without reading it.

use serde::de::{DeserializeSeed, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::fmt;

/// What an object says about itself. Empty where it does not, or not readably.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Head {
    pub api_version: String,
    pub kind: String,
    pub namespace: String,
    pub name: String,
    pub is_story: bool,
}

impl Head {
    /// The API group; empty for the core one.
    pub(super) fn group(&self) -> &str {
        self.api_version.split_once('/').map_or("", |(group, _)| group)
    }

    /// The object as a person names it.
    pub(super) fn object(&self) -> String {
        let name = match (self.namespace.as_str(), self.name.as_str()) {
            (_, "") => String::new(),
            ("", name) => format!(" {name}"),
            (namespace, name) => format!(" {namespace}/{name}"),
        };
        match self.kind.as_str() {
            "" => format!("object{name}"),
            kind => format!("{kind}{name}"),
        }
    }

    /// Of JSON, as far as it can be read.
    pub(super) fn of_json(text: &[u8], depth: Depth) -> Self {
        let mut head = Self::default();
        let mut reader = serde_json::Deserializer::from_slice(text);
        // An error only ends the look: whoever reads the object says what is wrong.
        let _ = reader.deserialize_map(Top { head: &mut head, depth });
        head
    }

    /// Of YAML in block style, by its lines.
    pub(super) fn of_lines(text: &str) -> Self {
        let mut head = Self::default();
        let mut base = None;
        let mut inner: Option<Option<usize>> = None;
        for line in text.lines() {
            let trimmed = line.trim_start_matches(' ');
            let Some((key, value)) = trimmed.split_once(':') else { continue };
            if key.starts_with('#') || key.starts_with('-') {
                continue;
            }
            let indent = line.len() - trimmed.len();
            let key = key.trim_matches(['"', '\'', ' ']);
            if indent == *base.get_or_insert(indent) {
                inner = (key == "metadata").then_some(None);
                match key {
                    "apiVersion" => head.api_version = scalar(value),
                    "kind" => head.kind = scalar(value),
                    "story" => head.is_story = true,
                    _ => {}
                }
            } else if let Some(seen) = &mut inner
                && indent == *seen.get_or_insert(indent)
            {
                match key {
                    "name" => head.name = scalar(value),
                    "namespace" => head.namespace = scalar(value),
                    _ => {}
                }
            }
        }
        head
    }
}

/// A plain or quoted value that stands on one line, without its comment.
fn scalar(value: &str) -> String {
    let value = value.trim();
    let value = match value.chars().next() {
        Some(quote @ ('"' | '\'')) => value[1..].split(quote).next().unwrap_or_default(),
        _ => value.split(" #").next().unwrap_or_default().trim_end(),
    };
    value.to_owned()
}

/// How far a look goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Depth {
    /// Until the kind is known, which is the first few bytes of what an API server writes.
    Kind,
    /// Through the whole object, for its name.
    Name,
}

struct Top<'a> {
    head: &'a mut Head,
    depth: Depth,
}

impl<'de> Visitor<'de> for Top<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "apiVersion" => self.head.api_version = map.next_value::<Word>()?.0,
                "kind" => self.head.kind = map.next_value::<Word>()?.0,
                "metadata" if self.depth == Depth::Name => map.next_value_seed(Inner(self.head))?,
                _ => {
                    self.head.is_story |= key == "story";
                    map.next_value::<IgnoredAny>()?;
                }
            }
            let is_known = !self.head.api_version.is_empty() && !self.head.kind.is_empty();
            if is_known && self.depth == Depth::Kind {
                break;
            }
        }
        Ok(())
    }
}

/// Looks for the names inside `metadata`.
struct Inner<'a>(&'a mut Head);

impl<'de> DeserializeSeed<'de> for Inner<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Inner<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("metadata")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "name" => self.0.name = map.next_value::<Word>()?.0,
                "namespace" => self.0.namespace = map.next_value::<Word>()?.0,
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(())
    }
}

/// A text; empty for anything else.
struct Word(String);

impl<'de> Deserialize<'de> for Word {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = serde_json::Value::deserialize(deserializer)?;
        Ok(Self(value.as_str().unwrap_or_default().to_owned()))
    }
}

/// Reads a whole look from any format; used where lines do not tell.
impl<'de> Deserialize<'de> for Head {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut head = Self::default();
        deserializer.deserialize_map(Top { head: &mut head, depth: Depth::Name })?;
        Ok(head)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_looked_at_no_further_than_needed() {
        let text = br#"{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},"spec":broken"#;
        let head = Head::of_json(text, Depth::Kind);
        assert_eq!((&*head.kind, &*head.name), ("Pod", ""));
        assert_eq!(Head::of_json(text, Depth::Name).object(), "Pod a");
    }

    #[test]
    fn yaml_is_looked_at_by_its_lines() {
        let head = Head::of_lines(
            "# note\n  kind: \"Job\" # quoted\n  metadata:\n    labels:\n      name: no\n    \
             name: train\n    namespace: 'team-a'\n  apiVersion: batch/v1\n  spec: {name: no",
        );
        assert_eq!(head.object(), "Job team-a/train");
        assert_eq!(head.group(), "batch");
    }

    #[test]
    fn objects_without_a_name_are_still_named() {
        assert_eq!(Head::default().object(), "object");
    }
}
