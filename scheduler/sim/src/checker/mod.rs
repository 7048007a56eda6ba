//! The first judge: is this placement allowed?
//!
//! Invariant: it shares no code with the engine. It may use the plain data types of the model
//! (`spec`, `event`, `world`, `explain`, `amount`, `time`) and must never name the engine's
//! crates or the plugins; a test greps for them. It is naive on purpose: every answer is read
//! off the rows again, no index, nothing remembered.
//!
//! Next: [`Cluster`] is what is judged, [`refusals()`] judges one pod on one node, [`replay()`]
//! a sequence of binds, [`audit()`] the state that is left.

mod audit;
mod claims;
mod cluster;
mod gang;
mod objects;
mod partner;
mod quota;
mod refusal;
mod replay;
mod selector;
mod spread;
mod standing;
mod turnout;
mod violation;

pub use audit::audit;
pub use cluster::Cluster;
pub use gang::gang_of;
pub use objects::Objects;
pub use refusal::{Refusal, refusals};
pub use replay::replay;
pub use violation::Violation;

pub(crate) use audit::used_of;
pub(crate) use claims::unusable_claim;
pub(crate) use cluster::{add, taken_by};
pub(crate) use gang::{Level, domain_of, level_of, members_by_gang, tally};
pub(crate) use partner::{forbidden_by, refusing};
pub(crate) use quota::{path, queue_of, usage};
pub(crate) use refusal::pod_refusals;
pub(crate) use selector::{in_scope, term_holds};
pub(crate) use spread::hard_constraints;
pub(crate) use standing::stands_against;
pub(crate) use turnout::{Turnout, holds, user_of};
