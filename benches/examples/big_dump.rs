//! Writes what `kubectl get nodes,pods,… -A -o json` prints on a large cluster, with the noise
//! that real objects carry, to try how fast and how small `muster simulate` reads it.
//!
//! `cargo run --release -p benches --example big_dump -- FILE [NODES]`: ten pods a node, about
//! 10 KB each; eight in ten run, the others wait in gangs of 50.

use benches::noisy::{GANG, group, node, pod};
use serde_json::Value;
use std::fs::File;
use std::io::{self, BufWriter, Write};

const PODS_PER_NODE: usize = 10;
const WAITING_PER_NODE: usize = 2;

fn main() -> io::Result<()> {
    let mut args = std::env::args().skip(1);
    let Some(path) = args.next() else {
        return writeln!(io::stderr(), "usage: big_dump FILE [NODES]");
    };
    let nodes = args.next().and_then(|text| text.parse().ok()).unwrap_or(5000);
    let mut list = List::start(BufWriter::new(File::create(path)?))?;
    for index in 0..nodes {
        list.item(&node(index))?;
    }
    for index in 0..nodes * WAITING_PER_NODE / GANG {
        list.item(&group(index))?;
    }
    for index in 0..nodes * PODS_PER_NODE {
        let is_waiting = index % PODS_PER_NODE < WAITING_PER_NODE;
        let place = (!is_waiting).then_some(index / PODS_PER_NODE);
        // Numbers among those that wait, so that each gang has its 50.
        let number = index / PODS_PER_NODE * WAITING_PER_NODE + index % PODS_PER_NODE;
        list.item(&pod(index, place, number / GANG))?;
    }
    list.end()
}

/// A `kind: List` as kubectl prints it, item by item.
struct List<W> {
    out: W,
    is_empty: bool,
}

impl<W: Write> List<W> {
    fn start(mut out: W) -> io::Result<Self> {
        out.write_all(b"{\n    \"apiVersion\": \"v1\",\n    \"items\": [\n")?;
        Ok(Self { out, is_empty: true })
    }

    fn item(&mut self, item: &Value) -> io::Result<()> {
        if !std::mem::take(&mut self.is_empty) {
            self.out.write_all(b",\n")?;
        }
        let indent = serde_json::ser::PrettyFormatter::with_indent(b"    ");
        let mut writer = serde_json::Serializer::with_formatter(&mut self.out, indent);
        serde::Serialize::serialize(item, &mut writer).map_err(io::Error::from)
    }

    fn end(mut self) -> io::Result<()> {
        self.out.write_all(b"\n    ],\n    \"kind\": \"List\",\n    \"metadata\": {\n        \"resourceVersion\": \"\"\n    }\n}\n")?;
        self.out.flush()
    }
}
