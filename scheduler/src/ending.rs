//! How a command ended, as an exit code.

use std::process::ExitCode;

/// How a command ended. The worst thing that happened decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ending {
    /// It did what was asked; gangs may wait, objects may have problems.
    Ran,
    /// Something that was to hold does not: an expectation of a scenario, `--strict`, `--check`.
    Failed,
    /// Input is missing or cannot be read.
    Unreadable,
}

impl Ending {
    /// The exit code.
    #[must_use]
    pub fn code(self) -> ExitCode {
        match self {
            Self::Ran => ExitCode::SUCCESS,
            Self::Failed => ExitCode::from(1),
            Self::Unreadable => ExitCode::from(2),
        }
    }
}
