//! The samples of the documentation, one per dialect.

use crate::judge::judge;
use scheduler_core::engine::Config;
use scheduler_sim::stage::Options;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/samples")
}

#[test]
fn no_gang_of_a_sample_waits_for_room_that_is_there() {
    let mut tried = 0;
    for entry in folder().read_dir().expect("the samples") {
        let path = entry.expect("a sample").path();
        let text = std::fs::read_to_string(&path).expect("the sample is text");
        let judged = judge(&text, Options::default());
        let path = path.display();
        assert!(judged.faults.is_empty(), "{path}: {:#?}", judged.faults);
        assert!(judged.unknown.is_empty(), "{path}: {:#?}", judged.unknown);
        assert!(judged.served > 0, "{path}: nothing runs");
        let waiting = judged.room + judged.held + judged.other;
        assert!(waiting > 0, "{path}: nothing waits");
        tried += 1;
    }
    assert!(tried >= 7, "{tried} samples");
}

fn demo() -> String {
    std::fs::read_to_string(folder().join("demo.yaml")).expect("the demo")
}

#[test]
fn a_gang_that_waits_beside_room_for_it_is_found() {
    // An engine that gives up after a few steps leaves room that the oracle sees.
    let config = Config { fuel: 2, ..Config::default() };
    let judged = judge(&demo(), Options { config, ..Options::default() });
    let is_found = judged.faults.iter().any(|fault| fault.contains("the oracle: ["));
    assert!(is_found, "{judged:#?}");
}
