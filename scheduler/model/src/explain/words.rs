//! What people read of an explanation: sentences, word by word the same for the same value.

use super::{Explanation, NearestMiss, NodeReason, WaitReason};
use crate::amount::{Amount, Unit};
use crate::queue::Ceiling;
use crate::spec::Taint;
use std::fmt;

/// `8 nvidia.com/gpu`, `1500m cpu`.
#[must_use]
pub fn show_amount(resource: &str, amount: Amount) -> String {
    format!("{} {resource}", Unit::of(resource).show(amount))
}

/// Completes "4 nodes: …".
impl fmt::Display for NodeReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fits => write!(f, "room for at least one member"),
            Self::TakenByPeers => write!(f, "filled by other members of the gang"),
            Self::Cordoned => write!(f, "cordoned"),
            Self::NotReady => write!(f, "not ready"),
            Self::Taint(taint) => {
                let equals = if taint.value.is_empty() { "" } else { "=" };
                let Taint { key, value, effect } = taint;
                write!(f, "taint {key}{equals}{value}:{effect:?} not tolerated")
            }
            Self::NodeAffinity => write!(f, "node selector or affinity does not match"),
            Self::QueueNodes(queue) => write!(f, "not among the nodes of queue {queue:?}"),
            Self::OutsideDomain => write!(f, "outside the domain of the running members"),
            Self::NoDomain => write!(f, "in no domain of the required level, for want of a label"),
            Self::HostPort(port) => write!(f, "host port {port} taken"),
            Self::PodAffinity => write!(f, "no pod near that the pod affinity asks for"),
            Self::PodAntiAffinity => write!(f, "a pod near that the anti-affinity forbids"),
            Self::RefusedByPod => write!(f, "a pod near whose anti-affinity forbids this one"),
            Self::Spread(key) => write!(f, "spread over {key} would be broken"),
            Self::NoSpreadLabel(key) => write!(f, "no label {key} to spread over"),
            Self::TooSmall(resource) => write!(f, "too small by {resource}"),
            Self::Insufficient(resource) => write!(f, "too little free {resource}"),
            Self::Rejected(word) => {
                write!(f, "turned a pod like this away lately ({word})")
            }
            Self::Held => write!(f, "kept for a gang further ahead"),
            Self::VolumeReach => write!(f, "cannot use the volume of a bound claim"),
            Self::NoVolume(class) => {
                write!(f, "no volume of storage class {class}, and none can be made there")
            }
            Self::StorageRoom(class) => {
                write!(f, "too little storage for a volume of class {class}")
            }
            Self::AttachLimit(driver) => write!(f, "no more volumes of {driver} can be attached"),
            Self::TooManyVolumes(driver) => {
                write!(f, "fewer volumes of {driver} can be attached than the pod has")
            }
            Self::Policy(name) => write!(f, "refused by the policy {name}"),
        }
    }
}

/// `1 node: cordoned`, `4 nodes: cordoned`.
#[must_use]
pub fn show_count(reason: &NodeReason, count: u32) -> String {
    let noun = if count == 1 { "node" } else { "nodes" };
    format!("{count} {noun}: {reason}")
}

