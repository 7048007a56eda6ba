//! What a queue may use, as objects of all dialects write it: up to five amounts of a resource,
//! on one flavour or on all.
//!
//! Invariant: what is given is taken, also where amounts contradict each other: the engine copes
//! with them, and the object gets a problem.

use super::{Problems, amounts};
use crate::wire::{Quantity, ResourceList};
use scheduler_model::amount::{Amount, Unit};
use scheduler_model::spec::{Quota, QuotaSpec};
use std::collections::{BTreeMap, BTreeSet};

/// One of the amounts of a quota.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Part {
    Dedicated,
    Deserved,
    Limit,
    BorrowingLimit,
    LendingLimit,
}

/// Pairs of which the first should not be above the second, and what happens if it is.
const ORDER: [(Part, Part, &str); 3] = [
    (Part::Dedicated, Part::Deserved, "all of it is kept for the queue all the same"),
    (Part::Dedicated, Part::Limit, "gangs of the queue wait, and nothing is kept for it"),
    (Part::Deserved, Part::Limit, "the queue never uses more than that"),
];

/// Where in an object amounts stand, and what they are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place<'a> {
    pub(super) part: Part,
    pub(super) flavour: Option<&'a str>,
    pub(super) field: &'a str,
}

/// An amount, and the field it stands in.
#[derive(Debug)]
struct Given {
    amount: Amount,
    field: String,
}

/// The quotas of one queue while its object is read, by flavour and resource.
#[derive(Debug, Default)]
pub(super) struct Quotas(BTreeMap<(Option<String>, String), BTreeMap<Part, Given>>);

impl Quotas {
    /// Reads amounts by resource.
    pub(super) fn list(&mut self, list: &ResourceList, place: Place<'_>, problems: &mut Problems) {
        for (resource, text) in list {
            let field = format!("{}.{resource}", place.field);
            self.one(resource, text, Place { field: &field, ..place }, problems);
        }
    }

    /// Reads the amount of one resource. What cannot be read is nothing.
    pub(super) fn one(
        &mut self,
        resource: &str,
        text: &Quantity,
        place: Place<'_>,
        problems: &mut Problems,
    ) {
        let field = place.field.to_owned();
        let amount = amounts::offered(resource, text, format_args!("{field}"), problems);
        let key = (place.flavour.map(str::to_owned), resource.to_owned());
        let given = Given { amount, field: field.clone() };
        if let Some(before) = self.0.entry(key).or_default().insert(place.part, given) {
            let message = format!("{} says the same of it; this one counts", before.field);
            problems.add(field, message, "keep one of the two");
        }
    }

    /// All of them in order, with a problem for each that contradicts another.
    pub(super) fn finish(self, problems: &mut Problems) -> Vec<QuotaSpec> {
        self.contradictions(problems);
        let specs = self.0.into_iter().map(|((flavour, resource), given)| {
            let of = |part| given.get(&part).map(|given: &Given| given.amount);
            let quota = Quota {
                dedicated: of(Part::Dedicated),
                deserved: of(Part::Deserved),
                limit: of(Part::Limit),
                borrowing_limit: of(Part::BorrowingLimit),
                lending_limit: of(Part::LendingLimit),
            };
            QuotaSpec { flavour, resource, quota }
        });
        specs.collect()
    }

