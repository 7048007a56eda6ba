//! The checks bite: a wrong engine does not get through, and a wrong story does not pass.

use super::make::{checked, stage_with};
use scheduler_framework::profile::Profile;
use scheduler_scenario::parse;
use scheduler_sim::runner::{run, run_with};
use scheduler_sim::stage::Options;

const TAINTED: &str = "nodes: [{ name: a1, gpu: 8, taints: [\"team=blue:NoSchedule\"] }]
pending: [{ pod: p, each: { gpu: 1 } }]
";

/// An engine that knows no filter places pods where they must not go.
fn blind() -> Options {
    Options { profile: Profile::default(), ..checked() }
}

#[test]
fn a_bind_to_a_forbidden_node_is_a_violation() {
    let mut stage = stage_with(TAINTED, blind());
    stage.run().expect("the engine keeps its promises");
    let said = stage.violations().join("\n");
    assert!(said.contains("gang default/p: pod \"pod:default/p\" must not go to \"a1\""), "{said}");
}

#[test]
fn nobody_judges_unless_asked() {
    let mut stage = stage_with(TAINTED, Options { check: false, ..blind() });
    stage.run().expect("the engine keeps its promises");
    assert!(stage.violations().is_empty());
}

#[test]
fn a_violation_fails_a_story_whose_expectations_hold() {
    let text = format!("story: A test\n{TAINTED}expect: [p: runs]");
    let scenario = parse("test", &text).expect("the story is right");
    assert_eq!(run_with(&scenario, blind()).len(), 1);
}

#[test]
fn an_expectation_that_does_not_hold_is_told_with_its_time() {
    let text = format!(
        "story: A test\n{TAINTED}expect: [p: waits]\nthen: [{{ after: 90s, expect: [p: runs] }}]"
    );
    let scenario = parse("test", &text).expect("the story is right");
    let failures = run(&scenario);
    assert_eq!(failures.len(), 1, "{failures:?}");
    assert!(failures[0].starts_with("after 1m30s: gang default/p: expected that it runs"));
}

#[test]
fn a_change_that_names_nothing_fails_the_story() {
    let text = "story: A test
nodes: [{ name: a1 }]
running: [{ pod: p, on: a1 }]
then: [{ do: [pod p deleted] }, { do: [pod p fails] }]";
    let failures = run(&parse("test", text).expect("the story is right"));
    assert_eq!(failures, ["after 0s: pod default/p does not exist at this moment"]);
}

#[test]
fn what_happened_between_two_checks_is_touched() {
    let text = "story: A test
nodes: [{ name: a1, gpu: 2 }]
running: [{ pod: old, each: { gpu: 1 }, on: a1 }]
pending: [{ pod: new, each: { gpu: 1 } }]
expect: [old: untouched, new: { untouched: false }]
then:
  - { after: 1m, expect: [old: untouched, new: untouched] }
  - { after: 1m, do: [pod old terminates], expect: [old: { untouched: false }, new: untouched] }";
    assert_eq!(run(&parse("test", text).expect("the story is right")), [""; 0]);
}
