//! `muster simulate`: files in, decisions out.
//!
//! `input` reads files into one world and the stories beside it; `play` runs the world on the
//! virtual cluster; [`crate::show`] writes what came of it.

mod input;
mod play;
mod story;

pub use input::Input;
pub use story::Told;

use crate::arguments::{Output, Simulate};
use crate::ending::Ending;
use crate::show::{self, Shown};
use scheduler_core::engine::Config;
use scheduler_core::evict::{Budgets, Evicts};
use scheduler_core::view::Standing;
use scheduler_kube::read::open;
use scheduler_sim::stage::{Options, RunReport, Stage};
use std::io::{self, Write};

/// Runs the command.
///
/// # Errors
/// If `out` or `err` cannot be written to.
pub fn simulate(wish: &Simulate, out: &mut dyn Write, err: &mut dyn Write) -> io::Result<Ending> {
    let sources = match open(&wish.files) {
        Ok(sources) => sources,
        Err(failed) => {
            for one in failed {
                writeln!(err, "error: {one}")?;
            }
            return Ok(Ending::Unreadable);
        }
    };
    let mut input = Input::read(sources, wish);
    if input.is_unusable() {
        show::problems(&input, &[], err)?;
        writeln!(
            err,
            "error: no object in the input is of a kind that is read (docs/simulate.md lists them)"
        )?;
        return Ok(Ending::Unreadable);
    }
    let told = story::tell(&input.stories, &options(wish));
    let mut ending =
        if told.iter().any(|one| !one.failures.is_empty()) { Ending::Failed } else { Ending::Ran };
    if !input.cut_short.is_empty() || !input.unread_stories.is_empty() {
        ending = Ending::Unreadable;
    }
    let nodes = input.nodes_count();
    let options = Options { start: wish.start.or(input.start), ..options(wish) };
    let mut stage = Stage::new(std::mem::take(&mut input.world), options);
    if let Some(path) = &wish.dump {
        let text = scheduler_scenario::dump_at(&stage.world(), DUMP_STORY, stage.start());
        if let Err(error) = std::fs::write(path, text) {
            let path = path.display();
            writeln!(err, "error: {path} cannot be written: {error} (name another file)")?;
            return Ok(Ending::Unreadable);
        }
    }
    let fault = play::play(&mut stage);
    let report = stage.report();
    let shown = Shown { report: &report, input: &input, told: &told, nodes };
    if let Some(missing) = show::missing(&shown, &wish.explain) {
        writeln!(err, "error: {missing}")?;
        return Ok(Ending::Unreadable);
    }
    match wish.output {
        Output::Table => show::people(&shown, wish, out)?,
        Output::Json => show::json(&shown, wish, out)?,
        Output::Yaml => show::yaml(&shown, wish, out)?,
    }
    show::problems(&input, &report.problems, err)?;
    for violation in &report.violations {
        writeln!(err, "fault: {violation} (please report it with a --dump)")?;
    }
    if let Err(fault) = &fault {
        writeln!(err, "{fault}")?;
    }
    let waits = |report: &RunReport| {
        let mut gangs = report.gangs.iter();
        gangs.any(|gang| matches!(gang.standing, Standing::Waiting | Standing::Broken))
    };
    let is_faulty = fault.is_err() || !report.violations.is_empty();
    if is_faulty || (wish.strict && waits(&report)) {
        ending = ending.max(Ending::Failed);
    }
    Ok(ending)
}

/// The sentence that a dump tells.
const DUMP_STORY: &str = "A dump of what muster simulate was given";

fn options(wish: &Simulate) -> Options {
    let evicts = if wish.evict { Evicts::ByQueue } else { Evicts::Never };
    let budgets = if wish.break_budgets { Budgets::BreakLast } else { Budgets::Keep };
    let config = Config { hold_after: wish.hold_after, evicts, budgets, ..Config::default() };
    Options { until: wish.until, config, check: wish.check, ..Options::default() }
}
