//! Public traces as Kubernetes objects, one JSON object per line.

mod dice;
mod openb;
mod rows;

pub use openb::openb;
