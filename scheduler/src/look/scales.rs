//! Amounts and spans as they stand in a cell: few digits, rounded down. Exact ones are in JSON.

use super::columns::text;
use scheduler_kube::quantity::{Rounding, parse_of};
use scheduler_model::amount::{Amount, Unit};
use scheduler_model::time::Span;
use serde_json::Value;

/// What a queue has of one resource, in the unit of that resource.
#[derive(Clone, Debug, Default)]
pub(super) struct Amounts {
    pub(super) resource: String,
    pub(super) flavour: Option<String>,
    pub(super) used: i64,
    pub(super) dedicated: i64,
    pub(super) entitled: i64,
    pub(super) deserved: i64,
    pub(super) fair: i64,
    pub(super) demand: i64,
    pub(super) limit: Option<i64>,
    pub(super) borrowed: i64,
    pub(super) lent: i64,
}

impl Amounts {
    /// One of `amounts` in the leader's answer.
    pub(super) fn of(row: &Value) -> Self {
        let resource = text(&row["resource"]);
        let read = |key: &str| {
            let reading = parse_of(&resource, row[key].as_str()?, Rounding::Down).ok()?;
            Some(reading.amount.units())
        };
        let some = |key: &str| read(key).unwrap_or(0);
        Self {
            flavour: row["flavour"].as_str().map(str::to_owned),
            used: some("used"),
            dedicated: some("dedicated"),
            entitled: some("entitled"),
            deserved: some("deserved"),
            fair: some("fair"),
            demand: some("demand"),
            limit: read("limit"),
            borrowed: some("borrowed"),
            lent: some("lent"),
            resource,
        }
    }

    /// True if the queue uses it, wants it, or has a part or a limit of it by its object.
    pub(super) fn matters(&self) -> bool {
        self.used > 0 || self.demand > 0 || self.dedicated > 0 || self.limit.is_some()
    }
}

/// `8`, `10.6`, `33.3Gi`.
pub(super) fn short(resource: &str, units: i64) -> String {
    const STEPS: [(&str, u32); 6] =
        [("Pi", 50), ("Ti", 40), ("Gi", 30), ("Mi", 20), ("Ki", 10), ("", 0)];
    let tenths = |size: i64, suffix: &str| match (units / size, units % size * 10 / size) {
        (whole, 0) => format!("{whole}{suffix}"),
        (whole, tenth) => format!("{whole}.{tenth}{suffix}"),
    };
    match Unit::of(resource) {
        Unit::Milli if units >= 1000 => tenths(1000, ""),
        Unit::Byte if units > 0 => {
            let fits = STEPS.iter().find(|(_, shift)| units >= 1 << shift);
            fits.map_or_else(|| units.to_string(), |(suffix, shift)| tenths(1 << shift, suffix))
        }
        unit => unit.show(Amount::new(units)),
    }
}

/// `3d4h`, `12m5s`.
pub(super) fn wait(ms: i64) -> String {
    const MINUTE: i64 = 60_000;
    let step = match ms {
        ms if ms < 60 * MINUTE => 1000,
        ms if ms < 24 * 60 * MINUTE => MINUTE,
        _ => 60 * MINUTE,
    };
    Span::from_ms(ms / step * step).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_have_one_digit_after_the_point_at_most() {
        assert_eq!(short("cpu", 10_666), "10.6");
        assert_eq!(short("cpu", 500), "500m");
        assert_eq!(short("cpu", 64_000), "64");
        assert_eq!(short("memory", (100 << 30) / 3), "33.3Gi");
        assert_eq!(short("memory", 0), "0");
        assert_eq!(short("nvidia.com/gpu", 1234), "1234");
    }

    #[test]
    fn waits_have_two_units_at_most() {
        assert_eq!(wait(45_900), "45s");
        assert_eq!(wait(725_900), "12m5s");
        assert_eq!(wait(90_061_000), "1d1h");
        assert_eq!(wait(3_661_000), "1h1m");
    }
}
