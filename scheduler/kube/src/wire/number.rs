//! Whole numbers as people get them wrong: too large, fractional, in quotes.
//!
//! Invariant: any scalar is read, so that one odd number never costs the whole object; what it
//! means is decided, and said, by [`crate::translate`].

use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer};
use std::fmt;

/// A number that ought to be whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Number {
    /// It is; beyond 64 bits it is the nearest that fits.
    Whole(i64),
    /// It is not; this is what stands there.
    Other(String),
}

impl Number {
    /// Reads text as a number.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
        let is_whole = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        if !is_whole {
            return Self::Other(text.to_owned());
        }
        let nearest = if text.starts_with('-') { i64::MIN } else { i64::MAX };
        Self::Whole(text.parse().unwrap_or(nearest))
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole(value) => value.fmt(f),
            Self::Other(text) => f.write_str(text),
        }
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Scalar)
    }
}

struct Scalar;

impl Visitor<'_> for Scalar {
    type Value = Number;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a whole number")
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<Number, E> {
        Ok(Number::Other(value.to_string()))
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Number, E> {
        Ok(Number::Whole(value))
    }

    fn visit_i128<E: de::Error>(self, value: i128) -> Result<Number, E> {
        let nearest = if value < 0 { i64::MIN } else { i64::MAX };
        Ok(Number::Whole(i64::try_from(value).unwrap_or(nearest)))
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Number, E> {
        Ok(Number::Whole(i64::try_from(value).unwrap_or(i64::MAX)))
    }

    fn visit_u128<E: de::Error>(self, value: u128) -> Result<Number, E> {
        Ok(Number::Whole(i64::try_from(value).unwrap_or(i64::MAX)))
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Number, E> {
        // `3.0` is written as `3`, `1e30` as its digits: both then read like text.
        self.visit_str(&value.to_string())
    }

    fn visit_str<E: de::Error>(self, value: &str) -> Result<Number, E> {
        Ok(Number::of(value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Number {
        serde_json::from_str(json).expect("a scalar")
    }

    #[test]
    fn numbers_that_are_too_large_read_as_the_nearest() {
        assert_eq!(read("18446744073709551615"), Number::Whole(i64::MAX));
        assert_eq!(read("1e30"), Number::Whole(i64::MAX));
        assert_eq!(read("-1e30"), Number::Whole(i64::MIN));
    }

    #[test]
    fn whole_numbers_are_whole_however_they_are_written() {
        for json in ["4", "4.0", "\"4\"", "\"+4\""] {
            assert_eq!(read(json), Number::Whole(4), "{json}");
        }
    }

    #[test]
    fn what_is_no_whole_number_keeps_its_text() {
        for (json, text) in [("1.5", "1.5"), ("\"four\"", "four"), ("true", "true"), ("\"\"", "")] {
            assert_eq!(read(json), Number::Other(text.to_owned()), "{json}");
        }
    }
}
