//! Volcano's HyperNodes, turned into node labels and one topology.
//!
//! The engine knows levels of node labels only. So each node gets, per tier, the label
//! `topology.volcano.sh/tier-<n>` with the name of the HyperNode of that tier it is in, and a
//! topology called [`TOPOLOGY`] lists the tiers from the highest (widest) to the lowest.
//!
//! A tree need not be of one depth: where a node is in no HyperNode of a tier but in one of a
//! narrower tier, that one stands in, since what lies inside it lies inside one domain.
//!
//! Invariant: cycles, unknown members, bad patterns and overlaps are said and left out; the
//! rest is used. Next: [`fit`] chooses the tier that exists for a group's wish.

use super::{Problems, selector, shorten};
use crate::wire::Number;
use crate::wire::volcano::{HyperNode, HyperNodeMember};
use regex::Regex;
use scheduler_model::problem::Problem;
use scheduler_model::spec::{
    GangSpec, LabelSelector, Labels, LevelSpec, NodeSpec, SelectorOperator, TopologySpec,
};
use std::collections::{BTreeMap, BTreeSet};

/// Name of the topology that the HyperNodes make.
pub const TOPOLOGY: &str = "volcano";

/// Start of the derived node labels; the tier's number follows.
pub(crate) const LABEL_PREFIX: &str = "topology.volcano.sh/tier-";

/// The derived node label of a tier, by which a group may name the level.
#[must_use]
pub fn level(tier: u32) -> String {
    format!("{LABEL_PREFIX}{tier}")
}

/// Puts the derived labels on `nodes` and returns the topology they make; none where there are
/// no HyperNodes.
#[must_use]
pub fn resolve(
    hypernodes: &[HyperNode],
    nodes: &mut [NodeSpec],
) -> (Vec<TopologySpec>, Vec<Problem>) {
    let mut forest = Forest::new(hypernodes);
    if forest.tiers.is_empty() {
        return (Vec::new(), forest.found);
    }
    let by_name: BTreeMap<&str, usize> =
        nodes.iter().enumerate().map(|(index, node)| (node.name.as_str(), index)).collect();
    let mut members: BTreeMap<&str, Members> = BTreeMap::new();
    for (name, object) in forest.trees.clone() {
        let read = forest.members(object, nodes, &by_name);
        members.insert(name, read);
    }
    let spans = forest.spans(&members);
    forest.label(&spans, nodes);
    let levels = forest
        .tiers
        .iter()
        .rev()
        .map(|(tier, name)| LevelSpec { name: name.clone(), key: level(*tier) })
        .collect();
    (vec![TopologySpec { name: TOPOLOGY.to_owned(), levels }], forest.found)
}

/// Direct children of one HyperNode: rows of nodes, and names of HyperNodes.
#[derive(Default)]
struct Members {
    nodes: BTreeSet<usize>,
    trees: BTreeSet<String>,
}

/// All HyperNodes by name, and their tiers.
struct Forest<'a> {
    trees: BTreeMap<&'a str, &'a HyperNode>,
    /// Level name by tier, lowest first.
    tiers: BTreeMap<u32, String>,
    found: Vec<Problem>,
}

impl<'a> Forest<'a> {
    fn new(hypernodes: &'a [HyperNode]) -> Self {
        let mut forest = Self { trees: BTreeMap::new(), tiers: BTreeMap::new(), found: Vec::new() };
        for object in hypernodes {
            let Some(tier) = tier(object) else {
                let written = object.spec.tier.as_ref().map_or(String::new(), Number::to_string);
                let message = format!("`{}` is no tier, left out", shorten(&written));
                forest.say(object, "spec.tier", message, "write a whole number from 0 on");
                continue;
            };
            if forest.trees.contains_key(&*object.metadata.name) {
                let message = "a HyperNode of this name is there already, left out".to_owned();
                forest.say(object, "metadata.name", message, "give each HyperNode its own name");
                continue;
            }
            forest.trees.insert(&object.metadata.name, object);
            forest.name_tier(object, tier);
        }
        forest
    }

    fn say(&mut self, object: &HyperNode, field: &str, message: String, remedy: &str) {
        let mut problems = Problems::of("HyperNode", &object.metadata);
        problems.add(field, message, remedy);
        self.found.extend(problems.with(()).problems);
    }

