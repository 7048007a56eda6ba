//! Rust sources as tokens, so that comments and texts never look like code. Items under
//! `#[cfg(test)]`, and files that such an item names, are left out on request.

use crate::tree::{read, rust_files};
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use std::collections::BTreeSet;

/// One token with its line. Brackets stand for themselves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    /// As it is written.
    pub(crate) text: String,
    /// Counted from 1.
    pub(crate) line: usize,
}

/// All sources that are not tests, as path and tokens.
pub(crate) fn product() -> Vec<(String, Vec<Token>)> {
    let paths: Vec<String> = rust_files().into_iter().filter(|path| !is_tests(path)).collect();
    let mut skipped = BTreeSet::new();
    for path in &paths {
        skipped.extend(test_files(path, trees(path, &read(path))));
    }
    let is_skipped = |path: &str| {
        skipped
            .iter()
            .any(|stem| path == format!("{stem}.rs") || path.starts_with(&format!("{stem}/")))
    };
    let kept = paths.into_iter().filter(|path| !is_skipped(path));
    kept.map(|path| (path.clone(), tokens(&path, &read(&path)))).collect()
}

/// The tokens of a source without what is only compiled for tests.
pub(crate) fn tokens(path: &str, source: &str) -> Vec<Token> {
    let mut flat = Vec::new();
    flatten(trees(path, source), &mut flat);
    flat
}

fn trees(path: &str, source: &str) -> TokenStream {
    source.parse().unwrap_or_else(|error| panic!("{path} is no Rust: {error}"))
}

/// True for tests, benchmarks, examples and fuzz targets, which no product links.
fn is_tests(path: &str) -> bool {
    path.split('/').any(|part| matches!(part, "tests" | "benches" | "e2e" | "examples" | "fuzz"))
}

fn flatten(stream: TokenStream, flat: &mut Vec<Token>) {
    let mut trees = stream.into_iter().peekable();
    while let Some(tree) = trees.next() {
        let is_test = is_hash(&tree) && trees.peek().is_some_and(is_cfg_test);
        if is_test {
            // To the end of the item: its braces or its semicolon.
            let is_end = |tree: &TokenTree| match tree {
                TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
                TokenTree::Punct(punct) => punct.as_char() == ';',
                _ => false,
            };
            trees.by_ref().find(is_end);
            continue;
        }
        let line = tree.span().start().line;
        let mut push = |text: String, line: usize| flat.push(Token { text, line });
        match tree {
            TokenTree::Group(group) => {
                let (open, close) = brackets(group.delimiter());
                push(open.to_owned(), line);
                flatten(group.stream(), flat);
                let line = group.span_close().end().line;
                flat.push(Token { text: close.to_owned(), line });
            }
            other => push(other.to_string(), line),
        }
    }
}

/// Paths without `.rs` of the files that `#[cfg(test)] mod name;` names.
fn test_files(path: &str, stream: TokenStream) -> Vec<String> {
    let stem = path.trim_end_matches(".rs");
    let (folder, file) = stem.rsplit_once('/').unwrap_or(("", stem));
    let folder = if matches!(file, "lib" | "main" | "mod") { folder } else { stem };
    let trees: Vec<TokenTree> = stream.into_iter().collect();
    let named = trees.windows(5).filter_map(|run| {
        let is_module = is_hash(&run[0]) && is_cfg_test(&run[1]) && run[2].to_string() == "mod";
        let is_file = is_module && run[4].to_string() == ";";
        is_file.then(|| format!("{folder}/{}", run[3]))
    });
    named.collect()
}

fn is_hash(tree: &TokenTree) -> bool {
    matches!(tree, TokenTree::Punct(punct) if punct.as_char() == '#')
}

fn is_cfg_test(tree: &TokenTree) -> bool {
    let text = tree.to_string();
    text.split_whitespace().collect::<String>() == "[cfg(test)]"
}

fn brackets(delimiter: Delimiter) -> (&'static str, &'static str) {
    match delimiter {
        Delimiter::Parenthesis => ("(", ")"),
        Delimiter::Brace => ("{", "}"),
        Delimiter::Bracket => ("[", "]"),
        Delimiter::None => ("", ""),
    }
}

#[test]
fn comments_texts_and_tests_are_no_code() {
    let source =
        "//! unwrap\nfn a() { \"unwrap\"; }\n#[cfg(test)]\nmod tests { fn unwrap() {} }\nfn b() {}";
    let tokens = tokens("x.rs", source);
    assert!(!tokens.iter().any(|token| token.text == "unwrap"), "{tokens:?}");
    let last = tokens.iter().find(|token| token.text == "b").expect("b comes after the tests");
    assert_eq!(last.line, 5);
}

#[test]
fn a_test_module_in_a_file_of_its_own_is_found() {
    let source = "#[cfg(test)]\nmod tests;\nmod other;";
    assert_eq!(test_files("a/src/lib.rs", trees("x.rs", source)), ["a/src/tests"]);
    assert_eq!(test_files("a/src/b.rs", trees("x.rs", source)), ["a/src/b/tests"]);
}
