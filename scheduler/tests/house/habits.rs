//! Habits that clippy also knows, kept here too so that `cargo test` alone is the law.

use crate::members::members;
use crate::source::{Token, product, tokens};
use crate::tree::{read, report};

/// Macros that have no place in the product, and what to do instead.
const MACROS: &[(&str, &str)] =
    &[("todo", "file an issue"), ("unimplemented", "file an issue"), ("dbg", "write a test")];

#[test]
fn the_product_never_unwraps_and_leaves_nothing_to_do() {
    let sources = product();
    let faults: Vec<String> =
        sources.iter().flat_map(|(path, tokens)| lapses(path, tokens)).collect();
    report("No `unwrap`, no unfinished work.", &faults);
}

#[test]
fn every_exception_from_a_lint_has_a_reason() {
    let sources = product();
    let faults: Vec<String> =
        sources.iter().flat_map(|(path, tokens)| unreasoned(path, tokens)).collect();
    report("`#[allow]` and `#[expect]` say why.", &faults);
}

#[test]
fn every_crate_takes_the_lints_of_the_workspace() {
    let mut faults = Vec::new();
    for member in members().into_values() {
        let path = format!("{}/Cargo.toml", member.folder);
        if !read(&path).contains("[lints]\nworkspace = true") {
            faults.push(format!("{path}: add `[lints]` with `workspace = true`"));
        }
    }
    let workspace = read("Cargo.toml");
    for lint in ["unsafe_code = \"forbid\"", "missing_docs", "unwrap_used", "too_many_lines"] {
        if !workspace.contains(lint) {
            faults.push(format!("Cargo.toml: {lint} is gone from the lints"));
        }
    }
    report("One list of lints for all crates.", &faults);
}

#[test]
fn lapses_are_found() {
    let source = "fn a() { b.unwrap(); todo!() }\n#[allow(dead_code)]\nfn c() {}\n\
                  #[allow(dead_code, reason = \"shown\")]\nfn d() { e.unwrap_or(1) }";
    let tokens = tokens("x.rs", source);
    assert_eq!(lapses("x.rs", &tokens).len(), 2);
    assert_eq!(unreasoned("x.rs", &tokens).len(), 1);
}

fn lapses(path: &str, tokens: &[Token]) -> Vec<String> {
    let mut faults = Vec::new();
    for pair in tokens.windows(2) {
        let line = pair[1].line;
        if pair[0].text == "." && pair[1].text == "unwrap" {
            faults.push(format!("{path}:{line}: `unwrap`; write expect(\"why it cannot be\")"));
        }
        let name = MACROS.iter().find(|(name, _)| pair[0].text == *name && pair[1].text == "!");
        if let Some((name, instead)) = name {
            faults.push(format!("{path}:{line}: `{name}!`; {instead} instead"));
        }
    }
    faults
}

fn unreasoned(path: &str, tokens: &[Token]) -> Vec<String> {
    let mut faults = Vec::new();
    for (index, token) in tokens.iter().enumerate() {
        let is_exception = matches!(token.text.as_str(), "allow" | "expect")
            && index > 0
            && tokens[index - 1].text == "[";
        if !is_exception {
            continue;
        }
        let inside = tokens[index..].iter().take_while(|token| token.text != "]");
        if !inside.into_iter().any(|token| token.text == "reason") {
            let (name, line) = (&token.text, token.line);
            faults.push(format!("{path}:{line}: `#[{name}]` without reason = \"…\""));
        }
    }
    faults
}
