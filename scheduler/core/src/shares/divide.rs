//! One division: what siblings get of what their parent has, for one measure.
//!
//! In this order: what is *kept* for each whether it wants it or not (its dedicated part, and what
//! it does not lend); what those with a *deserved* amount want of it; what is left to the others
//! by *weight*; and what is still left is *lent*, by weight too.
//!
//! Invariants: all parts fit into the whole; nobody gets more than it wants or keeps; nothing is
//! left over while somebody wants it and may have it.

use super::fill::{Wish, fill};

/// What one sibling brings into the division.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stake {
    /// Weight among siblings; 0 comes after everybody else.
    pub weight: u32,
    /// Kept for it, never lent.
    pub dedicated: i128,
    /// Its own, lent while unused; `None` if its weight says how much.
    pub deserved: Option<i128>,
    /// Most of what it deserves that it lends; `None` lends all but the dedicated part.
    pub lends: Option<i128>,
    /// Most that it may use, by its limit and what it may borrow; `None` has no end.
    pub most: Option<i128>,
    /// What it uses and what waits in it.
    pub demand: i128,
}

/// What it gets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Part {
    /// Kept for it, wanted or not.
    pub kept: i128,
    /// Its own, of what it wants, the kept part included.
    pub deserved: i128,
    /// With what others lend it.
    pub fair: i128,
}

/// Divides `whole`. Callers put siblings into an order of their own; it ends ties.
#[must_use]
pub fn divide(whole: i128, stakes: &[Stake]) -> Vec<Part> {
    let whole = whole.max(0);
    if stakes.iter().all(|stake| stake.dedicated == 0 && stake.deserved.is_none()) {
        return by_weight_alone(whole, stakes);
    }
    let mut parts = vec![Part::default(); stakes.len()];
    pour(whole, stakes, &mut parts, |stake, _| (0, stake.kept()));
    for part in &mut parts {
        part.kept = part.fair;
    }
    pour(whole, stakes, &mut parts, |stake, part| {
        let deserved = stake.deserved.unwrap_or(0);
        (part.kept, stake.wanted().min(deserved))
    });
    pour(whole, stakes, &mut parts, |stake, part| match stake.deserved {
        Some(_) => (part.fair, part.fair),
        None => (part.kept, stake.wanted()),
    });
    for part in &mut parts {
        part.deserved = part.fair;
    }
    lend(whole, stakes, &mut parts);
    parts
}

/// Where nobody has anything of its own, weights are all there is.
fn by_weight_alone(whole: i128, stakes: &[Stake]) -> Vec<Part> {
    let wish = |stake: &Stake| Wish { weight: stake.weight, least: 0, most: stake.wanted() };
    let wishes: Vec<Wish> = stakes.iter().map(wish).collect();
    let parts = fill(whole, &wishes).into_iter();
    parts.map(|units| Part { kept: 0, deserved: units, fair: units }).collect()
}

/// Sets everybody's part, by weight, between the two amounts that `bounds` answers for it.
fn pour(
    whole: i128,
    stakes: &[Stake],
    parts: &mut [Part],
    bounds: impl Fn(&Stake, &Part) -> (i128, i128),
) {
    let both = stakes.iter().zip(parts.iter());
    let wish = |(stake, part): (&Stake, &Part)| {
        let (least, most) = bounds(stake, part);
        Wish { weight: stake.weight, least, most: most.max(least) }
    };
    let wishes: Vec<Wish> = both.map(wish).collect();
    // The usual case needs no order: nobody has anything to come.
    if wishes.iter().zip(parts.iter()).all(|(wish, part)| wish.most == part.fair) {
        return;
    }
    for (part, units) in parts.iter_mut().zip(fill(whole, &wishes)) {
        part.fair = units;
    }
}

/// Divides what is left by weight, whatever everybody has already.
fn lend(whole: i128, stakes: &[Stake], parts: &mut [Part]) {
    let left = whole - parts.iter().map(|part| part.fair).sum::<i128>();
    if left <= 0 {
        return;
    }
    let wish = |(stake, part): (&Stake, &Part)| {
        let most = (stake.wanted() - part.fair).max(0);
        Wish { weight: stake.weight, least: 0, most }
    };
    let wishes: Vec<Wish> = stakes.iter().zip(parts.iter()).map(wish).collect();
    for (part, more) in parts.iter_mut().zip(fill(left, &wishes)) {
        part.fair += more;
    }
}

impl Stake {
    /// Kept for it whether it wants it or not.
    pub(super) fn kept(&self) -> i128 {
        let unlent = match (self.deserved, self.lends) {
            (Some(deserved), Some(lends)) => deserved - lends,
            _ => 0,
        };
        self.dedicated.max(unlent).max(0).min(self.most.unwrap_or(i128::MAX))
    }

