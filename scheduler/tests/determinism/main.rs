//! The same input gives the same bytes: in another process, another build, another time zone,
//! locale and folder, and whatever the order of its objects.
//!
//! `make determinism` tries 2,000 inputs with a debug and a release build. By itself the test
//! tries few, both with the build at hand. Next: `objects.rs` writes the inputs.

mod objects;

use scheduler_model::event::Event;
use scheduler_model::world::World;
use scheduler_sim::worlds::{Dice, Size, random};
use serde_json::Value;
use std::ops::Range;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

/// The build at hand.
const OWN: &str = env!("CARGO_BIN_EXE_muster");
/// Inputs at a time.
const THREADS: u64 = 2;

/// Where and how one process of a pair runs.
struct Place {
    binary: String,
    folder: TempDir,
    environment: [(&'static str, &'static str); 3],
}

impl Place {
    fn new(binary: String, environment: [(&'static str, &'static str); 3]) -> Self {
        Self { binary, folder: tempfile::tempdir().expect("a folder"), environment }
    }

    /// What muster says about `text`.
    fn say(&self, text: &str, arguments: &[&str]) -> String {
        let folder = self.folder.path();
        std::fs::write(folder.join("in.yaml"), text).expect("the input is written");
        let mut command = Command::new(&self.binary);
        command.current_dir(folder).args(["simulate", "in.yaml"]).args(arguments);
        let output = command.envs(self.environment).output().expect("muster can be run");
        // Problems have line numbers, so an input with one cannot be shuffled.
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), &*error), (Some(0), ""), "{text}");
        String::from_utf8(output.stdout).expect("muster writes UTF-8")
    }
}

/// Two processes that have nothing in common but the input.
fn places() -> [Place; 2] {
    // A relative path would be looked for in the folder of each process.
    let other = std::env::var("MUSTER_OTHER").unwrap_or_else(|_| OWN.to_owned());
    assert!(Path::new(&other).is_absolute(), "MUSTER_OTHER is an absolute path to a muster");
    [
        Place::new(OWN.to_owned(), [("TZ", "UTC"), ("LANG", "C"), ("LC_ALL", "C")]),
        Place::new(
            other,
            [("TZ", "Asia/Kathmandu"), ("LANG", "tr_TR.UTF-8"), ("LC_ALL", "tr_TR.UTF-8")],
        ),
    ]
}

/// The seeds to try: 60, or what `MUSTER_SEEDS` says (`2000` or `17..18`).
fn seeds() -> Range<u64> {
    let Ok(text) = std::env::var("MUSTER_SEEDS") else { return 0..60 };
    let number = |text: &str| text.parse().expect("MUSTER_SEEDS is `2000` or `17..18`");
    match text.split_once("..") {
        Some((from, to)) => number(from)..number(to),
        None => 0..number(&text),
    }
}

/// How many inputs had what.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    inputs: u64,
    waiting: u64,
    placed: u64,
    kubernetes: u64,
}

impl Count {
    fn plus(self, other: Self) -> Self {
        Self {
            inputs: self.inputs + other.inputs,
            waiting: self.waiting + other.waiting,
            placed: self.placed + other.placed,
            kubernetes: self.kubernetes + other.kubernetes,
        }
    }
}

#[test]
fn the_same_objects_give_the_same_bytes_in_any_process() {
    let each = |first| {
        let places = places();
        let seeds = seeds().filter(|seed| seed % THREADS == first);
        seeds.fold(Count::default(), |count, seed| count.plus(try_seed(seed, &places)))
    };
    let count = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS).map(|first| scope.spawn(move || each(first))).collect();
        let counts = threads.into_iter().map(|it| it.join().expect("no seed fails"));
        counts.fold(Count::default(), Count::plus)
    });
    eprintln!("determinism: {count:?}");
    let Count { inputs, waiting, placed, .. } = count;
    // Few inputs say nothing about shares.
    if inputs >= 50 {
        assert!(waiting * 100 >= inputs * 30, "{waiting} of {inputs} have a gang that waits");
        assert!(placed * 100 >= inputs * 30, "{placed} of {inputs} have a gang that was placed");
    }
}

/// Plays one input in both places, in one of them with its objects in another order.
fn try_seed(seed: u64, places: &[Place; 2]) -> Count {
    let large = Size { nodes: 24, gangs: 16, queues: 6, pods: 10 };
    let world = random(seed, if seed % 5 == 4 { large } else { Size::SMALL });
    let is_kubernetes = seed % 3 == 2;
    let write = if is_kubernetes { objects::write } else { dump };
    let mut turned = world.clone();
    shuffle(&mut turned.events, &mut Dice::new(!seed));
    let texts = [write(&world), write(&turned)];
    let say = |arguments: &[&str]| {
        let [one, other] = [0, 1].map(|at| places[at].say(&texts[at], arguments));
        if let Some((one, other)) = first_difference(&one, &other) {
            let [straight, turned] = &texts;
            panic!("seed {seed}:\n{one}\n{other}\n--- as drawn\n{straight}--- turned\n{turned}");
        }
        one
    };
    say(&["--timeline"]);
    let json = say(&["-o", "json", "--timeline"]);
    let value: Value = serde_json::from_str(&json).expect("it is JSON");
    let gangs = value["gangs"].as_array().expect("gangs");
    let timeline = value["timeline"].as_array().expect("a timeline");
    let is_start = |entry: &Value| entry["event"] == "starts" || entry["event"] == "grows";
    Count {
        inputs: 1,
        waiting: u64::from(gangs.iter().any(|gang| gang["state"] == "waiting")),
        placed: u64::from(timeline.iter().any(is_start)),
        kubernetes: u64::from(is_kubernetes),
    }
}

/// The first line in which two texts are not the same.
fn first_difference<'a>(one: &'a str, other: &'a str) -> Option<(&'a str, &'a str)> {
    let mut lines = one.split('\n').zip(other.split('\n'));
    (one != other).then(|| lines.find(|(a, b)| a != b).unwrap_or((one, other)))
}

fn dump(world: &World) -> String {
    scheduler_scenario::dump(world, "A random world")
}

fn shuffle(events: &mut [Event], dice: &mut Dice) {
    for at in (1..events.len()).rev() {
        let last = u64::try_from(at).expect("few objects");
        events.swap(at, usize::try_from(dice.between(0, last)).expect("few objects"));
    }
}
