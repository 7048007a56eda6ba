//! Steps: `at` or `after`, sentences such as `gang old finishes`, objects to add.

use super::Builder;
use crate::error::Error;
use crate::file::{ChangeFile, StepFile};
use crate::read::expand;
use crate::story::{Change, PodName, Step};
use scheduler_model::event::Event;
use scheduler_model::spec::GangKey;
use serde_saphyr::Spanned;

const SENTENCES: &str = "gang G finishes|fails|deleted, group G deleted, \
    pod P succeeds|fails|terminates|rejected|refused|accepted|deleted, node N fails|returns|cordoned|uncordoned|removed, \
    gate X opens, gate X of G opens, queue Q closes|opens|removed, claim C deleted, budget B deleted";

impl Builder {
    /// One step, which comes at or after the moment of the step before.
    pub(crate) fn step(&mut self, file: Spanned<StepFile>) -> Result<Step, Error> {
        let line = file.referenced.line();
        let file = file.value;
        let at = match (file.at, file.after) {
            (Some(time), None) => Self::moment(self.start, time.0),
            (None, Some(span)) => self.now.after(span.0),
            (None, None) => self.now,
            (Some(_), Some(_)) => {
                return Err(Error::at(line, "a step has both at and after", "write one of them"));
            }
        };
        if at < self.now {
            return Err(Error::at(
                line,
                "the step comes before the one above it",
                "put steps in order of time; at counts from the start",
            ));
        }
        self.now = at;
        self.step += 1;
        let mut changes = Vec::new();
        for change in file.changes {
            match change.value {
                ChangeFile::Sentence(text) => {
                    changes.append(&mut self.sentence(&text, change.referenced.line())?);
                }
                ChangeFile::Add(sections) => changes.push(Change::Add(self.world(*sections)?)),
            }
        }
        Ok(Step { at, changes, expect: self.expect(file.expect)? })
    }

    fn sentence(&self, text: &str, line: u64) -> Result<Vec<Change>, Error> {
        let bad = || {
            Error::at(
                line,
                format!("{text:?} is nothing that can happen"),
                format!("write one of: {SENTENCES}"),
            )
        };
        let words: Vec<&str> = text.split_whitespace().collect();
        match words.as_slice() {
            ["gang", name, verb] => {
                let make = gang_verb(verb).ok_or_else(bad)?;
                Ok(vec![make(self.gang_key(name, line)?)])
            }
            ["group", name, "deleted"] => {
                Ok(vec![Change::Event(Event::GangGone(self.gang_key(name, line)?))])
            }
            ["gate", gate, "opens"] => {
                Ok(vec![Change::GateOpens { gate: (*gate).to_owned(), gang: None }])
            }
            ["gate", gate, "of", name, "opens"] => {
                let gang = Some(self.gang_key(name, line)?);
                Ok(vec![Change::GateOpens { gate: (*gate).to_owned(), gang }])
            }
            ["claim", name, "deleted"] => Ok(vec![Change::Event(Event::ClaimGone(key_of(name)))]),
            ["budget", name, "deleted"] => Ok(vec![Change::Event(Event::BudgetGone(key_of(name)))]),
            ["queue", name, verb] => {
                let make = queue_verb(verb).ok_or_else(bad)?;
                self.known_queue(name, line)?;
                Ok(vec![make((*name).to_owned())])
            }
            ["pod", pattern, verb] => {
                let make = pod_verb(verb).ok_or_else(bad)?;
                let names = expand(pattern).map_err(|why| Error::at(line, why, "correct it"))?;
                names.iter().map(|name| Ok(make(self.pod_name(name, line)?))).collect()
            }
            ["node", pattern, verb] => {
                let make = node_verb(verb).ok_or_else(bad)?;
                let names = expand(pattern).map_err(|why| Error::at(line, why, "correct it"))?;
                for name in &names {
                    self.known_node(name, line)?;
                }
                Ok(names.into_iter().map(make).collect())
            }
            _ => Err(bad()),
        }
    }

    fn known_queue(&self, queue: &str, line: u64) -> Result<(), Error> {
        if self.queues.contains(queue) {
            return Ok(());
        }
        Err(Error::at(
            line,
            format!("there is no queue {queue:?}"),
            format!("the queues so far are: {}", super::list(&self.queues)),
        ))
    }

    /// The pod called `word`, with its namespace in front where that is not enough.
    fn pod_name(&self, word: &str, line: u64) -> Result<PodName, Error> {
        let means = |pod: &&PodName| pod.name == word || pod.to_string() == word;
        let found: Vec<&PodName> = self.pods.iter().filter(means).collect();
        match found.as_slice() {
            [one] => Ok((*one).clone()),
            [] => Err(Error::at(
                line,
                format!("there is no pod {word:?}"),
                format!("the pods so far are: {}", super::list(&self.pods)),
            )),
            many => Err(Error::at(
                line,
                format!("{word:?} means {} pods", many.len()),
                format!("write one of: {}", super::list(many)),
            )),
        }
    }
}

fn gang_verb(verb: &str) -> Option<fn(GangKey) -> Change> {
    match verb {
        "finishes" => Some(Change::GangFinishes),
        "fails" => Some(Change::GangFails),
        "deleted" => Some(Change::GangDeleted),
        _ => None,
    }
}

fn pod_verb(verb: &str) -> Option<fn(PodName) -> Change> {
    match verb {
        "succeeds" => Some(Change::PodSucceeds),
        "fails" => Some(Change::PodFails),
        "terminates" => Some(Change::PodTerminates),
        "rejected" => Some(Change::PodRejected),
        "refused" => Some(Change::PodRefused),
        "accepted" => Some(Change::PodAccepted),
        "deleted" => Some(Change::PodDeleted),
        _ => None,
    }
}

fn node_verb(verb: &str) -> Option<fn(String) -> Change> {
    match verb {
        "fails" => Some(Change::NodeFails),
        "returns" => Some(Change::NodeReturns),
        "cordoned" => Some(Change::NodeCordoned),
        "uncordoned" => Some(Change::NodeUncordoned),
        "removed" => Some(|name| Change::Event(Event::NodeGone(name))),
        _ => None,
    }
}

fn queue_verb(verb: &str) -> Option<fn(String) -> Change> {
    match verb {
        "closes" => Some(Change::QueueCloses),
        "opens" => Some(Change::QueueOpens),
        "removed" => Some(|name| Change::Event(Event::QueueGone(name))),
        _ => None,
    }
}

/// `namespace/name`; the namespace is `default` where none is written.
fn key_of(name: &str) -> String {
    if name.contains('/') { name.to_owned() } else { format!("default/{name}") }
}
