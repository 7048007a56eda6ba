//! The small languages inside the YAML: amounts, times, name patterns, selectors, taints.
//!
//! Each reads one text into one value of the model, exactly or not at all. [`Text`] makes any
//! of them a YAML value whose error carries its line. Next: `file`, which is made of them.

mod mark;
mod name;
mod quantity;
mod selector;
mod time;

pub(crate) use name::{Names, expand};
pub(crate) use quantity::{Amounts, full_name, read_amount};
pub(crate) use time::write_time;

use serde::de::{Deserialize, Deserializer, Error as _};

/// A value that is written as one text.
pub(crate) trait Read: Sized {
    /// Reads all of `text`, or says what is wrong with it.
    fn read(text: &str) -> Result<Self, String>;
}

/// A YAML scalar that holds a `T` in its own small language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Text<T>(pub(crate) T);

impl<'de, T: Read> Deserialize<'de> for Text<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        T::read(&text).map(Self).map_err(D::Error::custom)
    }
}

/// The plain values of a list of texts.
pub(crate) fn plain<T>(texts: Vec<Text<T>>) -> Vec<T> {
    texts.into_iter().map(|text| text.0).collect()
}
