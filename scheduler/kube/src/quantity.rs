//! Kubernetes quantities (`1500m`, `32Gi`, `1e3`), read exactly into integers.
//!
//! Invariants: no float, no panic and no wrap on any text; what does not fit the unit is
//! rounded against the pod (requests up, capacity down) and the reading says so; nothing
//! that is more than zero ever reads as zero when rounded up. Linear in the length of the text.

use scheduler_model::amount::{Amount, Unit};

/// Which way an amount goes that its unit cannot express.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounding {
    /// To the next larger amount: what pods ask for. Saturates at [`Amount::MAX`].
    Up,
    /// To the next smaller amount: capacity and limits. Saturates one below [`Amount::MAX`],
    /// so that a request which saturated never fits.
    Down,
}

/// An amount, and how faithful it is to the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    /// The amount in the unit that was asked for; never negative.
    pub amount: Amount,
    /// How faithful it is.
    pub precision: Precision,
}

/// How faithful a [`Reading`] is to its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// Exactly what the text says.
    Exact,
    /// The unit is too coarse; it was rounded.
    Rounded,
    /// Larger than any amount can be.
    Saturated,
}

/// Why a text is no amount.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It is not written as quantities are.
    Unreadable,
    /// It is below zero; no amount in an object may be.
    Negative,
}

/// Reads `text` as an amount of `unit`.
///
/// # Errors
/// A [`Fault`] if the text is no quantity, or a negative one.
pub fn parse(text: &str, unit: Unit, rounding: Rounding) -> Result<Reading, Fault> {
    let number = Number::split(text).ok_or(Fault::Unreadable)?;
    let digits = number.digits();
    if number.is_negative && !digits.is_empty() {
        return Err(Fault::Negative);
    }
    let scale = match unit {
        Unit::Milli => 3,
        Unit::Byte | Unit::Count => 0,
    };
    let exponent = digits.exponent.saturating_add(scale);
    let (floor, is_exact) = floor(&digits.values, exponent, number.shift);
    Ok(round(floor, is_exact, rounding))
}

/// Reads `text` as an amount of the resource called `resource`, see [`Unit::of`].
///
/// # Errors
/// See [`parse`].
pub fn parse_of(resource: &str, text: &str, rounding: Rounding) -> Result<Reading, Fault> {
    parse(text, Unit::of(resource), rounding)
}

/// A text taken apart: sign, digits before and after the point, ten's and two's exponent.
struct Number<'a> {
    is_negative: bool,
    whole: &'a str,
    fraction: &'a str,
    exponent: i64,
    shift: u32,
}

impl<'a> Number<'a> {
    fn split(text: &'a str) -> Option<Self> {
        let (is_negative, rest) = match text.as_bytes().first()? {
            b'-' => (true, &text[1..]),
            b'+' => (false, &text[1..]),
            _ => (false, text),
        };
        let (whole, rest) = split_digits(rest);
        let (fraction, suffix) = match rest.strip_prefix('.') {
            Some(rest) => split_digits(rest),
            None => ("", rest),
        };
        if whole.is_empty() && fraction.is_empty() {
            return None;
        }
        let (exponent, shift) = split_suffix(suffix)?;
        Some(Self { is_negative, whole, fraction, exponent, shift })
    }

    /// Significant digits, without zeros at either end.
    fn digits(&self) -> Digits {
        let digit = |byte: u8| byte - b'0';
        let mut values: Vec<u8> =
            self.whole.bytes().chain(self.fraction.bytes()).map(digit).collect();
        let mut exponent = self.exponent.saturating_sub(length(self.fraction.len()));
        while values.last() == Some(&0) {
            values.pop();
            exponent = exponent.saturating_add(1);
        }
        let zeros = values.iter().take_while(|value| **value == 0).count();
        values.drain(..zeros);
        Digits { values, exponent }
    }
}

struct Digits {
    values: Vec<u8>,
    exponent: i64,
}

impl Digits {
    fn is_empty(&self) -> bool {
        self.values.is_empty()
    }
}

fn split_digits(text: &str) -> (&str, &str) {
    let end = text.bytes().position(|byte| !byte.is_ascii_digit()).unwrap_or(text.len());
    text.split_at(end)
}

