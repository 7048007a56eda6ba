//! The same question to muster and to the real kube-scheduler: which of these nodes may take
//! this pod? Node by node, both must say the same, except where [`answers`] names the
//! difference and its reason.
//!
//! A [`case::Case`] is a cluster of Kubernetes objects and one pod. [`story`] makes cases of the
//! stories in `scheduler/scenario/cases`, written as objects by [`write`]; [`objects`] has cases
//! of what only objects can say, such as sidecars. [`bench`] lays a case out on a control plane
//! and asks kube-scheduler; [`extender`] overhears which nodes passed all of its filters;
//! [`engine`] asks muster about the objects as the API server gives them back.
//!
//! Invariant: both are asked about the same objects, and nothing is added to the pod to learn
//! about one node. kube-scheduler tells its nodes to the extender; muster is asked about each
//! node with all others full, which no rule but that of room can see.

mod answers;
mod bench;
mod case;
mod engine;
mod extender;
mod objects;
mod story;
mod write;
