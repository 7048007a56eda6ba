//! `muster config`: checks a file, or prints the defaults.

use crate::arguments::live::ConfigCommand;
use crate::ending::Ending;
use crate::run::config::{self, DEFAULT_TEXT};
use std::io::{self, Write};

/// Runs the command.
///
/// # Errors
/// If `out` or `err` cannot be written to.
pub fn config(
    wish: &ConfigCommand,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> io::Result<Ending> {
    let file = match wish {
        ConfigCommand::ShowDefault => {
            out.write_all(DEFAULT_TEXT.as_bytes())?;
            return Ok(Ending::Ran);
        }
        ConfigCommand::Check { file } => file,
    };
    match config::read(file) {
        Ok(_) => {
            writeln!(out, "{}: all is well", file.display())?;
            Ok(Ending::Ran)
        }
        Err(faults) => {
            for fault in faults {
                writeln!(err, "error: {fault}")?;
            }
            Ok(Ending::Unreadable)
        }
    }
}
