//! The full form: every field of every spec, mirrored for the file.
//!
//! Model types know no file format, so each has a mirror here that does. A field that equals
//! the one of the mirror's base value is left out. Invariant, tested with random worlds in
//! `tests/roundtrip.rs`: a dump reads back as the same value. Start at [`object`].

mod budget;
mod gang;
mod node;
mod object;
mod pod;
mod queue;
mod shape;
mod value;
mod volume;

pub(crate) use gang::DialectFile;
pub(crate) use object::{GangHintFile, ObjectFile, PodHintFile, WorkloadFile};
pub(crate) use pod::{PhaseFile, UnsupportedFile};
pub(crate) use queue::OrderFile;
pub(crate) use shape::UnsatisfiableFile;
pub(crate) use value::{Mirror, mirror, words};
