//! Node selectors and node affinity: which nodes a pod names itself.
//!
//! Required parts turn a node away; preferred ones score the share of their weights that the
//! node earns. What matches is worked out by [`scheduler_model::constraint`].

use crate::catalogue::WEIGHT_SELECTORS;
use scheduler_framework::profile::Profile;
use scheduler_framework::{Cadence, EventMask, Filter, Plugin, SCORE_MAX, Scorer, Verdict};
use scheduler_model::constraint::Constraint;
use scheduler_model::explain::NodeReason;
use scheduler_model::ids::{ClassId, Id, NodeId};
use scheduler_model::node_set::NodeSet;
use scheduler_model::snapshot::Snapshot;
use std::sync::Arc;

#[derive(Debug)]
struct Selectors;

pub(crate) fn install(profile: &mut Profile) {
    let it = Arc::new(Selectors);
    profile.filter(it.clone()).scorer(it, WEIGHT_SELECTORS);
}

impl Plugin for Selectors {
    fn name(&self) -> &'static str {
        "selectors"
    }

    fn wakes_on(&self) -> EventMask {
        EventMask::NODE_ADDED | EventMask::NODE_CHANGED
    }
}

impl Filter for Selectors {
    fn cadence(&self) -> Cadence {
        Cadence::PerConstraint
    }

    fn concerns(&self, snap: &Snapshot, class: ClassId) -> bool {
        !constraint(snap, class).selects_all()
    }

    fn accepts(&self, snap: &Snapshot, class: ClassId, node: NodeId) -> Verdict {
        if constraint(snap, class).selects(snap.labels(), node, &snap.nodes().spec(node).name) {
            Verdict::Fit
        } else {
            Verdict::Never(NodeReason::NodeAffinity)
        }
    }
}

impl Scorer for Selectors {
    fn cadence(&self) -> Cadence {
        Cadence::PerConstraint
    }

    fn concerns(&self, snap: &Snapshot, class: ClassId) -> bool {
        constraint(snap, class).preference_max() > 0
    }

    fn score(&self, snap: &Snapshot, class: ClassId, node: NodeId) -> i64 {
        let constraint = constraint(snap, class);
        let max = constraint.preference_max();
        if max <= 0 {
            return 0;
        }
        let earned = constraint.preference(snap.labels(), node, &snap.nodes().spec(node).name);
        SCORE_MAX * earned.clamp(0, max) / max
    }

    fn add_scores(
        &self,
        snap: &Snapshot,
        class: ClassId,
        nodes: &NodeSet,
        weight: i64,
        out: &mut [i64],
    ) {
        let constraint = constraint(snap, class);
        let max = constraint.preference_max();
        if max <= 0 {
            return;
        }
        // A node's name lies far away in memory, and hardly a preference asks for it.
        let is_named = constraint.prefers_by_name();
        for node in nodes.iter() {
            let name = if is_named { snap.nodes().spec(node).name.as_str() } else { "" };
            let earned = constraint.preference(snap.labels(), node, name).clamp(0, max);
            // Most nodes earn all or nothing: no division for those.
            let score = if earned == max { SCORE_MAX } else { SCORE_MAX * earned / max };
            out[node.index()] += weight * score;
        }
    }
}

