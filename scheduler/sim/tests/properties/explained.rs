//! Explanations add up, and mean what they say by the word of a judge who shares no code.

use crate::seeds::{Verdict, on_worlds};
use crate::trial::Trial;
use scheduler_model::amount::Amount;
use scheduler_model::explain::{Explanation, WaitReason};
use scheduler_model::spec::{GangKey, PodSpec};
use scheduler_sim::checker::{Objects, gang_of};
use scheduler_sim::oracle::{Answer, GangQuestion, QueueRoom, feasible, questions};
use scheduler_sim::worlds::Size;
use std::mem::discriminant;

/// Steps the oracle may take for one question.
pub(crate) const BUDGET: u64 = 50_000;

#[test]
fn every_gang_with_waiting_members_says_why() {
    on_worlds(400, Size::SMALL, |world, _| {
        let mut trial = Trial::of(world);
        trial.cycle();
        for (key, _) in questions(&trial.objects) {
            said(&trial, &key)?;
        }
        Ok(())
    });
}

/// The explanation of a gang that has waiting members.
pub(crate) fn said<'a>(trial: &'a Trial, key: &GangKey) -> Result<&'a Explanation, String> {
    let gang = trial.engine.snapshot().gangs().find(key);
    let gang = gang.ok_or_else(|| format!("the engine does not know {key}"))?;
    trial.engine.explanation(gang).ok_or_else(|| format!("{key} waits and says nothing"))
}

#[test]
fn the_numbers_of_an_explanation_add_up() {
    on_worlds(400, Size::SMALL, |world, _| {
        Trial::of(world).judged_waits(|objects, why| {
            adds_up(why, u32::try_from(objects.cluster.nodes.len()).expect("few nodes"))
        })
    });
}

fn adds_up(why: &Explanation, nodes: u32) -> Verdict {
    let wrong = |what: &str| Err(format!("{what}: {why:#?}"));
    for set in &why.sets {
        if set.nodes.iter().map(|(_, count)| count).sum::<u32>() != nodes {
            return wrong("the answers are not as many as the nodes");
        }
        if set.placed > set.wanted || set.nodes.iter().any(|(_, count)| *count == 0) {
            return wrong("a set counts wrongly");
        }
    }
    if why.placeable > why.needed {
        return wrong("more could be placed than are needed");
    }
    if !why.sets.is_empty() {
        if why.sets.iter().map(|set| set.placed).sum::<u32>() != why.placeable {
            return wrong("the sets do not sum up to what could be placed");
        }
        let numbers = format!("{} of {} members", why.placeable, why.needed);
        if !why.to_string().contains(&numbers) {
            return wrong("the sentence lacks the numbers");
        }
    }
    if why.next_step.is_empty() {
        return wrong("nothing is proposed");
    }
    Ok(())
}

#[test]
fn a_reason_means_what_it_says() {
    on_worlds(600, Size::TINY, |world, _| {
        Trial::of(world).judged_waits(|objects, why| match question(objects, why) {
            Some(question) => judge(objects, question, why),
            None => is(why.needed > 0, "nothing of it waits, and nothing is needed"),
        })
    });
}

/// What the judge asks about the gang that waits; `None` if it has no member that waits.
pub(crate) fn question(
    objects: &Objects,
    why: &Explanation,
) -> Option<Result<GangQuestion, WaitReason>> {
    let mut all = questions(objects).into_iter();
    all.find(|(key, _)| *key == why.gang).map(|(_, question)| question)
}

