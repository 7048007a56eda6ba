//! What every plugin must obey, as checks to run on many snapshots. A plugin's test calls the
//! check of each point it sits on; `plugins/tests/laws.rs` does so for the whole catalogue.

use crate::{Cadence, Filter, SCORE_MAX, Scorer, Verdict};
use scheduler_model::ids::{ClassId, Id};
use scheduler_model::node_set::NodeSet;
use scheduler_model::snapshot::Snapshot;

/// Laws of a filter, on every class and node of `snap`.
///
/// 1. Set form equals row form.
/// 2. A class it does not concern is accepted everywhere.
/// 3. A per-constraint filter answers alike for classes of one constraint.
/// 4. The set form never adds a node.
///
/// # Errors
/// The first broken law, in words.
pub fn filter(it: &dyn Filter, snap: &Snapshot) -> Result<(), String> {
    let name = it.name();
    for (class, _) in snap.classes().iter() {
        let accepted: NodeSet = snap
            .nodes()
            .live()
            .iter()
            .filter(|node| it.accepts(snap, class, *node) == Verdict::Fit)
            .collect();
        let mut kept = snap.nodes().live().clone();
        it.retain(snap, class, &mut kept);
        if !is_equal(&kept, &accepted) {
            return Err(format!("{name}: set form keeps {kept:?}, row form {accepted:?}"));
        }
        let mut none = NodeSet::new();
        it.retain(snap, class, &mut none);
        if !none.is_empty() {
            return Err(format!("{name}: the set form added a node"));
        }
        if !it.concerns(snap, class) && accepted.count() != snap.nodes().len() {
            return Err(format!("{name}: turns away a class that it says it does not concern"));
        }
        if it.cadence() == Cadence::PerConstraint {
            is_alike_per_constraint(it, snap, class, &accepted)?;
        }
    }
    Ok(())
}

fn is_alike_per_constraint(
    it: &dyn Filter,
    snap: &Snapshot,
    class: ClassId,
    accepted: &NodeSet,
) -> Result<(), String> {
    let constraint = snap.classes().get(class).constraint;
    for (other, row) in snap.classes().iter() {
        if row.constraint != constraint {
            continue;
        }
        let differs = snap.nodes().live().iter().find(|node| {
            (it.accepts(snap, other, *node) == Verdict::Fit) != accepted.contains(*node)
        });
        if differs.is_some() {
            let name = it.name();
            return Err(format!("{name}: two classes of one constraint get different answers"));
        }
    }
    Ok(())
}

/// Laws of a scorer, on every class and node of `snap`.
///
/// 1. Scores lie between 0 and [`SCORE_MAX`].
/// 2. Set form equals row form times weight, and adds to what is there.
/// 3. A class it does not concern gets one score on all nodes.
///
/// # Errors
/// The first broken law, in words.
pub fn scorer(it: &dyn Scorer, snap: &Snapshot) -> Result<(), String> {
    let name = it.name();
    let nodes = snap.nodes().live();
    for (class, _) in snap.classes().iter() {
        let mut sums = vec![7; snap.nodes().bound()];
        it.add_scores(snap, class, nodes, 3, &mut sums);
        let mut first = None;
        for node in nodes.iter() {
            let score = it.score(snap, class, node);
            if !(0..=SCORE_MAX).contains(&score) {
                return Err(format!("{name}: score {score} is off the scale"));
            }
            if sums[node.index()] != 7 + 3 * score {
                return Err(format!("{name}: set form and row form differ"));
            }
            if *first.get_or_insert(score) != score && !it.concerns(snap, class) {
                return Err(format!("{name}: tells nodes apart for a class of no concern"));
            }
        }
    }
    Ok(())
}

fn is_equal(a: &NodeSet, b: &NodeSet) -> bool {
    a.iter().eq(b.iter())
}