fn constraint(snap: &Snapshot, class: ClassId) -> &Constraint {
    snap.constraints().get(snap.classes().get(class).constraint)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{build, labelled, labels, pod, refusal, requirement, score};
    use SelectorOperator::{DoesNotExist, Exists, Gt, In, Lt, NotIn};
    use scheduler_model::spec::{NodeTerm, PodShape, Requirement, SelectorOperator};

    fn world(shape: PodShape) -> Snapshot {
        build(
            vec![labelled("a", &[("disk", "ssd"), ("gen", "7")]), labelled("b", &[])],
            vec![pod("p", &[], shape)],
        )
    }

    fn on_labels(parts: Vec<Requirement>) -> NodeTerm {
        NodeTerm { labels: parts, fields: vec![] }
    }

    fn on_fields(parts: Vec<Requirement>) -> NodeTerm {
        NodeTerm { labels: vec![], fields: parts }
    }

    /// Which of `a` and `b` the terms select.
    fn selected(terms: Vec<NodeTerm>) -> String {
        let snap = world(PodShape { node_affinity: Some(terms), ..PodShape::default() });
        ["a", "b"]
            .into_iter()
            .filter(|node| refusal(&Selectors, &snap, "p", node).is_none())
            .collect()
    }

    #[test]
    fn every_operator_selects_as_documented() {
        let cases = [
            (requirement("disk", In, &["hdd", "ssd"]), "a"),
            (requirement("disk", In, &["hdd"]), ""),
            (requirement("disk", NotIn, &["ssd"]), "b"),
            (requirement("disk", NotIn, &["hdd"]), "ab"),
            (requirement("disk", Exists, &[]), "a"),
            (requirement("disk", DoesNotExist, &[]), "b"),
            (requirement("gen", Gt, &["6"]), "a"),
            (requirement("gen", Gt, &["7"]), ""),
            (requirement("gen", Lt, &["10"]), "a"),
            (requirement("gen", Lt, &["7"]), ""),
            (requirement("disk", Gt, &["1"]), ""),
            (requirement("gen", Gt, &["x"]), ""),
        ];
        for (part, nodes) in cases {
            assert_eq!(selected(vec![on_labels(vec![part.clone()])]), nodes, "{part:?}");
        }
    }

    #[test]
    fn a_term_needs_all_its_parts_and_an_affinity_any_of_its_terms() {
        let ssd = || requirement("disk", In, &["ssd"]);
        let new = || requirement("gen", Gt, &["9"]);
        assert_eq!(selected(vec![on_labels(vec![ssd(), new()])]), "");
        assert_eq!(selected(vec![on_labels(vec![ssd()]), on_labels(vec![new()])]), "a");
    }

    #[test]
    fn an_empty_term_and_an_empty_list_match_nothing() {
        assert_eq!(selected(vec![]), "");
        assert_eq!(selected(vec![NodeTerm::default()]), "");
    }

    #[test]
    fn match_fields_select_by_name() {
        assert_eq!(selected(vec![on_fields(vec![requirement("metadata.name", In, &["b"])])]), "b");
        assert_eq!(
            selected(vec![on_fields(vec![requirement("metadata.name", NotIn, &["b"])])]),
            "a"
        );
        let both = NodeTerm {
            labels: vec![requirement("disk", Exists, &[])],
            fields: vec![requirement("metadata.name", In, &["b"])],
        };
        assert_eq!(selected(vec![both]), "");
    }

    #[test]
    fn node_selector_and_affinity_must_both_hold() {
        let shape = PodShape {
            node_selector: labels(&[("disk", "ssd")]),
            node_affinity: Some(vec![on_labels(vec![requirement("gen", Gt, &["9"])])]),
            ..PodShape::default()
        };
        assert_eq!(refusal(&Selectors, &world(shape), "p", "a"), Some(NodeReason::NodeAffinity));
        let shape = PodShape { node_selector: labels(&[("disk", "ssd")]), ..PodShape::default() };
        let snap = world(shape);
        assert_eq!(refusal(&Selectors, &snap, "p", "a"), None);
        assert_eq!(refusal(&Selectors, &snap, "p", "b"), Some(NodeReason::NodeAffinity));
    }

    #[test]
    fn preferences_score_the_share_of_weight_that_a_node_earns() {
        let term = |key| on_labels(vec![requirement(key, Exists, &[])]);
        let node_preferences = vec![(30, term("disk")), (10, term("zone"))];
        let snap = world(PodShape { node_preferences, ..PodShape::default() });
        assert_eq!(score(&Selectors, &snap, "p", "a"), 750);
        assert_eq!(score(&Selectors, &snap, "p", "b"), 0);
    }
}
