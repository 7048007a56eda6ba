//! Whatever stands in a stream, and however it arrives, it is read the same and without a panic.

use crate::{reading, source};
use proptest::prelude::*;
use scheduler_kube::read::{Reading, Source, read};
use scheduler_kube::translate::Context;
use std::io::Read;

/// A stream of which so many bytes come at a time.
struct Drip {
    bytes: Vec<u8>,
    at: usize,
    most: usize,
}

impl Read for Drip {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let count = self.most.min(into.len()).min(self.bytes.len() - self.at);
        into[..count].copy_from_slice(&self.bytes[self.at..self.at + count]);
        self.at += count;
        Ok(count)
    }
}

fn dripping(text: &[u8], most: usize) -> Reading {
    let reader = Box::new(Drip { bytes: text.to_vec(), at: 0, most });
    read(vec![Source { name: "in.yaml".to_owned(), reader }], &Context::default())
}

#[test]
fn a_stream_is_read_the_same_however_its_bytes_arrive() {
    let node =
        r#"{"apiVersion":"v1","kind":"Node","metadata":{"name":"a\"}]","labels":{"x":"\\"}}}"#;
    let group = "apiVersion: muster.sh/v1alpha1\nkind: PodGroup\nmetadata: {name: g}\nspec: {}\n";
    for text in [
        format!(
            "\u{feff}{{\n\"items\": [\n{node},\n{node}\n],\n\"kind\": \"List\"}}\n---\n{group}"
        ),
        format!(
            "{group}---\nkind: List\nitems:\n- {}\n{node}\n",
            group.trim_end().replace('\n', "\n  ")
        ),
        format!("{node}\n{{\"kind\":\"Po\n{node}\n{{\"kind\": [\n{node}\n{{\"kind\":[}}\n"),
    ] {
        let want = reading(&text);
        assert!(want.objects >= 2, "{text}: {want:?}");
        for most in [1, 2, 3, 5] {
            assert_eq!(dripping(text.as_bytes(), most), want, "{most} bytes at a time: {text}");
        }
    }
}

/// What objects are made of, in any order.
fn pieces() -> impl Strategy<Value = String> {
    let words = prop::sample::select(vec![
        "{",
        "}",
        "[",
        "]",
        "\"",
        "\\",
        ",",
        ":",
        "\n",
        " ",
        "- ",
        "---\n",
        "...\n",
        "items:\n",
        "\"items\":[",
        "kind: List\n",
        "\"kind\":\"Pod\"",
        "apiVersion: v1\n",
        "\"apiVersion\":\"v1\"",
        "metadata",
        "name: a",
        "kind: Pod\n",
        "kind: Job\n",
        "apiVersion: batch/v1\n",
        "#",
        "story: x\n",
        "null",
        "1e999",
        "\u{feff}",
        "&a ",
        "*a",
        "|\n",
        "'",
        "\r\n",
        "  ",
        "\u{0}",
        "ä",
    ]);
    prop::collection::vec(words, 0..40).prop_map(|words| words.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    #[test]
    fn any_text_is_read_without_a_panic(text in pieces(), most in 1_usize..9) {
        prop_assert_eq!(dripping(text.as_bytes(), most), reading(&text));
    }

    #[test]
    fn any_bytes_are_read_without_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = read(vec![source("x", &bytes)], &Context::default());
    }
}
