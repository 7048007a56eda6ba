//! The tree of queues for people: who has what, who borrows, what waits where.
//!
//! Invariant: every queue is shown once. Those that hang on no root come last: orphans, then
//! cycles of parents. Next: `bar` draws, `scales` shortens amounts.

use super::bar;
use super::columns::{columns_apart, text};
use super::scales::{self, Amounts};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

/// Deeper queues are not indented further: a tree of a thousand levels has to be read too.
const DEPTH_MAX: usize = 10;
const NARROW: [&str; 11] = [
    "QUEUE", "STATE", "WEIGHT", "WAITING", "OLDEST", "RESOURCE", "USED", "ENTITLED", "LIMIT",
    "BORROWED", "LENT",
];
const WIDE: [&str; 19] = [
    "QUEUE",
    "STATE",
    "WEIGHT",
    "PRIORITY",
    "WAITING",
    "OLDEST",
    "RESOURCE",
    "FLAVOUR",
    "USE",
    "USED",
    "DEDICATED",
    "ENTITLED",
    "DESERVED",
    "FAIR",
    "DEMAND",
    "LIMIT",
    "BORROWED",
    "LENT",
    "REASONS",
];

/// Writes the tree of the leader's answer to `/queues`.
pub(super) fn write(answer: &Value, is_wide: bool, out: &mut dyn Write) -> io::Result<()> {
    let empty = Vec::new();
    let queues = answer["queues"].as_array().unwrap_or(&empty);
    let shown = Shown::of(queues, is_wide);
    let rows: Vec<Vec<String>> = tree(queues).iter().flat_map(|it| shown.rows(it)).collect();
    let titles: &[&str] = if is_wide { &WIDE } else { &NARROW };
    columns_apart("  ", titles, rows, out)
}

/// One queue where it stands in the tree.
struct Place<'a> {
    queue: &'a Value,
    depth: usize,
    state: String,
}

/// All queues, each below its parent, siblings as the leader has them: in order of name.
fn tree(queues: &[Value]) -> Vec<Place<'_>> {
    let index: BTreeMap<&str, usize> =
        queues.iter().enumerate().filter_map(|(at, it)| Some((it["name"].as_str()?, at))).collect();
    let parent = |at: usize| queues[at]["parent"].as_str();
    let known = |at: usize| parent(at).and_then(|name| index.get(name)).copied();
    let circling = circling(queues.len(), known);
    let mut below: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for at in (0..queues.len()).filter(|at| !circling.contains(at)) {
        if let Some(parent) = known(at) {
            below.entry(parent).or_default().push(at);
        }
    }
    let is_orphan = |at: &usize| parent(*at).is_some() && known(*at).is_none();
    let roots = (0..queues.len()).filter(|at| parent(*at).is_none());
    let orphans = (0..queues.len()).filter(is_orphan);
    let mut places = Vec::new();
    for first in roots.chain(orphans).chain(circling.iter().copied()) {
        let mut stack = vec![(first, 0)];
        while let Some((at, depth)) = stack.pop() {
            let state = match text(&queues[at]["state"]) {
                state if state != "broken" => state,
                _ if circling.contains(&at) => "cycle".to_owned(),
                _ if is_orphan(&at) => "orphan".to_owned(),
                state => state,
            };
            places.push(Place { queue: &queues[at], depth, state });
            let children = below.get(&at).into_iter().flatten().rev();
            stack.extend(children.map(|child| (*child, depth + 1)));
        }
    }
    places
}

/// Those that are above themselves.
fn circling(count: usize, parent: impl Fn(usize) -> Option<usize>) -> BTreeSet<usize> {
    let mut circling = BTreeSet::new();
    let mut seen = BTreeSet::new();
    for start in 0..count {
        let mut path = Vec::new();
        let mut next = Some(start);
        while let Some(at) = next.filter(|at| seen.insert(*at)) {
            path.push(at);
            next = parent(at);
        }
        // It ends at a root, on what an earlier walk saw, or on itself.
        let begin = next.and_then(|at| path.iter().position(|it| *it == at));
        circling.extend(begin.into_iter().flat_map(|begin| &path[begin..]));
    }
    circling
}

/// Which resources are shown, and how.
struct Shown {
    resources: Vec<String>,
    is_wide: bool,
}

