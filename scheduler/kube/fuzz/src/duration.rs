//! Durations, against exact fractions where those are short enough.
//!
//! Holds: what is read is the exact length rounded up by at most a millisecond, never 0 for
//! one that is more, never negative; adding an hour never makes it shorter.

use regex::Regex;
use scheduler_kube::duration::parse;
use std::sync::LazyLock;

static PART: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"([0-9]*)\.?([0-9]*)(ns|us|µs|μs|ms|s|m|h|d|$)").expect("a regular language")
});

pub(crate) fn trial(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let read = parse(text);
    assert_eq!(read, parse(text), "{text:?} twice");
    let Some(span) = read else { return };
    let ms = i128::from(span.ms());
    assert!(ms >= 0, "{text:?} is {ms} ms");
    let has_digit = text.bytes().any(|byte| matches!(byte, b'1'..=b'9'));
    assert_eq!(ms > 0, has_digit, "{text:?} is {ms} ms");
    if let Some(longer) = parse(&format!("{text}1h")) {
        assert!(longer >= span, "{text:?} and an hour is shorter");
    }
    if let Some(billionths) = exact(text) {
        let lowest = billionths.div_ceil(1_000_000_000_000_000).min(i64::MAX as u128) as i128;
        assert!((lowest..=lowest + 1).contains(&ms), "{text:?} is {ms} ms, not {lowest}");
    }
}

/// The length in billionths of nanoseconds; `None` if a number in it is long.
fn exact(text: &str) -> Option<u128> {
    let mut sum = 0_u128;
    for part in PART.captures_iter(text) {
        let (whole, fraction) = (&part[1], &part[2]);
        if whole.len() > 9 || fraction.len() > 9 {
            return None;
        }
        let number: u128 = format!("{whole:0>9}{fraction:0<9}").parse().ok()?;
        let nanos = match &part[3] {
            "ns" => 1,
            "us" | "µs" | "μs" => 1_000,
            "ms" => 1_000_000,
            "m" => 60_000_000_000,
            "h" => 3_600_000_000_000,
            "d" => 86_400_000_000_000,
            _ => 1_000_000_000,
        };
        sum = sum.checked_add(number * nanos)?;
    }
    Some(sum)
}
