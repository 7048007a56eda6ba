//! One text deep inside a long object, read no further than to it.
//!
//! Invariant: what stands behind the text is never looked at, so it may make no sense.

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, Visitor};
use std::fmt;

/// The text at the end of `path`; empty where there is none.
pub(super) fn text(json: &[u8], path: &[&str]) -> String {
    let mut found = String::new();
    let mut json = serde_json::Deserializer::from_slice(json);
    // It fails once it has found what it looks for, which is how it comes to stop.
    let _ = Seek { path, found: &mut found }.deserialize(&mut json);
    found
}

/// Goes down a path.
struct Seek<'a> {
    path: &'a [&'a str],
    found: &'a mut String,
}

impl<'de> DeserializeSeed<'de> for Seek<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        match self.path {
            [] => json.deserialize_str(self),
            _ => json.deserialize_map(self),
        }
    }
}

impl<'de> Visitor<'de> for Seek<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text somewhere inside an object")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<(), E> {
        text.clone_into(self.found);
        Err(E::custom("found"))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Some((first, path)) = self.path.split_first() else { return Ok(()) };
        while let Some(is_first) = map.next_key_seed(Is(first))? {
            if is_first {
                map.next_value_seed(Seek { path, found: self.found })?;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }
}

/// Whether a key is the one that is looked for.
struct Is<'a>(&'a str);

impl<'de> DeserializeSeed<'de> for Is<'_> {
    type Value = bool;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<bool, D::Error> {
        json.deserialize_identifier(self)
    }
}

impl Visitor<'_> for Is<'_> {
    type Value = bool;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E: Error>(self, key: &str) -> Result<bool, E> {
        Ok(key == self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_found_wherever_it_stands_and_whatever_comes_after_it() {
        let version = |json: &str| text(json.as_bytes(), &["metadata", "resourceVersion"]);
        assert_eq!(version(r#"{"metadata":{"resourceVersion":"7"}}"#), "7");
        assert_eq!(
            version(r#"{"a":{"metadata":1},"metadata":{"x":[],"resourceVersion":"7"}}"#),
            "7"
        );
        assert_eq!(version(r#"{"metadata":{"resourceVersion":"7"}, and no more"#), "7");
        assert_eq!(version(r#"{"metadata":{"resourceVersion":"\u0037"}}"#), "7");
    }

    #[test]
    fn where_there_is_none_it_is_empty() {
        let version = |json: &str| text(json.as_bytes(), &["metadata", "resourceVersion"]);
        let texts = [
            "",
            "{",
            "[]",
            "{}",
            r#"{"metadata":null}"#,
            r#"{"metadata":{"resourceVersion":7}}"#,
            r#"{"resourceVersion":"7"}"#,
        ];
        for json in texts {
            assert_eq!(version(json), "", "{json}");
        }
    }
}
