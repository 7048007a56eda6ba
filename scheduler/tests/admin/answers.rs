//! What each path answers.

use crate::{CLAIMS, OBJECTS, Stage, leader, leader_of, stage, watched};
use scheduler::run::admin::Watches;
use scheduler_protocol::call::LeaseRef;
use serde_json::Value;

fn lease() -> Option<LeaseRef> {
    Some(LeaseRef { namespace: "a".to_owned(), name: "b".to_owned() })
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn a_leader_that_knows_everything_is_healthy_and_ready() {
    let stage = leader();
    assert_eq!(stage.get("/healthz"), (200, "ok\n".to_owned()));
    assert_eq!(stage.get("/readyz"), (200, "ready, leads\n".to_owned()));
}

#[test]
fn ready_says_by_name_what_is_missing() {
    let missing = vec!["nodes: not listed yet".to_owned()];
    let watches = Watches { missing, ..Watches::default() };
    let (code, text) = stage(None, watches).get("/readyz");
    assert_eq!((code, json(&text)["missing"][0].as_str()), (503, Some("nodes: not listed yet")));
}

/// What `muster simulate` says of the dump of this moment.
fn simulated(stage: &Stage) -> Value {
    let (code, dump) = stage.get("/dump");
    assert_eq!(code, 200);
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("dump.yaml");
    std::fs::write(&path, dump).expect("written");
    let mut muster = assert_cmd::Command::new(env!("CARGO_BIN_EXE_muster"));
    let output = muster.args(["simulate", "-o", "json"]).arg(&path).output().expect("it runs");
    json(&String::from_utf8_lossy(&output.stdout))
}

#[test]
fn a_gang_that_waits_for_its_claims_says_so_live_and_in_its_dump() {
    let stage = leader_of(&format!("{OBJECTS}---\n{CLAIMS}"));
    let gang = json(&stage.get("/explain/a/stored").1);
    let why = &gang["explanation"];
    assert_eq!(why["reason"], "volume", "{gang:#}");
    let sentence = why["sentence"].as_str().unwrap_or_default();
    assert!(sentence.contains("a/made"), "{gang:#}");
    let simulated = simulated(&stage);
    let gangs = simulated["gangs"].as_array().expect("gangs");
    let same = gangs.iter().find(|gang| gang["name"] == "stored").expect("it is there too");
    assert_eq!(same["explanation"], *why);
}

#[test]
fn a_volume_that_is_about_to_be_taken_is_nobody_elses_in_a_dump() {
    let stage = leader_of(&format!("{OBJECTS}---\n{CLAIMS}"));
    let (_, dump) = stage.get("/dump");
    assert!(dump.contains("a/there"), "{dump}");
    assert!(dump.contains("keptFor: a/there"), "{dump}");
}

#[test]
fn an_explanation_is_what_simulate_says_of_the_dump() {
    let stage = leader();
    let (code, text) = stage.get("/explain/a/large");
    assert_eq!(code, 200, "{text}");
    let gang = json(&text);
    assert_eq!(gang["explanation"]["reason"], "room");
    let simulated = simulated(&stage);
    let gangs = simulated["gangs"].as_array().expect("gangs");
    let same = gangs.iter().find(|gang| gang["name"] == "large").expect("it is there too");
    assert_eq!(same["explanation"], gang["explanation"]);
    let small = gangs.iter().find(|gang| gang["name"] == "small").expect("it is there too");
    assert_eq!(small["members"][0]["node"], "n1", "what is being bound is not decided again");
}

#[test]
fn a_gang_that_is_not_there_is_told_as_such() {
    let (code, text) = leader().get("/explain/a/none");
    assert_eq!((code, json(&text)["error"].as_str()), (404, Some("there is no gang a/none")));
}

#[test]
fn a_standby_answers_questions_about_gangs_with_503() {
    let stage = stage(lease(), Watches::default());
    for path in ["/explain/a/large", "/gangs", "/queues", "/dump"] {
        let (code, text) = stage.get(path);
        assert_eq!((code, json(&text)["leader"].as_str()), (503, Some("")), "{path}");
    }
    let (code, text) = stage.get("/metrics");
    assert_eq!(code, 200);
    assert!(text.contains("\nmuster_leader 0\n") && !text.contains("\nmuster_nodes "), "{text}");
}

#[test]
fn metrics_tell_of_gangs_queues_and_watches() {
    let stage = leader();
    let (code, text) = stage.get("/metrics");
    assert_eq!(code, 200);
    for line in [
        "muster_leader 1",
        "muster_nodes 1",
        "muster_pending_gangs{queue=\"default\",reason=\"room\"} 1",
        "muster_decisions_total{result=\"plan\"} 1",
        "muster_queue_used{queue=\"default\",resource=\"nvidia.com/gpu\"} 1",
        "muster_node_resources{resource=\"nvidia.com/gpu\",state=\"free\"} 3",
    ] {
        assert!(text.lines().any(|it| it == line), "{line} is not in {text}");
    }
}

#[test]
fn watches_that_are_not_synced_show_in_metrics() {
    let watched = vec![watched("nodes", true), watched("pods", false)];
    let stage = stage(None, Watches { watched, ..Watches::default() });
    let text = stage.get("/metrics").1;
    for line in ["muster_watch_synced{kind=\"nodes\"} 1", "muster_watch_synced{kind=\"pods\"} 0"] {
        assert!(text.lines().any(|it| it == line), "{line} is not in {text}");
    }
}

#[test]
fn queues_say_what_waits() {
    let queues = json(&leader().get("/queues").1);
    assert_eq!(queues["queues"][0]["name"], "default");
    assert_eq!(queues["queues"][0]["waiting"]["room"], 1);
    assert_eq!(queues["queues"][0]["used"]["nvidia.com/gpu"], "1");
}

#[test]
fn the_log_level_changes_and_a_bad_one_is_refused() {
    let stage = leader();
    let put = |body: &'static str| {
        let url = stage.url.strip_prefix("http://").expect("an address").to_owned();
        use std::io::{Read, Write};
        let mut stream = std::net::TcpStream::connect(url).expect("it listens");
        let length = body.len();
        write!(
            stream,
            "PUT /loglevel HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{body}"
        )
        .expect("written");
        let mut text = String::new();
        stream.read_to_string(&mut text).expect("read");
        text
    };
    assert!(put("warn,scheduler=debug").starts_with("HTTP/1.1 200"));
    assert_eq!(stage.get("/loglevel"), (200, "warn,scheduler=debug\n".to_owned()));
    let refused = put("loud");
    assert!(refused.starts_with("HTTP/1.1 400") && refused.contains("write error"), "{refused}");
    assert_eq!(stage.get("/loglevel").1, "warn,scheduler=debug\n");
}
