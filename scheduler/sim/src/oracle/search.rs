//! Pods that look at other pods: every order and every node, with the checker as referee.
//!
//! Exact, and only for tiny worlds. Alike pods of one gang are interchangeable, so a state is
//! how many of which kind run where; a state that led nowhere is never entered again. Gangs
//! come one after another: while one is below its minimum, no other one is touched.

use super::fuel::{Fuel, Fueled};
use super::ground::anchored;
use super::target::Need;
use super::{Binds, GangQuestion, QueueRoom};
use crate::checker::{Cluster, domain_of, pod_refusals, refusals, taken_by};
use scheduler_model::amount::Amount;
use scheduler_model::spec::{ClaimUse, Labels, PodShape, PodSpec};
use std::collections::{BTreeMap, BTreeSet};

/// Interchangeable pods of one gang.
struct Alike {
    gang: usize,
    pods: Vec<PodSpec>,
    placed: usize,
}

type RoomKey<'a> = (&'a str, Option<&'a str>, &'a str);

struct Search<'a> {
    cluster: Cluster,
    nodes: Vec<String>,
    questions: &'a [&'a GangQuestion],
    needs: Vec<Need>,
    alike: Vec<Alike>,
    left: BTreeMap<RoomKey<'a>, Amount>,
    binds: Binds,
    state: BTreeMap<(usize, usize), u32>,
    spent: BTreeSet<BTreeMap<(usize, usize), u32>>,
}

/// Binds that give all gangs of `questions` their minimum, if there are any.
pub(super) fn search(
    cluster: &Cluster,
    questions: &[&GangQuestion],
    fuel: &mut Fuel,
) -> Fueled<Option<Binds>> {
    let mut search = Search::new(cluster, questions);
    Ok(search.go(fuel)?.then_some(search.binds))
}

