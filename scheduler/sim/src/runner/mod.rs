//! Plays a story and says which of its expectations do not hold.
//!
//! At the start and at each step: what is due by itself happens, then the changes of the step,
//! then cycles run until nothing moves, and only then the expectations are compared, before
//! the clock moves on. The checker, the audit of the snapshot and the second, quiet cycle are
//! always on: what they find fails the story like a wrong outcome.
//!
//! Next: `change.rs` (what a step changes), `observe.rs` (what an expectation sees).

mod change;
mod observe;

use crate::stage::{Fault, Options, Stage};
use observe::Watch;
use scheduler_core::evict::{Budgets, Evicts};
use scheduler_scenario::{Expectation, Scenario, check};

/// Plays the story with the default profile; answers what failed, empty if all is well.
#[must_use]
pub fn run(scenario: &Scenario) -> Vec<String> {
    run_with(scenario, Options::default())
}

/// As [`run`], with other numbers or plugins. The start of the story, the numbers it names and
/// the checks are set here.
#[must_use]
pub fn run_with(scenario: &Scenario, options: Options) -> Vec<String> {
    let mut options = Options { start: Some(scenario.start), check: true, ..options };
    if let Some(span) = scenario.hold_after {
        options.config.hold_after = span;
    }
    if scenario.evicts {
        options.config.evicts = Evicts::ByQueue;
    }
    if scenario.breaks_budgets {
        options.config.budgets = Budgets::BreakLast;
    }
    options.grace = scenario.grace;
    let stage = Stage::new(scenario.world.clone(), options);
    let mut story = Story { stage, watch: Watch::default(), failures: Vec::new(), blamed: 0 };
    if let Err(fault) = story.play(scenario) {
        story.failures.push(fault.to_string());
    }
    story.failures
}

struct Story {
    stage: Stage,
    watch: Watch,
    failures: Vec<String>,
    /// Violations that were told.
    blamed: usize,
}

impl Story {
    fn play(&mut self, scenario: &Scenario) -> Result<(), Fault> {
        self.stage.settle()?;
        // What the scheduler does at the start is news; what was there before is not.
        self.compare(&scenario.expect);
        for step in &scenario.then {
            self.stage.advance(step.at)?;
            for change in &step.changes {
                if let Err(why) = change::apply(&mut self.stage, change) {
                    self.fail(why);
                }
            }
            self.stage.settle()?;
            self.compare(&step.expect);
        }
        Ok(())
    }

    fn compare(&mut self, expect: &[Expectation]) {
        let observed = self.watch.observe(&mut self.stage);
        let said = check(expect, &observed);
        said.into_iter().for_each(|line| self.fail(line));
        let new = self.stage.violations()[self.blamed..].to_vec();
        self.blamed += new.len();
        self.failures.extend(new);
    }

    fn fail(&mut self, line: String) {
        let after = self.stage.now().since(self.stage.start());
        self.failures.push(format!("after {after}: {line}"));
    }
}
