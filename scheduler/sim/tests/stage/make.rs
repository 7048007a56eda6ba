//! Stages from stories, and what became of them in short words.

use scheduler_model::time::{Span, Time};
use scheduler_sim::stage::{Happening, Options, Stage};

pub(crate) fn checked() -> Options {
    Options { check: true, ..Options::default() }
}

/// The stage that a story without steps sets, with every check on.
pub(crate) fn stage(text: &str) -> Stage {
    stage_with(text, checked())
}

pub(crate) fn stage_with(text: &str, options: Options) -> Stage {
    let text = format!("story: A test\n{text}");
    let scenario = scheduler_scenario::parse("test", &text).expect("the test's story is right");
    Stage::new(scenario.world, Options { start: Some(scenario.start), ..options })
}

/// Plays to the end; no rule may be broken on the way.
pub(crate) fn played(mut stage: Stage) -> Stage {
    stage.run().expect("the engine keeps its promises");
    assert!(stage.violations().is_empty(), "{:#?}", stage.violations());
    stage
}

/// Starts, growth and ends as `<when> <gang> <what>`, the pods of each step by name and node.
pub(crate) fn told(stage: &Stage) -> Vec<String> {
    let mut lines = Vec::new();
    for (at, happening) in stage.timeline() {
        let (when, gang) = (at.since(stage.start()), &happening.gang().name);
        let what = match happening {
            Happening::Started { steps, .. } => format!("starts {}", pods(steps)),
            Happening::Grew { steps, .. } => format!("grows {}", pods(steps)),
            Happening::Ended { .. } => "ends".to_owned(),
            Happening::Evicts(_) => "makes room".to_owned(),
            Happening::Waits(_) => continue,
        };
        lines.push(format!("{when} {gang} {what}"));
    }
    lines
}

fn pods(steps: &[scheduler_core::report::Step]) -> String {
    let pods: Vec<&str> = steps.iter().map(|step| step.pod.as_str()).collect();
    pods.join(",")
}

pub(crate) fn secs(secs: i64) -> Span {
    Span::from_secs(secs)
}

pub(crate) fn at(secs: i64) -> Time {
    Time::from_ms(secs * 1000)
}
