//! The folder outside the checkout that keeps built binaries, so that a fresh checkout on the
//! same machine does not build them again.

use crate::fault::Fault;
use std::path::PathBuf;

/// `MUSTER_E2E_CACHE`, else `muster` in the user's cache folder.
pub fn folder() -> Result<PathBuf, Fault> {
    let named = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let own = named("MUSTER_E2E_CACHE").map(PathBuf::from);
    let users = || named("XDG_CACHE_HOME").map(|folder| PathBuf::from(folder).join("muster"));
    let home = || named("HOME").map(|folder| PathBuf::from(folder).join(".cache/muster"));
    own.or_else(users).or_else(home).ok_or_else(|| {
        Fault::new("there is no folder for built binaries: set HOME or MUSTER_E2E_CACHE")
    })
}
