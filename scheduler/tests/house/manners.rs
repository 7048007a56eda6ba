//! What an answer means, and when to try again, is said in `scheduler/protocol` alone. What
//! surrounds it carries requests out: it waits until a moment it was given, no longer.
//!
//! Commands that a person types ask once and say what came back; they are not meant here.

use crate::source::{Token, product, tokens};
use crate::tree::report;

/// Where calls of the live run are made and answers pass through.
const CARRIERS: &[&str] = &[
    "scheduler/kube/src/client.rs",
    "scheduler/kube/src/desk/",
    "scheduler/kube/src/send/",
    "scheduler/kube/src/watch/",
    "scheduler/live/src/",
    "scheduler/src/run/",
];

/// Words by which a carrier would decide for itself, and what they would decide.
const DECISIONS: &[(&str, &str)] = &[
    ("sleep", "waits for a span of its own; wait until the moment that a machine names"),
    ("interval", "keeps a beat of its own; wake when a machine says"),
    ("backoff", "tries again by itself; let a machine say when"),
    ("is_client_error", "reads a status code; give it to scheduler_protocol::meaning"),
    ("is_server_error", "reads a status code; give it to scheduler_protocol::meaning"),
];

#[test]
fn only_the_protocol_says_what_a_status_code_means_and_when_to_try_again() {
    let sources = product();
    let carriers =
        sources.iter().filter(|(path, _)| CARRIERS.iter().any(|it| path.starts_with(it)));
    let carriers: Vec<_> = carriers.collect();
    for folder in CARRIERS {
        assert!(carriers.iter().any(|(path, _)| path.starts_with(folder)), "{folder} is gone");
    }
    let faults: Vec<String> =
        carriers.into_iter().flat_map(|(path, tokens)| decisions(path, tokens)).collect();
    report("Timers, retries and the meaning of status codes stand in scheduler/protocol.", &faults);
}

#[test]
fn decisions_of_a_carrier_are_found() {
    let found = |source: &str| decisions("x.rs", &tokens("x.rs", source)).len();
    assert_eq!(found("fn a() { tokio::time::sleep(SPAN) }"), 1);
    assert_eq!(found("fn a() { match reply.code { 409 => b(), _ => c() } }"), 1);
    assert_eq!(found("fn a() { if status == 503 { b() } }"), 1);
    assert_eq!(found("fn a() { if reply.code >= 300 { b() } }"), 1);
    assert_eq!(found("const A: usize = 512; fn a() { sleep_until(time); b(4096); c[429] }"), 0);
}

fn decisions(path: &str, tokens: &[Token]) -> Vec<String> {
    let named = tokens.iter().filter_map(|token| {
        let (_, why) = DECISIONS.iter().find(|(word, _)| token.text == *word)?;
        Some(format!("{path}:{}: {why}", token.line))
    });
    let compared = tokens.windows(3).filter(|run| {
        let [one, two, three] = [0, 1, 2].map(|index| run[index].text.as_str());
        let is_equation = two == "=" && matches!(one, "=" | "!" | "<" | ">");
        let is_compared = is_equation || matches!(two, "<" | ">" | "|");
        let is_matched = two == "=" && three == ">";
        (is_compared && is_code(three)) || (is_matched && is_code(one))
    });
    let compared = compared.map(|run| {
        let line = run[1].line;
        format!("{path}:{line}: reads a status code; give it to scheduler_protocol::meaning")
    });
    named.chain(compared).collect()
}

/// A number that HTTP gives a meaning.
fn is_code(text: &str) -> bool {
    text.parse::<u16>().is_ok_and(|number| (200..600).contains(&number))
}
