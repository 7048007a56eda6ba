//! Compares what a story expects with what a runner observed.
//!
//! Invariant: nodes and pods of one shape are interchangeable; nothing here asks for more
//! than the story says.

use crate::expect::{
    Because, Expectation, GangState, Observed, ObservedGang, Runs, Wish, Within, reason_word,
};
use crate::words::{cure_word, node_word};
use scheduler_model::amount::Amount;
use scheduler_model::explain::{Explanation, SetTally, show_amount};
use std::collections::{BTreeMap, BTreeSet};

/// The expectations that do not hold, each as a sentence with what was expected and what was
/// got. Empty if all hold.
#[must_use]
pub fn check(expect: &[Expectation], observed: &Observed) -> Vec<String> {
    expect.iter().flat_map(|one| check_one(one, observed)).collect()
}

fn check_one(expectation: &Expectation, observed: &Observed) -> Vec<String> {
    match expectation {
        Expectation::Gang { gang, wish } => {
            let Some(got) = observed.gangs.get(gang) else {
                return vec![format!("gang {gang}: expected {}, got no such gang", plain(wish))];
            };
            let failures = check_gang(wish, got, observed);
            failures.into_iter().map(|said| tell(&gang.to_string(), &said, got)).collect()
        }
        Expectation::Queue { queue, fact, flavour, amounts } => {
            let Some(got) = observed.queues.get(queue) else {
                return vec![format!("queue {queue}: expected it, got no such queue")];
            };
            let got = got.get(&(*fact, flavour.clone()));
            let on = flavour.as_ref().map(|it| format!(" on {it}")).unwrap_or_default();
            let differs = |(resource, want): (&String, &Amount)| {
                let got = got.and_then(|got| got.get(resource)).copied().unwrap_or(Amount::ZERO);
                (got != *want).then(|| {
                    format!(
                        "queue {queue}: expected {}: {}{on}, got {}",
                        fact.word(),
                        show_amount(resource, *want),
                        show_amount(resource, got)
                    )
                })
            };
            amounts.iter().filter_map(differs).collect()
        }
        Expectation::Problem(text) if observed.problems.iter().any(|one| one.contains(text)) => {
            Vec::new()
        }
        Expectation::Problem(text) => {
            vec![format!("problems: expected one with {text:?}, got {:?}", observed.problems)]
        }
    }
}

/// A failure with the gang in front and the explanation's sentence behind.
fn tell(gang: &str, said: &str, got: &ObservedGang) -> String {
    match &got.explanation {
        Some(explanation) => format!("gang {gang}: {said} [{explanation}]"),
        None => format!("gang {gang}: {said}"),
    }
}

fn plain(wish: &Wish) -> &'static str {
    match wish {
        Wish::Runs(_) => "that it runs",
        Wish::Waits(_) => "that it waits",
        Wish::Untouched(true) => "that it is untouched",
        Wish::Untouched(false) => "that it is touched",
        Wish::Done => "that it is done",
        Wish::Silent => "that it is silent",
    }
}

fn check_gang(wish: &Wish, got: &ObservedGang, observed: &Observed) -> Vec<String> {
    let state = |wanted: GangState| {
        let wrong = got.state != wanted;
        wrong.then(|| format!("expected {}, got that it {}", plain(wish), got.state.word()))
    };
    match wish {
        Wish::Untouched(wanted) if got.untouched == *wanted => Vec::new(),
        Wish::Untouched(wanted) => {
            let word = if *wanted { "touched" } else { "untouched" };
            vec![format!("expected {}, got that it is {word}", plain(wish))]
        }
        Wish::Done => state(GangState::Done).into_iter().collect(),
        Wish::Silent => state(GangState::Silent).into_iter().collect(),
        Wish::Runs(runs) => match state(GangState::Runs) {
            Some(failure) => vec![failure],
            None => check_runs(runs, got, observed),
        },
        // Members above the minimum wait while the gang runs.
        Wish::Waits(because) if because.reason == Some("elastic") => check_because(because, got),
        Wish::Waits(because)
            if because.reason == Some("volume") && got.state == GangState::Runs =>
        {
            check_because(because, got)
        }
        Wish::Waits(because) => match state(GangState::Waits) {
            Some(failure) => vec![failure],
            None => check_because(because, got),
        },
    }
}

