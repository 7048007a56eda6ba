//! Slim shapes of API objects: only the fields that decide something, everything else is
//! skipped while reading.
//!
//! Invariants: every field may be missing *or* explicitly `null` (Kubernetes writes both;
//! `#[serde(default)]` alone refuses `null`), no field is kept that is never read, and no
//! text is judged here: that is [`crate::translate`]'s work, which can name the problem.

mod meta;

pub use meta::{Annotations, Meta, OwnerReference, text_map};

use serde::{Deserialize, Deserializer};

/// Reads `null` like a missing field. Use it on every field of a wire struct.
///
/// # Errors
/// If the value is neither `null` nor a `T`.
pub fn null_default<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Default + Deserialize<'de>,
{
    Ok(Option::<T>::deserialize(deserializer)?.unwrap_or_default())
}