    /// The first name of a tier counts, and it must not be that of another tier.
    fn name_tier(&mut self, object: &HyperNode, tier: u32) {
        let name = object.spec.tier_name.as_str();
        let plain = format!("tier-{tier}");
        let entry = self.tiers.entry(tier).or_insert_with(|| plain.clone());
        if name.is_empty() || entry == name {
            return;
        }
        if *entry == plain && !self.tiers.values().any(|other| other == name) {
            self.tiers.insert(tier, name.to_owned());
            return;
        }
        let message = format!("tier {tier} has another name, or {name:?} is another tier's");
        self.say(object, "spec.tierName", message, "give all HyperNodes of one tier one name");
    }

    fn members(
        &mut self,
        object: &HyperNode,
        nodes: &[NodeSpec],
        by_name: &BTreeMap<&str, usize>,
    ) -> Members {
        let mut members = Members::default();
        for (index, member) in object.spec.members.iter().enumerate() {
            let field = format!("spec.members[{index}]");
            match member.kind.as_str() {
                "Node" => {
                    if let Some(found) = self.chosen(object, &field, member, by_name) {
                        members.nodes.extend(found.iter().filter_map(|name| by_name.get(&**name)));
                    } else if let Some(found) = self.labelled(object, &field, member, nodes) {
                        members.nodes.extend(found);
                    }
                }
                "HyperNode" => {
                    let trees = self.trees.clone();
                    let found = self.chosen(object, &field, member, &trees);
                    members.trees.extend(found.into_iter().flatten());
                }
                other => {
                    let message = format!("`{}` is no type of member, left out", shorten(other));
                    self.say(object, &field, message, "write Node or HyperNode");
                }
            }
        }
        members
    }

    /// The names that a member chooses by name or pattern; `None` if it chooses otherwise.
    fn chosen<T>(
        &mut self,
        object: &HyperNode,
        field: &str,
        member: &HyperNodeMember,
        names: &BTreeMap<&str, T>,
    ) -> Option<Vec<String>> {
        let chooser = &member.selector;
        if let Some(exact) = &chooser.exact_match {
            if names.contains_key(exact.name.as_str()) {
                return Some(vec![exact.name.clone()]);
            }
            let name = shorten(&exact.name);
            let message = format!("{} {name:?} does not exist, left out", member.kind);
            self.say(object, field, message, "name one that exists");
            return Some(Vec::new());
        }
        if let Some(regex) = &chooser.regex_match {
            let Ok(pattern) = Regex::new(&regex.pattern) else {
                let message = format!("`{}` is no pattern, left out", shorten(&regex.pattern));
                self.say(object, field, message, "write a regular expression, such as ^node-1");
                return Some(Vec::new());
            };
            let found = names.keys().filter(|name| pattern.is_match(name));
            return Some(found.map(|name| (*name).to_owned()).collect());
        }
        if chooser.label_match.is_some() && member.kind == "Node" {
            return None;
        }
        let message = "it chooses no member, left out".to_owned();
        self.say(object, field, message, "write exactMatch, regexMatch or (for nodes) labelMatch");
        Some(Vec::new())
    }

    fn labelled(
        &mut self,
        object: &HyperNode,
        field: &str,
        member: &HyperNodeMember,
        nodes: &[NodeSpec],
    ) -> Option<Vec<usize>> {
        let written = member.selector.label_match.as_ref()?;
        let mut problems = Problems::of("HyperNode", &object.metadata);
        let field = format_args!("{field}.selector.labelMatch");
        let read = selector::labels(written, field, &mut problems);
        self.found.extend(problems.with(()).problems);
        let read = read?;
        let matching = nodes.iter().enumerate().filter(|(_, node)| matches(&read, &node.labels));
        Some(matching.map(|(index, _)| index).collect())
    }

