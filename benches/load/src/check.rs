//! What must be true at the end of a run; a run in which it is not has no score.
//!
//! Three witnesses are compared: the pods as the API has them, what the observer saw on the way,
//! and the API server's own count of binds.

use crate::observer::Sight;
use crate::wire::Wire;
use crate::work::{NAMESPACE, by_gang};
use e2e::Fault;
use serde::Deserialize;
use std::collections::BTreeMap;

#[derive(Deserialize)]
struct List<T> {
    items: Vec<T>,
}

#[derive(Deserialize)]
struct Node {
    metadata: Meta,
    status: NodeStatus,
}

#[derive(Deserialize)]
struct NodeStatus {
    allocatable: BTreeMap<String, String>,
}

#[derive(Deserialize)]
struct Pod {
    metadata: Meta,
    spec: Spec,
    #[serde(default)]
    status: Status,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Status {
    phase: String,
}

#[derive(Deserialize)]
struct Meta {
    name: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Spec {
    #[serde(default)]
    node_name: String,
    containers: Vec<Container>,
}

#[derive(Deserialize)]
struct Container {
    resources: Resources,
}

#[derive(Deserialize)]
struct Resources {
    requests: BTreeMap<String, String>,
}

/// The state of the API at the end of a run.
#[derive(Debug)]
pub struct End {
    /// Of each node, what it has and what its pods ask for, by resource, in thousandths.
    rooms: BTreeMap<String, BTreeMap<String, (i128, i128)>>,
    /// The node of each pod; empty for none.
    places: BTreeMap<String, String>,
}

impl End {
    /// Reads it.
    pub async fn read(wire: &Wire) -> Result<Self, Fault> {
        let nodes: List<Node> = wire.read("/api/v1/nodes").await?;
        let pods: List<Pod> = wire.read(&format!("/api/v1/namespaces/{NAMESPACE}/pods")).await?;
        let mut end = Self { rooms: BTreeMap::new(), places: BTreeMap::new() };
        for node in nodes.items {
            let has = node.status.allocatable.into_iter();
            let has = has.map(|(name, text)| (name, (thousandths(&text), 0)));
            end.rooms.insert(node.metadata.name, has.collect());
        }
        for pod in pods.items {
            end.place(pod);
        }
        Ok(end)
    }

    fn place(&mut self, pod: Pod) {
        let has_ended = ["Succeeded", "Failed"].contains(&pod.status.phase.as_str());
        let room = self.rooms.get_mut(&pod.spec.node_name).filter(|_| !has_ended);
        if let Some(room) = room {
            let requests = pod.spec.containers.iter().flat_map(|it| &it.resources.requests);
            for (name, text) in requests {
                room.entry(name.clone()).or_insert((0, 0)).1 += thousandths(text);
            }
            room.entry("pods".to_owned()).or_insert((0, 0)).1 += 1000;
        }
        self.places.insert(pod.metadata.name, pod.spec.node_name);
    }

    /// A fault that tells of what is wrong, if anything is. `size` gives the pods of each gang,
    /// and nothing for pods that are none; `binds` is the API server's own count.
    pub fn verdict(
        &self,
        sights: &BTreeMap<String, Sight>,
        size: impl Fn(&str) -> Option<usize>,
        binds: u64,
    ) -> Result<(), Fault> {
        let faults = self.faults(sights, size, binds);
        let first = faults.first();
        first.map_or(Ok(()), |first| {
            Err(Fault::new(format!("{} violations, first: {first}", faults.len())))
        })
    }