impl fmt::Display for WaitReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoGroup => write!(f, "its pods name a group that does not exist"),
            Self::Members { role, exist, min, setting } => {
                write!(f, "{exist} of {min} pods exist")?;
                if let Some(role) = role {
                    write!(f, " in role {role:?}")?;
                }
                match setting {
                    Some(setting) => {
                        write!(f, "; its controller creates no more until you set {setting}")
                    }
                    None => Ok(()),
                }
            }
            Self::Gated { gated, gates } => {
                write!(f, "{gated} pods are held by scheduling gates: {}", gates.join(", "))
            }
            Self::Schedulers => write!(f, "its members name different schedulers"),
            Self::Unsupported(parts) => write!(f, "not supported yet: {}", parts.join("; ")),
            Self::Volume { pods, claim, why } => {
                let pods = if *pods == 1 { "1 pod".to_owned() } else { format!("{pods} pods") };
                write!(f, "{pods} cannot use a volume claim: the claim {claim:?} {why}")
            }
            Self::BindRefused { pods, why } => {
                write!(f, "{pods} pods were refused by the API server, and are tried again: {why}")
            }
            Self::QueueMissing(name) => write!(f, "queue {name:?} does not exist"),
            Self::QueueClosed(name) => write!(f, "queue {name:?} is closed"),
            Self::QueueBroken(name) => {
                write!(f, "queue {name:?} hangs on a missing parent or a cycle of parents")
            }
            Self::QueueContradictory(clash) => write!(f, "{clash}"),
            Self::QueueForbidden { queue, namespace } => {
                write!(f, "queue {queue:?} is not for gangs of namespace {namespace:?}")
            }
            Self::LevelMissing(name) => write!(f, "topology level {name:?} does not exist"),
            Self::Limit { .. } | Self::UserLimit { .. } => write_limit(self, f),
            Self::Running { queue, user: None, running, most } => {
                write!(f, "queue {queue:?} runs {running} of its {most} gangs")
            }
            Self::Running { queue, user: Some(user), running, most } => {
                write!(f, "user {user:?} runs {running} of {most} gangs in queue {queue:?}")
            }
            Self::Room => write!(f, "not enough room for all members at once"),
            Self::Held { holder } => write!(f, "room is held for {holder}"),
            Self::Behind { head } => {
                write!(f, "waits behind {head}: its queue is served strictly in order")
            }
            Self::Fuel => write!(f, "the search used up the steps of its cycle"),
            Self::Evicting { pods } => {
                let pods = if *pods == 1 { "1 pod".to_owned() } else { format!("{pods} pods") };
                write!(f, "room is being made for it: {pods} still have to go")
            }
            Self::Elastic => write!(f, "runs with its minimum; the rest waits for room"),
        }
    }
}

/// The sentence of a limit in the way.
fn write_limit(reason: &WaitReason, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match reason {
        WaitReason::Limit { ceiling, queue, flavour, resource, used, wants, limit } => {
            let unit = Unit::of(resource);
            let limit = unit.show(*limit);
            match ceiling {
                Ceiling::Limit => {
                    write!(f, "queue {queue:?} is limited to {limit} {resource}")?;
                }
                Ceiling::Borrowing => {
                    let most = "with all that it may borrow";
                    write!(f, "queue {queue:?} may use {limit} {resource} {most}")?;
                }
                Ceiling::Kept => {
                    let most = "other queues together may use";
                    write!(f, "beside what is kept for queue {queue:?}, ")?;
                    write!(f, "{most} {limit} {resource}")?;
                }
            }
            if let Some(flavour) = flavour {
                write!(f, " of flavour {flavour:?}")?;
            }
            write!(f, ": {} used, {} wanted", unit.show(*used), unit.show(*wants))
        }
        WaitReason::UserLimit { queue, user, resource, used, wants, limit } => {
            let unit = Unit::of(resource);
            let limit = unit.show(*limit);
            write!(f, "user {user:?} may use {limit} {resource} of queue {queue:?}: ")?;
            write!(f, "{} used, {} wanted", unit.show(*used), unit.show(*wants))
        }
        _ => Ok(()),
    }
}

impl fmt::Display for NearestMiss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nodes = if self.places == 1 { "place" } else { "places" };
        write!(f, "{} more {nodes}", self.places)?;
        for (index, (resource, amount)) in self.each.iter().enumerate() {
            let word = if index == 0 { " with" } else { " and" };
            write!(f, "{word} {} free {resource}", Unit::of(resource).show(*amount))?;
        }
        match &self.domain {
            Some(domain) => write!(f, " in {domain}"),
            None => Ok(()),
        }
    }
}

/// The sentence for people: reason, numbers, nearest miss.
impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.reason)?;
        if self.sets.is_empty() {
            return Ok(());
        }
        write!(f, ": {} of {} members could be placed", self.placeable, self.needed)?;
        for set in &self.sets {
            let name = if set.role.is_empty() { "members" } else { set.role.as_str() };
            write!(f, "; {name}")?;
            if !set.requests.is_empty() {
                let requests: Vec<String> =
                    set.requests.iter().map(|(name, amount)| show_amount(name, *amount)).collect();
                write!(f, " ({})", requests.join(", "))?;
            }
            let parts: Vec<String> =
                set.nodes.iter().map(|(reason, count)| show_count(reason, *count)).collect();
            write!(f, ": {}", parts.join(", "))?;
        }
        match &self.nearest {
            Some(nearest) => write!(f, "; nearest miss: {nearest}"),
            None => Ok(()),
        }
    }
}
