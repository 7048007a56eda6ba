//! Problems that people were told already.
//!
//! Invariant: the same problems of the same object are told once, until they change.

use scheduler_model::problem::Problem;
use std::collections::BTreeMap;

/// What was told, by whom it is about.
#[derive(Debug, Default)]
pub(super) struct Told {
    known: BTreeMap<String, Vec<Problem>>,
    fresh: Vec<Problem>,
}

impl Told {
    /// These are all problems of `who` now.
    pub(super) fn say(&mut self, who: &str, problems: Vec<Problem>) {
        if problems.is_empty() {
            self.known.remove(who);
            return;
        }
        let known = self.known.get(who).map_or(&[][..], Vec::as_slice);
        let fresh = problems.iter().filter(|problem| !known.contains(problem));
        self.fresh.extend(fresh.cloned());
        self.known.insert(who.to_owned(), problems);
    }

    /// `who` is gone.
    pub(super) fn forget(&mut self, who: &str) {
        self.known.remove(who);
    }

    /// What has not been told yet.
    pub(super) fn drain(&mut self) -> Vec<Problem> {
        std::mem::take(&mut self.fresh)
    }
}

impl super::Desk {
    /// How many things are wrong with objects now.
    #[must_use]
    pub fn problems(&self) -> usize {
        self.told.known.values().map(Vec::len).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_is_told_again_only_after_it_was_cured() {
        let problem = || vec![Problem::new("Pod a/x", "spec", "wrong", "mend it")];
        let mut told = Told::default();
        told.say("Pod a/x", problem());
        assert_eq!(told.drain().len(), 1);
        told.say("Pod a/x", problem());
        assert_eq!(told.drain().len(), 0);
        told.say("Pod a/x", Vec::new());
        told.say("Pod a/x", problem());
        assert_eq!(told.drain().len(), 1);
    }
}
