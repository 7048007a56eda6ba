//! Thousands of objects in one stream, made while it is read.

use scheduler_kube::read::{Source, read};
use scheduler_kube::translate::Context;
use std::io::Read;

/// A JSON list of so many pods with managed fields, never whole in memory.
struct Dump {
    left: usize,
    ready: Vec<u8>,
}

impl Read for Dump {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        while self.ready.is_empty() && self.left > 0 {
            self.left -= 1;
            let noise = r#"{"f:metadata":{"f:labels":{".":{}}}},"#.repeat(100);
            let comma = if self.left == 0 { "]}" } else { ",\n" };
            self.ready = format!(
                r#"{{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"p{0}","namespace":"a",
                "uid":"u{0}","managedFields":[{noise}{{}}]}},"spec":{{"schedulerName":"muster",
                "containers":[{{"name":"c","resources":{{"requests":{{"cpu":"1"}}}}}}]}}}}{comma}"#,
                self.left
            )
            .into_bytes();
        }
        let count = self.ready.len().min(into.len());
        into[..count].copy_from_slice(&self.ready[..count]);
        self.ready.drain(..count);
        Ok(count)
    }
}

#[test]
fn thousands_of_pods_of_one_template_share_one_shape() {
    let ready = br#"{"apiVersion":"v1","items":["#.to_vec();
    let reader = Box::new(Dump { left: 5_000, ready });
    let reading = read(vec![Source { name: "dump".to_owned(), reader }], &Context::default());
    assert_eq!((reading.objects, reading.problems), (5_000, vec![]));
    let shapes: std::collections::BTreeSet<usize> = reading
        .world
        .events
        .iter()
        .filter_map(|event| match event {
            scheduler_model::event::Event::Pod(pod) => {
                Some(std::sync::Arc::as_ptr(&pod.shape).addr())
            }
            _ => None,
        })
        .collect();
    assert_eq!(shapes.len(), 1);
}
