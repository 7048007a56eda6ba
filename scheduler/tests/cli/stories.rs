//! Scenario files as input.

use crate::{SMALL, simulate};

const STORY: &str = "\
story: A gang takes the only node
nodes:
  - { name: a1, gpu: 8 }
pending:
  - { gang: train, pods: 1, each: { gpu: 8 } }
expect:
  - train: { runs: { on: a1 } }
";

#[test]
fn a_story_that_holds_is_one_line() {
    let ran = simulate(STORY, &[]);
    assert_eq!(
        ran.shown(),
        "exit code 0\n--- out\nholds: A gang takes the only node (in.yaml)\n--- err\n"
    );
}

#[test]
fn a_story_that_fails_says_what_does_not_hold() {
    let ran = simulate(&STORY.replace("gpu: 8 } }\nexpect", "gpu: 9 } }\nexpect"), &[]);
    assert_eq!(ran.code, 1);
    let lines: Vec<&str> = ran.out.lines().collect();
    assert_eq!(lines[0], "fails: A gang takes the only node (in.yaml)");
    assert!(lines[1].contains("train: expected that it runs, got that it waits"), "{}", lines[1]);
}

#[test]
fn a_story_that_expects_nothing_is_a_cluster_like_any_other() {
    let (cluster, _) = STORY.split_once("expect:").expect("an expectation");
    let ran = simulate(cluster, &[]);
    assert!(ran.out.contains("default/train"), "{}", ran.out);
    assert!(ran.out.contains("1 gang: 1 running; 1 node; "), "{}", ran.out);
}

#[test]
fn a_story_that_cannot_be_read_is_told_with_its_line_and_the_rest_is_shown() {
    let ran = simulate(&format!("{SMALL}---\nstory: Bad\nnodes: [{{nam: x}}]\n"), &[]);
    assert_eq!(ran.code, 2);
    let line = SMALL.lines().count() + 3;
    assert!(ran.err.starts_with(&format!("problem: in.yaml:{line}: scenario: ")), "{}", ran.err);
    assert!(ran.out.contains("a/job/large"), "{}", ran.out);
}
