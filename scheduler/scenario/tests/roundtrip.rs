//! A dump reads back as the same world, whatever the world holds.

#[path = "roundtrip/random.rs"]
mod random;
#[path = "roundtrip/volumes.rs"]
mod volumes;

use proptest::prelude::*;
use scheduler_model::event::Event;
use scheduler_model::spec::{NamespaceSpec, NodeSpec};
use scheduler_model::time::Time;
use scheduler_model::world::World;
use scheduler_scenario::{dump, dump_at, parse};

/// What the dump of `world` reads back as.
fn through(world: &World) -> World {
    let text = dump(world, "A dump: \"quoted\"");
    let scenario =
        parse("dump.yaml", &text).unwrap_or_else(|error| panic!("{error}\n{text:.2000}"));
    assert_eq!(scenario.story, "A dump: \"quoted\"");
    scenario.world
}

fn namespace_labelled(key: &str, value: &str) -> World {
    let labels = [(key.to_owned(), value.to_owned())].into();
    let spec = NamespaceSpec { name: "n".to_owned(), labels, queue: None };
    World { events: vec![Event::Namespace(spec)], ..World::default() }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_random_world_comes_back_equal(world in random::world()) {
        prop_assert_eq!(through(&world), world);
    }

    #[test]
    fn a_damaged_file_is_read_or_refused_but_never_panics(
        from in 0..10_000_usize,
        length in 0..40_usize,
        put in random::odd_text(),
    ) {
        let mut letters: Vec<char> = include_str!("../../../docs/SCENARIOS.md")
            .split("```yaml\n")
            .skip(1)
            .filter_map(|rest| rest.split("```").next())
            .nth(from % 6)
            .expect("the reference has six examples")
            .chars()
            .collect();
        let from = from % letters.len();
        let until = (from + length).min(letters.len());
        letters.splice(from..until, put.chars());
        let text: String = letters.into_iter().collect();
        if let Err(error) = parse("damaged.yaml", &text) {
            prop_assert!(error.to_string().starts_with("damaged.yaml"));
        }
    }

    #[test]
    fn any_text_comes_back_as_key_and_as_value(key in random::odd_text(), value in random::odd_text()) {
        let world = namespace_labelled(&key, &value);
        prop_assert_eq!(through(&world), world);
    }
}

#[test]
fn texts_that_yaml_could_take_for_something_else_come_back() {
    for text in [
        "yes",
        "No",
        "on",
        "off",
        "y",
        "null",
        "Null",
        "~",
        "",
        " ",
        "true",
        "1",
        "1.0",
        "0x1f",
        "1e3",
        "0o7",
        ".inf",
        ".nan",
        "-",
        "- a",
        "? a",
        "a: b",
        "a #b",
        "#",
        "&a",
        "*a",
        "!a",
        "%a",
        "@a",
        "`a",
        "{",
        "[",
        "'",
        "\"",
        "|",
        ">",
        "---",
        "...",
        "<<",
        "=",
        "2026-11-30",
        "1:30",
        "a\nb",
        "a\n",
        "\n",
        "\r\n",
        "\t",
        "a\u{0}b",
        "\u{7f}",
        "\u{85}",
        "\u{2028}",
        "\u{feff}",
        "\u{feff}a",
        "a\u{feff}",
        "\u{1f600}",
        "\\",
        "a\\nb",
        "${HOME}",
        "007",
        "1_000",
        "+1",
        " a ",
    ] {
        let world = namespace_labelled(text, text);
        assert_eq!(through(&world), world, "{text:?}");
    }
}

#[test]
fn labels_of_a_megabyte_come_back() {
    for piece in ["x", "long words ", "\n", "ä'\"", "a\u{1}"] {
        let text = piece.repeat((1 << 20) / piece.len());
        for world in [namespace_labelled("key", &text), namespace_labelled(&text, "value")] {
            assert!(through(&world) == world, "a megabyte of {piece:?}");
        }
    }
}

#[test]
fn defaults_are_left_out_of_a_dump() {
    let node = NodeSpec { name: "a1".to_owned(), ready: true, ..NodeSpec::default() };
    let world = World { events: vec![Event::Node(Box::new(node))], ..World::default() };
    assert_eq!(dump(&world, "One node"), "story: One node\nobjects:\n- node:\n    name: a1\n");
}

#[test]
fn a_dump_may_start_its_clock_at_a_date() {
    let text = dump_at(&World::default(), "Later", Time::from_ms(1_796_020_080_000));
    assert_eq!(text, "story: Later\nnow: \"2026-11-30T06:28:00Z\"\n");
    let scenario = parse("dump.yaml", &text).expect("a dump is readable");
    assert_eq!(scenario.start.ms(), 1_796_020_080_000);
}

#[test]
fn a_story_survives_being_dumped() {
    let text = "story: S\ntopology: [rack]\nnodes: [{ name: 'n{1..3}', rack: r, gpu: 8 }]\n\
                running: [{ gang: g, pods: 2, on: n1, ends: 5m }]\n\
                pending: [{ owner: job/x, pace: at most 2, pods: 3, at: 1m, each: { cpu: 0.5 } }]";
    let world = parse("s.yaml", text).expect("the story is right").world;
    assert_eq!(through(&world), world);
}
