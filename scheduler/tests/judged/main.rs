//! Whole inputs, played and judged: no bind that the checker refuses, and no gang that waits
//! for room which it could have. Both judges share no code with the engine.

mod judge;
mod openb;
mod samples;