    /// All nodes inside each HyperNode, its children's included.
    fn spans(
        &mut self,
        members: &BTreeMap<&'a str, Members>,
    ) -> BTreeMap<&'a str, BTreeSet<usize>> {
        let mut order: Vec<(u32, &'a HyperNode)> =
            self.trees.values().filter_map(|object| Some((tier(object)?, *object))).collect();
        order.sort_by_key(|(tier, object)| (*tier, object.metadata.name.as_str()));
        let mut spans: BTreeMap<&'a str, BTreeSet<usize>> = BTreeMap::new();
        // Children are of a lower tier, so they are complete before their parents; this alone
        // keeps cycles out.
        for (own_tier, object) in order {
            let own = &members[object.metadata.name.as_str()];
            let mut span = own.nodes.clone();
            for child in &own.trees {
                let is_lower = tier(self.trees[child.as_str()]).is_some_and(|tier| tier < own_tier);
                if is_lower {
                    span.extend(spans.get(child.as_str()).into_iter().flatten());
                } else {
                    let message = format!("member {child:?} is not of a lower tier, left out");
                    let remedy = "nest HyperNodes of lower tiers only, without a cycle";
                    self.say(object, "spec.members", message, remedy);
                }
            }
            spans.insert(&object.metadata.name, span);
        }
        spans
    }

    fn label(&mut self, spans: &BTreeMap<&'a str, BTreeSet<usize>>, nodes: &mut [NodeSpec]) {
        for node in nodes.iter_mut() {
            node.labels.retain(|key, _| !key.starts_with(LABEL_PREFIX));
        }
        for (name, span) in spans {
            let object = self.trees[name];
            let Some(tier) = tier(object) else { continue };
            for index in span {
                let node = &mut nodes[*index];
                if let Some(other) = node.labels.get(&level(tier)) {
                    let message =
                        format!("node {:?} is in {other:?} of the same tier, left out", node.name);
                    let remedy = "let each node be in one HyperNode per tier";
                    self.say(object, "spec.members", message, remedy);
                } else {
                    node.labels.insert(level(tier), (*name).to_owned());
                }
            }
        }
        for node in nodes {
            let mut narrower: Option<String> = None;
            for tier in self.tiers.keys() {
                let key = level(*tier);
                match (node.labels.get(&key), &narrower) {
                    (Some(name), _) => narrower = Some(name.clone()),
                    (None, Some(name)) => {
                        node.labels.insert(key, name.clone());
                    }
                    (None, None) => {}
                }
            }
        }
    }
}

fn tier(object: &HyperNode) -> Option<u32> {
    match object.spec.tier {
        Some(Number::Whole(tier)) => u32::try_from(tier).ok(),
        _ => None,
    }
}

fn matches(selector: &LabelSelector, labels: &Labels) -> bool {
    selector.requirements.iter().all(|requirement| {
        let value = labels.get(&requirement.key);
        let is_listed = value.is_some_and(|value| requirement.values.contains(value));
        match requirement.operator {
            SelectorOperator::In => is_listed,
            SelectorOperator::NotIn => !is_listed,
            SelectorOperator::Exists => value.is_some(),
            SelectorOperator::DoesNotExist => value.is_none(),
            SelectorOperator::Gt | SelectorOperator::Lt => false,
        }
    })
}

/// Turns the tier a Volcano group wishes for into one that exists: the widest that is not above
/// it. A preferred tier below all that exist becomes the lowest; a required one stays, and its
/// gang waits.
pub fn fit(gang: &mut GangSpec, topologies: &[TopologySpec]) {
    if gang.topology.topology.as_deref() != Some(TOPOLOGY) {
        return;
    }
    let Some(volcano) = topologies.iter().find(|topology| topology.name == TOPOLOGY) else {
        return;
    };
    let fitting = |wish: &str| {
        let allowed: u32 = wish.strip_prefix(LABEL_PREFIX)?.parse().ok()?;
        let keys = volcano.levels.iter().map(|level| level.key.as_str());
        keys.into_iter().find(|key| number(key).is_some_and(|tier| tier <= allowed))
    };
    if let Some(key) = gang.topology.required.as_deref().and_then(fitting) {
        gang.topology.required = Some(key.to_owned());
    }
    if let Some(wish) = gang.topology.preferred.as_deref().filter(|wish| number(wish).is_some()) {
        let lowest = volcano.levels.last().map(|level| level.key.as_str());
        gang.topology.preferred = fitting(wish).or(lowest).map(str::to_owned);
    }
}

/// The tier that a derived label key stands for.
fn number(key: &str) -> Option<u32> {
    key.strip_prefix(LABEL_PREFIX)?.parse().ok()
}
