//! Quantities, against schoolbook arithmetic on decimal digits that shares no code with them.
//!
//! Holds: what is read is exactly the next amount above or below, never 0 for a request that
//! is more, never negative, never wrapped; what is no quantity is refused; of two quantities
//! the larger one never reads as less.

use regex::Regex;
use scheduler_kube::quantity::{Fault, Precision, Reading, Rounding, parse};
use scheduler_model::amount::{Amount, Unit};
use std::sync::LazyLock;

static GRAMMAR: LazyLock<Regex> = LazyLock::new(|| {
    let grammar = r"^([+-]?)([0-9]*)(?:\.([0-9]*))?(?:([numkMGTPE]|[KMGTPE]i)|[eE]([+-]?[0-9]+))?$";
    Regex::new(grammar).expect("the grammar of quantities is a regular one")
});

const UNITS: [(Unit, i64); 3] = [(Unit::Milli, 3), (Unit::Byte, 0), (Unit::Count, 0)];

/// Every line of `data` is a quantity, or not.
pub(crate) fn trial(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let mut read = Vec::new();
    for line in text.split('\n').take(8) {
        let written = Written::of(line);
        for (unit, scale) in UNITS {
            for rounding in [Rounding::Up, Rounding::Down] {
                let got = parse(line, unit, rounding);
                assert_eq!(got, parse(line, unit, rounding), "{line:?} twice");
                let want = match &written {
                    None => Err(Fault::Unreadable),
                    Some(written) if written.is_negative && !written.is_zero() => {
                        Err(Fault::Negative)
                    }
                    Some(written) => Ok(written.reading(scale, rounding)),
                };
                assert_eq!(got, want, "{line:?} as {unit:?}, {rounding:?}");
            }
        }
        if let (Some(written), Ok(reading)) = (written, parse(line, Unit::Milli, Rounding::Up)) {
            read.push((written, reading.amount, line));
        }
    }
    for (one, amount, line) in &read {
        for (other, larger, above) in &read {
            if one.is_below(other) {
                assert!(amount <= larger, "{line:?} reads as more than {above:?}");
            }
        }
    }
}

/// A quantity as `digits × 10^exponent`, without leading zeros.
struct Written {
    is_negative: bool,
    digits: Vec<u32>,
    exponent: i64,
}

impl Written {
    fn of(text: &str) -> Option<Self> {
        let parts = GRAMMAR.captures(text)?;
        let part = |at: usize| parts.get(at).map_or("", |found| found.as_str());
        let (whole, fraction) = (part(2), part(3));
        if whole.is_empty() && fraction.is_empty() {
            return None;
        }
        let mut digits: Vec<u32> =
            whole.bytes().chain(fraction.bytes()).map(|byte| u32::from(byte - b'0')).collect();
        let suffix = part(4);
        let thousands = |letters: &str| letters.find(&suffix[..1]).map_or(0, |at| at as i64);
        let power = match suffix {
            "" => part(5).parse().unwrap_or(match part(5) {
                "" => 0,
                text if text.starts_with('-') => -FAR,
                _ => FAR,
            }),
            "n" | "u" | "m" => 3 * thousands("num") - 9,
            "k" => 3,
            _ if suffix.ends_with('i') => {
                for _ in 0..=thousands("KMGTPE") {
                    multiply(&mut digits, 1024);
                }
                0
            }
            _ => 3 * thousands("MGTPE") + 6,
        };
        let zeros = digits.iter().take_while(|digit| **digit == 0).count();
        digits.drain(..zeros);
        let exponent = power.clamp(-FAR, FAR) - fraction.len() as i64;
        Some(Self { is_negative: part(1) == "-", digits, exponent })
    }

    fn is_zero(&self) -> bool {
        self.digits.is_empty()
    }

    fn is_below(&self, other: &Self) -> bool {
        let places = |it: &Self| it.digits.len() as i64 + it.exponent;
        match (self.is_zero(), other.is_zero()) {
            (_, true) => false,
            (true, false) => true,
            (false, false) => (places(self), &self.digits) < (places(other), &other.digits),
        }
    }

    /// What must be read in a unit of `10^-scale`.
    fn reading(&self, scale: i64, rounding: Rounding) -> Reading {
        let most = match rounding {
            Rounding::Up => i64::MAX,
            Rounding::Down => i64::MAX - 1,
        };
        let places = self.digits.len() as i64 + self.exponent + scale;
        let saturated = Reading { amount: Amount::new(most), precision: Precision::Saturated };
        if self.is_zero() {
            return Reading { amount: Amount::ZERO, precision: Precision::Exact };
        }
        if places > 19 {
            return saturated;
        }
        let whole = usize::try_from(places).unwrap_or(0);
        let mut units = 0_i128;
        for at in 0..whole {
            units = units * 10 + i128::from(self.digits.get(at).copied().unwrap_or(0));
        }
        let is_exact = self.digits.iter().skip(whole).all(|digit| *digit == 0);
        if !is_exact && rounding == Rounding::Up {
            units += 1;
        }
        let precision = if is_exact { Precision::Exact } else { Precision::Rounded };
        match i64::try_from(units) {
            Ok(units) if units <= most => Reading { amount: Amount::new(units), precision },
            _ => saturated,
        }
    }
}

/// Further away from 1 than any text is long.
const FAR: i64 = 1 << 40;

fn multiply(digits: &mut Vec<u32>, by: u32) {
    let mut carry = 0;
    for digit in digits.iter_mut().rev() {
        let product = *digit * by + carry;
        *digit = product % 10;
        carry = product / 10;
    }
    while carry > 0 {
        digits.insert(0, carry % 10);
        carry /= 10;
    }
}
