//! Objects one by one, in any order, against the same objects as one input.

mod life;
mod same;
mod samples;
