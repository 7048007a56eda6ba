//! Durations as people write them in manifests: Go's `90s`, `1h30m`, `1.5h`, or plain seconds.
//!
//! Invariants: no float, no panic on any text; parts of a millisecond are rounded up (a run
//! time that is not zero never reads as zero), and what is too long saturates.

use scheduler_model::time::Span;

const NANOS_PER_MS: u128 = 1_000_000;

/// Reads `text` as a length of time. Days (`d`) are accepted beside Go's units, and a number
/// without a unit is seconds. `None` if it is no duration, or negative.
#[must_use]
pub fn parse(text: &str) -> Option<Span> {
    let text = text.strip_prefix('+').unwrap_or(text);
    if text.is_empty() {
        return None;
    }
    let mut nanos = 0_u128;
    let mut rest = text;
    while !rest.is_empty() {
        let (part, after) = split_part(rest, rest.len() == text.len())?;
        nanos = nanos.saturating_add(part);
        rest = after;
    }
    let ms = nanos.div_ceil(NANOS_PER_MS);
    Some(Span::from_ms(i64::try_from(ms).unwrap_or(i64::MAX)))
}

/// Takes one `number unit` off the front. Only a text that is one number may lack the unit.
fn split_part(text: &str, is_first: bool) -> Option<(u128, &str)> {
    let (whole, rest) = split_digits(text);
    let (fraction, rest) = match rest.strip_prefix('.') {
        Some(rest) => split_digits(rest),
        None => ("", rest),
    };
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let (nanos_per_unit, rest) = split_unit(rest, is_first)?;
    let number = |digits: &str| {
        digits.bytes().fold(0_u128, |sum, byte| {
            sum.saturating_mul(10).saturating_add(u128::from(byte - b'0'))
        })
    };
    // The longest unit is a day, 8.64e13 ns: all digits beyond the 18th say less than 1 ns.
    let (fraction, beyond) = fraction.split_at(fraction.len().min(18));
    let size = u32::try_from(fraction.len()).unwrap_or(0);
    let more = u128::from(beyond.bytes().any(|byte| byte != b'0'));
    let part = (number(fraction) * nanos_per_unit).div_ceil(10_u128.pow(size)) + more;
    Some((number(whole).saturating_mul(nanos_per_unit).saturating_add(part), rest))
}

fn split_digits(text: &str) -> (&str, &str) {
    let end = text.bytes().position(|byte| !byte.is_ascii_digit()).unwrap_or(text.len());
    text.split_at(end)
}

fn split_unit(text: &str, is_first: bool) -> Option<(u128, &str)> {
    // Longer names first: `ms` also begins like `m`.
    const UNITS: [(&str, u128); 9] = [
        ("ns", 1),
        ("us", 1_000),
        ("µs", 1_000),
        ("μs", 1_000),
        ("ms", NANOS_PER_MS),
        ("s", 1_000_000_000),
        ("m", 60_000_000_000),
        ("h", 3_600_000_000_000),
        ("d", 86_400_000_000_000),
    ];
    if text.is_empty() {
        return is_first.then_some((1_000_000_000, text));
    }
    UNITS.iter().find_map(|(name, nanos)| Some((*nanos, text.strip_prefix(name)?)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ms(text: &str) -> Option<i64> {
        parse(text).map(Span::ms)
    }

    #[test]
    fn durations_are_read_as_go_and_people_write_them() {
        for (text, want) in [
            ("90s", 90_000),
            ("1h30m", 5_400_000),
            ("2m", 120_000),
            ("1.5h", 5_400_000),
            ("250ms", 250),
            ("1d", 86_400_000),
            ("60", 60_000),
            ("0", 0),
            ("0.5", 500),
            ("+3s", 3_000),
            (".5s", 500),
            ("1h0m0.25s", 3_600_250),
        ] {
            assert_eq!(ms(text), Some(want), "{text}");
        }
    }

    #[test]
    fn parts_of_a_millisecond_are_rounded_up() {
        assert_eq!(ms("1ns"), Some(1));
        assert_eq!(ms("1500us"), Some(2));
        assert_eq!(ms("1µs"), Some(1));
        assert_eq!(ms("0.00000000000000000000000001s"), Some(1));
    }

    #[test]
    fn what_is_no_duration_is_refused() {
        for text in ["", "-5s", "s", "h1", "1 h", "1h ", "5x", "1h30", "one", ".", "1..5s", "٣s"] {
            assert_eq!(ms(text), None, "{text:?}");
        }
    }

    #[test]
    fn what_is_too_long_saturates() {
        assert_eq!(ms(&format!("{}h", "9".repeat(100))), Some(i64::MAX));
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "\\PC*") {
            let _ = parse(&text);
        }

        #[test]
        fn what_is_shown_reads_back_the_same(ms in 0..i64::MAX) {
            let span = Span::from_ms(ms);
            prop_assert_eq!(parse(&span.to_string()), Some(span));
        }
    }
}