fn judge(
    objects: &Objects,
    question: Result<GangQuestion, WaitReason>,
    why: &Explanation,
) -> Verdict {
    let members: Vec<&PodSpec> = members(objects, &why.gang);
    let question = match (question, &why.reason) {
        // These are told before queue and level are asked about.
        (Err(_), WaitReason::Members { .. } | WaitReason::Gated { .. }) => return Ok(()),
        (_, WaitReason::Volume { .. }) => {
            let is_so = members.iter().any(|pod| !pod.claims.is_empty());
            return is(is_so, "no claim is there");
        }
        (_, WaitReason::Unsupported(_)) => {
            let is_so = members.iter().any(|pod| !pod.unsupported.is_empty());
            return is(is_so, "nothing unsupported is there");
        }
        (Err(judge), reason) => {
            let is_same = discriminant(&judge) == discriminant(reason);
            return is(is_same, &format!("the judge says {judge:?}"));
        }
        (Ok(question), _) => question,
    };
    match &why.reason {
        WaitReason::Members { role, exist, min, .. } => {
            let has = exist_in(&question, &members, role.as_ref());
            is(has == *exist && exist < min, &format!("the judge counts {has}"))
        }
        WaitReason::Gated { gated, .. } => {
            let closed = members.iter().filter(|pod| !pod.gates.is_empty()).count();
            is(u32::try_from(closed) == Ok(*gated), &format!("the judge counts {closed} gated"))?;
            let is_short = !has_enough(&question) || question.pending.is_empty();
            is(is_short, "enough members are free to go")
        }
        WaitReason::Limit { queue, flavour, resource, used, wants, limit, .. } => {
            let room = (queue.clone(), flavour.clone(), resource.clone());
            judge_limit(objects, question, room, (*used, *wants, *limit))
        }
        WaitReason::UserLimit { queue, user, resource, used, wants, limit } => {
            let room = (QueueRoom::of_user(queue, user), None, resource.clone());
            judge_limit(objects, question, room, (*used, *wants, *limit))
        }
        WaitReason::Room => is(!question.has_minimum(), "it has its minimum"),
        WaitReason::Elastic => is(question.has_minimum(), "it lacks its minimum"),
        other => is(false, &format!("nothing of that kind is so: {other}")),
    }
}

/// The numbers are true, they do not add up to a yes, and without limits there is a way.
fn judge_limit(
    objects: &Objects,
    question: GangQuestion,
    (queue, flavour, resource): (String, Option<String>, String),
    (used, wants, limit): (Amount, Amount, Amount),
) -> Verdict {
    let left = Amount::minus(limit, used);
    is(left < wants, "the limit leaves enough")?;
    let room = question
        .room
        .iter()
        .find(|room| (&room.queue, &room.flavour, &room.resource) == (&queue, &flavour, &resource));
    is(room.is_some_and(|room| room.left == left), "the judge knows other numbers")?;
    let without = GangQuestion { room: Vec::new(), ..question };
    let answer = feasible(&objects.cluster, &without, BUDGET);
    is(answer != Answer::No, "without limits it still has no place")
}

fn is(truth: bool, otherwise: &str) -> Verdict {
    if truth { Ok(()) } else { Err(otherwise.to_owned()) }
}

/// Unfinished members that are not on their way out.
fn members<'a>(objects: &'a Objects, key: &GangKey) -> Vec<&'a PodSpec> {
    let pods = objects.cluster.pods.values();
    pods.filter(|pod| {
        pod.ours && !pod.phase.is_finished() && !pod.terminating && gang_of(pod) == *key
    })
    .collect()
}

/// Members that exist or have succeeded, of one role or all.
fn exist_in(question: &GangQuestion, members: &[&PodSpec], role: Option<&String>) -> u32 {
    let waits = members
        .iter()
        .filter(|pod| pod.node.is_none() && role.is_none_or(|role| *role == pod.role));
    let counted = match role {
        Some(role) => question.counted_by_role.get(role).copied().unwrap_or(0),
        None => question.counted,
    };
    counted + u32::try_from(waits.count()).expect("few pods")
}

fn has_enough(question: &GangQuestion) -> bool {
    let free = |role: Option<&String>| {
        let pods = question.pending.iter();
        let pods = pods.filter(|pod| role.is_none_or(|role| *role == pod.role));
        u32::try_from(pods.count()).expect("few pods")
    };
    let of_role = |role: &String| question.counted_by_role.get(role).copied().unwrap_or(0);
    question.counted + free(None) >= question.min
        && question.roles.iter().all(|it| of_role(&it.name) + free(Some(&it.name)) >= it.min)
}