impl Shown {
    /// In narrow form devices and whatever has limits, else cpu and memory; in wide form all that
    /// anybody uses, wants or has a limit of.
    fn of(queues: &[Value], is_wide: bool) -> Self {
        let rows = || queues.iter().flat_map(|queue| queue["amounts"].as_array()).flatten();
        let all = rows().map(Amounts::of).filter(Amounts::matters);
        let all: Vec<Amounts> = all.collect();
        let names: BTreeSet<&str> = all.iter().map(|it| it.resource.as_str()).collect();
        let has_limit =
            |name: &&str| all.iter().any(|it| it.resource == *name && it.limit.is_some());
        let is_telling = |name: &&str| is_wide || name.contains('/') || has_limit(name);
        let mut resources: Vec<&str> = names.iter().copied().filter(is_telling).collect();
        if resources.is_empty() {
            let basic = |name: &&str| ["cpu", "memory"].contains(name);
            resources = names.into_iter().filter(basic).collect();
        }
        resources.sort_by_key(|name| (!name.contains('/'), *name));
        let resources = resources.into_iter().map(str::to_owned).collect();
        Self { resources, is_wide }
    }

    /// The lines of one queue; what stands for all of it is on the first.
    fn rows(&self, place: &Place<'_>) -> Vec<Vec<String>> {
        let all = place.queue["amounts"].as_array().into_iter().flatten().map(Amounts::of);
        let all: Vec<Amounts> = all.collect();
        let shown: Vec<&Amounts> =
            all.iter().filter(|it| it.flavour.is_none() || self.is_wide).collect();
        let mut rows: Vec<Option<&Amounts>> = Vec::new();
        for name in &self.resources {
            rows.extend(shown.iter().filter(|it| it.resource == *name).map(|it| Some(*it)));
        }
        if rows.is_empty() {
            rows.push(None);
        }
        let row = |(at, amounts)| {
            let head = self.head(place).into_iter();
            let head = head.map(|cell| if at == 0 { cell } else { String::new() });
            let mut row: Vec<String> = head.chain(self.amounts(amounts)).collect();
            if self.is_wide {
                let reasons = if at == 0 { pairs(&place.queue["waiting"]) } else { String::new() };
                row.push(reasons);
            }
            row
        };
        rows.into_iter().enumerate().map(row).collect()
    }

    fn head(&self, place: &Place<'_>) -> Vec<String> {
        let queue = place.queue;
        let waiting = queue["waiting"].as_object().into_iter().flatten();
        let count: u64 = waiting.filter_map(|(_, it)| it.as_u64()).sum();
        let indent = "  ".repeat(place.depth.min(DEPTH_MAX));
        let mut head = vec![
            format!("{indent}{}", text(&queue["name"])),
            place.state.clone(),
            text(&queue["weight"]),
        ];
        if self.is_wide {
            head.push(text(&queue["priority"]));
        }
        head.push(count.to_string());
        head.push(queue["oldestWaitMs"].as_i64().map_or_else(none, scales::wait));
        head
    }

    fn amounts(&self, amounts: Option<&Amounts>) -> Vec<String> {
        let Some(it) = amounts else {
            let cells = if self.is_wide { 12 } else { 6 };
            return (0..cells).map(|_| none()).collect();
        };
        let show = |amount| scales::short(&it.resource, amount);
        let some = |amount: i64| if amount == 0 { none() } else { show(amount) };
        let limit = it.limit.map_or_else(none, show);
        if !self.is_wide {
            let name = self.short_name(&it.resource);
            let (used, entitled) = (show(it.used), show(it.entitled));
            return vec![name, used, entitled, limit, some(it.borrowed), some(it.lent)];
        }
        vec![
            it.resource.clone(),
            it.flavour.clone().unwrap_or_else(none),
            bar::draw(it),
            show(it.used),
            some(it.dedicated),
            show(it.entitled),
            show(it.deserved),
            show(it.fair),
            show(it.demand),
            limit,
            some(it.borrowed),
            some(it.lent),
        ]
    }

    /// `gpu` for `nvidia.com/gpu`, where nothing else ends like it.
    fn short_name(&self, name: &str) -> String {
        let last = |name: &str| name.rsplit('/').next().unwrap_or_default().to_owned();
        let short = last(name);
        let alike = self.resources.iter().filter(|it| last(it) == short).count();
        if alike > 1 { name.to_owned() } else { short }
    }
}

fn none() -> String {
    "-".to_owned()
}

/// `limit=1 room=3`.
fn pairs(value: &Value) -> String {
    let pairs = value.as_object().into_iter().flatten();
    let pairs: Vec<String> = pairs.map(|(key, value)| format!("{key}={}", text(value))).collect();
    pairs.join(" ")
}
