//! A quantity as it is written: text, or a bare number.

use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer};
use std::collections::BTreeMap;
use std::fmt;

/// The text of a quantity, not judged yet: see [`crate::quantity`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quantity(pub String);

/// Quantities by resource name.
pub type ResourceList = BTreeMap<String, Quantity>;

impl Default for Quantity {
    fn default() -> Self {
        Self("0".to_owned())
    }
}

impl<'de> Deserialize<'de> for Quantity {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Text)
    }
}

struct Text;

impl Visitor<'_> for Text {
    type Value = Quantity;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a quantity such as 4, \"500m\" or \"32Gi\"")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Quantity, E> {
        Ok(Quantity(text.to_owned()))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Quantity, E> {
        Ok(Quantity(number.to_string()))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Quantity, E> {
        Ok(Quantity(number.to_string()))
    }

    fn visit_u128<E: Error>(self, number: u128) -> Result<Quantity, E> {
        Ok(Quantity(number.to_string()))
    }

    fn visit_i128<E: Error>(self, number: i128) -> Result<Quantity, E> {
        Ok(Quantity(number.to_string()))
    }

    // The shortest text that means this float: what was written, but for more than 17 digits.
    // YAML readers turn a bare `1e999` into infinity where their options let it pass.
    fn visit_f64<E: Error>(self, number: f64) -> Result<Quantity, E> {
        Ok(Quantity(match number {
            f64::INFINITY => "1e999".to_owned(),
            f64::NEG_INFINITY => "-1e999".to_owned(),
            finite => finite.to_string(),
        }))
    }

    // A `null` amount means zero to an API server.
    fn visit_unit<E: Error>(self) -> Result<Quantity, E> {
        Ok(Quantity::default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_text_are_both_quantities() {
        for (json, text) in [
            ("\"500m\"", "500m"),
            ("4", "4"),
            ("-1", "-1"),
            ("0.1", "0.1"),
            ("1e3", "1000"),
            ("null", "0"),
        ] {
            let read: Quantity = serde_json::from_str(json).expect(json);
            assert_eq!(read.0, text);
        }
    }

    #[test]
    fn anything_else_is_refused_with_words_that_help() {
        let error = serde_json::from_str::<Quantity>("[1]").expect_err("a list").to_string();
        assert!(error.contains("expected a quantity such as 4"), "{error}");
    }
}
