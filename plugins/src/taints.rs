//! Keeps pods off nodes whose taints they do not tolerate.
//!
//! `NoSchedule` and `NoExecute` turn a pod away. `PreferNoSchedule` lowers the score: none is
//! worth the full score, one half of it, two a third, so that a node never drops to zero.

use crate::catalogue::WEIGHT_TAINTS;
use scheduler_framework::profile::Profile;
use scheduler_framework::{Cadence, EventMask, Filter, Plugin, SCORE_MAX, Scorer, Verdict};
use scheduler_model::constraint::Constraint;
use scheduler_model::explain::NodeReason;
use scheduler_model::ids::{ClassId, Id, NodeId};
use scheduler_model::node_set::NodeSet;
use scheduler_model::snapshot::Snapshot;
use std::sync::Arc;

#[derive(Debug)]
struct Taints;

pub(crate) fn install(profile: &mut Profile) {
    let it = Arc::new(Taints);
    profile.filter(it.clone()).scorer(it, WEIGHT_TAINTS);
}

impl Plugin for Taints {
    fn name(&self) -> &'static str {
        "taints"
    }

    fn wakes_on(&self) -> EventMask {
        EventMask::NODE_ADDED | EventMask::NODE_CHANGED
    }
}

impl Filter for Taints {
    fn cadence(&self) -> Cadence {
        Cadence::PerConstraint
    }

    fn accepts(&self, snap: &Snapshot, class: ClassId, node: NodeId) -> Verdict {
        match constraint(snap, class).untolerated(&snap.nodes().spec(node).taints) {
            // Pods that end take no taint away.
            Some(taint) => Verdict::Never(NodeReason::Taint(taint.clone())),
            None => Verdict::Fit,
        }
    }
}

impl Scorer for Taints {
    fn cadence(&self) -> Cadence {
        Cadence::PerConstraint
    }

    fn concerns(&self, snap: &Snapshot, _: ClassId) -> bool {
        !snap.nodes().uninviting().is_empty()
    }

    fn score(&self, snap: &Snapshot, class: ClassId, node: NodeId) -> i64 {
        let count = constraint(snap, class).unwelcome(&snap.nodes().spec(node).taints);
        SCORE_MAX / (1 + i64::try_from(count).unwrap_or(SCORE_MAX))
    }

