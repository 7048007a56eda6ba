//! Topologies of muster and Kueue: the same shape, but Kueue's levels have no names.

use super::{Problems, Translated};
use crate::wire::groups::Topology;
use scheduler_model::spec::{LevelSpec, TopologySpec};
use std::collections::BTreeSet;

/// A `muster.sh` or `kueue.x-k8s.io` Topology.
#[must_use]
pub fn topology(object: &Topology) -> Translated<TopologySpec> {
    let mut problems = Problems::of("Topology", &object.metadata);
    let (mut levels, mut seen) = (Vec::new(), BTreeSet::new());
    for (index, level) in object.spec.levels.iter().enumerate() {
        let key = level.node_label.as_str();
        let name = if level.name.is_empty() { key } else { level.name.as_str() };
        let field = format!("spec.levels[{index}]");
        if key.is_empty() {
            problems.add(field, "it has no nodeLabel, left out", "name a node label");
        } else if !seen.insert(key) || (name != key && !seen.insert(name)) {
            problems.add(
                field,
                format!("{name:?} stands in the topology already, left out"),
                "give each level its own name and node label",
            );
        } else {
            levels.push(LevelSpec { name: name.to_owned(), key: key.to_owned() });
        }
    }
    if levels.is_empty() {
        problems.add("spec.levels", "it has no level", "list node labels, the widest first");
    }
    problems.with(TopologySpec { name: object.metadata.name.clone(), levels })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> (Vec<(String, String)>, usize) {
        let read = topology(&serde_json::from_str(json).expect("a Topology"));
        let levels = read.value.levels.into_iter().map(|level| (level.name, level.key));
        (levels.collect(), read.problems.len())
    }

    #[test]
    fn levels_keep_their_order_and_are_called_by_key_where_they_have_no_name() {
        let (levels, problems) = read(
            r#"{"metadata":{"name":"net"},"spec":{"levels":[
                {"name":"block","nodeLabel":"x/block"},{"nodeLabel":"x/rack"}]}}"#,
        );
        let pair = |name: &str, key: &str| (name.to_owned(), key.to_owned());
        assert_eq!(levels, [pair("block", "x/block"), pair("x/rack", "x/rack")]);
        assert_eq!(problems, 0);
    }

    #[test]
    fn a_level_without_a_label_and_a_repeated_one_are_left_out_and_said() {
        let (levels, problems) = read(
            r#"{"spec":{"levels":[{"name":"a"},{"nodeLabel":"b"},{"nodeLabel":"b"},
                {"name":"b","nodeLabel":"c"}]}}"#,
        );
        assert_eq!((levels.len(), problems), (1, 3));
    }

    #[test]
    fn a_topology_without_levels_is_said() {
        assert_eq!(read(r#"{"spec":{"levels":null}}"#), (vec![], 1));
    }
}
