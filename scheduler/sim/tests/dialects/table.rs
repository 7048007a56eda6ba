//! Reads the cases of `docs/volcano-queues.md`: what a person reads there is what is played.
//!
//! A line that cannot be read is a panic with that line, so that no case is left out unseen.

use scheduler_kube::quantity::{Rounding, parse_of};
use scheduler_model::amount::Amount;

/// One case of the page.
#[derive(Debug)]
pub(crate) struct Case {
    /// Its heading.
    pub(crate) name: String,
    /// True if it has muster's numbers, not Volcano's.
    pub(crate) differs: bool,
    pub(crate) nodes: u32,
    /// What each node has, as manifests write it.
    pub(crate) room: Vec<(String, String)>,
    /// What a pod asks for that does not say it itself.
    pub(crate) pod: String,
    pub(crate) rows: Vec<Row>,
}

/// One queue of a case.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) queue: String,
    /// `spec` of Volcano's object.
    pub(crate) volcano: String,
    /// Its `status`.
    pub(crate) status: String,
    /// `spec` of muster's object.
    pub(crate) muster: String,
    /// Pods that run at the start: how many, and what each asks for.
    pub(crate) runs: Vec<(u32, String)>,
    /// Pods that wait at the start.
    pub(crate) waits: Vec<(u32, String)>,
    /// Entitled, deserved, fair and used, each by resource in the order of the nodes' room.
    pub(crate) numbers: [Vec<Amount>; 4],
}

const COLUMNS: &str =
    "| queue | Volcano | muster | runs | waits | entitled | deserved | fair | used |";

/// All cases of the page.
pub(crate) fn cases(page: &str) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    let mut name = String::new();
    for line in page.lines() {
        if let Some(heading) = line.strip_prefix("### ") {
            heading.clone_into(&mut name);
        } else if let Some((rule, there)) = line.split_once(" Nodes: ") {
            cases.push(case(&name, rule, there));
        } else if line.starts_with("| ") && line != COLUMNS {
            let case = cases.last_mut().filter(|case| case.name == name);
            let case = case.unwrap_or_else(|| panic!("a row outside of a case: {line}"));
            case.rows.push(row(line, case));
        }
    }
    cases
}

/// `2 of cpu 4, memory 16Gi. Pods: cpu 1.`
fn case(name: &str, rule: &str, there: &str) -> Case {
    let read = || {
        let (nodes, pod) = there.strip_suffix('.')?.split_once(". Pods: ")?;
        let (count, room) = nodes.split_once(" of ")?;
        Some(Case {
            name: name.to_owned(),
            differs: rule.starts_with("**differs** from `"),
            nodes: count.parse().ok()?,
            room: room.split(", ").map(pair).collect::<Option<_>>()?,
            pod: requests(pod)?,
            rows: Vec::new(),
        })
    };
    assert!(rule.contains('`') && rule.ends_with('.'), "{name} names no rule: {rule}");
    read().unwrap_or_else(|| panic!("{name} does not say what there is: {there}"))
}

/// `cpu 4`
fn pair(text: &str) -> Option<(String, String)> {
    let (resource, amount) = text.split_once(' ')?;
    Some((resource.to_owned(), amount.to_owned()))
}

/// `cpu 1, memory 4Gi` as manifests write it.
fn requests(text: &str) -> Option<String> {
    let pairs = text.split(", ").map(pair).collect::<Option<Vec<_>>>()?;
    Some(pairs.iter().map(|(key, value)| format!("{key}: {value}, ")).collect())
}

fn row(line: &str, case: &Case) -> Row {
    let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
    let [queue, volcano, muster, runs, waits, numbers @ ..] = cells.as_slice() else {
        panic!("too few columns: {line}");
    };
    let (volcano, status) = volcano.split_once("` `").unwrap_or((volcano, ""));
    let pods = |cell: &str| {
        let groups = cell.split("; ").filter(|group| !group.is_empty());
        groups.map(|group| pods(group, case).unwrap_or_else(|| panic!("no pods: {line}"))).collect()
    };
    let amounts = |cell: &&str| amounts(cell, case);
    Row {
        queue: (*queue).to_owned(),
        volcano: volcano.replace('`', ""),
        status: status.replace('`', ""),
        muster: muster.replace('`', ""),
        runs: pods(runs),
        waits: pods(waits),
        numbers: numbers
            .iter()
            .map(amounts)
            .collect::<Option<Vec<_>>>()
            .and_then(|numbers| numbers.try_into().ok())
            .unwrap_or_else(|| panic!("numbers are missing: {line}")),
    }
}

/// `8`, or `8 of cpu 1, memory 1Gi`.
fn pods(text: &str, case: &Case) -> Option<(u32, String)> {
    match text.split_once(" of ") {
        Some((count, pod)) => Some((count.parse().ok()?, requests(pod)?)),
        None => Some((text.parse().ok()?, case.pod.clone())),
    }
}

/// One amount for each resource of the nodes.
fn amounts(cell: &str, case: &Case) -> Option<Vec<Amount>> {
    let texts: Vec<&str> = cell.split(", ").collect();
    let both = case.room.iter().zip(&texts);
    let amount = |((resource, _), text): (&(String, String), &&str)| {
        Some(parse_of(resource, text, Rounding::Down).ok()?.amount)
    };
    (texts.len() == case.room.len()).then(|| both.map(amount).collect())?
}
