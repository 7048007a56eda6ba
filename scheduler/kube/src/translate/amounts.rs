//! Lists of quantities to amounts, with a problem for each that cannot be taken as written.
//!
//! Invariant: always against the pod. A request that cannot be read becomes larger than any
//! node, a capacity that cannot be read becomes nothing.

use super::{Problems, shorten};
use crate::quantity::{self, Fault, Precision, Rounding};
use crate::wire::{Quantity, ResourceList};
use scheduler_model::amount::{Amount, Unit};
use scheduler_model::spec::Resources;
use std::fmt::Arguments;

/// What something asks for. The names of resources whose request cannot be read are added to
/// `unreadable`; their amount is [`Amount::MAX`].
pub fn requests(
    list: &ResourceList,
    field: Arguments<'_>,
    problems: &mut Problems,
    unreadable: &mut Vec<String>,
) -> Resources {
    let mut read = Resources::new();
    for (name, text) in list {
        let amount = match quantity::parse_of(name, &text.0, Rounding::Up) {
            Ok(reading) => {
                report(reading, name, &text.0, format_args!("{field}.{name}"), problems);
                reading.amount
            }
            Err(fault) => {
                let what = fault_words(fault);
                problems.add(
                    format!("{field}.{name}"),
                    format!("`{}` {what}; the pod waits", shorten(&text.0)),
                    "write a whole number, or one with a suffix such as 500m or 32Gi",
                );
                unreadable.push(name.clone());
                Amount::MAX
            }
        };
        read.insert(name.clone(), amount);
    }
    read
}

/// What something offers or may use at most. What cannot be read is nothing.
pub fn capacity(list: &ResourceList, field: Arguments<'_>, problems: &mut Problems) -> Resources {
    let mut read = Resources::new();
    for (name, text) in list {
        let amount = offered(name, text, format_args!("{field}.{name}"), problems);
        read.insert(name.clone(), amount);
    }
    read
}

/// What something offers or may use at most of one resource. What cannot be read is nothing.
pub fn offered(
    name: &str,
    text: &Quantity,
    field: Arguments<'_>,
    problems: &mut Problems,
) -> Amount {
    match quantity::parse_of(name, &text.0, Rounding::Down) {
        Ok(reading) => {
            report(reading, name, &text.0, field, problems);
            reading.amount
        }
        Err(fault) => {
            let what = fault_words(fault);
            problems.add(
                field.to_string(),
                format!("`{}` {what}; taken as 0", shorten(&text.0)),
                "write a whole number, or one with a suffix such as 500m or 32Gi",
            );
            Amount::ZERO
        }
    }
}

fn fault_words(fault: Fault) -> &'static str {
    match fault {
        Fault::Unreadable => "is not a quantity",
        Fault::Negative => "is negative",
    }
}

fn report(
    reading: quantity::Reading,
    name: &str,
    text: &str,
    field: Arguments<'_>,
    problems: &mut Problems,
) {
    let shown = Unit::of(name).show(reading.amount);
    let (message, remedy) = match reading.precision {
        Precision::Exact => return,
        Precision::Rounded => ("cannot be counted exactly", "write a multiple of its unit"),
        Precision::Saturated => ("is larger than can be counted", "write what is really meant"),
    };
    problems.add(
        field.to_string(),
        format!("`{}` {message}; taken as {shown}", shorten(text)),
        remedy,
    );
}

/// Adds every amount of `more` to `sum`.
pub(super) fn add(sum: &mut Resources, more: &Resources) {
    for (name, amount) in more {
        let entry = sum.entry(name.clone()).or_default();
        *entry = entry.plus(*amount);
    }
}

/// Raises every amount of `most` to that of `other`.
pub(super) fn raise(most: &mut Resources, other: &Resources) {
    for (name, amount) in other {
        let entry = most.entry(name.clone()).or_default();
        *entry = (*entry).max(*amount);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::Meta;

    fn list(text: &str) -> ResourceList {
        ResourceList::from([("memory".to_owned(), Quantity(text.to_owned()))])
    }

    fn request(text: &str) -> (Amount, usize, String) {
        let (mut problems, mut bad) = (Problems::of("Pod", &Meta::default()), Vec::new());
        let read = requests(&list(text), format_args!("f"), &mut problems, &mut bad);
        let said = problems.with(()).problems.iter().map(ToString::to_string).collect();
        (read["memory"], bad.len(), said)
    }

    #[test]
    fn a_request_that_cannot_be_read_is_larger_than_any_node() {
        for text in ["", "lots", "-1Gi"] {
            let (amount, unreadable, said) = request(text);
            assert_eq!((amount, unreadable), (Amount::MAX, 1), "{text}");
            assert!(said.contains("f.memory") && said.contains("the pod waits"), "{said}");
        }
    }

    #[test]
    fn a_request_beyond_counting_saturates_and_says_so() {
        let (amount, unreadable, said) = request("1e999");
        assert_eq!((amount, unreadable), (Amount::MAX, 0));
        assert!(said.contains("larger than can be counted"), "{said}");
    }

    #[test]
    fn a_fraction_of_a_byte_is_rounded_up_and_says_so() {
        assert_eq!(request("1500m").0, Amount::new(2));
        assert!(request("1500m").2.contains("`1500m` cannot be counted exactly; taken as 2"));
        assert_eq!(request("1Ei").2, "");
    }

    #[test]
    fn a_capacity_that_cannot_be_read_is_nothing() {
        for (text, want) in [("-5", 0), ("many", 0), ("1500m", 1), ("1e999", i64::MAX - 1)] {
            let mut problems = Problems::of("Node", &Meta::default());
            let read = capacity(&list(text), format_args!("f"), &mut problems);
            assert_eq!(read["memory"], Amount::new(want), "{text}");
            assert_eq!(problems.with(()).problems.len(), 1, "{text}");
        }
    }
}
