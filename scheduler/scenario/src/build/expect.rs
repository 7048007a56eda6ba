//! Expectations of the file become values, with every name resolved.

use super::{Builder, HOSTNAME};
use crate::error::Error;
use crate::expect::{Because, Expectation, QueueFact, REASONS, Runs, Wish, Within};
use crate::file::{BecauseFile, Entry, GangExpectFile, QueueExpectFile, RunsFile};
use crate::words::{full_node_word, read_cure};
use serde_saphyr::Spanned;

impl Builder {
    /// The expectations of one list.
    pub(crate) fn expect(&self, entries: Vec<Spanned<Entry>>) -> Result<Vec<Expectation>, Error> {
        let mut all = Vec::new();
        for entry in entries {
            let line = entry.referenced.line();
            match entry.value {
                Entry::Problems(texts) => all.extend(texts.into_iter().map(Expectation::Problem)),
                Entry::Queue(queue, file) => {
                    let before = all.len();
                    queue_facts(&queue, None, file, &mut all);
                    if all.len() == before {
                        let step = "write one of uses, kept, entitled, deserved, fair, demand, on";
                        return Err(Error::at(line, "nothing is expected of the queue", step));
                    }
                }
                Entry::Gang(word, file) => {
                    let gang = self.gang_key(&word, line)?;
                    for wish in self.wishes(*file, line)? {
                        all.push(Expectation::Gang { gang: gang.clone(), wish });
                    }
                }
            }
        }
        Ok(all)
    }

    fn wishes(&self, file: GangExpectFile, line: u64) -> Result<Vec<Wish>, Error> {
        let mut wishes = Vec::new();
        if let Some(runs) = file.runs {
            wishes.push(Wish::Runs(Box::new(self.runs(runs, line)?)));
        }
        if let Some(waits) = file.waits {
            let because = because(waits.because.unwrap_or_default())
                .map_err(|why| Error::at(line, why, "use one of the words listed"))?;
            wishes.push(Wish::Waits(Box::new(because)));
        }
        wishes.extend(file.untouched.map(Wish::Untouched));
        wishes.extend(file.done.then_some(Wish::Done));
        wishes.extend(file.silent.then_some(Wish::Silent));
        if wishes.is_empty() {
            return Err(Error::at(
                line,
                "nothing is expected of the gang",
                "write one of runs, waits, untouched, done, silent",
            ));
        }
        Ok(wishes)
    }

    fn runs(&self, file: RunsFile, line: u64) -> Result<Runs, Error> {
        let lists = file.on.iter().chain(&file.among).flat_map(|names| &names.0);
        let named = file.each.iter().flat_map(|each| each.keys());
        for node in lists.chain(named) {
            self.known_node(node, line)?;
        }
        Ok(Runs {
            on: file.on.map(|names| names.0),
            among: file.among.map(|names| names.0),
            nodes: file.nodes,
            members: file.members,
            within: file.within.map(|level| self.within(level)),
            each: file.each,
        })
    }

    /// An error unless some node is called `node`.
    pub(super) fn known_node(&self, node: &str, line: u64) -> Result<(), Error> {
        if self.nodes.contains(node) {
            return Ok(());
        }
        Err(Error::at(
            line,
            format!("there is no node {node:?}"),
            format!("the nodes so far are: {}", super::list(&self.nodes)),
        ))
    }

    fn within(&self, level: String) -> Within {
        if level == "node" {
            return Within { level, keys: vec![HOSTNAME.to_owned()] };
        }
        for topology in &self.topologies {
            let found =
                topology.levels.iter().position(|one| one.name == level || one.key == level);
            if let Some(depth) = found {
                let keys = topology.levels[..=depth].iter().map(|one| one.key.clone()).collect();
                return Within { level, keys };
            }
        }
        Within { keys: vec![level.clone()], level }
    }
}

fn queue_facts(
    queue: &str,
    flavour: Option<String>,
    file: QueueExpectFile,
    all: &mut Vec<Expectation>,
) {
    let facts = [
        (QueueFact::Uses, file.uses),
        (QueueFact::Kept, file.kept),
        (QueueFact::Entitled, file.entitled),
        (QueueFact::Deserved, file.deserved),
        (QueueFact::Fair, file.fair),
        (QueueFact::Demand, file.demand),
    ];
    for (fact, amounts) in facts.into_iter().filter(|(_, amounts)| !amounts.0.is_empty()) {
        let (queue, flavour) = (queue.to_owned(), flavour.clone());
        all.push(Expectation::Queue { queue, fact, flavour, amounts: amounts.0 });
    }
    for (flavour, file) in file.on {
        queue_facts(queue, Some(flavour), file, all);
    }
}

fn because(file: BecauseFile) -> Result<Because, String> {
    let reason = file.reason.map(|word| {
        let found = REASONS.into_iter().find(|known| *known == word);
        found.ok_or_else(|| format!("{word:?} is no reason; it is one of {}", REASONS.join(", ")))
    });
    let mut nodes = std::collections::BTreeMap::new();
    for (word, count) in &file.nodes {
        nodes.insert(full_node_word(word)?, *count);
    }
    let nearest = file.nearest.unwrap_or_default();
    Ok(Because {
        reason: reason.transpose()?,
        placeable: file.placeable,
        needed: file.needed,
        role: file.role,
        nodes,
        places: nearest.places,
        domain: nearest.domain,
        cure: file.cure.as_deref().map(read_cure).transpose()?,
        text: file.text,
        step: file.step,
    })
}