    fn add_scores(
        &self,
        snap: &Snapshot,
        class: ClassId,
        nodes: &NodeSet,
        weight: i64,
        out: &mut [i64],
    ) {
        let uninviting = snap.nodes().uninviting();
        for node in nodes.iter() {
            // Few nodes have soft taints, and a spec lies far away in memory.
            let is_full = !uninviting.contains(node);
            let score = if is_full { SCORE_MAX } else { self.score(snap, class, node) };
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
    use crate::testing::{build, node, pod, refusal, score};
    use TaintEffect::{NoExecute, NoSchedule, PreferNoSchedule};
    use TolerationOperator::{Equal, Exists, Gt, Lt};
    use scheduler_model::event::Event;
    use scheduler_model::spec::{
        NodeSpec, PodShape, Taint, TaintEffect, Toleration, TolerationOperator,
    };
    use scheduler_model::time::Time;

    type Tolerated<'a> = (&'a str, TolerationOperator, &'a str, Option<TaintEffect>);

    fn taint(key: &str, value: &str, effect: TaintEffect) -> Taint {
        Taint { key: key.to_owned(), value: value.to_owned(), effect }
    }

    fn world(taints: Vec<Taint>, tolerated: &[Tolerated<'_>]) -> Snapshot {
        let tolerations = tolerated
            .iter()
            .map(|(key, operator, value, effect)| Toleration {
                key: (*key).to_owned(),
                operator: *operator,
                value: (*value).to_owned(),
                effect: *effect,
            })
            .collect();
        let shape = PodShape { tolerations, ..PodShape::default() };
        build(vec![NodeSpec { taints, ..node("a") }], vec![pod("p", &[], shape)])
    }

    fn fits(taints: Vec<Taint>, tolerated: &[Tolerated<'_>]) -> bool {
        refusal(&Taints, &world(taints, tolerated), "p", "a").is_none()
    }

    #[test]
    fn hard_effects_turn_away_and_the_soft_one_does_not() {
        for (effect, takes) in [(NoSchedule, false), (NoExecute, false), (PreferNoSchedule, true)] {
            assert_eq!(fits(vec![taint("k", "v", effect)], &[]), takes, "{effect:?}");
        }
    }

    #[test]
    fn a_toleration_matches_by_key_value_and_effect() {
        let cases: &[(Tolerated<'_>, bool)] = &[
            (("k", Equal, "v", Some(NoSchedule)), true),
            (("k", Equal, "v", None), true),
            (("k", Equal, "w", None), false),
            (("j", Equal, "v", None), false),
            (("k", Equal, "v", Some(NoExecute)), false),
            (("k", Exists, "", None), true),
            (("j", Exists, "", None), false),
            (("", Exists, "", None), true),
            (("", Exists, "", Some(NoExecute)), false),
        ];
        for (toleration, takes) in cases {
            let got = fits(vec![taint("k", "v", NoSchedule)], &[*toleration]);
            assert_eq!(got, *takes, "{toleration:?}");
        }
    }

    #[test]
    fn numeric_tolerations_compare_the_taint_with_their_bound() {
        let cases: &[(&str, Tolerated<'_>, bool)] = &[
            ("950", ("sla", Gt, "900", None), true),
            ("900", ("sla", Gt, "900", None), false),
            ("100", ("sla", Lt, "900", None), true),
            ("950", ("sla", Lt, "900", None), false),
            ("high", ("sla", Gt, "900", None), false),
            ("0950", ("sla", Gt, "900", None), false),
        ];
        for (value, toleration, takes) in cases {
            let got = fits(vec![taint("sla", value, NoSchedule)], &[*toleration]);
            assert_eq!(got, *takes, "{value} {toleration:?}");
        }
    }

    #[test]
    fn every_hard_taint_needs_a_toleration() {
        let taints = || vec![taint("k", "v", NoSchedule), taint("j", "", NoExecute)];
        assert!(!fits(taints(), &[("k", Exists, "", None)]));
        assert!(fits(taints(), &[("k", Exists, "", None), ("j", Exists, "", None)]));
    }

    #[test]
    fn the_reason_names_the_first_taint_not_tolerated() {
        let taints = vec![taint("k", "v", NoSchedule), taint("j", "x", NoExecute)];
        let snap = world(taints, &[("k", Exists, "", None)]);
        let reason = NodeReason::Taint(taint("j", "x", NoExecute));
        assert_eq!(refusal(&Taints, &snap, "p", "a"), Some(reason));
    }

    #[test]
    fn a_soft_taint_that_is_taken_away_no_longer_counts() {
        let mut snap = world(vec![taint("k", "", PreferNoSchedule)], &[]);
        let (class, _) = snap.classes().iter().next().expect("one class");
        assert!(Scorer::concerns(&Taints, &snap, class));
        snap.ingest(Event::Node(Box::new(node("a"))), Time::ZERO);
        assert!(!Scorer::concerns(&Taints, &snap, class));
    }

    #[test]
    fn soft_taints_lower_the_score_unless_tolerated() {
        let soft = |key: &str| taint(key, "", PreferNoSchedule);
        let tolerated = ("k", Exists, "", Some(PreferNoSchedule));
        let points = |taints, tolerated: &[Tolerated<'_>]| {
            score(&Taints, &world(taints, tolerated), "p", "a")
        };
        assert_eq!(points(vec![], &[]), 1000);
        assert_eq!(points(vec![soft("k")], &[]), 500);
        assert_eq!(points(vec![soft("k"), soft("j")], &[]), 333);
        assert_eq!(points(vec![soft("k"), soft("j")], &[tolerated]), 500);
    }
}
