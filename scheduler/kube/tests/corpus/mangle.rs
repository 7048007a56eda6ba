//! Damages a seed, always in the same ways: what a fuzzer does, on stable and without luck.

/// Largest damaged copy, so that a debug build stays quick.
const BYTES_MAX: usize = 16 << 10;

/// Bytes that mean something to one of the languages.
const TELLING: &[u8] = b"\0\t\n\r \"'#%&*+,-.0159:<=>?@EGKM[\\]`aeikmn{|}~\x7f\x80\xc3\xef\xff";

/// A copy of `seed` with the damage of this number.
pub(crate) fn damaged(seed: &[u8], number: u64) -> Vec<u8> {
    let mut dice = Dice(number.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ seed.len() as u64);
    let mut data = seed.to_vec();
    for _ in 0..=number % 3 {
        damage(&mut data, &mut dice);
    }
    data.truncate(BYTES_MAX);
    data
}

fn damage(data: &mut Vec<u8>, dice: &mut Dice) {
    let length = data.len();
    let (at, other) = (dice.below(length + 1), dice.below(length + 1));
    let (from, until) = (at.min(other), at.max(other));
    // Pieces of a few lines at most, so that what is repeated or moved still has a meaning.
    let piece = data[from..until.min(from + 200)].to_vec();
    match dice.below(8) {
        0 => data.truncate(at),
        1 => drop(data.drain(from..until.min(from + 40))),
        2 if at < length => data[at] ^= 1 << dice.below(8),
        3 if at < length => data[at] = TELLING[dice.below(TELLING.len())],
        4 => data.insert(at, TELLING[dice.below(TELLING.len())]),
        5 => drop(data.splice(at..at, piece.repeat(1 + dice.below(30)))),
        6 => drop(data.splice(other..other, piece)),
        _ => drop(data.splice(from..from, data.clone())),
    }
}

/// A row of numbers that is the same on every machine (SplitMix64).
struct Dice(u64);

impl Dice {
    fn below(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed >> 33) as usize % count.max(1)
    }
}
