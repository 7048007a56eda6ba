//! What a judge can find wrong, as a closed list.

use super::Refusal;
use scheduler_model::amount::Amount;
use scheduler_model::explain::show_amount;
use scheduler_model::spec::GangKey;
use std::fmt;

/// One broken promise.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Violation {
    /// A step names a pod that does not exist.
    NoPod {
        /// Uid in the step.
        uid: String,
    },
    /// A step places a pod where it must not go.
    Refused {
        /// Uid of the pod.
        uid: String,
        /// Node of the step.
        node: String,
        /// Why not.
        refusals: Vec<Refusal>,
    },
    /// More is used on a node than it has.
    Overfull {
        /// Node.
        node: String,
        /// Resource.
        resource: String,
        /// In use by pods that hold room.
        used: Amount,
        /// What the node has.
        allocatable: Amount,
    },
    /// A gang runs below a minimum.
    BelowMin {
        /// Gang.
        gang: GangKey,
        /// Role whose minimum it is; `None` for the whole gang.
        role: Option<String>,
        /// Members that run or have succeeded.
        counted: u32,
        /// Least number.
        min: u32,
    },
    /// A gang with a required level runs in more than one domain, or outside of any.
    Apart {
        /// Gang.
        gang: GangKey,
        /// Level as the gang names it.
        level: String,
        /// The domains, each as the label values from the widest level down; `-` where a
        /// node lacks the label.
        domains: Vec<String>,
    },
    /// A queue uses more than its limit.
    OverLimit {
        /// Queue whose limit it is.
        queue: String,
        /// Flavour, if the limit is on one.
        flavour: Option<String>,
        /// Resource.
        resource: String,
        /// In use in the queue and below.
        used: Amount,
        /// Ceiling.
        limit: Amount,
    },
    /// More gangs run than may.
    TooMany {
        /// Queue that says how many.
        queue: String,
        /// The user, if it is that user's number.
        user: Option<String>,
        /// So many run.
        running: u32,
        /// So many may.
        most: u32,
    },
    /// A user uses more of a queue than it may.
    UserOverLimit {
        /// Queue that limits its users.
        queue: String,
        /// User.
        user: String,
        /// Resource.
        resource: String,
        /// In use by that user's gangs.
        used: Amount,
        /// Ceiling.
        limit: Amount,
    },
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoPod { uid } => write!(f, "there is no pod {uid:?}"),
            Self::Refused { uid, node, refusals } => {
                write!(f, "pod {uid:?} must not go to {node:?}: ")?;
                let words: Vec<String> = refusals.iter().map(ToString::to_string).collect();
                f.write_str(&words.join("; "))
            }
            Self::Overfull { node, resource, used, allocatable } => {
                let (used, whole) =
                    (show_amount(resource, *used), show_amount(resource, *allocatable));
                write!(f, "node {node:?} holds {used} of {whole}")
            }
            Self::BelowMin { gang, role, counted, min } => {
                write!(f, "gang {gang} has {counted} of at least {min} members")?;
                match role {
                    Some(role) => write!(f, " in role {role:?}"),
                    None => Ok(()),
                }
            }
            Self::Apart { gang, level, domains } => {
                write!(f, "gang {gang} must share one {level:?}: {}", domains.join(", "))
            }
            Self::TooMany { queue, user, running, most } => {
                write!(f, "queue {queue:?} runs {running} gangs of at most {most}")?;
                match user {
                    Some(user) => write!(f, " of user {user:?}"),
                    None => Ok(()),
                }
            }
            Self::UserOverLimit { queue, user, resource, used, limit } => {
                let (used, limit) = (show_amount(resource, *used), show_amount(resource, *limit));
                write!(f, "user {user:?} uses {used} of queue {queue:?}, the limit is {limit}")
            }
            Self::OverLimit { queue, flavour, resource, used, limit } => {
                let (used, limit) = (show_amount(resource, *used), show_amount(resource, *limit));
                write!(f, "queue {queue:?} uses {used}, its limit is {limit}")?;
                match flavour {
                    Some(flavour) => write!(f, " of flavour {flavour:?}"),
                    None => Ok(()),
                }
            }
        }
    }
}
