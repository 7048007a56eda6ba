//! Why a scenario file could not be read: file, line, what is wrong, what to do.
//!
//! A scenario is written by a person for a person, so reading is strict: the first thing that
//! is not understood ends it, with its line. (Cluster objects are read leniently, elsewhere.)

use std::fmt;

/// What is wrong with a scenario file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The file as the caller named it.
    pub file: String,
    /// Line, counted from 1; 0 if the whole file is meant.
    pub line: u64,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub remedy: String,
}

impl Error {
    /// An error at `line` of a file that the caller fills in.
    pub(crate) fn at(line: u64, message: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { file: String::new(), line, message: message.into(), remedy: remedy.into() }
    }

    /// What the YAML reader or a value inside it complains about.
    pub(crate) fn from_yaml(error: &serde_saphyr::Error) -> Self {
        let line = error.location().map_or(0, |location| location.line());
        if matches!(error.without_snippet(), serde_saphyr::Error::Eof { .. }) {
            return Self::at(
                line,
                "the file is empty or breaks off",
                "a scenario begins with story: and a sentence",
            );
        }
        let said = error.without_snippet().to_string();
        // The line stands in its own field; the reader appends it to the text as well.
        let message = match said.rfind(" at line ") {
            Some(cut) => said[..cut].to_owned(),
            None => said,
        };
        let remedy = if message.contains("unknown field") || message.contains("unknown variant") {
            "use one of the names listed, or remove it"
        } else if message.contains("duplicate") {
            "write each key once"
        } else {
            "docs/SCENARIOS.md describes every key and its values"
        };
        Self::at(line, message, remedy)
    }

    pub(crate) fn in_file(mut self, file: &str) -> Self {
        file.clone_into(&mut self.file);
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if self.line > 0 {
            write!(f, ":{}", self.line)?;
        }
        write!(f, ": {}", self.message)?;
        if !self.remedy.is_empty() {
            write!(f, " ({})", self.remedy)?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {}
