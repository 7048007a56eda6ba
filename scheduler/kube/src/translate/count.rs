//! Whole numbers in groups, queues and controllers, and what the bad ones among them mean.
//!
//! Invariant: a number that cannot be meant is said, and read the same everywhere: a minimum of
//! nothing is 1, a number of pods below nothing is 0, a weight below nothing is 0.

use super::{Problems, shorten};
use crate::wire::Number;

/// More members than any cluster has run; a larger minimum is kept, but surely a mistake.
const MEMBERS_MAX: i64 = 1_000_000;

/// A minimum of members. One that is no number at all is `None` and adds to `unsupported`, so
/// that its gang waits instead of starting in part.
pub(super) fn minimum(
    number: Option<&Number>,
    field: &str,
    problems: &mut Problems,
    unsupported: &mut Vec<String>,
) -> Option<u32> {
    let value = match number? {
        Number::Whole(value) => *value,
        Number::Other(text) => {
            let text = shorten(text);
            problems.add(
                field,
                format!("`{text}` is not a whole number; the gang waits"),
                "write the least number of pods that must run together",
            );
            unsupported.push(format!("{field} {text:?}, which is not a whole number"));
            return None;
        }
    };
    if value < 1 {
        problems.add(field, format!("{value} is read as 1"), "write 1 or more, or leave it out");
        return Some(1);
    }
    if value > MEMBERS_MAX {
        problems.add(
            field,
            format!("{value} pods are more than any cluster runs; the gang waits for them"),
            "write the least number of pods that must run together",
        );
    }
    Some(u32::try_from(value).unwrap_or(u32::MAX))
}

/// The minimum of a role, where 0 is meant as written.
pub(super) fn role_minimum(
    number: Option<&Number>,
    field: &str,
    problems: &mut Problems,
    unsupported: &mut Vec<String>,
) -> Option<u32> {
    match number {
        Some(Number::Whole(0)) => Some(0),
        other => minimum(other, field, problems, unsupported),
    }
}

/// A number of pods, jobs or seconds: below nothing, and what is no number, is 0.
pub(crate) fn count(number: Option<&Number>, field: &str, problems: &mut Problems) -> Option<u32> {
    match number? {
        Number::Whole(value) if *value >= 0 => Some(u32::try_from(*value).unwrap_or(u32::MAX)),
        other => {
            let text = shorten(&other.to_string());
            problems.add(field, format!("`{text}` is read as 0"), "write a whole number from 0 on");
            Some(0)
        }
    }
}

/// The weight of a queue: 1 where it is absent. 0 is kept and means last.
pub(super) fn weight(number: Option<&Number>, field: &str, problems: &mut Problems) -> u32 {
    let Some(number) = number else { return 1 };
    match number {
        Number::Whole(value) if *value >= 1 => u32::try_from(*value).unwrap_or(u32::MAX),
        other => {
            let text = shorten(&other.to_string());
            problems.add(
                field,
                format!("`{text}` is read as 0: the queue is treated as last"),
                "write a whole number from 1 on",
            );
            0
        }
    }
}

/// A priority, nearest to what is written; what is no number is absent.
pub(super) fn priority(
    number: Option<&Number>,
    field: &str,
    problems: &mut Problems,
) -> Option<i32> {
    let value = match number? {
        Number::Whole(value) => *value,
        Number::Other(text) => {
            let text = shorten(text);
            problems.add(field, format!("`{text}` is ignored"), "write a whole number");
            return None;
        }
    };
    let nearest = if value < 0 { i32::MIN } else { i32::MAX };
    let read = i32::try_from(value).unwrap_or(nearest);
    if i64::from(read) != value {
        problems.add(field, format!("{value} is read as {read}"), "write a 32-bit whole number");
    }
    Some(read)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::Meta;

    fn read(number: Number) -> (Option<u32>, usize, usize) {
        let (mut problems, mut unsupported) =
            (Problems::of("PodGroup", &Meta::default()), Vec::new());
        let value = minimum(Some(&number), "f", &mut problems, &mut unsupported);
        (value, problems.with(()).problems.len(), unsupported.len())
    }

    #[test]
    fn a_minimum_of_nothing_or_less_is_one_and_said() {
        assert_eq!(read(Number::Whole(0)), (Some(1), 1, 0));
        assert_eq!(read(Number::Whole(-4)), (Some(1), 1, 0));
        assert_eq!(read(Number::Whole(4)), (Some(4), 0, 0));
    }

    #[test]
    fn a_minimum_beyond_any_cluster_is_kept_and_said() {
        assert_eq!(read(Number::Whole(2_000_000)), (Some(2_000_000), 1, 0));
        assert_eq!(read(Number::Whole(i64::MAX)), (Some(u32::MAX), 1, 0));
    }

    #[test]
    fn a_minimum_that_is_no_number_makes_the_gang_wait() {
        assert_eq!(read(Number::Other("half".to_owned())), (None, 1, 1));
    }

    #[test]
    fn a_weight_below_one_is_last_and_said() {
        for (number, want) in [(0, 0), (-1, 0), (1, 1), (7, 7), (i64::MAX, u32::MAX)] {
            let mut problems = Problems::of("Queue", &Meta::default());
            assert_eq!(weight(Some(&Number::Whole(number)), "f", &mut problems), want);
            assert_eq!(problems.with(()).problems.len(), usize::from(number < 1));
        }
    }

    #[test]
    fn a_priority_beyond_32_bits_is_the_nearest() {
        let mut problems = Problems::of("Queue", &Meta::default());
        let mut read = |value| priority(Some(&Number::Whole(value)), "f", &mut problems);
        assert_eq!(read(i64::MIN), Some(i32::MIN));
        assert_eq!(read(1 << 40), Some(i32::MAX));
        assert_eq!(read(-5), Some(-5));
    }
}