    fn faults(
        &self,
        sights: &BTreeMap<String, Sight>,
        size: impl Fn(&str) -> Option<usize>,
        binds: u64,
    ) -> Vec<String> {
        let mut faults = Vec::new();
        for (node, room) in &self.rooms {
            let over = room.iter().filter(|(_, (has, asked))| asked > has);
            faults.extend(over.map(|(name, (has, asked))| {
                format!("{node} has {has} thousandths of {name}, its pods ask for {asked}")
            }));
        }
        let bound = self.places.iter().filter(|(_, node)| !node.is_empty());
        for (gang, members) in by_gang(bound.map(|(name, _)| name.as_str())) {
            if let Some(whole) = size(gang).filter(|whole| members != *whole) {
                faults.push(format!("{members} of {whole} pods of {gang} are bound"));
            }
        }
        let is_bound = |sight: &&Sight| sight.bound.is_some() && !sight.came_bound;
        let bound = sights.values().filter(is_bound).count();
        if u64::try_from(bound) != Ok(binds) {
            faults
                .push(format!("{bound} pods were seen bound, the API server counts {binds} binds"));
        }
        for (name, sight) in sights {
            let seen = sight.bound.as_ref().map_or("", |(node, _)| node.as_str());
            if !sight.moved.is_empty() {
                faults.push(format!("{name} was on {seen} and then on {:?}", sight.moved));
            }
            if let Some(now) = self.places.get(name).filter(|now| *now != seen) {
                faults.push(format!("{name} was seen on {seen:?} and is on {now:?}"));
            }
        }
        faults
    }
}

/// A quantity in thousandths, as far as this harness writes them.
fn thousandths(text: &str) -> i128 {
    let end = text.find(|it: char| !(it.is_ascii_digit() || it == '.')).unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let factor: i128 = match unit {
        "m" => 1,
        "" => 1000,
        "k" => 1_000_000,
        "Ki" => 1000 << 10,
        "Mi" => 1000 << 20,
        "Gi" => 1000 << 30,
        "Ti" => 1000 << 40,
        other => panic!("{other:?} is a unit that this harness does not write"),
    };
    let (whole, rest) = number.split_once('.').unwrap_or((number, ""));
    let digits = |text: &str| text.parse::<i128>().unwrap_or(0);
    let scale = 10_i128.pow(u32::try_from(rest.len()).unwrap_or(0));
    digits(whole) * factor + digits(rest) * factor / scale
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    fn pod(name: &str, node: &str) -> Pod {
        let requests = BTreeMap::from([("cpu".to_owned(), "1500m".to_owned())]);
        let containers = vec![Container { resources: Resources { requests } }];
        let spec = Spec { node_name: node.to_owned(), containers };
        Pod { metadata: Meta { name: name.to_owned() }, spec, status: Status::default() }
    }

    fn seen(node: &str) -> Sight {
        let now = Instant::now();
        let bound = Some((node.to_owned(), now));
        Sight { bound, ..Sight::of(now) }
    }

    /// What is wrong with two bound pods of a gang of two.
    fn faults(cpu: &str, nodes: [&str; 2], binds: u64) -> Vec<String> {
        let has = BTreeMap::from([
            ("cpu".to_owned(), (thousandths(cpu), 0)),
            ("pods".to_owned(), (thousandths("2"), 0)),
        ]);
        let rooms = BTreeMap::from([("n".to_owned(), has)]);
        let mut end = End { rooms, places: BTreeMap::new() };
        let mut sights = BTreeMap::new();
        for (name, node) in ["g-0", "g-1"].into_iter().zip(nodes) {
            end.place(pod(name, node));
            if !node.is_empty() {
                sights.insert(name.to_owned(), seen(node));
            }
        }
        end.faults(&sights, |_| Some(2), binds)
    }

    #[test]
    fn a_whole_gang_on_a_node_with_room_is_right() {
        assert_eq!(faults("3", ["n", "n"], 2), Vec::<String>::new());
    }

    #[test]
    fn an_overfilled_node_is_found() {
        assert!(faults("2", ["n", "n"], 2)[0].contains("cpu"));
    }

    #[test]
    fn a_pod_that_has_ended_takes_no_room() {
        let has = BTreeMap::from([("cpu".to_owned(), (thousandths("1"), 0))]);
        let rooms = BTreeMap::from([("n".to_owned(), has)]);
        let mut end = End { rooms, places: BTreeMap::new() };
        let status = Status { phase: "Succeeded".to_owned() };
        end.place(Pod { status, ..pod("g-0", "n") });
        assert_eq!(end.rooms["n"]["cpu"], (1000, 0));
    }

    #[test]
    fn half_a_gang_is_found() {
        assert_eq!(faults("3", ["n", ""], 1), ["1 of 2 pods of g are bound"]);
    }

    #[test]
    fn a_pod_that_was_bound_twice_is_found() {
        assert!(faults("3", ["n", "n"], 3)[0].contains("counts 3 binds"));
    }

    #[test]
    fn quantities_are_read_exactly() {
        let read = ["16", "15.2", "1900m", "1k", "1Gi"].map(thousandths);
        assert_eq!(read, [16_000, 15_200, 1_900, 1_000_000, 1000 << 30]);
    }
}
