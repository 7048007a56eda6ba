//! Everything that was given: one world, the stories beside it, what was wrong.

use crate::arguments::Simulate;
use scheduler_kube::read::{Located, Source, read};
use scheduler_kube::translate::Context;
use scheduler_model::event::Event;
use scheduler_model::problem::Problem;
use scheduler_model::time::Time;
use scheduler_model::world::World;
use scheduler_scenario::Scenario;
use std::collections::{BTreeMap, BTreeSet};

/// What the files say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Input {
    /// All objects, those of dumps included.
    pub world: World,
    /// When virtual time begins, where a dump says so.
    pub start: Option<Time>,
    /// Scenarios with expectations or steps, each with its file.
    pub stories: Vec<(String, Scenario)>,
    /// What is wrong with objects.
    pub problems: Vec<Located>,
    /// Objects of kinds that are not read.
    pub unknown: BTreeMap<String, usize>,
    /// Files that could not be read to their end.
    pub cut_short: Vec<String>,
    /// Scenario files that could not be read.
    pub unread_stories: Vec<String>,
}

impl Input {
    /// Reads all of `sources`.
    #[must_use]
    pub fn read(sources: Vec<Source>, wish: &Simulate) -> Self {
        let context = Context::of(wish.scheduler_names.clone());
        let reading = read(sources, &context);
        let mut input = Self {
            problems: reading.problems,
            unknown: reading.unknown,
            cut_short: reading.cut_short,
            ..Self::default()
        };
        for story in reading.stories {
            match scheduler_scenario::parse(&story.file, &story.text) {
                Ok(scenario) => input.story(story.file, scenario),
                Err(error) => {
                    let problem =
                        Problem::new("scenario", "", error.message.clone(), error.remedy.clone());
                    let file = error.file.clone();
                    input.unread_stories.push(file.clone());
                    input.problems.push(Located { file, line: error.line, problem });
                }
            }
        }
        input.add(reading.world);
        input
    }

    /// A scenario that expects nothing and in which nothing happens is a dump: objects like any
    /// others.
    fn story(&mut self, file: String, scenario: Scenario) {
        if scenario.expect.is_empty() && scenario.then.is_empty() {
            self.start = self.start.max(Some(scenario.start));
            self.add(scenario.world);
        } else {
            self.stories.push((file, scenario));
        }
    }

    fn add(&mut self, world: World) {
        self.world.events.extend(world.events);
        self.world.workloads.extend(world.workloads);
        self.world.pod_hints.extend(world.pod_hints);
        self.world.gang_hints.extend(world.gang_hints);
    }

    /// True if there is nothing to simulate: what a reader adds by itself does not count.
    #[must_use]
    pub fn is_unusable(&self) -> bool {
        let is_given = |event: &Event| !matches!(event, Event::PriorityClass(_));
        self.stories.is_empty()
            && self.world.workloads.is_empty()
            && !self.world.events.iter().any(is_given)
    }

    /// Number of different nodes.
    #[must_use]
    pub fn nodes_count(&self) -> usize {
        let names = self.world.events.iter().filter_map(|event| match event {
            Event::Node(node) => Some(node.name.as_str()),
            _ => None,
        });
        names.collect::<BTreeSet<&str>>().len()
    }
}
