//! Rounds: every contestant once, there and back again, so that a machine which slows down or
//! speeds up favours nobody.

use crate::contestant::Contestant;
use crate::figures::{Figures, Runs, Scenario};
use e2e::Fault;
use std::io::Write;
use std::time::Instant;

/// Runs a scenario so many rounds, and tells how far it is.
pub async fn rounds(
    title: &str,
    contestants: &[Contestant],
    count: usize,
    mut run: impl AsyncFnMut(Contestant) -> Result<Figures, Fault>,
) -> Scenario {
    let mut rows: Vec<(String, Runs)> =
        contestants.iter().map(|it| (it.name().to_owned(), Runs::new())).collect();
    for round in 0..count {
        for index in order(contestants.len(), round) {
            let begin = Instant::now();
            let done = run(contestants[index]).await.map_err(|fault| fault.to_string());
            let (name, runs) = &mut rows[index];
            let words = match &done {
                Ok(figures) => figures.line(),
                Err(why) => format!("no score: {why}"),
            };
            let took = begin.elapsed().as_secs();
            tell(&format!("{title}, round {}, {name} ({took} s): {words}", round + 1));
            runs.push(done);
        }
    }
    Scenario { title: title.to_owned(), rows }
}

/// Forwards in one round, backwards in the next.
fn order(contestants: usize, round: usize) -> Vec<usize> {
    let all = 0..contestants;
    if round.is_multiple_of(2) { all.collect() } else { all.rev().collect() }
}

/// Tells the person who waits.
pub fn tell(words: &str) {
    let _ = writeln!(std::io::stderr(), "{words}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_round_goes_the_other_way() {
        assert_eq!(order(3, 0), [0, 1, 2]);
        assert_eq!(order(3, 1), [2, 1, 0]);
    }
}
