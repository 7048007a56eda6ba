//! Stories: a cluster, its gangs, what happens, and what must come of it, in one YAML file.
//!
//! The same file is a scenario test, a seed of the simulator's corpus, and what a dump of a
//! production cluster looks like. `docs/SCENARIOS.md` is the full reference; this is the
//! format by example:
//!
//! ```
//! let scenario = scheduler_scenario::parse("one-rack.yaml", r#"
//! story: A gang takes one rack rather than pieces of two
//! topology: [rack]                  # node labels, widest first
//! nodes:
//!   - { name: "a{1..4}", rack: r1, gpu: 8 }
//!   - { name: "b{1..4}", rack: r2, gpu: 8 }
//! running:                          # bound already
//!   - { gang: old, each: { gpu: 8 }, on: a1 }
//! pending:                          # what the scheduler decides
//!   - { gang: train, pods: 4, each: { gpu: 8 }, together: rack }
//! expect:                           # once nothing moves any more
//!   - train: { runs: { on: "b{1..4}" } }
//!   - old: untouched
//! then:                             # what happens next
//!   - after: 10m
//!     do: [ gang old finishes ]
//!     expect:
//!       - old: done
//! "#)?;
//! assert_eq!(scenario.then.len(), 1);
//! # Ok::<(), scheduler_scenario::Error>(())
//! ```
//!
//! Reading order: [`parse`] (here), [`Scenario`] and [`Change`] (`story`), [`Expectation`] and
//! [`Observed`] (`expect`), [`check()`], [`dump()`]. Inside: `read` has the small languages of
//! single values, `file` the short form as it stands, `build` its meaning, `full` the mirror
//! of the model's specs.
//!
//! Invariants: this crate knows no engine; what it reads depends on the text alone; a dump
//! reads back as the same world.
#![deny(clippy::float_arithmetic, clippy::iter_over_hash_type, clippy::as_conversions)]

mod build;
mod check;
mod dump;
mod error;
mod expect;
mod file;
mod full;
mod read;
mod story;
mod words;

pub use check::check;
pub use dump::{dump, dump_at};
pub use error::Error;
pub use expect::{
    Because, Expectation, GangState, Observed, ObservedGang, ObservedQueue, QueueFact, REASONS,
    Runs, Wish, Within, reason_word,
};
pub use story::{Change, PodName, Scenario, Step};
pub use words::node_word;

use scheduler_model::time::{Span, Time};

/// Reads a scenario. `file_name` is only used in the error.
///
/// # Errors
///
/// The first thing in `text` that is not understood, with its line.
pub fn parse(file_name: &str, text: &str) -> Result<Scenario, Error> {
    read(text).map_err(|error| error.in_file(file_name))
}

/// The name that the file of a story has: its words with dashes between, and `.yaml`.
#[must_use]
pub fn file_name(story: &str) -> String {
    let lower = story.to_lowercase().replace(['\'', '’'], "");
    let words: Vec<&str> =
        lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    format!("{}.yaml", words.join("-"))
}

fn read(text: &str) -> Result<Scenario, Error> {
    // A dump of a large cluster is far above the defaults; aliases keep their own limits.
    const LIMIT: usize = 1 << 32;
    let options = serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_events: LIMIT,
            max_nodes: LIMIT,
            max_total_scalar_bytes: LIMIT,
            max_depth: 64,
        },
        // A node may be called `n`, a gang `on`.
        strict_booleans: true,
        with_snippet: false,
    };
    let mut file: file::File = serde_saphyr::from_str_with_options(text, options)
        .map_err(|error| Error::from_yaml(&error))?;
    let start = file.now.as_ref().map_or(Time::ZERO, |time| time.0);
    let mut builder = build::Builder::new(start);
    let world = builder.world(file.take_sections())?;
    let expect = builder.expect(file.expect)?;
    let then = file.then.into_iter().map(|step| builder.step(step)).collect::<Result<_, _>>()?;
    let hold_after = file.hold_after.map(|span| span.0);
    Ok(Scenario {
        story: file.story,
        labels: file.labels,
        start,
        hold_after,
        evicts: file.evicts.unwrap_or(false),
        breaks_budgets: file.breaks_budgets,
        grace: file.grace.map_or(Span::ZERO, |span| span.0),
        world,
        expect,
        then,
    })
}
