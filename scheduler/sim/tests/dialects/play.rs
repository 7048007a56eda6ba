//! Reads objects, plays them, and tells what became of the gang in nobody's words.

use crate::write::{DIALECTS, Wish};
use scheduler_core::view::{GangView, Standing};
use scheduler_kube::read::{Source, read};
use scheduler_kube::translate::Context;
use scheduler_model::explain::{Explanation, NodeReason};
use scheduler_sim::stage::{Options, Stage};
use std::collections::BTreeMap;
use std::io::Cursor;

/// What became of the gang.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Outcome {
    /// Where it stands.
    pub(crate) standing: Standing,
    /// Node of each member by its rank.
    pub(crate) places: BTreeMap<u64, String>,
    pub(crate) priority: i32,
    pub(crate) queue: String,
    pub(crate) min: u32,
    /// Why it, or the rest of it, waits.
    pub(crate) why: Option<Why>,
    /// What was wrong with the objects.
    pub(crate) problems: Vec<String>,
}

/// An explanation without names of gang, roles and levels.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Why {
    pub(crate) reason: String,
    pub(crate) placeable: u32,
    pub(crate) needed: u32,
    pub(crate) nodes: Vec<Vec<(NodeReason, u32)>>,
    pub(crate) missing: Option<(u32, Option<String>)>,
    pub(crate) cure: String,
    pub(crate) next_step: String,
}

/// As [`outcome_with_problems`], where nothing is wrong with the objects.
pub(crate) fn outcome(wish: &Wish, objects: &str) -> Outcome {
    let found = outcome_with_problems(wish, objects);
    assert_eq!(found.problems, [""; 0]);
    found
}

/// What comes of `wish` in the cluster of `objects`, which must be the same in every dialect
/// that can say it.
pub(crate) fn outcome_with_problems(wish: &Wish, objects: &str) -> Outcome {
    let mut first: Option<(&str, Outcome)> = None;
    let mut spoke = 0;
    for dialect in &DIALECTS {
        let Some(gang) = (dialect.write)(wish) else { continue };
        spoke += 1;
        let found = play(dialect.name, &format!("{objects}{gang}"));
        match &first {
            None => first = Some((dialect.name, found)),
            Some((name, outcome)) => {
                assert_eq!(*outcome, found, "{name} on the left, {} on the right", dialect.name);
            }
        }
    }
    assert!(spoke >= 5, "only {spoke} dialects can say {wish:?}");
    first.expect("some dialect spoke").1
}

fn play(dialect: &str, text: &str) -> Outcome {
    let reader = Box::new(Cursor::new(text.as_bytes().to_vec()));
    let source = Source { name: format!("{dialect}.yaml"), reader };
    let reading = read(vec![source], &Context::default());
    let problems = reading.problems.iter().map(|it| it.problem.message.clone()).collect();
    assert!(reading.unknown.is_empty(), "{dialect}: {:?}", reading.unknown);
    let mut stage = Stage::new(reading.world, Options { check: true, ..Options::default() });
    stage.settle().unwrap_or_else(|fault| panic!("{dialect}: {fault}"));
    assert_eq!(stage.violations(), [""; 0], "{dialect}");
    let gangs = stage.engine().gangs();
    let mut ours = gangs.iter().filter(|gang| gang.key.name.contains("train"));
    let (Some(gang), None) = (ours.next(), ours.next()) else {
        panic!("{dialect}: there is not one gang but {gangs:#?}");
    };
    Outcome {
        standing: gang.standing,
        places: places(&stage, gang),
        priority: gang.priority,
        queue: gang.queue.clone(),
        min: gang.min,
        why: gang.explanation.as_ref().map(why),
        problems,
    }
}

fn places(stage: &Stage, gang: &GangView) -> BTreeMap<u64, String> {
    let pods = &stage.objects().pods;
    let rank = |uid: &str| pods[uid].rank.expect("every member has a rank");
    let placed = gang.members.iter().filter_map(|member| Some((&member.uid, member.node.clone()?)));
    placed.map(|(uid, node)| (rank(uid), node)).collect()
}

fn why(explanation: &Explanation) -> Why {
    let value = |domain: &String| domain.rsplit('=').next().unwrap_or_default().to_owned();
    let miss = explanation.nearest.as_ref();
    Why {
        reason: explanation.reason.to_string(),
        placeable: explanation.placeable,
        needed: explanation.needed,
        nodes: explanation.sets.iter().map(|set| set.nodes.clone()).collect(),
        missing: miss.map(|miss| (miss.places, miss.domain.as_ref().map(value))),
        cure: format!("{:?}", explanation.cure),
        next_step: explanation.next_step.clone(),
    }
}