    /// Most that it can use now.
    fn wanted(&self) -> i128 {
        self.demand.min(self.most.unwrap_or(i128::MAX)).max(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wants(weight: u32, demand: i128) -> Stake {
        Stake { weight, demand, ..Stake::default() }
    }

    fn parts(whole: i128, stakes: &[Stake]) -> Vec<(i128, i128, i128)> {
        let parts = divide(whole, stakes).into_iter();
        parts.map(|part| (part.kept, part.deserved, part.fair)).collect()
    }

    #[test]
    fn what_is_dedicated_is_kept_wanted_or_not() {
        let idle = Stake { dedicated: 4, ..wants(1, 0) };
        assert_eq!(parts(10, &[idle, wants(1, 20)]), [(4, 4, 4), (0, 6, 6)]);
        let busy = Stake { dedicated: 4, ..wants(1, 20) };
        assert_eq!(parts(10, &[busy, wants(1, 20)]), [(4, 5, 5), (0, 5, 5)]);
    }

    #[test]
    fn what_is_deserved_is_lent_while_it_is_not_wanted() {
        let deserves = |demand| Stake { deserved: Some(6), ..wants(1, demand) };
        assert_eq!(parts(10, &[deserves(0), wants(1, 20)]), [(0, 0, 0), (0, 10, 10)]);
        assert_eq!(parts(10, &[deserves(20), wants(1, 20)]), [(0, 6, 6), (0, 4, 4)]);
        let two = [deserves(2), deserves(20)];
        assert_eq!(parts(12, &two), [(0, 2, 2), (0, 6, 10)], "the rest is borrowed");
    }

    #[test]
    fn what_is_lent_beyond_what_others_deserve_goes_by_weight() {
        let [light, heavy] = [1, 3].map(|weight| Stake { deserved: Some(2), ..wants(weight, 20) });
        assert_eq!(parts(12, &[light, heavy]), [(0, 2, 4), (0, 2, 8)]);
    }

    #[test]
    fn a_lending_limit_keeps_the_rest_of_what_is_deserved() {
        let idle = Stake { deserved: Some(6), lends: Some(2), ..wants(1, 0) };
        assert_eq!(parts(10, &[idle, wants(1, 20)]), [(4, 4, 4), (0, 6, 6)]);
    }

    #[test]
    fn nobody_gets_more_than_it_may_use() {
        let limited = Stake { most: Some(3), ..wants(2, 20) };
        assert_eq!(parts(10, &[limited, wants(1, 20)]), [(0, 3, 3), (0, 7, 7)]);
        let dedicated = Stake { dedicated: 5, ..limited };
        assert_eq!(parts(10, &[dedicated, wants(1, 20)]), [(3, 3, 3), (0, 7, 7)]);
    }

    #[test]
    fn too_much_that_is_deserved_is_divided_by_weight() {
        let [a, b] = [1, 2].map(|weight| Stake { deserved: Some(9), ..wants(weight, 9) });
        assert_eq!(parts(9, &[a, b, wants(5, 9)]), [(0, 3, 3), (0, 6, 6), (0, 0, 0)]);
        let [a, b] = [1, 2].map(|weight| Stake { dedicated: 9, ..wants(weight, 0) });
        assert_eq!(parts(9, &[a, b]), [(3, 3, 3), (6, 6, 6)]);
    }

    /// All stakes made of these few amounts.
    fn every_stake() -> Vec<Stake> {
        let mut stakes = Vec::new();
        for weight in [0, 1, 3] {
            for dedicated in [0, 2] {
                for deserved in [None, Some(0), Some(3)] {
                    for lends in [None, Some(1)] {
                        for most in [None, Some(4)] {
                            for demand in [0, 1, 6] {
                                let stake =
                                    Stake { weight, dedicated, deserved, lends, most, demand };
                                stakes.push(stake);
                            }
                        }
                    }
                }
            }
        }
        stakes
    }

    #[test]
    fn small_divisions_keep_every_promise() {
        let stakes = every_stake();
        for a in &stakes {
            for b in &stakes {
                for whole in 0..=6 {
                    judge(whole, &[*a, *b]);
                }
            }
        }
        // A sample of the triples: all would take minutes.
        for (number, a) in stakes.iter().enumerate() {
            for b in stakes.iter().skip(number % 7).step_by(7) {
                for c in stakes.iter().skip(number % 5).step_by(5) {
                    for whole in [1, 3, 6] {
                        judge(whole, &[*a, *b, *c]);
                    }
                }
            }
        }
    }

    fn judge(whole: i128, stakes: &[Stake]) {
        let parts = divide(whole, stakes);
        let say = || format!("{whole} among {stakes:?}: {parts:?}");
        let given: i128 = parts.iter().map(|part| part.fair).sum();
        assert!(given <= whole, "{}", say());
        let mut is_short = false;
        for (stake, part) in stakes.iter().zip(&parts) {
            assert!(0 <= part.kept && part.kept <= part.deserved, "{}", say());
            assert!(part.deserved <= part.fair, "{}", say());
            assert!(part.fair <= stake.wanted().max(part.kept), "more than it wants: {}", say());
            assert!(stake.most.is_none_or(|most| part.fair <= most), "over its limit: {}", say());
            is_short |= part.fair < stake.wanted();
        }
        assert!(!is_short || given == whole, "something is left over: {}", say());
        for (index, stake) in stakes.iter().enumerate() {
            for (other, rival) in stakes.iter().enumerate() {
                // Nobody borrows while somebody lacks its own, beside what was kept.
                let own = stake.deserved.unwrap_or(0).min(stake.wanted());
                let lacks = parts[index].fair < own;
                let borrows = rival.deserved.is_some() && parts[other].fair > parts[other].deserved;
                assert!(!(lacks && borrows), "{}", say());
            }
            let mut more = stakes.to_vec();
            more[index].weight += 1;
            let now = divide(whole, &more)[index].fair;
            assert!(now >= parts[index].fair, "a weight more leaves {now}: {}", say());
        }
    }
}
