//! One line of characters that shows a queue's use against what it is entitled to and its limit.

use super::scales::Amounts;

/// Characters of a bar.
const CELLS: i64 = 20;

/// `#` is its own and in use, `+` is borrowed, `-` is its own and not in use, `.` is what it may
/// use beside. The whole bar is its limit, or without one the larger of use and entitlement.
pub(super) fn draw(it: &Amounts) -> String {
    let whole = it.limit.unwrap_or(0).max(it.used).max(it.entitled);
    if whole <= 0 {
        return ".".repeat(cells(1, 1));
    }
    let end = |amount: i64| cells(amount.max(0), whole);
    let own = end(it.used - it.borrowed);
    let used = end(it.used).max(own);
    let entitled = end(it.entitled).max(used);
    let parts =
        [('#', own), ('+', used - own), ('-', entitled - used), ('.', cells(1, 1) - entitled)];
    parts.iter().map(|(char, count)| char.to_string().repeat(*count)).collect()
}

/// How much of the bar it fills; whatever there is fills some of it.
fn cells(amount: i64, whole: i64) -> usize {
    let (amount, whole) = (i128::from(amount), i128::from(whole));
    let rounded = (2 * amount * i128::from(CELLS) + whole) / (2 * whole);
    usize::try_from(rounded.max(amount.min(1))).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bar(used: i64, entitled: i64, limit: Option<i64>) -> String {
        let borrowed = (used - entitled).max(0);
        let it = Amounts { used, entitled, limit, borrowed, ..Amounts::default() };
        draw(&it)
    }

    #[test]
    fn own_use_borrowed_use_and_what_is_left_are_told_apart() {
        assert_eq!(bar(6, 4, Some(10)), "########++++........");
        assert_eq!(bar(2, 4, Some(8)), "#####-----..........");
        assert_eq!(bar(2, 8, None), "#####---------------");
    }

    #[test]
    fn whatever_is_used_is_seen_and_nothing_is_longer_than_the_bar() {
        assert_eq!(bar(1, 1000, None), "#-------------------");
        assert_eq!(bar(0, 0, None), "....................");
        assert_eq!(bar(i64::MAX, i64::MAX, Some(1)), "####################");
    }
}
