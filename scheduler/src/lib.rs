//! The program `muster`: arguments in, text and an exit code out.
//!
//! Reading order: [`arguments`] (what can be asked), [`mod@run`] (the scheduler on a cluster),
//! [`simulate`] (files in, decisions out), [`show`] (for people, for programs), [`look`]
//! (commands that read a live cluster), [`mod@config`], [`kubectl`] (the line that dumps a
//! cluster), [`completion`], [`trace`] (public traces as Kubernetes objects).
//!
//! Invariant: standard output has the answer and nothing else; what went wrong is on standard
//! error, and says what to do. The same input gives the same bytes.

pub mod arguments;
pub mod completion;
pub mod config;
pub mod ending;
pub mod kubectl;
pub mod look;
pub mod run;
pub mod show;
pub mod simulate;
pub mod trace;

use arguments::{Arguments, Command, Trace};
use clap::{CommandFactory, FromArgMatches};
use ending::Ending;
use std::ffi::OsString;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::process::ExitCode;

/// The program under this name is kubectl's plugin `kubectl muster`.
const PLUGIN: &str = "kubectl-muster";
/// Under this name it completes what is typed after `kubectl muster`.
const COMPLETES: &str = "kubectl_complete-muster";

/// Runs the program with the arguments of this process.
#[must_use]
pub fn main() -> ExitCode {
    let words: Vec<OsString> = std::env::args_os().collect();
    let called = words.first().map(Path::new).and_then(Path::file_stem);
    let called = called.and_then(|name| name.to_str()).unwrap_or_default().to_owned();
    if called == COMPLETES {
        let answered = completion::answer(&Arguments::command(), &words[1..], &mut io::stdout());
        return if answered.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    }
    // Clap says itself what is wrong with the arguments, and ends with code 2.
    let name = if called == PLUGIN { "kubectl muster" } else { "muster" };
    let matches = Arguments::command().bin_name(name).get_matches_from(words);
    let arguments = Arguments::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    let mut out = BufWriter::new(io::stdout().lock());
    // Not locked: other threads write the log there.
    let mut err = io::stderr();
    let outcome = run(&arguments, &mut out, &mut err);
    match outcome.and_then(|ending| out.flush().map(|()| ending)) {
        Ok(ending) => ending.code(),
        // Whoever reads the output, such as `head`, has seen enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ending::Ran.code(),
        Err(error) => {
            let _ = writeln!(err, "error: the output could not be written: {error}");
            Ending::Unreadable.code()
        }
    }
}

/// Runs one command.
///
/// # Errors
/// If `out` or `err` cannot be written to.
pub fn run(arguments: &Arguments, out: &mut dyn Write, err: &mut dyn Write) -> io::Result<Ending> {
    match &arguments.command {
        Command::Config { command } => config::config(command, out, err),
        Command::Simulate(wish) => simulate::simulate(wish, out, err),
        Command::Dump(wish) if wish.kubectl => kubectl::dump(wish, out, err),
        Command::Dump(wish) => look::dump(wish, out, err),
        Command::Run(wish) => run::run(wish, err),
        Command::Explain(wish) => look::explain(wish, out, err),
        Command::Gangs(wish) => look::gangs(wish, out, err),
        Command::Queues(wish) => look::queues(wish, out, err),
        Command::Completion { shell } => {
            completion::script(&mut Arguments::command(), *shell, out)?;
            Ok(Ending::Ran)
        }
        Command::Trace { trace: Trace::Openb(wish) } => trace::openb(wish, out, err),
    }
}