impl<'a> Search<'a> {
    fn new(cluster: &Cluster, questions: &'a [&'a GangQuestion]) -> Self {
        let mut left: BTreeMap<RoomKey<'a>, Amount> = BTreeMap::new();
        for room in questions.iter().flat_map(|question| &question.room) {
            let entry = left.entry(key(room)).or_insert(room.left);
            *entry = room.left.min(*entry);
        }
        Self {
            cluster: cluster.clone(),
            nodes: cluster.nodes.keys().cloned().collect(),
            questions,
            needs: questions.iter().map(|question| Need::of(question)).collect(),
            alike: alike(questions),
            left,
            binds: Vec::new(),
            state: BTreeMap::new(),
            spent: BTreeSet::new(),
        }
    }

    fn go(&mut self, fuel: &mut Fuel) -> Fueled<bool> {
        let open: Vec<usize> = (0..self.needs.len()).filter(|gang| !self.has_need(*gang)).collect();
        if open.is_empty() {
            return Ok(true);
        }
        if self.spent.contains(&self.state) {
            return Ok(false);
        }
        let begun = open.into_iter().find(|gang| self.placed_of(*gang) > 0);
        for kind in 0..self.alike.len() {
            if begun.is_some_and(|gang| self.alike[kind].gang != gang) {
                continue;
            }
            for node in 0..self.nodes.len() {
                fuel.burn(1)?;
                if self.place(kind, node) {
                    if self.go(fuel)? {
                        return Ok(true);
                    }
                    self.take_back(kind, node);
                }
            }
        }
        self.spent.insert(self.state.clone());
        Ok(false)
    }

    fn placed_of(&self, gang: usize) -> usize {
        self.alike.iter().filter(|one| one.gang == gang).map(|one| one.placed).sum()
    }

    fn has_need(&self, gang: usize) -> bool {
        let need = &self.needs[gang];
        let placed = |role: Option<&String>| -> usize {
            let of_gang = self.alike.iter().filter(|one| one.gang == gang);
            of_gang
                .filter(|one| role.is_none_or(|role| one.pods.iter().all(|pod| pod.role == *role)))
                .map(|one| one.placed)
                .sum()
        };
        let reaches =
            |placed: usize, need: u32| u32::try_from(placed).is_ok_and(|placed| placed >= need);
        reaches(placed(None), need.total)
            && need.roles.iter().all(|(role, missing)| reaches(placed(Some(role)), *missing))
    }

    /// Places the next pod of `kind` on `node` if it may go there.
    fn place(&mut self, kind: usize, node: usize) -> bool {
        let one = &self.alike[kind];
        let (Some(pod), name) = (one.pods.get(one.placed), &self.nodes[node]) else {
            return false;
        };
        let may = self.has_room(one.gang, pod, name)
            && self.in_domain(one.gang, name)
            && refusals(&self.cluster, pod, name).is_empty();
        if !may {
            return false;
        }
        let bound = PodSpec { node: Some(name.clone()), ..pod.clone() };
        self.binds.push((bound.uid.clone(), name.clone()));
        self.cluster.pods.insert(bound.uid.clone(), bound);
        self.charge(kind, node, Amount::minus);
        self.alike[kind].placed += 1;
        *self.state.entry((kind, node)).or_default() += 1;
        true
    }

    fn take_back(&mut self, kind: usize, node: usize) {
        self.binds.pop();
        self.alike[kind].placed -= 1;
        self.charge(kind, node, Amount::plus);
        let one = &self.alike[kind];
        let pod = one.pods[one.placed].clone();
        self.cluster.pods.insert(pod.uid.clone(), pod);
        let count = self.state.entry((kind, node)).or_default();
        *count -= 1;
        if *count == 0 {
            self.state.remove(&(kind, node));
        }
    }

    fn rooms(&self, gang: usize, node: &str) -> impl Iterator<Item = &'a QueueRoom> {
        let flavour = self.cluster.nodes.get(node).map(|node| node.flavour.clone());
        self.questions[gang]
            .room
            .iter()
            .filter(move |room| room.flavour.is_none() || room.flavour == flavour)
    }

    fn has_room(&self, gang: usize, pod: &PodSpec, node: &str) -> bool {
        let taken = taken_by(pod);
        self.rooms(gang, node).all(|room| {
            let want = taken.get(&room.resource).copied().unwrap_or_default();
            want <= Amount::ZERO || want <= self.left[&key(room)]
        })
    }

    fn charge(&mut self, kind: usize, node: usize, change: fn(Amount, Amount) -> Amount) {
        let one = &self.alike[kind];
        let taken = taken_by(&one.pods[0]);
        let rooms: Vec<&QueueRoom> = self.rooms(one.gang, &self.nodes[node]).collect();
        for room in rooms {
            let left = self.left.get_mut(&key(room)).expect("every room was entered at the start");
            *left = change(*left, taken.get(&room.resource).copied().unwrap_or_default());
        }
    }

    /// True if the node lies in the one domain of the members that run or are placed.
    fn in_domain(&self, gang: usize, node: &str) -> bool {
        let question = self.questions[gang];
        let Some(keys) = &question.level else { return true };
        let domain = domain_of(&self.cluster, node, keys);
        let mut fixed = anchored(&self.cluster, question, keys);
        for (kind, at) in self.state.keys() {
            if self.alike[*kind].gang == gang {
                fixed.insert(domain_of(&self.cluster, &self.nodes[*at], keys));
            }
        }
        domain.is_some() && fixed.iter().all(|other| *other == domain)
    }
}

/// Limits with one name are one limit.
fn key(room: &QueueRoom) -> RoomKey<'_> {
    (&room.queue, room.flavour.as_deref(), &room.resource)
}

fn alike(questions: &[&GangQuestion]) -> Vec<Alike> {
    type Look<'a> = (usize, &'a str, &'a str, &'a Labels, &'a PodShape, &'a [ClaimUse]);
    let mut groups: BTreeMap<Look<'_>, Vec<PodSpec>> = BTreeMap::new();
    for (gang, question) in questions.iter().enumerate() {
        for pod in question.pending.iter().filter(|pod| pod_refusals(pod).is_empty()) {
            let shape = pod.shape.as_ref();
            let look =
                (gang, &*pod.role, &*pod.namespace, &pod.labels, shape, pod.claims.as_slice());
            groups.entry(look).or_default().push(pod.clone());
        }
    }
    groups.into_iter().map(|(look, pods)| Alike { gang: look.0, pods, placed: 0 }).collect()
}
