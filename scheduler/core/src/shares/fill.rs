//! Weighted max-min of whole units: everybody rises together, each as fast as its weight, from
//! what it has at least until the water or its own wish is spent.
//!
//! Invariants: parts add up to the least of the water and all wishes, as long as the water covers
//! what all have at least; nobody gets more than it wishes or less than its least; two that want
//! more than they got stand at the same level but for less than one unit, unless one of them has
//! its least; raising one's weight or wish never lowers one's part. Exact integers throughout: a
//! level is never computed, only compared by cross-multiplication.

use std::cmp::Ordering;
use std::collections::BTreeSet;

/// One who wants water.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wish {
    /// How fast it rises; 0 comes after everybody else.
    pub weight: u32,
    /// What it has whatever the level, in units.
    pub least: i128,
    /// Most that it takes, in units; no less than its least.
    pub most: i128,
}

/// How much of `water` each gets, in the order of the wishes. Units that do not divide go to the
/// largest remainders, then to whoever stands first: callers put wishes into an order of their
/// own, so that the order in which they heard of them does not matter.
///
/// The water covers what all have at least; where it does not, they have it all the same.
#[must_use]
pub fn fill(water: i128, wishes: &[Wish]) -> Vec<i128> {
    let mut parts: Vec<i128> = wishes.iter().map(|wish| wish.least).collect();
    let (heavy, light): (Vec<usize>, Vec<usize>) =
        (0..wishes.len()).partition(|index| wishes[*index].weight > 0);
    let left = water - parts.iter().sum::<i128>();
    let left = pour(left, wishes, &heavy, &mut parts);
    pour(left, wishes, &light, &mut parts);
    parts
}

/// A level at which somebody starts or ends to rise: so many units by so much weight.
#[derive(Clone, Copy)]
struct Turn {
    units: i128,
    weight: i128,
    index: usize,
    is_end: bool,
}

/// Fills those of `indices` with `left` more than their least; what is left over.
fn pour(left: i128, wishes: &[Wish], indices: &[usize], parts: &mut [i128]) -> i128 {
    if left <= 0 {
        return 0;
    }
    let wanted: i128 = indices.iter().map(|it| wishes[*it].most - wishes[*it].least).sum();
    if wanted <= left {
        for index in indices {
            parts[*index] = wishes[*index].most;
        }
        return left - wanted;
    }
    if indices.iter().all(|it| wishes[*it].least == 0) && level_off(left, wishes, indices, parts) {
        return 0;
    }
    // Among those without a weight all are equal.
    let weight = |index: usize| i128::from(wishes[index].weight.max(1));
    let rises = |index: &&usize| wishes[**index].most > wishes[**index].least;
    let mut turns: Vec<Turn> = Vec::with_capacity(2 * indices.len());
    for index in indices.iter().filter(rises) {
        let Wish { least, most, .. } = wishes[*index];
        let turn = |units, is_end| Turn { units, weight: weight(*index), index: *index, is_end };
        turns.extend([turn(least, false), turn(most, true)]);
    }
    turns.sort_by(|a, b| {
        let by_level = (a.units * b.weight).cmp(&(b.units * a.weight));
        by_level.then_with(|| a.is_end.cmp(&b.is_end)).then_with(|| a.index.cmp(&b.index))
    });
    let rising = sweep(left, &turns, parts);
    let who: Vec<usize> = rising.who.iter().copied().collect();
    settle(left, wishes, (&rising, &who), parts);
    0
}

/// Rounds of [`level_off`]: each is a look at everybody.
const ROUNDS: usize = 24;

/// Where nobody has anything yet: fills up all that want less than the present level gives them,
/// again and again as the level rises by what they leave. False if that takes too many rounds.
fn level_off(left: i128, wishes: &[Wish], indices: &[usize], parts: &mut [i128]) -> bool {
    let weight = |index: usize| i128::from(wishes[index].weight.max(1));
    let mut rising =
        Rising { weights: indices.iter().map(|it| weight(*it)).sum(), ..Rising::default() };
    let mut who: Vec<usize> = indices.to_vec();
    for _ in 0..ROUNDS {
        let (water, weights) = (left - rising.taken, rising.weights);
        let before = who.len();
        who.retain(|index| {
            let most = wishes[*index].most;
            let is_full = most * weights <= water * weight(*index);
            if is_full {
                parts[*index] = most;
                rising.taken += most;
                rising.weights -= weight(*index);
            }
            !is_full
        });
        if who.len() == before {
            settle(left, wishes, (&rising, &who), parts);
            return true;
        }
    }
    indices.iter().for_each(|index| parts[*index] = 0);
    false
}

/// Goes up from turn to turn until the water is spent; who is rising then, and how much they all
/// have together beside what is poured. Those that ended get their parts.
fn sweep(left: i128, turns: &[Turn], parts: &mut [i128]) -> Rising {
    // What is poured at level u/w is Σ (weight · u/w − least) of those that rise, plus what those
    // that ended took.
    let mut rising = Rising::default();
    for turn in turns {
        let at_turn = rising.weights * turn.units;
        let limit = (left - rising.taken + rising.least) * turn.weight;
        if at_turn.cmp(&limit) == Ordering::Greater {
            break;
        }
        if turn.is_end {
            let before = parts[turn.index];
            rising.leave(turn, before);
            rising.taken += turn.units - before;
            parts[turn.index] = turn.units;
        } else {
            rising.join(turn);
        }
    }
    rising
}

/// Who rises.
#[derive(Default)]
struct Rising {
    weights: i128,
    least: i128,
    /// What those took that ended.
    taken: i128,
    who: BTreeSet<usize>,
}

