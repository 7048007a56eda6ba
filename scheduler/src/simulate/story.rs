//! Scenarios with expectations, each played by itself.

use scheduler_scenario::Scenario;
use scheduler_sim::runner::run_with;
use scheduler_sim::stage::Options;

/// What came of one scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// File it stands in.
    pub file: String,
    /// Its sentence.
    pub story: String,
    /// What does not hold; empty if all is well.
    pub failures: Vec<String>,
}

/// Plays each story.
pub(super) fn tell(stories: &[(String, Scenario)], options: &Options) -> Vec<Told> {
    let told = stories.iter().map(|(file, scenario)| Told {
        file: file.clone(),
        story: scenario.story.clone(),
        failures: run_with(scenario, options.clone()),
    });
    told.collect()
}
