//! Completion: scripts for shells, and answers to kubectl.

use clap::{Arg, Command};
use std::ffi::OsString;
use std::io::{self, Write};

/// Prints the completion script of a shell.
///
/// # Errors
/// If `out` cannot be written to.
pub fn script(
    command: &mut Command,
    shell: clap_complete::Shell,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(shell, command, "muster", &mut script);
    out.write_all(&script)
}

/// Answers `kubectl muster …<TAB>`: the last word is to be completed. One candidate per line,
/// then what the shell shall do: 4 completes no file names, 0 does.
///
/// # Errors
/// If `out` cannot be written to.
pub fn answer(command: &Command, words: &[OsString], out: &mut dyn Write) -> io::Result<()> {
    let words: Vec<String> = words.iter().map(|it| it.to_string_lossy().into_owned()).collect();
    let (last, before) = match words.split_last() {
        Some((last, before)) => (last.as_str(), before),
        None => ("", &[][..]),
    };
    let mut at = command;
    for word in before {
        at = at.find_subcommand(word).unwrap_or(at);
    }
    let pending = before.last().and_then(|word| option(at, word));
    let candidates = match pending {
        Some(option) => values(option),
        None if last.starts_with('-') => flags(at),
        None => at.get_subcommands().map(|it| it.get_name().to_owned()).collect(),
    };
    let takes_files = candidates.is_empty();
    for candidate in candidates.iter().filter(|candidate| candidate.starts_with(last)) {
        writeln!(out, "{candidate}")?;
    }
    writeln!(out, ":{}", if takes_files { 0 } else { 4 })
}

/// The option that a word names, if it waits for a value.
fn option<'a>(command: &'a Command, word: &str) -> Option<&'a Arg> {
    let is_meant = |arg: &&Arg| {
        let long = arg.get_long().is_some_and(|long| word == format!("--{long}"));
        let short = arg.get_short().is_some_and(|short| word == format!("-{short}"));
        (long || short) && arg.get_action().takes_values()
    };
    command.get_arguments().find(is_meant)
}

fn values(option: &Arg) -> Vec<String> {
    option.get_possible_values().iter().map(|it| it.get_name().to_owned()).collect()
}

fn flags(command: &Command) -> Vec<String> {
    let longs = command.get_arguments().filter_map(Arg::get_long);
    longs.map(|long| format!("--{long}")).collect()
}
