//! The test: both schedulers' answers, compared.

use crate::bench::{Asked, Bench};
use crate::case::{Case, names};
use crate::{engine, objects, story};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::time::Instant;

/// Nodes about which the two differ, and why that is right: case, node, who takes the pod,
/// reason.
const DIFFERENCES: &[(&str, &str, Who, &str)] = &[
    (
        "a node that is not ready and not tainted yet",
        "lost",
        Who::KubeScheduler,
        "muster looks at the condition Ready itself; kube-scheduler waits for the taint that the \
         node controller makes of it",
    ),
    (
        "a node without a host name is no domain to avoid",
        "nameless",
        Who::KubeScheduler,
        "muster takes the name of a node for its host name where the label is missing, as in \
         files written by hand; every kubelet writes the label",
    ),
    ("a node without a host name is no domain to be near in", "nameless", Who::Muster, "as above"),
    (
        "fit/a-fresh-node-keeps-room-for-its-daemonset-pods-for-a-minute: solo",
        "a1",
        Who::KubeScheduler,
        "muster keeps the room of DaemonSet pods that are still to come on a node younger than a \
         minute; kube-scheduler gives it away and preempts later",
    ),
];

/// Cases that no API server takes, with its words; `muster simulate` may meet them in a file.
const REFUSED: &[(&str, &str)] = &[
    ("bad/a-node-affinity-without-any-term-fits-nowhere: nowhere", NO_TERM),
    ("bad/a-node-affinity-without-any-term-fits-nowhere, in the end: one-more-1", NO_TERM),
    ("bad/a-node-with-less-than-nothing-takes-nothing: pair-0", BELOW_ZERO),
    ("bad/a-node-with-less-than-nothing-takes-nothing, in the end: one-more-0", BELOW_ZERO),
];

const NO_TERM: &str = "must have at least one node selector term";
const BELOW_ZERO: &str = "must be greater than or equal to 0";

/// What kube-scheduler must have said at least once, or the cases do not try what they are for.
const SAID: &[&str] = &[
    "Insufficient cpu",
    "Insufficient memory",
    "Insufficient ephemeral-storage",
    "Insufficient hugepages-2Mi",
    "Insufficient nvidia.com/gpu",
    "Too many pods",
    "node(s) were unschedulable",
    // The other one is the marker of the bench.
    "2 node(s) had untolerated taint(s)",
    "didn't match Pod's node affinity/selector",
    "didn't match pod affinity rules",
    "didn't match pod anti-affinity rules",
    "didn't satisfy existing pods anti-affinity rules",
    "didn't have free ports for the requested pod ports",
    "didn't match pod topology spread constraints",
    "didn't match pod topology spread constraints (missing required label)",
];

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Who {
    Muster,
    KubeScheduler,
}

/// What came of all cases.
#[derive(Default)]
struct Tally {
    cases: usize,
    yes: usize,
    no: usize,
    said: BTreeMap<&'static str, usize>,
    differences: BTreeMap<(String, String), (Who, String)>,
    refused: BTreeMap<String, String>,
    faults: Vec<String>,
}

#[tokio::test(flavor = "multi_thread")]
async fn muster_and_kube_scheduler_accept_the_same_nodes() {
    let started = Instant::now();
    let cases: Vec<Case> = objects::cases().into_iter().chain(story::cases()).collect();
    let mut bench = Bench::start().await;
    let mut tally = Tally::default();
    let mut asked = tokio::task::JoinSet::new();
    for case in cases {
        match bench.ask(&case).await {
            // Muster thinks while the next case is laid out.
            Ok(answer) => drop(asked.spawn_blocking(move || {
                let (accepting, why) = engine::accepting(&answer.objects, &answer.pod);
                (case, answer, accepting, why)
            })),
            Err(said) => drop(tally.refused.insert(case.name, said)),
        }
    }
    while let Some(done) = asked.join_next().await {
        let (case, answer, accepting, why) = done.expect("muster answers");
        tally.count(&case, &answer, &accepting, &why);
    }
    let faults = tally.faults();
    let Tally { cases, yes, no, said, .. } = tally;
    let summary = format!(
        "{cases} cases, {} pairs of pod and node: {yes} accepted by both, {no} refused by both, \
         {} differ; {:?}; kube-scheduler's reasons by cases: {said:#?}",
        yes + no + DIFFERENCES.len(),
        DIFFERENCES.len(),
        started.elapsed()
    );
    assert!(faults.is_empty(), "{summary}\n{faults}");
    assert!(cases >= 200 && yes >= 200 && no >= 200, "{summary}");
    let _ = writeln!(std::io::stderr(), "{summary}");
}

impl Tally {
    fn count(&mut self, case: &Case, asked: &Asked, ours: &BTreeSet<String>, why: &[String]) {
        self.cases += 1;
        for part in SAID.iter().filter(|part| asked.said.contains(**part)) {
            *self.said.entry(part).or_default() += 1;
        }
        for node in names(&asked.objects, "Node") {
            let who = match (ours.contains(&node), asked.accepting.contains(&node)) {
                (true, true) => {
                    self.yes += 1;
                    continue;
                }
                (false, false) => {
                    self.no += 1;
                    continue;
                }
                (true, false) => Who::Muster,
                (false, true) => Who::KubeScheduler,
            };
            let text = format!("{}; muster: {}", asked.said, why.join("; "));
            self.differences.insert((case.name.clone(), node), (who, text));
        }
        if let Some(right) = &case.right {
            let right: BTreeSet<String> = right.iter().cloned().collect();
            if right != asked.accepting {
                let (name, theirs) = (&case.name, &asked.accepting);
                self.faults.push(format!("{name}: {theirs:?} instead of {right:?} accept"));
            }
        }
    }

    /// What is wrong, a line each.
    fn faults(&self) -> String {
        let mut text = self.faults.join("\n");
        let mut line = |line: String| {
            text.push_str(&line);
            text.push('\n');
        };
        for ((case, node), (who, said)) in &self.differences {
            if !DIFFERENCES.iter().any(|it| (it.0, it.1, it.2) == (case, node, *who)) {
                line(format!("{case}, node {node}: only {who:?} accepts: {said}"));
            }
        }
        for (case, node, who, reason) in DIFFERENCES {
            let found = self.differences.get(&((*case).to_owned(), (*node).to_owned()));
            if found.is_none_or(|(it, _)| it != who) {
                line(format!("{case}, node {node}: no difference any more, though {reason}"));
            }
        }
        for (case, said) in &self.refused {
            if !REFUSED.iter().any(|(it, part)| it == case && said.contains(part)) {
                line(format!("{case}: the API server refused it: {said}"));
            }
        }
        for (case, _) in REFUSED.iter().filter(|(case, _)| !self.refused.contains_key(*case)) {
            line(format!("{case}: the API server took it"));
        }
        for part in SAID.iter().filter(|part| !self.said.contains_key(**part)) {
            line(format!("kube-scheduler never said {part:?}"));
        }
        text
    }
}
