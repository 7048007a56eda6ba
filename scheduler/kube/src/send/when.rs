//! Our moments as Kubernetes writes them.

use jiff::Timestamp;
use scheduler_model::time::Time;

/// To the second, for conditions. Moments that no calendar holds read as the epoch.
pub(super) fn seconds(time: Time) -> String {
    stamp(time).strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// To the microsecond, as leases and events want it.
pub(super) fn micros(time: Time) -> String {
    stamp(time).strftime("%Y-%m-%dT%H:%M:%S.%6fZ").to_string()
}

fn stamp(time: Time) -> Timestamp {
    Timestamp::from_millisecond(time.ms()).unwrap_or(Timestamp::UNIX_EPOCH)
}

/// The moment that such a text names; the epoch where it names none.
pub(super) fn read(text: &str) -> Time {
    text.parse::<Timestamp>().map_or(Time::ZERO, |moment| Time::from_ms(moment.as_millisecond()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_have_the_digits_that_their_fields_want() {
        let time = Time::from_ms(1_796_018_400_250);
        assert_eq!(seconds(time), "2026-11-30T06:00:00Z");
        assert_eq!(micros(time), "2026-11-30T06:00:00.250000Z");
        assert_eq!(read(&micros(time)), time);
        assert_eq!(seconds(Time::NEVER), "1970-01-01T00:00:00Z");
    }
}
