//! How victims are made to go, and what stands in the API before.

mod courses;
mod random;
mod stage;
