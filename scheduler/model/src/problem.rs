//! What was wrong with an object, said to a person. A problem never stops other work.

use std::fmt;

/// One thing wrong with one object: what, where, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// The object, as a person names it: `Pod team-a/train-0`, or `line 12` of a file.
    pub object: String,
    /// The field inside the object, as a path (`spec.minAvailable`); empty if the whole object.
    pub field: String,
    /// What is wrong, and what is assumed instead.
    pub message: String,
    /// What a person can do about it.
    pub remedy: String,
}

impl Problem {
    /// A problem of `object` at `field`.
    pub fn new(
        object: impl Into<String>,
        field: impl Into<String>,
        message: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        Self {
            object: object.into(),
            field: field.into(),
            message: message.into(),
            remedy: remedy.into(),
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.object)?;
        if !self.field.is_empty() {
            write!(f, " {}", self.field)?;
        }
        write!(f, ": {}", self.message)?;
        if !self.remedy.is_empty() {
            write!(f, " ({})", self.remedy)?;
        }
        Ok(())
    }
}
