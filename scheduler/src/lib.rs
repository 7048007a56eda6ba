//! The program `muster`: arguments in, text and an exit code out.
//!
//! Reading order: [`arguments`] (what can be asked), [`simulate`] (files in, decisions out),
//! [`show`] (for people, for programs), [`kubectl`] (the line that dumps a cluster), [`trace`]
//! (public traces as Kubernetes objects).
//!
//! Invariant: standard output has the answer and nothing else; what went wrong is on standard
//! error, and says what to do. The same input gives the same bytes.

pub mod arguments;
pub mod config;
pub mod ending;
pub mod kubectl;
pub mod run;
pub mod show;
pub mod simulate;
pub mod trace;

use arguments::{Arguments, Command, Trace};
use clap::Parser;
use ending::Ending;
use std::io::{self, BufWriter, Write};
use std::process::ExitCode;

/// Runs the program with the arguments of this process.
#[must_use]
pub fn main() -> ExitCode {
    // Clap says itself what is wrong with the arguments, and ends with code 2.
    let arguments = Arguments::parse();
    let mut out = BufWriter::new(io::stdout().lock());
    let mut err = io::stderr().lock();
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
        Command::Dump(wish) => kubectl::dump(wish, out, err),
        Command::Run(_)
        | Command::Explain(_)
        | Command::Gangs(_)
        | Command::Queues(_)
        | Command::Completion { .. } => Ok(Ending::Unreadable),
        Command::Trace { trace: Trace::Openb(wish) } => trace::openb(wish, out, err),
    }
}
