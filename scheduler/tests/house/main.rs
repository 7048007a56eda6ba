//! The rules of the house as tests: what reviewers would otherwise have to look for by eye.
//!
//! Each module holds one family of rules, its data first. Where a rule has exceptions they
//! stand in a table with their reasons; to change a rule, change its table in a commit of its
//! own. `tree`, `members` and `source` read the checkout for the others.
//!
//! Every rule is also tried on a planted fault, so that none can fall asleep.

mod arrows;
mod bans;
mod habits;
mod manners;
mod members;
mod names;
mod orphans;
mod papers;
mod policies;
mod purity;
mod sizes;
mod source;
mod stories;
mod tree;
