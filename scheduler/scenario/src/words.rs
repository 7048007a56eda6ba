//! Words for what nodes say and for cures, as expectations write them.

use crate::read::full_name;
use scheduler_model::explain::{Cure, NodeReason};

/// The word for what a node says: `fits`, `insufficient nvidia.com/gpu`, `taint key=value`.
#[must_use]
pub fn node_word(reason: &NodeReason) -> String {
    reason.word()
}

/// Words that stand alone, and words that name something after a blank.
const ALONE: [&str; 12] = [
    "fits",
    "taken-by-peers",
    "cordoned",
    "not-ready",
    "node-affinity",
    "outside-domain",
    "no-domain",
    "pod-affinity",
    "pod-anti-affinity",
    "refused-by-pod",
    "held",
    "volume-reach",
];
const WITH_NAME: [&str; 13] = [
    "queue-nodes",
    "taint",
    "host-port",
    "spread",
    "no-spread-label",
    "too-small",
    "insufficient",
    "rejected",
    "no-volume",
    "storage-room",
    "attach-limit",
    "too-many-volumes",
    "policy",
];

/// The full form of a node word from a story, with short resource names written out.
pub(crate) fn full_node_word(word: &str) -> Result<String, String> {
    let bad = || {
        let named: Vec<String> = WITH_NAME.iter().map(|word| format!("{word} <name>")).collect();
        format!("nodes do not say {word:?}; they say {}, {}", ALONE.join(", "), named.join(", "))
    };
    match word.split_once(' ') {
        None if ALONE.contains(&word) => Ok(word.to_owned()),
        Some((kind @ ("too-small" | "insufficient"), name)) => {
            let resource = full_name(name).ok_or_else(bad)?;
            Ok(format!("{kind} {resource}"))
        }
        Some((kind, _)) if WITH_NAME.contains(&kind) => Ok(word.to_owned()),
        _ => Err(bad()),
    }
}

/// All cures.
const CURES: [Cure; 4] = [Cure::Wait, Cure::Nodes, Cure::Queue, Cure::Author];

/// The cure that `word` names.
pub(crate) fn read_cure(word: &str) -> Result<Cure, String> {
    let found = CURES.into_iter().find(|cure| cure.word() == word);
    found.ok_or_else(|| format!("{word:?} cures nothing; write wait, nodes, queue or author"))
}

/// The word for a cure.
pub(crate) const fn cure_word(cure: Cure) -> &'static str {
    cure.word()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resources_in_node_words_may_be_short() {
        assert_eq!(full_node_word("insufficient gpu").unwrap(), "insufficient nvidia.com/gpu");
        assert_eq!(full_node_word("taint a=b").unwrap(), "taint a=b");
        assert!(full_node_word("insufficient gpus").is_err());
        assert!(full_node_word("sleepy").unwrap_err().contains("taken-by-peers"));
    }

    #[test]
    fn every_word_of_a_node_reason_can_be_written_in_a_story() {
        let text = || "amd.com/gpu".to_owned();
        for reason in [
            NodeReason::Fits,
            NodeReason::TakenByPeers,
            NodeReason::Cordoned,
            NodeReason::NotReady,
            NodeReason::NodeAffinity,
            NodeReason::QueueNodes(text()),
            NodeReason::OutsideDomain,
            NodeReason::NoDomain,
            NodeReason::HostPort(text()),
            NodeReason::PodAffinity,
            NodeReason::PodAntiAffinity,
            NodeReason::RefusedByPod,
            NodeReason::Spread(text()),
            NodeReason::NoSpreadLabel(text()),
            NodeReason::TooSmall(text()),
            NodeReason::Insufficient(text()),
            NodeReason::Rejected(text()),
            NodeReason::Held,
            NodeReason::VolumeReach,
            NodeReason::NoVolume(text()),
            NodeReason::StorageRoom(text()),
            NodeReason::AttachLimit(text()),
            NodeReason::TooManyVolumes(text()),
            NodeReason::Policy("x"),
        ] {
            let word = node_word(&reason);
            assert_eq!(full_node_word(&word), Ok(word));
        }
    }
}
