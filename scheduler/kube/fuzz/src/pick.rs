//! Bytes as a row of choices, so that a fuzzer reaches deep into a structure that it would
//! take ages to spell.

/// The choices that are left. When they run out, every further one is the first.
pub(crate) struct Picks<'a>(&'a [u8]);

impl<'a> Picks<'a> {
    pub(crate) fn new(data: &'a [u8]) -> Self {
        Self(data)
    }

    pub(crate) fn is_over(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        *first
    }

    /// A number below `count`, which is not 0.
    pub(crate) fn below(&mut self, count: usize) -> usize {
        let wide = u16::from_le_bytes([self.byte(), if count > 256 { self.byte() } else { 0 }]);
        usize::from(wide) % count
    }

    pub(crate) fn of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }

    /// As much text as the next byte says, at most; what is no UTF-8 is replaced.
    pub(crate) fn text(&mut self) -> String {
        let wanted = usize::from(self.byte() % 32);
        let (text, rest) = self.0.split_at(wanted.min(self.0.len()));
        self.0 = rest;
        String::from_utf8_lossy(text).into_owned()
    }
}
