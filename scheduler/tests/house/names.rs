//! One word per concept: names in the pure crates keep to `docs/GLOSSARY.md`.

use crate::purity::is_pure;
use crate::source::{Token, product, tokens};
use crate::tree::report;

/// Words that no name of ours contains, and what to say instead.
const BANNED: &[(&str, &str)] = &[
    ("task", "Pod or PodSet"),
    ("job", "Gang"),
    ("host", "Node"),
    ("machine", "Node"),
    ("hypernode", "Domain"),
    ("tenant", "Queue"),
    ("session", "cycle"),
    ("predicate", "Filter"),
    ("pipelined", "reserved"),
    ("idle", "free"),
    ("utils", "the noun it is about"),
    ("util", "the noun it is about"),
    ("helper", "the noun it is about"),
    ("common", "the noun it is about"),
    ("misc", "the noun it is about"),
    ("manager", "what it does"),
    ("handler", "what it does"),
    ("info", "the noun it is about"),
];

/// Names that may contain one, and why.
const ALLOWED: &[(&str, &str)] = &[
    ("HostPort", "Kubernetes' own field, and what its users know it as"),
    ("HostPorts", "as HostPort"),
    ("host_port", "as HostPort"),
    ("host_ports", "as HostPort"),
    ("has_host_ports", "as HostPort"),
];

/// Keywords after which a name of ours follows.
const DECLARING: &[&str] = &["fn", "struct", "enum", "mod", "trait", "type", "const"];

#[test]
fn names_in_the_pure_crates_keep_to_the_glossary() {
    let sources = product().into_iter().filter(|(path, _)| is_pure(path));
    let sources: Vec<(String, Vec<Token>)> = sources.collect();
    assert!(sources.len() > 30, "only {} sources of pure crates found", sources.len());
    let faults: Vec<String> =
        sources.iter().flat_map(|(path, tokens)| foreign(path, tokens)).collect();
    report("Names use the words of docs/GLOSSARY.md.", &faults);
}

#[test]
fn banned_words_are_found_word_by_word() {
    let source = "fn next_job() {} struct TaskInfo; fn hostile() {} struct HostPort; mod utils {}";
    let faults = foreign("x.rs", &tokens("x.rs", source));
    assert_eq!(faults.len(), 4, "{faults:?}");
}

fn foreign(path: &str, tokens: &[Token]) -> Vec<String> {
    let mut faults = Vec::new();
    for pair in tokens.windows(2) {
        let name = &pair[1].text;
        let is_allowed = ALLOWED.iter().any(|(allowed, _)| name == allowed);
        if !DECLARING.contains(&pair[0].text.as_str()) || is_allowed {
            continue;
        }
        for word in words(name) {
            let banned = BANNED.iter().find(|(it, _)| word == *it || word == format!("{it}s"));
            if let Some((_, instead)) = banned {
                let line = pair[1].line;
                faults.push(format!("{path}:{line}: `{name}` says \"{word}\"; say {instead}"));
            }
        }
    }
    faults
}

/// The words of a name in snake or camel case, in lower case.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for letter in name.chars() {
        if letter == '_' || (letter.is_uppercase() && was_lower) {
            words.push(String::new());
        }
        was_lower = letter.is_lowercase() || letter.is_ascii_digit();
        if letter != '_' {
            words.last_mut().expect("there is always a last word").extend(letter.to_lowercase());
        }
    }
    words
}
