//! Exact amounts of one resource. One home for overflow: every sum saturates, none wraps.
//!
//! The unit is fixed per resource by its name, see [`Unit::of`]. Rounding happens where text
//! is read, always against the pod (requests up, capacity down), never here.

use std::fmt;

/// How much of one resource, in that resource's [`Unit`]. May be negative: other schedulers
/// overfill nodes, and a node may shrink below what runs on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Amount(i64);

impl Amount {
    /// Nothing.
    pub const ZERO: Self = Self(0);
    /// As good as infinite; where sums saturate.
    pub const MAX: Self = Self(i64::MAX);

    /// An amount of `units`.
    #[must_use]
    pub const fn new(units: i64) -> Self {
        Self(units)
    }

    /// An amount of `units`, or the nearest there is.
    #[must_use]
    pub fn saturating(units: i128) -> Self {
        let nearest = if units < 0 { i64::MIN } else { i64::MAX };
        Self(i64::try_from(units).unwrap_or(nearest))
    }

    /// The plain number of units.
    #[must_use]
    pub const fn units(self) -> i64 {
        self.0
    }

    /// Sum, saturating.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    /// Difference, saturating.
    #[must_use]
    pub const fn minus(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }

    /// `count` times this amount, saturating.
    #[must_use]
    pub fn times(self, count: u32) -> Self {
        Self(self.0.saturating_mul(i64::from(count)))
    }

    /// How many whole times `want` goes into this amount: 0 if negative, `u32::MAX` at most
    /// and when nothing is wanted.
    #[must_use]
    pub fn holds(self, want: Self) -> u32 {
        if want.0 <= 0 {
            return u32::MAX;
        }
        u32::try_from((self.0 / want.0).max(0)).unwrap_or(u32::MAX)
    }
}

/// The unit in which amounts of a resource are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Thousandths of a core (`cpu`).
    Milli,
    /// Bytes (`memory`, `ephemeral-storage`, `hugepages-*`, `storage`).
    Byte,
    /// Whole things (`pods`, extended resources such as `nvidia.com/gpu`).
    Count,
}

impl Unit {
    /// The unit of the resource called `name`, as Kubernetes fixes it.
    #[must_use]
    pub fn of(name: &str) -> Self {
        match name {
            "cpu" => Self::Milli,
            "memory" | "ephemeral-storage" | "storage" => Self::Byte,
            _ if name.starts_with("hugepages-") => Self::Byte,
            _ => Self::Count,
        }
    }

    /// Writes `amount` the way people write it in manifests: `1500m`, `32Gi`, `8`.
    #[must_use]
    pub fn show(self, amount: Amount) -> String {
        match self {
            Self::Milli if amount.0 % 1000 == 0 => (amount.0 / 1000).to_string(),
            Self::Milli => format!("{}m", amount.0),
            Self::Count => amount.0.to_string(),
            Self::Byte => show_bytes(amount.0),
        }
    }
}

fn show_bytes(bytes: i64) -> String {
    const SUFFIXES: [(&str, u32); 5] = [("Pi", 50), ("Ti", 40), ("Gi", 30), ("Mi", 20), ("Ki", 10)];
    for (suffix, shift) in SUFFIXES {
        let size = 1_i64 << shift;
        if bytes != 0 && bytes % size == 0 {
            return format!("{}{suffix}", bytes / size);
        }
    }
    bytes.to_string()
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_saturate_and_never_wrap() {
        assert_eq!(Amount::MAX.plus(Amount::new(1)), Amount::MAX);
        assert_eq!(Amount::new(i64::MIN).minus(Amount::new(1)), Amount::new(i64::MIN));
        assert_eq!(Amount::new(i64::MAX / 2).times(3), Amount::MAX);
    }

    #[test]
    fn negative_room_holds_nothing() {
        assert_eq!(Amount::new(-8).holds(Amount::new(1)), 0);
        assert_eq!(Amount::new(7).holds(Amount::new(2)), 3);
        assert_eq!(Amount::new(0).holds(Amount::ZERO), u32::MAX);
    }

    #[test]
    fn amounts_read_like_manifests() {
        assert_eq!(Unit::of("cpu").show(Amount::new(1500)), "1500m");
        assert_eq!(Unit::of("memory").show(Amount::new(32 << 30)), "32Gi");
        assert_eq!(Unit::of("nvidia.com/gpu").show(Amount::new(8)), "8");
        assert_eq!(Unit::of("hugepages-2Mi").show(Amount::new(1 << 21)), "2Mi");
    }
}
