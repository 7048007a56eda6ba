//! What is wrong with a queue, and what comes of it: the rows of `docs/bad-queues.md`.

use scheduler_core::view::Standing;
use scheduler_kube::read::{Source, read};
use scheduler_kube::translate::Context;
use scheduler_sim::stage::{Options, Stage};
use std::fmt::Write as _;
use std::io::Cursor;

const PAGE: &str = include_str!("../../../../docs/bad-queues.md");
/// What the condition says of a queue with which nothing is wrong.
const SOUND: (&str, &str) = ("true, `Accepted`", "it is used as it is written");

/// One row of the page.
#[derive(Debug, PartialEq, Eq)]
struct Row {
    condition: String,
    message: String,
    gangs: String,
}

#[test]
fn bad_queues_say_what_the_page_says_and_hurt_no_other() {
    let mut count = 0;
    for line in PAGE.lines().filter(|line| line.contains(": {") && line.starts_with("| ")) {
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
        let [queues, at_api, condition, message, gangs] = cells.as_slice() else {
            panic!("not five columns: {line}");
        };
        assert!(["accepted", "refused"].contains(at_api), "{line}");
        let [condition, message, gangs] = [condition, message, gangs].map(|it| (*it).to_owned());
        assert_eq!(play(queues), Row { condition, message, gangs }, "{queues}: found on the left");
        count += 1;
    }
    assert!(count > 25, "only {count} rows were found");
}

/// What becomes of the first of these queues, and of a gang in it.
fn play(queues: &str) -> Row {
    let text = objects(queues);
    let reader = Box::new(Cursor::new(text.into_bytes()));
    let source = Source { name: "queues.yaml".to_owned(), reader };
    let reading = read(vec![source], &Context::default());
    assert!(reading.unknown.is_empty(), "{queues}: {:?}", reading.unknown);
    let mut stage = Stage::new(reading.world, Options { check: true, ..Options::default() });
    stage.settle().unwrap_or_else(|fault| panic!("{queues}: {fault}"));
    assert_eq!(stage.violations(), [""; 0], "{queues}");
    let engine = stage.engine();
    let view = engine.queue_named("q").expect("the queue is there");
    let (condition, message) = match &view.trouble {
        None => (SOUND.0.to_owned(), SOUND.1.to_owned()),
        Some(trouble) => {
            let condition = format!("{}, `{}`", trouble.is_notice(), trouble.reason());
            (condition, trouble.to_string())
        }
    };
    let gangs = |queue: &str| {
        let all = engine.gangs();
        let gang = all.iter().find(|gang| gang.queue == queue).expect("a gang is there");
        match (gang.standing, &gang.explanation) {
            (Standing::Running, _) => "run".to_owned(),
            (_, Some(why)) => format!("wait: `{}`", why.reason.word()),
            (standing, None) => panic!("{queues}: the gang in {queue} is {standing:?}"),
        }
    };
    assert_eq!(gangs("other"), "run", "{queues} stop another queue");
    Row { condition, message, gangs: gangs("q") }
}

/// `` `q: {parent: r}`; Volcano `r: {}` `` as objects, and what else a cluster has.
fn objects(queues: &str) -> String {
    let mut text = String::from(
        "---
apiVersion: v1
kind: Node
metadata: {name: n}
status: {allocatable: {cpu: 8, pods: 110}, conditions: [{type: Ready, status: \"True\"}]}
---
apiVersion: muster.sh/v1alpha1
kind: Queue
metadata: {name: other}
spec: {}
",
    );
    for queue in queues.split("; ") {
        let (version, queue) = match queue.strip_prefix("Volcano ") {
            Some(queue) => ("scheduling.volcano.sh/v1beta1", queue),
            None => ("muster.sh/v1alpha1", queue),
        };
        let (name, spec) = queue.trim_matches('`').split_once(": ").expect("a name and a spec");
        let _ = write!(
            text,
            "---\napiVersion: {version}\nkind: Queue\nmetadata: {{name: {name}, uid: {name}}}\n\
             spec: {spec}\n"
        );
    }
    for queue in ["q", "other"] {
        let _ = write!(
            text,
            "---
apiVersion: v1
kind: Pod
metadata: {{name: {queue}, namespace: team, uid: {queue}, labels: {{muster.sh/queue: {queue}}}}}
spec: {{schedulerName: muster, containers: [{{name: c, resources: {{requests: {{cpu: 1}}}}}}]}}
"
        );
    }
    text
}