fn check_runs(runs: &Runs, got: &ObservedGang, observed: &Observed) -> Vec<String> {
    let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
    for (_, node) in &got.placed {
        *counts.entry(node).or_default() += 1;
    }
    let members = got.placed.len();
    let mut failures = Vec::new();
    let mut fail = |wanted: String| {
        failures.push(format!("expected {wanted}, got {}", show_counts(&counts)));
    };
    if let Some(on) = &runs.on {
        let all: BTreeSet<&str> = on.iter().map(String::as_str).collect();
        let inside = counts.keys().all(|node| all.contains(node));
        if !inside || (all.len() <= members && counts.len() < all.len()) {
            fail(format!("members on {}", on.join(", ")));
        }
    }
    if let Some(among) = &runs.among
        && !counts.keys().all(|node| among.iter().any(|one| one == node))
    {
        fail(format!("members among {}", among.join(", ")));
    }
    if runs.nodes.is_some_and(|nodes| usize::try_from(nodes) != Ok(counts.len())) {
        fail(format!("{} nodes", runs.nodes.unwrap_or(0)));
    }
    if runs.members.is_some_and(|wanted| usize::try_from(wanted) != Ok(members)) {
        fail(format!("{} members", runs.members.unwrap_or(0)));
    }
    if let Some(within) = &runs.within
        && domains(within, counts.keys().copied(), observed).len() > 1
    {
        fail(format!("members within one {}", within.level));
    }
    if let Some(each) = &runs.each {
        let wanted: BTreeMap<&str, u32> =
            each.iter().filter(|(_, count)| **count > 0).map(|(n, c)| (n.as_str(), *c)).collect();
        if wanted != counts {
            fail(show_counts(&wanted));
        }
    }
    failures
}

/// `2 on a1, 1 on a2`.
fn show_counts(counts: &BTreeMap<&str, u32>) -> String {
    if counts.is_empty() {
        return "no member placed".to_owned();
    }
    let parts: Vec<String> =
        counts.iter().map(|(node, count)| format!("{count} on {node}")).collect();
    parts.join(", ")
}

/// The different domains of `nodes`. A node without one of the labels is a domain by itself.
fn domains<'a>(
    within: &Within,
    nodes: impl Iterator<Item = &'a str>,
    observed: &Observed,
) -> BTreeSet<Vec<String>> {
    let domain = |node: &str| {
        let labels = observed.node_labels.get(node);
        let values: Option<Vec<String>> =
            within.keys.iter().map(|key| labels?.get(key).cloned()).collect();
        values.unwrap_or_else(|| vec![String::new(), node.to_owned()])
    };
    nodes.map(domain).collect()
}

fn check_because(because: &Because, got: &ObservedGang) -> Vec<String> {
    let Some(explanation) = &got.explanation else {
        if *because == Because::default() {
            return Vec::new();
        }
        return vec![format!("expected a reason, got that it {} without one", got.state.word())];
    };
    let mut failures = Vec::new();
    let mut compare = |what: &str, wanted: Option<String>, found: String| {
        if let Some(wanted) = wanted.filter(|wanted| *wanted != found) {
            failures.push(format!("expected {what} {wanted}, got {found}"));
        }
    };
    let number = |number: &Option<u32>| number.map(|number| number.to_string());
    let reason = reason_word(&explanation.reason);
    compare("the reason", because.reason.map(str::to_owned), reason.to_owned());
    compare("placeable", number(&because.placeable), explanation.placeable.to_string());
    compare("needed", number(&because.needed), explanation.needed.to_string());
    let cure = because.cure.map(|cure| cure_word(cure).to_owned());
    compare("the cure", cure, cure_word(explanation.cure).to_owned());
    let nearest = explanation.nearest.as_ref();
    let places = nearest.map_or("none".to_owned(), |one| one.places.to_string());
    compare("missing places", number(&because.places), places);
    let domain = nearest.and_then(|one| one.domain.clone()).unwrap_or("none".to_owned());
    compare("the nearest domain", because.domain.clone(), domain);
    if !because.nodes.is_empty() && !nodes_agree(because, explanation) {
        failures.push(format!("expected nodes {:?}, got {}", because.nodes, tallies(explanation)));
    }
    let sentence = explanation.to_string();
    if let Some(text) = because.text.as_ref().filter(|text| !sentence.contains(*text)) {
        failures.push(format!("expected the text {text:?}"));
    }
    let next = &explanation.next_step;
    if let Some(step) = because.step.as_ref().filter(|step| !next.contains(*step)) {
        failures.push(format!("expected the next step {step:?}, got {next:?}"));
    }
    failures
}

/// True if some tally (of the role, where one is named) has every count that is expected.
fn nodes_agree(because: &Because, explanation: &Explanation) -> bool {
    let right_role = |set: &&SetTally| because.role.as_ref().is_none_or(|role| *role == set.role);
    explanation.sets.iter().filter(right_role).any(|set| {
        let counts = tally(set);
        because.nodes.iter().all(|(word, want)| counts.get(word).copied().unwrap_or(0) == *want)
    })
}

/// Number of nodes by word; taints that differ only in their effect count together.
fn tally(set: &SetTally) -> BTreeMap<String, u32> {
    let mut counts: BTreeMap<String, u32> = BTreeMap::new();
    for (reason, count) in &set.nodes {
        *counts.entry(node_word(reason)).or_default() += count;
    }
    counts
}

fn tallies(explanation: &Explanation) -> String {
    let sets: Vec<String> =
        explanation.sets.iter().map(|set| format!("{:?} {:?}", set.role, tally(set))).collect();
    if sets.is_empty() { "none".to_owned() } else { sets.join("; ") }
}
