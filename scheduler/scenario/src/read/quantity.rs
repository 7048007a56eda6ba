//! Amounts as people write them in manifests, read exactly.
//!
//! A story is not a cluster object: what cannot be held exactly is an error here, never
//! rounded. Every text that [`Unit::show`] writes reads back as the same amount.

use scheduler_model::amount::{Amount, Unit};
use scheduler_model::spec::Resources;
use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, Visitor};
use std::fmt;

/// `(suffix, power of ten, power of two)`, longest suffixes first.
const SUFFIXES: [(&str, i32, u32); 15] = [
    ("Ki", 0, 10),
    ("Mi", 0, 20),
    ("Gi", 0, 30),
    ("Ti", 0, 40),
    ("Pi", 0, 50),
    ("Ei", 0, 60),
    ("n", -9, 0),
    ("u", -6, 0),
    ("m", -3, 0),
    ("k", 3, 0),
    ("M", 6, 0),
    ("G", 9, 0),
    ("T", 12, 0),
    ("P", 15, 0),
    ("E", 18, 0),
];

/// The resource that `word` names: `gpu` is `nvidia.com/gpu`; otherwise a resource name as
/// Kubernetes has it. `None` for words that cannot be one, which are typing errors.
pub(crate) fn full_name(word: &str) -> Option<&str> {
    match word {
        "gpu" => Some("nvidia.com/gpu"),
        "cpu" | "memory" | "ephemeral-storage" | "storage" | "pods" => Some(word),
        _ if word.contains('/') || word.starts_with("hugepages-") => Some(word),
        _ => None,
    }
}

/// Reads `text` as an amount of the resource called `resource` (its full name).
pub(crate) fn read_amount(resource: &str, text: &str) -> Result<Amount, String> {
    let bad = |why: &str| format!("{text:?} is no amount of {resource}: {why}");
    let (number, suffix) = text.split_at(
        text.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | '-' | '+')))
            .unwrap_or(text.len()),
    );
    let (ten, two) = match SUFFIXES.iter().find(|(name, _, _)| *name == suffix) {
        Some((_, ten, two)) => (*ten, *two),
        None if suffix.is_empty() => (0, 0),
        None => (exponent(suffix).ok_or_else(|| bad("unknown suffix"))?, 0),
    };
    let (whole, part) = number.split_once('.').unwrap_or((number, ""));
    let digits = format!("{whole}{part}");
    if part.contains(['-', '+']) || digits.len() > 24 {
        return Err(bad("it is not a number of at most 24 digits"));
    }
    let value: i128 = digits.parse().map_err(|_| bad("it does not start with a number"))?;
    let places = i32::try_from(part.len()).map_err(|_| bad("too many digits"))?;
    let milli = if Unit::of(resource) == Unit::Milli { 3 } else { 0 };
    let units = scale(value, two, ten - places + milli).map_err(bad)?;
    i64::try_from(units).map(Amount::new).map_err(|_| bad("it is too large"))
}

/// `e3` or `E-2`.
fn exponent(suffix: &str) -> Option<i32> {
    let power: i32 = suffix.strip_prefix(['e', 'E'])?.parse().ok()?;
    (-40..=40).contains(&power).then_some(power)
}

/// `value * 2^two * 10^ten` if it is a whole number that fits.
fn scale(value: i128, two: u32, ten: i32) -> Result<i128, &'static str> {
    let big = value.checked_mul(1_i128 << two).ok_or("it is too large")?;
    if big == 0 {
        return Ok(0);
    }
    let power = 10_i128.checked_pow(ten.unsigned_abs());
    if ten >= 0 {
        return power.and_then(|power| big.checked_mul(power)).ok_or("it is too large");
    }
    match power {
        Some(power) if big % power == 0 => Ok(big / power),
        _ => Err("it is finer than the smallest unit (1m of cpu, one byte, one whole thing)"),
    }
}

/// A map from resource to amount: `{ gpu: 8, cpu: 500m, memory: 64Gi }`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Amounts(pub(crate) Resources);

impl<'de> Deserialize<'de> for Amounts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(AmountsVisitor)
    }
}

struct AmountsVisitor;

impl<'de> Visitor<'de> for AmountsVisitor {
    type Value = Amounts;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a map from resource to amount, such as { gpu: 8, memory: 64Gi }")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Amounts, A::Error> {
        let mut amounts = Resources::new();
        while let Some(word) = map.next_key::<String>()? {
            let Some(name) = full_name(&word) else {
                return Err(A::Error::custom(format!(
                    "{word:?} is no resource; use gpu, cpu, memory, ephemeral-storage, pods, \
                     hugepages-<size> or a name with a slash such as amd.com/gpu"
                )));
            };
            let text = map.next_value::<String>()?;
            amounts.insert(name.to_owned(), read_amount(name, &text).map_err(A::Error::custom)?);
        }
        Ok(Amounts(amounts))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn units(resource: &str, text: &str) -> i64 {
        read_amount(resource, text).map_or_else(|error| panic!("{error}"), Amount::units)
    }

    #[test]
    fn amounts_are_read_as_kubernetes_reads_them() {
        assert_eq!(units("cpu", "2"), 2000);
        assert_eq!(units("cpu", "0.5"), 500);
        assert_eq!(units("cpu", "500m"), 500);
        assert_eq!(units("memory", "512Gi"), 512 << 30);
        assert_eq!(units("memory", "1.5Ki"), 1536);
        assert_eq!(units("memory", "2M"), 2_000_000);
        assert_eq!(units("memory", "1e3"), 1000);
        assert_eq!(units("nvidia.com/gpu", "-3"), -3);
    }

    #[test]
    fn an_amount_that_is_not_exact_or_no_number_is_refused() {
        for (resource, text) in [
            ("nvidia.com/gpu", "0.5"),
            ("cpu", "0.0001"),
            ("memory", "1e999"),
            ("memory", "9Ei"),
            ("cpu", "many"),
            ("cpu", ""),
            ("cpu", "1.-5"),
            ("cpu", "1Gib"),
        ] {
            assert!(read_amount(resource, text).is_err(), "{text} of {resource}");
        }
    }

    #[test]
    fn what_is_shown_reads_back() {
        for value in [0, 1, 999, 1000, -1500, 1 << 30, -(1 << 40) - 1, i64::MAX, i64::MIN] {
            for resource in ["cpu", "memory", "nvidia.com/gpu"] {
                let text = Unit::of(resource).show(Amount::new(value));
                assert_eq!(units(resource, &text), value, "{text} of {resource}");
            }
        }
    }

    #[test]
    fn gpu_is_short_for_the_nvidia_one_and_a_typing_error_is_no_resource() {
        assert_eq!(full_name("gpu"), Some("nvidia.com/gpu"));
        assert_eq!(full_name("amd.com/gpu"), Some("amd.com/gpu"));
        assert_eq!(full_name("hugepages-2Mi"), Some("hugepages-2Mi"));
        assert_eq!(full_name("mem"), None);
    }
}
