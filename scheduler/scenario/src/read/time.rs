//! Spans and moments: `1h30m`, `-5m`, `never`, `2026-11-30T06:28:00.5Z`.
//!
//! Invariant: [`write_time`] writes what [`Read`] reads back to the millisecond.

use super::Read;
use scheduler_model::time::{Span, Time};

const DAY_MS: i64 = 86_400_000;
/// 1980-01-01: later moments are taken for real ones and written as a date.
const DATES_FROM_MS: i64 = 3652 * DAY_MS;
/// 10000-01-01: the end of what a date can say.
const DATES_UNTIL_MS: i64 = 2_932_897 * DAY_MS;

impl Read for Span {
    fn read(text: &str) -> Result<Self, String> {
        let ms = read_ms(text).ok_or_else(|| {
            format!("{text:?} is no span of time; write it like 90s, 10m, 1h30m, 2d or 250ms")
        })?;
        Ok(Self::from_ms(ms))
    }
}

impl Read for Time {
    fn read(text: &str) -> Result<Self, String> {
        let ms = match text.strip_prefix('-') {
            _ if text == "never" => return Ok(Self::NEVER),
            Some(ago) => read_big(ago).and_then(|ms| i64::try_from(-ms).ok()),
            None if text.contains('T') => read_date(text),
            None => read_ms(text),
        };
        ms.map(Self::from_ms).ok_or_else(|| {
            format!(
                "{text:?} is no moment; write it like 10m (after the start), -1h (before it), \
                 never or 2026-11-30T06:28:00Z"
            )
        })
    }
}

/// The shortest exact text of a moment.
pub(crate) fn write_time(time: Time) -> String {
    match time.ms() {
        i64::MAX => "never".to_owned(),
        i64::MIN => format!("{}ms", i64::MIN),
        ms if ms < 0 => format!("-{}", Span::from_ms(-ms)),
        ms if (DATES_FROM_MS..DATES_UNTIL_MS).contains(&ms) => write_date(ms),
        ms => Span::from_ms(ms).to_string(),
    }
}

fn read_ms(text: &str) -> Option<i64> {
    i64::try_from(read_big(text)?).ok()
}

fn read_big(text: &str) -> Option<i128> {
    if text == "0" {
        return Some(0);
    }
    let mut rest = text;
    let mut total: i128 = 0;
    while !rest.is_empty() {
        let end = rest.find(|c: char| !(c.is_ascii_digit() || c == '.'))?;
        let (number, tail) = rest.split_at(end);
        let stop = tail.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(tail.len());
        let (unit, tail) = tail.split_at(stop);
        let size = match unit {
            "ms" => 1,
            "s" => 1000,
            "m" => 60_000,
            "h" => 3_600_000,
            "d" => i128::from(DAY_MS),
            _ => return None,
        };
        total = total.checked_add(product(number, size)?)?;
        rest = tail;
    }
    (!text.is_empty()).then_some(total)
}

/// `number * size` if it is a whole number.
fn product(number: &str, size: i128) -> Option<i128> {
    let (whole, part) = number.split_once('.').unwrap_or((number, ""));
    if part.len() > 9 || whole.is_empty() {
        return None;
    }
    let value = format!("{whole}{part}").parse::<i128>().ok()?.checked_mul(size)?;
    let power = 10_i128.pow(u32::try_from(part.len()).ok()?);
    (value % power == 0).then_some(value / power)
}

/// Days since 1970-01-01 of a date of the proleptic Gregorian calendar, counted in eras of
/// 400 years that begin in March so that the leap day is the last of its year.
fn days_of(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// The inverse of [`days_of`].
fn date_of(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * from_march + 2) / 5 + 1;
    let month = (from_march + 2) % 12 + 1;
    (era * 400 + year + i64::from(month <= 2), month, day)
}

fn write_date(ms: i64) -> String {
    let (year, month, day) = date_of(ms.div_euclid(DAY_MS));
    let in_day = ms.rem_euclid(DAY_MS);
    let (hour, minute) = (in_day / 3_600_000, in_day / 60_000 % 60);
    let (second, rest) = (in_day / 1000 % 60, in_day % 1000);
    let rest = if rest == 0 { String::new() } else { format!(".{rest:03}") };
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{rest}Z")
}

fn read_date(text: &str) -> Option<i64> {
    let (date, clock) = text.strip_suffix('Z')?.split_once('T')?;
    let numbers = |text: &str, between: char| {
        let parts: Option<Vec<i64>> =
            text.split(between).map(|part| part.parse::<u32>().ok().map(i64::from)).collect();
        parts.filter(|parts| parts.len() == 3)
    };
    let (clock, rest) = clock.split_once('.').unwrap_or((clock, "0"));
    let (date, clock) = (numbers(date, '-')?, numbers(clock, ':')?);
    let &[year, month, day] = date.as_slice() else { return None };
    let &[hour, minute, second] = clock.as_slice() else { return None };
    let days = days_of(year, month, day);
    let real = year <= 9999 && (1..=12).contains(&month) && date_of(days) == (year, month, day);
    if !real || hour > 23 || minute > 59 || second > 59 || rest.len() > 3 {
        return None;
    }
    let rest = i64::try_from(product(&format!("0.{rest}"), 1000)?).ok()?;
    Some(days * DAY_MS + hour * 3_600_000 + minute * 60_000 + second * 1000 + rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(text: &str) -> Option<i64> {
        Time::read(text).ok().map(Time::ms)
    }

    #[test]
    fn moments_are_spans_from_the_start_or_dates() {
        assert_eq!(time("10m"), Some(600_000));
        assert_eq!(time("-1h30m"), Some(-5_400_000));
        assert_eq!(time("1.5s"), Some(1500));
        assert_eq!(time("0"), Some(0));
        assert_eq!(time("never"), Some(i64::MAX));
        assert_eq!(time("2026-11-30T06:28:00Z"), Some(1_796_020_080_000));
    }

    #[test]
    fn a_number_without_unit_and_an_impossible_date_are_refused() {
        for text in
            ["10", "", "-", "1.5", "1y", "0.0001s", "2026-02-30T00:00:00Z", "2026-13-01T0:0:0Z"]
        {
            assert_eq!(time(text), None, "{text}");
        }
    }

    #[test]
    fn what_is_written_reads_back() {
        let leap = 951_782_400_000 + 86_399_999;
        for ms in [0, 1, -1, 999, 86_400_000, DATES_FROM_MS - 1, DATES_FROM_MS, leap, i64::MAX] {
            assert_eq!(time(&write_time(Time::from_ms(ms))), Some(ms), "{ms}");
        }
        for ms in [i64::MIN, i64::MIN + 1, i64::MAX - 1, DATES_UNTIL_MS - 1, DATES_UNTIL_MS] {
            assert_eq!(time(&write_time(Time::from_ms(ms))), Some(ms), "{ms}");
        }
        assert_eq!(write_time(Time::from_ms(leap)), "2000-02-29T23:59:59.999Z");
    }
}
