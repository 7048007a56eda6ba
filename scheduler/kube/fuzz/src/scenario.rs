//! Scenario files: whatever parses, its dump is the same world and reads back as itself.

use scheduler_model::time::Time;
use scheduler_model::world::World;
use scheduler_scenario::{dump_at, parse};

pub(crate) fn trial(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    story(&tamed(text));
}

/// Reads `text` as a scenario, and its world through a dump.
pub(crate) fn story(text: &str) {
    let read = parse("in.yaml", text);
    assert_eq!(read, parse("in.yaml", text), "twice");
    match read {
        Err(error) => {
            let said = error.to_string();
            assert!(said.starts_with("in.yaml"), "{said}");
            assert!(!error.message.is_empty() && !error.remedy.is_empty(), "{said}");
            let lines = text.bytes().filter(|byte| matches!(byte, b'\n' | b'\r')).count() as u64;
            assert!(error.line <= lines + 1, "the file has only {lines} lines: {said}");
        }
        Ok(scenario) => through_a_dump(&scenario.world, &scenario.story, scenario.start),
    }
}

/// Writes the world as a scenario, which must read as the same world.
pub(crate) fn through_a_dump(world: &World, story: &str, start: Time) {
    let dump = dump_at(world, story, start);
    let again = match parse("dump.yaml", &dump) {
        Ok(again) => again,
        Err(error) => panic!("the dump does not read: {error}\n{dump:.4000}"),
    };
    assert_eq!((&again.story[..], again.start), (story, start), "{dump:.4000}");
    assert_eq!(again.world.events, world.events, "{dump:.4000}");
    assert!(again.world == *world, "workloads or hints differ\n{dump:.4000}");
    assert_eq!(dump_at(&again.world, story, start), dump, "the dump of a dump");
}

/// Numbers between thousands and billions, cut: they are read, but a hundred thousand nodes
/// teach nothing that a hundred do not.
fn tamed(text: &str) -> String {
    let mut tame = String::with_capacity(text.len());
    let mut digits = String::new();
    for letter in text.chars().chain(['\n']) {
        if letter.is_ascii_digit() {
            digits.push(letter);
            continue;
        }
        if (4..=11).contains(&digits.len()) {
            digits.truncate(3);
        }
        tame.push_str(&digits);
        digits.clear();
        tame.push(letter);
    }
    tame.pop();
    tame
}