/// Ten's and two's exponent of a suffix. `E` alone is exa, `E` with digits an exponent.
fn split_suffix(suffix: &str) -> Option<(i64, u32)> {
    Some(match suffix {
        "" => (0, 0),
        "n" => (-9, 0),
        "u" => (-6, 0),
        "m" => (-3, 0),
        "k" => (3, 0),
        "M" => (6, 0),
        "G" => (9, 0),
        "T" => (12, 0),
        "P" => (15, 0),
        "E" => (18, 0),
        "Ki" => (0, 10),
        "Mi" => (0, 20),
        "Gi" => (0, 30),
        "Ti" => (0, 40),
        "Pi" => (0, 50),
        "Ei" => (0, 60),
        _ => (split_exponent(suffix.strip_prefix(['e', 'E'])?)?, 0),
    })
}

fn split_exponent(text: &str) -> Option<i64> {
    let (sign, digits) = match text.as_bytes().first()? {
        b'-' => (-1, &text[1..]),
        b'+' => (1, &text[1..]),
        _ => (1, text),
    };
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let size = digits
        .bytes()
        .fold(0_i64, |sum, byte| sum.saturating_mul(10).saturating_add(i64::from(byte - b'0')));
    Some(sign * size)
}

/// The largest whole number not above `digits × 10^exponent × 2^shift` (saturating), and
/// whether it is equal.
fn floor(digits: &[u8], exponent: i64, shift: u32) -> (u128, bool) {
    let count = length(digits.len());
    if count == 0 {
        return (0, true);
    }
    let places = count.saturating_add(exponent);
    // Beyond 10^19 every amount saturates, and below it nothing can leave 128 bits.
    if places > 20 {
        return (u128::MAX, true);
    }
    let split = usize::try_from(places.clamp(0, count)).unwrap_or(0);
    let (whole, fraction) = digits.split_at(split);
    let mut value = whole.iter().fold(0_u128, |sum, digit| sum * 10 + u128::from(*digit));
    for _ in count..places {
        value *= 10;
    }
    let zeros = places.saturating_neg().max(0);
    let (carry, is_exact) = scaled_fraction(fraction, zeros, shift);
    ((value << shift) + carry, is_exact)
}

/// The whole part of `0.000digits × 2^shift` with so many zeros, and whether nothing is left.
fn scaled_fraction(digits: &[u8], zeros: i64, shift: u32) -> (u128, bool) {
    let (mut carry, mut is_exact) = (0_u128, true);
    let mut step = |carry: u128, digit: u8| {
        let product = (u128::from(digit) << shift) + carry;
        is_exact &= product.is_multiple_of(10);
        product / 10
    };
    for digit in digits.iter().rev() {
        carry = step(carry, *digit);
    }
    // A long row of zeros empties the carry soon; what remained is already in `is_exact`.
    for _ in 0..zeros {
        if carry == 0 {
            break;
        }
        carry = step(carry, 0);
    }
    (carry, is_exact)
}

fn round(floor: u128, is_exact: bool, rounding: Rounding) -> Reading {
    let (value, most) = match rounding {
        Rounding::Up => (floor.saturating_add(u128::from(!is_exact)), i64::MAX),
        Rounding::Down => (floor, i64::MAX - 1),
    };
    match i64::try_from(value) {
        Ok(units) if units <= most => {
            let precision = if is_exact { Precision::Exact } else { Precision::Rounded };
            Reading { amount: Amount::new(units), precision }
        }
        _ => Reading { amount: Amount::new(most), precision: Precision::Saturated },
    }
}

