//! What goes wrong while a control plane is built or started, told to the person who runs tests.

use std::fmt;

/// One sentence: what, where, what to do.
#[derive(Clone)]
pub struct Fault(String);

impl Fault {
    /// A fault that says `text`.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

// A test that unwraps a fault shows the sentence as it is, not quoted.
impl fmt::Debug for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Fault {}

/// Says what was tried when something of others failed.
pub(crate) trait Trying<T> {
    /// Turns the error into a fault that begins with what was tried.
    fn trying(self, what: impl FnOnce() -> String) -> Result<T, Fault>;
}

impl<T, E: fmt::Display> Trying<T> for Result<T, E> {
    fn trying(self, what: impl FnOnce() -> String) -> Result<T, Fault> {
        self.map_err(|error| Fault::new(format!("{}: {error}", what())))
    }
}
