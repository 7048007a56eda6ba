//! Names of many nodes in few characters: `a[1-4],b7`, `n[001-004]`.

use scheduler_model::node::natural;
use std::collections::BTreeMap;

/// The names in order, each once, runs of numbers as ranges.
#[must_use]
pub fn compress<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let mut names: Vec<&str> = names.into_iter().collect();
    names.sort_by(|a, b| natural(a, b));
    names.dedup();
    // Families of names that differ in one number, in order of their first name.
    let mut families: Vec<(Family<'_>, Vec<Number<'_>>)> = Vec::new();
    let mut rows: BTreeMap<Family<'_>, usize> = BTreeMap::new();
    for name in names {
        let (family, number) = split(name);
        let row = *rows.entry(family).or_insert_with(|| {
            families.push((family, Vec::new()));
            families.len() - 1
        });
        families[row].1.extend(number);
    }
    let shown: Vec<String> =
        families.iter().map(|(family, numbers)| show(*family, numbers)).collect();
    shown.join(",")
}

/// What stands before and behind the number of a name.
type Family<'a> = (&'a str, &'a str);

/// A number as written, and its value.
type Number<'a> = (&'a str, u64);

/// The number is the last one before the domain: in `gpu2-n017.rack3.example` it is 017.
fn split(name: &str) -> (Family<'_>, Option<Number<'_>>) {
    let host = name.find('.').unwrap_or(name.len());
    let is_digit = |c: char| c.is_ascii_digit();
    let Some(last) = name[..host].rfind(is_digit) else { return ((name, ""), None) };
    let begin = name[..last]
        .rfind(|c| !is_digit(c))
        .map_or(0, |before| before + name[before..].chars().next().map_or(1, char::len_utf8));
    let digits = &name[begin..=last];
    match digits.parse() {
        Ok(value) => ((&name[..begin], &name[last + 1..]), Some((digits, value))),
        Err(_) => ((name, ""), None),
    }
}

fn show((before, behind): Family<'_>, numbers: &[Number<'_>]) -> String {
    let mut ranges: Vec<(Number<'_>, Number<'_>)> = Vec::new();
    for number in numbers {
        match ranges.last_mut() {
            Some((_, end)) if follows(*end, *number) => *end = *number,
            _ => ranges.push((*number, *number)),
        }
    }
    match ranges.as_slice() {
        [] => before.to_owned(),
        [(first, last)] if first == last => format!("{before}{}{behind}", first.0),
        _ => {
            let range = |(first, last): &(Number<'_>, Number<'_>)| match first == last {
                true => first.0.to_owned(),
                false => format!("{}-{}", first.0, last.0),
            };
            let inside: Vec<String> = ranges.iter().map(range).collect();
            format!("{before}[{}]{behind}", inside.join(","))
        }
    }
}

/// True if both are written in one way: `9` goes on with `10`, `09` too, but not with `010`.
fn follows((written, value): Number<'_>, (next_written, next): Number<'_>) -> bool {
    let is_padded = |text: &str| text.starts_with('0') && text.len() > 1;
    let is_alike =
        written.len() == next_written.len() || !(is_padded(written) || is_padded(next_written));
    next == value + 1 && is_alike
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn shows(names: &str, want: &str) {
        assert_eq!(compress(names.split(' ').filter(|name| !name.is_empty())), want);
    }

    #[test]
    fn runs_of_numbers_are_ranges() {
        shows("a1 a2 a3 a4 b7", "a[1-4],b7");
        shows("a1 a2 a4 a10 a9", "a[1-2,4,9-10]");
        shows("", "");
    }

    #[test]
    fn padding_is_kept() {
        shows("n001 n002 n003 n004", "n[001-004]");
        shows("n09 n10 n11", "n[09-11]");
        shows("n9 n010", "n[9,010]");
        shows("n99 n100", "n[99-100]");
    }

    #[test]
    fn a_domain_stays_behind_the_range() {
        shows("gpu-1.r2.example gpu-2.r2.example", "gpu-[1-2].r2.example");
        shows("a1x a2x", "a[1-2]x");
    }

    #[test]
    fn names_that_have_no_number_or_a_huge_one_stand_by_themselves() {
        shows("login α1 α2", "login,α[1-2]");
        shows("n99999999999999999999999", "n99999999999999999999999");
    }

    #[test]
    fn a_name_is_shown_once() {
        shows("a1 a1 a2", "a[1-2]");
    }
}
