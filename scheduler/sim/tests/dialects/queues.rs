//! Volcano's Queue objects mean here what Volcano's documents say: the cases of
//! `docs/volcano-queues.md`, played with Volcano's objects and with muster's.

use crate::table::{Case, Row, cases};
use scheduler_core::engine::Config;
use scheduler_core::evict::Evicts;
use scheduler_core::queues::QueueView;
use scheduler_kube::quantity::{Rounding, parse_of};
use scheduler_kube::read::{Source, read};
use scheduler_kube::send::{Encoder, Served};
use scheduler_kube::translate::Context;
use scheduler_model::amount::Amount;
use scheduler_model::explain::show_amount;
use scheduler_model::spec::Dialect;
use scheduler_protocol::call::{Call, CallId, QueueRef};
use scheduler_protocol::status::QueueStatus;
use scheduler_sim::stage::{Options, Stage};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Cursor;

const PAGE: &str = include_str!("../../../../docs/volcano-queues.md");

/// Whose objects are played.
#[derive(Clone, Copy, Debug)]
enum Words {
    Volcano,
    Muster,
}

#[test]
fn volcano_queues_end_with_the_numbers_of_the_page() {
    let cases = cases(PAGE);
    let faults: Vec<String> =
        cases.iter().flat_map(|case| compare(case, &play(case, Words::Volcano))).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn the_status_of_volcano_queues_says_what_the_page_says_is_used() {
    let served = Served { volcano_queues: Some("v1beta1".to_owned()), ..Served::default() };
    let encoder = Encoder { instance: "muster".to_owned(), served };
    for case in cases(PAGE) {
        let seen = play(&case, Words::Volcano);
        for row in &case.rows {
            let call = written(&seen[&row.queue]);
            let requests = encoder.encode(CallId(1), &call);
            let (_, patch) = requests[0].body.as_ref().expect("it writes something");
            let mut steps = patch.as_array().expect("a list of steps").iter();
            let step = steps.find(|step| step["path"] == "/status/allocated");
            let allocated = &step.expect("one says what is allocated")["value"];
            for ((resource, _), want) in case.room.iter().zip(&row.numbers[3]) {
                let text = allocated[resource].as_str().unwrap_or("0");
                let read = parse_of(resource, text, Rounding::Up).expect("it is an amount");
                assert_eq!(read.amount, *want, "{}: {} of {}", case.name, resource, row.queue);
            }
        }
    }
}

/// The call that writes the numbers of a queue of Volcano.
fn written(view: &QueueView) -> Call {
    let (name, uid) = (view.name.clone(), view.uid.clone());
    let in_all = view.amounts.iter().filter(|((flavour, _), _)| flavour.is_none());
    let used = in_all.map(|((_, resource), it)| (resource.clone(), it.used)).collect();
    Call::QueueStatus {
        queue: QueueRef { dialect: Dialect::Volcano, name, uid },
        status: Box::new(QueueStatus { used, ..QueueStatus::default() }),
    }
}

#[test]
fn muster_queues_of_the_same_meaning_have_all_the_same_numbers() {
    for case in cases(PAGE) {
        let [volcano, muster] = [Words::Volcano, Words::Muster].map(|words| play(&case, words));
        for (queue, seen) in &volcano {
            assert_eq!(*seen, muster[queue], "{}: Volcano's {queue} on the left", case.name);
        }
        assert_eq!(volcano.len(), muster.len(), "{}", case.name);
    }
}

#[test]
fn the_page_has_more_than_twenty_cases_in_which_nothing_differs() {
    let cases = cases(PAGE);
    let differ = cases.iter().filter(|case| case.differs).count();
    assert!(cases.len() - differ > 20 && differ < 10, "{differ} of {} differ", cases.len());
    let empty: Vec<&Case> = cases.iter().filter(|case| case.rows.len() < 2).collect();
    assert!(empty.is_empty(), "{empty:?}");
}

/// What is not as the page says.
fn compare(case: &Case, seen: &BTreeMap<String, QueueView>) -> Vec<String> {
    let mut faults = Vec::new();
    for row in &case.rows {
        let names = ["entitled", "deserved", "fair", "used"];
        for (index, (resource, _)) in case.room.iter().enumerate() {
            let found = numbers(&seen[&row.queue], resource);
            for ((name, want), found) in names.iter().zip(&row.numbers).zip(found) {
                if want[index] != found {
                    let [want, found] = [want[index], found].map(|it| show_amount(resource, it));
                    let Case { name: case, .. } = case;
                    let queue = &row.queue;
                    faults.push(format!("{case}: {queue} has {name} {found}, not {want}"));
                }
            }
        }
    }
    faults
}

fn numbers(queue: &QueueView, resource: &str) -> [Amount; 4] {
    let amounts = queue.amounts.get(&(None, resource.to_owned())).copied().unwrap_or_default();
    [amounts.entitled, amounts.deserved, amounts.fair, amounts.used]
}

/// All queues of the case once nothing moves any more, by name, without whose objects they are.
fn play(case: &Case, words: Words) -> BTreeMap<String, QueueView> {
    let name = format!("{} ({words:?})", case.name);
    let reader = Box::new(Cursor::new(objects(case, words).into_bytes()));
    let reading = read(vec![Source { name: name.clone(), reader }], &Context::default());
    let problems: Vec<String> = reading.problems.iter().map(|it| it.problem.to_string()).collect();
    assert!(problems.is_empty(), "{name}: {problems:#?}");
    assert!(reading.unknown.is_empty(), "{name}: {:?}", reading.unknown);
    let config = Config { evicts: Evicts::ByQueue, ..Config::default() };
    let mut stage =
        Stage::new(reading.world, Options { config, check: true, ..Options::default() });
    stage.settle().unwrap_or_else(|fault| panic!("{name}: {fault}"));
    assert_eq!(stage.violations(), [""; 0], "{name}");
    let anonymous = |view: QueueView| QueueView { dialect: None, ..view };
    let queues = stage.engine().queues().into_iter();
    let queues = queues.filter(|view| case.rows.iter().any(|row| row.queue == view.name));
    queues.map(|view| (view.name.clone(), anonymous(view))).collect()
}

/// The objects of a case.
fn objects(case: &Case, words: Words) -> String {
    let mut text = String::new();
    let room: String = case.room.iter().map(|(key, value)| format!("{key}: {value}, ")).collect();
    for node in 0..case.nodes {
        let _ = write!(
            text,
            "---
apiVersion: v1
kind: Node
metadata: {{name: n{node}}}
status: {{allocatable: {{{room}pods: 110}}, conditions: [{{type: Ready, status: \"True\"}}]}}
"
        );
    }
    for row in &case.rows {
        text += &queue(row, words);
        let mut next = 0;
        for (count, requests) in &row.runs {
            for _ in 0..*count {
                let node = format!("nodeName: n{}, ", next % case.nodes);
                text += &pod(row, next, words, &node, requests);
                next += 1;
            }
        }
        for (count, requests) in &row.waits {
            for _ in 0..*count {
                text += &pod(row, next, words, "", requests);
                next += 1;
            }
        }
    }
    text
}

fn queue(row: &Row, words: Words) -> String {
    let Row { queue, volcano, status, muster, .. } = row;
    let (version, spec, status) = match words {
        Words::Volcano => ("scheduling.volcano.sh/v1beta1", volcano, status.as_str()),
        Words::Muster => ("muster.sh/v1alpha1", muster, ""),
    };
    format!(
        "---
apiVersion: {version}
kind: Queue
metadata: {{name: {queue}, uid: {queue}}}
spec: {{{spec}}}
status: {{{status}}}
"
    )
}

/// A pod for itself, which comes back when it is evicted. It runs if a node is named.
fn pod(row: &Row, number: u32, words: Words, node: &str, requests: &str) -> String {
    let Row { queue, .. } = row;
    let asks = match words {
        Words::Volcano => format!("annotations: {{scheduling.volcano.sh/queue-name: {queue}}}"),
        Words::Muster => format!("labels: {{muster.sh/queue: {queue}}}"),
    };
    let phase = if node.is_empty() { "Pending" } else { "Running" };
    format!(
        "---
apiVersion: v1
kind: Pod
metadata:
  name: {queue}-{number}
  namespace: team
  uid: {queue}-{number}
  creationTimestamp: \"2026-11-30T05:00:00Z\"
  ownerReferences: [{{apiVersion: v1, kind: Owner, name: {queue}-{number}, uid: o-{queue}-{number}, controller: true}}]
  {asks}
spec: {{schedulerName: muster, {node}containers: [{{name: c, resources: {{requests: {{{requests}}}}}}}]}}
status: {{phase: {phase}}}
"
    )
}