fn length(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn up(text: &str, unit: Unit) -> i64 {
        parse(text, unit, Rounding::Up).expect(text).amount.units()
    }

    fn down(text: &str, unit: Unit) -> i64 {
        parse(text, unit, Rounding::Down).expect(text).amount.units()
    }

    #[test]
    fn every_suffix_is_read_exactly() {
        let bytes = [
            ("0", 0),
            ("12", 12),
            ("+7", 7),
            ("1.5k", 1500),
            ("1k", 1000),
            ("2M", 2_000_000),
            ("3G", 3_000_000_000),
            ("1T", 1_000_000_000_000),
            ("1P", 1_000_000_000_000_000),
            ("1E", 1_000_000_000_000_000_000),
            ("1Ki", 1024),
            ("1Mi", 1 << 20),
            ("1.5Gi", 3 << 29),
            ("1Ti", 1 << 40),
            ("1Pi", 1 << 50),
            ("1Ei", 1 << 60),
            ("1e3", 1000),
            ("1E3", 1000),
            ("1.e1", 10),
            (".5k", 500),
            ("1000m", 1),
            ("2000000u", 2),
            ("3000000000n", 3),
            ("5e+2", 500),
            ("500e-2", 5),
        ];
        for (text, want) in bytes {
            let reading = Reading { amount: Amount::new(want), precision: Precision::Exact };
            assert_eq!(parse(text, Unit::Byte, Rounding::Up), Ok(reading), "{text}");
        }
        assert_eq!(up("1500m", Unit::Milli), 1500);
        assert_eq!(up("0.1", Unit::Milli), 100);
        assert_eq!(up("2", Unit::Milli), 2000);
        assert_eq!(up("9223372036854775807", Unit::Byte), i64::MAX);
    }

    #[test]
    fn what_the_unit_cannot_express_is_rounded_against_the_pod() {
        assert_eq!((up("0.5", Unit::Count), down("0.5", Unit::Count)), (1, 0));
        assert_eq!((up("1n", Unit::Milli), down("1n", Unit::Milli)), (1, 0));
        assert_eq!((up("100.1m", Unit::Milli), down("100.1m", Unit::Milli)), (101, 100));
        assert_eq!((up("0.1Ki", Unit::Byte), down("0.1Ki", Unit::Byte)), (103, 102));
        assert_eq!(up("1e-999", Unit::Byte), 1);
        let read = parse("1.5", Unit::Count, Rounding::Up).map(|read| read.precision);
        assert_eq!(read, Ok(Precision::Rounded));
    }

    #[test]
    fn what_is_too_large_saturates_and_a_saturated_request_never_fits() {
        for text in ["1e999", "8Ei", "9223372036854775808", "1e99999999999999999999999"] {
            let read = parse(text, Unit::Byte, Rounding::Up).expect(text);
            assert_eq!(read, Reading { amount: Amount::MAX, precision: Precision::Saturated });
            assert!(down(text, Unit::Byte) < up(text, Unit::Byte), "{text}");
        }
        assert_eq!(up("9223372036854775807", Unit::Milli), i64::MAX);
    }

    #[test]
    fn what_is_no_quantity_is_refused() {
        for text in [
            "", " ", "1 ", " 1", "Ki", ".", "-", "+", "--1", "1ki", "1KI", "1e", "1e1.5", "9e18k",
            "1.2.3", "one", "1Kii", "0x10", "NaN", "inf", "١", "1,5", "1_000",
        ] {
            assert_eq!(parse(text, Unit::Byte, Rounding::Up), Err(Fault::Unreadable), "{text:?}");
        }
        assert_eq!(parse("-1", Unit::Byte, Rounding::Up), Err(Fault::Negative));
        assert_eq!(parse("-0.1n", Unit::Byte, Rounding::Up), Err(Fault::Negative));
        assert_eq!(up("-0", Unit::Byte), 0);
    }

    #[test]
    fn a_megabyte_of_digits_is_read_in_linear_time() {
        let long = format!("1.{}1Gi", "0".repeat(1 << 20));
        assert_eq!(up(&long, Unit::Byte), (1 << 30) + 1);
        assert_eq!(down(&long, Unit::Byte), 1 << 30);
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "\\PC*") {
            let _ = parse(&text, Unit::Byte, Rounding::Up);
            let _ = parse(&text, Unit::Milli, Rounding::Down);
        }

        #[test]
        fn no_number_like_text_panics(text in "[-+]?[0-9.]{0,30}[numkMGTPEie+-]{0,3}[0-9]{0,9}") {
            let _ = parse(&text, Unit::Milli, Rounding::Up);
        }

        #[test]
        fn what_is_shown_reads_back_the_same(units in 0..i64::MAX) {
            for name in ["cpu", "memory", "nvidia.com/gpu"] {
                let text = Unit::of(name).show(Amount::new(units));
                let read = parse_of(name, &text, Rounding::Up).map(|read| read.amount.units());
                prop_assert_eq!(read, Ok(units), "{}", text);
            }
        }

        #[test]
        fn rounding_up_is_never_less_than_rounding_down(
            whole in 0..1_000_000_u64,
            fraction in "[0-9]{0,12}",
            suffix in "(n|u|m||k|M|G|Ki|Mi|Gi)",
        ) {
            let text = format!("{whole}.{fraction}{suffix}");
            let gap = up(&text, Unit::Milli) - down(&text, Unit::Milli);
            prop_assert!((0..=1).contains(&gap), "{}", text);
        }

        #[test]
        fn a_larger_number_never_reads_as_less(
            small in 0..u64::MAX, more in 0..u64::MAX, suffix in "(n|u|m||k|Ki|Mi|e-3)",
        ) {
            let large = u128::from(small) + u128::from(more);
            let (small, large) = (format!("{small}{suffix}"), format!("{large}{suffix}"));
            prop_assert!(up(&small, Unit::Byte) <= up(&large, Unit::Byte));
        }
    }
}
