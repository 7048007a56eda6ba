//! The stage on which the engine is tried, in reading order.
//!
//! 1. [`checker`]: is this placement allowed? Row by row, from Kubernetes' documented rules.
//! 2. [`oracle`]: could this gang have been placed at all? Exact, by counting or by search.
//! 3. [`worlds`]: small random worlds to judge on, each from one seed.
//! 4. [`stage`]: a virtual clock and cluster that drive the production engine.
//! 5. [`runner`]: plays a story on the stage and says what does not hold.
//! 6. [`live`]: the live run against a virtual API server, with everything that can go wrong.
//!
//! Invariant: the two judges read the plain specs and nothing else, so that a fault of the
//! engine cannot hide in code that both share. A test greps their sources for it.

pub mod checker;
pub mod live;
pub mod oracle;
pub mod runner;
pub mod stage;
pub mod worlds;
