//! Name patterns: `a{1..4}` is a1, a2, a3, a4; `{a,b}{01..02}` is a01, a02, b01, b02.

use serde::de::{Deserialize, Deserializer, Error as _, SeqAccess, Visitor};
use std::fmt;

/// As many names as one value may mean.
const NAMES_MAX: usize = 100_000;
/// As long as a pattern may be, which bounds how many braces follow each other.
const PATTERN_BYTES_MAX: usize = 1024;

/// All names that `pattern` means, in order.
pub(crate) fn expand(pattern: &str) -> Result<Vec<String>, String> {
    let Some((before, rest)) = pattern.split_once('{') else {
        return match pattern {
            "" => Err("a name is empty".to_owned()),
            _ => Ok(vec![pattern.to_owned()]),
        };
    };
    if pattern.len() > PATTERN_BYTES_MAX {
        return Err(format!("a pattern is longer than {PATTERN_BYTES_MAX} bytes"));
    }
    let Some((inside, after)) = rest.split_once('}') else {
        return Err(format!("{pattern:?} opens a brace that it does not close"));
    };
    let middles = alternatives(inside)
        .ok_or_else(|| format!("{pattern:?}: write braces like {{1..4}}, {{01..12}} or {{a,b}}"))?;
    let tails = if after.is_empty() { vec![String::new()] } else { expand(after)? };
    if middles.len().saturating_mul(tails.len()) > NAMES_MAX {
        return Err(format!("{pattern:?} means more than {NAMES_MAX} names"));
    }
    let join = |middle: &String| {
        tails.iter().map(|tail| format!("{before}{middle}{tail}")).collect::<Vec<_>>()
    };
    Ok(middles.iter().flat_map(join).collect())
}

fn alternatives(inside: &str) -> Option<Vec<String>> {
    let Some((from, to)) = inside.split_once("..") else {
        let words: Vec<String> = inside.split(',').map(|word| word.trim().to_owned()).collect();
        return (words.len() > 1 && words.iter().all(|word| !word.is_empty())).then_some(words);
    };
    let width = if from.starts_with('0') { from.len() } else { 0 };
    let (from, to) = (from.parse::<usize>().ok()?, to.parse::<usize>().ok()?);
    if from > to || to - from >= NAMES_MAX {
        return None;
    }
    Some((from..=to).map(|number| format!("{number:0width$}")).collect())
}

/// One pattern, or a list of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Names(pub(crate) Vec<String>);

impl<'de> Deserialize<'de> for Names {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NamesVisitor)
    }
}

struct NamesVisitor;

impl<'de> Visitor<'de> for NamesVisitor {
    type Value = Names;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name, a pattern such as \"a{1..4}\", or a list of them")
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Names, E> {
        expand(text).map(Names).map_err(E::custom)
    }

    fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<Names, E> {
        Ok(Names(vec![number.to_string()]))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Names, A::Error> {
        let mut names = Vec::new();
        while let Some(pattern) = list.next_element::<String>()? {
            names.append(&mut expand(&pattern).map_err(A::Error::custom)?);
            if names.len() > NAMES_MAX {
                return Err(A::Error::custom(format!("more than {NAMES_MAX} names")));
            }
        }
        Ok(Names(names))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_count_with_and_without_padding_and_multiply() {
        assert_eq!(expand("a{1..3}").unwrap(), ["a1", "a2", "a3"]);
        assert_eq!(expand("n{08..10}x").unwrap(), ["n08x", "n09x", "n10x"]);
        assert_eq!(expand("{a,b}{1..2}").unwrap(), ["a1", "a2", "b1", "b2"]);
        assert_eq!(expand("plain").unwrap(), ["plain"]);
    }

    #[test]
    fn broken_or_huge_patterns_are_refused() {
        for pattern in ["", "a{1..", "a{4..1}", "a{}", "a{x..y}", "a{1..999999999}"] {
            assert!(expand(pattern).is_err(), "{pattern}");
        }
        assert!(expand("{1..999}{1..999}").is_err());
        assert!(expand(&"{1..1}".repeat(100_000)).is_err());
    }
}