impl Rising {
    fn join(&mut self, turn: &Turn) {
        self.weights += turn.weight;
        self.least += turn.units;
        self.who.insert(turn.index);
    }

    fn leave(&mut self, turn: &Turn, least: i128) {
        self.weights -= turn.weight;
        self.least -= least;
        self.who.remove(&turn.index);
    }
}

/// Gives those that rise their parts, in whole units. The level lies between the least and the
/// most of each, and both are whole: so does each part, rounded either way.
fn settle(left: i128, wishes: &[Wish], (rising, who): (&Rising, &[usize]), parts: &mut [i128]) {
    let water = left - rising.taken + rising.least;
    let mut remainders: Vec<(i128, usize)> = Vec::with_capacity(who.len());
    let mut given = 0;
    for index in who {
        let product = water * i128::from(wishes[*index].weight.max(1));
        parts[*index] = product / rising.weights;
        given += parts[*index];
        remainders.push((product % rising.weights, *index));
    }
    remainders.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    let spare = usize::try_from(water - given).expect("fewer units are left than there are wishes");
    for (_, index) in remainders.into_iter().take(spare) {
        parts[index] += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wish(weight: u32, most: i128) -> Wish {
        Wish { weight, least: 0, most }
    }

    #[test]
    fn what_somebody_has_at_least_counts_towards_its_part() {
        let has = |least, weight| Wish { weight, least, most: 1000 };
        assert_eq!(fill(8, &[has(2, 1), has(0, 1)]), [4, 4]);
        assert_eq!(fill(8, &[has(6, 1), has(0, 1)]), [6, 2]);
        assert_eq!(fill(12, &[has(7, 1), has(0, 1), has(1, 2)]), [7, 2, 3]);
        assert_eq!(fill(8, &[has(2, 0), has(0, 1)]), [2, 6]);
        assert_eq!(fill(1, &[has(2, 1), has(0, 1)]), [2, 0], "the water does not cover it");
    }

    /// All lists of so many wishes with weights up to 3, some least, and wishes up to 6.
    fn lists(count: usize) -> Vec<Vec<Wish>> {
        let mut lists: Vec<Vec<Wish>> = vec![Vec::new()];
        for _ in 0..count {
            let one = |list: &Vec<Wish>| {
                let longer = |weight, least, most| {
                    let mut list = list.clone();
                    list.push(Wish { weight, least, most });
                    list
                };
                let mut all = Vec::new();
                for weight in [0, 1, 3] {
                    for (least, most) in [(0, 0), (0, 1), (0, 4), (0, 6), (1, 3), (2, 2), (2, 6)] {
                        all.push(longer(weight, least, most));
                    }
                }
                all
            };
            lists = lists.iter().flat_map(one).collect();
        }
        lists
    }

    #[test]
    fn weights_share_and_what_one_does_not_want_goes_to_the_others() {
        let many = 1000;
        assert_eq!(fill(12, &[wish(1, many), wish(2, many), wish(3, many)]), [2, 4, 6]);
        assert_eq!(fill(12, &[wish(1, many), wish(2, 1), wish(3, many)]), [3, 1, 8]);
        assert_eq!(fill(10, &[wish(1, many), wish(1, many), wish(1, many)]), [4, 3, 3]);
        assert_eq!(fill(7, &[wish(0, many), wish(1, 5), wish(0, many)]), [1, 5, 1]);
        assert_eq!(fill(-4, &[wish(1, many)]), [0]);
        assert_eq!(fill(4, &[]), []);
    }

    #[test]
    fn small_divisions_keep_every_promise() {
        for count in 1..=3 {
            for list in lists(count) {
                for water in 0..=6 {
                    judge(water, &list);
                }
            }
        }
    }

    fn judge(water: i128, list: &[Wish]) {
        let parts = fill(water, list);
        let say = || format!("{water} into {list:?}: {parts:?}");
        let wanted: i128 = list.iter().map(|it| it.most).sum();
        let least: i128 = list.iter().map(|it| it.least).sum();
        assert_eq!(parts.iter().sum::<i128>(), water.min(wanted).max(least), "{}", say());
        for (wish, part) in list.iter().zip(&parts) {
            assert!((wish.least..=wish.most).contains(part), "{}", say());
        }
        for (a, part) in list.iter().zip(&parts) {
            for (b, other) in list.iter().zip(&parts) {
                let is_short = *part < a.most;
                if is_short && a.weight > 0 && b.weight == 0 {
                    assert_eq!(*other, b.least, "a wish without weight comes last: {}", say());
                }
                if is_short && *other > b.least && (a.weight == 0) == (b.weight == 0) {
                    // Whoever is short stands no unit lower than anybody else that rose.
                    let (x, y) = (i128::from(a.weight.max(1)), i128::from(b.weight.max(1)));
                    assert!((*other - 1) * x < (*part + 1) * y, "{}", say());
                }
            }
        }
        for index in 0..list.len() {
            let grown = |change: fn(&mut Wish)| {
                let mut list = list.to_vec();
                change(&mut list[index]);
                fill(water, &list)[index]
            };
            assert!(grown(|it| it.weight += 1) >= parts[index], "a weight more: {}", say());
            assert!(grown(|it| it.most += 1) >= parts[index], "a wish more: {}", say());
        }
    }

    #[test]
    fn nothing_overflows_at_the_largest_amounts() {
        let most = i128::from(i64::MAX) * 100_000;
        let list = vec![wish(u32::MAX, most); 1000];
        let parts = fill(most * 500, &list);
        assert_eq!(parts.iter().sum::<i128>(), most * 500);
    }
}