    fn contradictions(&self, problems: &mut Problems) {
        let deserving = self.0.iter().filter(|(_, given)| given.contains_key(&Part::Deserved));
        let anywhere: BTreeSet<&String> = deserving.map(|((_, resource), _)| resource).collect();
        for ((flavour, resource), given) in &self.0 {
            for (low, high, effect) in ORDER {
                let (Some(low), Some(high)) = (given.get(&low), given.get(&high)) else { continue };
                if low.amount > high.amount {
                    let unit = Unit::of(resource);
                    let (is, most) = (unit.show(low.amount), unit.show(high.amount));
                    problems.add(
                        &low.field,
                        format!("{is} is above the {most} of {}; {effect}", high.field),
                        format!("lower it, or raise {}", high.field),
                    );
                }
            }
            let Some(lends) = given.get(&Part::LendingLimit) else { continue };
            // What one flavour lends may rest on what all deserve, and the other way round.
            let in_all = (None, resource.clone());
            let is_based = given.contains_key(&Part::Deserved)
                || flavour.is_none() && anywhere.contains(resource)
                || self.0.get(&in_all).is_some_and(|given| given.contains_key(&Part::Deserved));
            if !is_based {
                problems.add(
                    &lends.field,
                    "no amount of it is deserved that could be lent; it changes nothing",
                    "write what the queue deserves of it, or leave this out",
                );
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::Meta;

    /// Quotas of cpu on the flavour, and what was said about them.
    fn read(given: &[(Part, Option<&str>, &str)]) -> (Vec<QuotaSpec>, Vec<String>) {
        let (mut quotas, mut problems) = (Quotas::default(), Problems::of("", &Meta::default()));
        for (part, flavour, text) in given {
            let field = format!("{part:?}");
            let place = Place { part: *part, flavour: *flavour, field: &field };
            quotas.one("cpu", &Quantity((*text).to_owned()), place, &mut problems);
        }
        let read = quotas.finish(&mut problems);
        let said = problems.with(()).problems;
        let said = said.iter().map(|it| format!("{}: {}; {}", it.field, it.message, it.remedy));
        (read, said.collect())
    }

    #[test]
    fn each_part_of_a_quota_arrives_in_its_place() {
        let (quotas, said) = read(&[
            (Part::Dedicated, None, "1"),
            (Part::Deserved, None, "2"),
            (Part::Limit, None, "3"),
            (Part::BorrowingLimit, None, "4"),
            (Part::LendingLimit, None, "5"),
        ]);
        let cores = |count: i64| Some(Amount::new(count * 1000));
        let quota = Quota {
            dedicated: cores(1),
            deserved: cores(2),
            limit: cores(3),
            borrowing_limit: cores(4),
            lending_limit: cores(5),
        };
        assert_eq!(quotas, [QuotaSpec { flavour: None, resource: "cpu".to_owned(), quota }]);
        assert!(said.is_empty(), "{said:?}");
    }

    #[test]
    fn amounts_that_contradict_each_other_are_taken_and_said() {
        let cases = [
            (
                (Part::Dedicated, Part::Deserved),
                "Dedicated: 2 is above the 1500m of Deserved; all of it is kept for the queue all \
                 the same; lower it, or raise Deserved",
            ),
            (
                (Part::Dedicated, Part::Limit),
                "Dedicated: 2 is above the 1500m of Limit; gangs of the queue wait, and nothing is \
                 kept for it; lower it, or raise Limit",
            ),
            (
                (Part::Deserved, Part::Limit),
                "Deserved: 2 is above the 1500m of Limit; the queue never uses more than that; \
                 lower it, or raise Limit",
            ),
        ];
        for ((low, high), want) in cases {
            let (quotas, said) = read(&[(high, Some("f"), "1500m"), (low, Some("f"), "2")]);
            assert_eq!(said, [want]);
            let Quota { dedicated, deserved, limit, .. } = quotas[0].quota;
            let taken: Vec<i64> =
                [dedicated, deserved, limit].into_iter().flatten().map(Amount::units).collect();
            assert_eq!(taken, [2000, 1500]);
        }
    }

    #[test]
    fn equal_amounts_do_not_contradict_each_other() {
        let parts = [Part::Dedicated, Part::Deserved, Part::Limit, Part::LendingLimit];
        let (_, said) = read(&parts.map(|part| (part, None, "4")));
        assert!(said.is_empty(), "{said:?}");
    }

    #[test]
    fn amounts_of_different_flavours_are_not_compared() {
        let (_, said) = read(&[(Part::Deserved, Some("a"), "4"), (Part::Limit, Some("b"), "1")]);
        assert!(said.is_empty(), "{said:?}");
    }

    #[test]
    fn only_what_is_deserved_somewhere_can_be_lent() {
        let (lending, deserved) = (Part::LendingLimit, Part::Deserved);
        let nothing = "LendingLimit: no amount of it is deserved that could be lent; it changes \
                       nothing; write what the queue deserves of it, or leave this out";
        let with = |on: Option<&str>, base: Option<&str>| {
            read(&[(lending, on, "1"), (deserved, base, "4")]).1
        };
        assert_eq!(read(&[(lending, None, "1"), (Part::Limit, None, "4")]).1, [nothing]);
        assert_eq!(with(Some("a"), Some("b")), [nothing]);
        for (on, base) in [(None, None), (None, Some("a")), (Some("a"), None)] {
            assert!(with(on, base).is_empty(), "{on:?} {base:?}");
        }
    }

    #[test]
    fn an_amount_that_is_there_twice_counts_as_it_stands_last() {
        let (quotas, said) = read(&[(Part::Limit, None, "1"), (Part::Limit, None, "2")]);
        assert_eq!(quotas, [QuotaSpec::limit(None, "cpu", Amount::new(2000))]);
        assert_eq!(
            said,
            ["Limit: Limit says the same of it; this one counts; keep one of the two"]
        );
    }
}
