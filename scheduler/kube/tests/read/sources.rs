//! Paths, compressed files, and what cannot be opened.

use crate::{names, object, said, source};
use flate2::Compression;
use flate2::write::GzEncoder;
use scheduler_kube::read::{open, read};
use scheduler_kube::translate::Context;
use std::io::Write;
use std::path::PathBuf;

fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(text.as_bytes()).expect("memory takes all bytes");
    encoder.finish().expect("memory takes all bytes")
}

#[test]
fn gzip_is_known_by_its_first_bytes() {
    let two = [gzip(&object("a")), gzip(&object("b"))].concat();
    let reading = read(vec![source("x.json", &two)], &Context::default());
    assert_eq!(names(&reading), ["a", "b"]);
}

#[test]
fn a_compressed_file_that_breaks_off_is_used_up_to_there() {
    let lines: String = (0..20_000).map(|at| format!("{}\n", object(&format!("n{at}")))).collect();
    let mut bytes = gzip(&lines);
    bytes.truncate(bytes.len() / 2);
    let reading = read(vec![source("x.json.gz", &bytes)], &Context::default());
    assert!(reading.objects > 1000, "{}", reading.objects);
    assert_eq!(reading.cut_short, ["x.json.gz"]);
    assert!(said(&reading).last().is_some_and(|one| one.contains("reading ended here")));
}

#[test]
fn a_folder_is_its_files_in_order() {
    let folder = tempfile::tempdir().expect("a folder");
    let inner = folder.path().join("b");
    std::fs::create_dir(&inner).expect("a folder inside");
    for (path, name) in [("c.yml", "n1"), ("b/z.yaml", "n2"), ("a.json", "n3"), ("note.txt", "no")]
    {
        std::fs::write(folder.path().join(path), object(name)).expect("written");
    }
    std::fs::write(inner.join("y.JSON.gz"), gzip(&object("n4"))).expect("written");
    let sources = open(&[folder.path().to_owned()]).expect("all can be opened");
    let found: Vec<&str> = sources
        .iter()
        .map(|one| one.name.rsplit_once('/').map_or(&*one.name, |(_, name)| name))
        .collect();
    assert_eq!(found, ["a.json", "y.JSON.gz", "z.yaml", "c.yml"]);
    assert_eq!(read(sources, &Context::default()).objects, 4);
}

#[test]
fn all_paths_that_cannot_be_opened_are_told_with_what_to_do() {
    let folder = tempfile::tempdir().expect("a folder");
    let paths = [PathBuf::from("/no/such.yaml"), folder.path().to_owned()];
    let failed = open(&paths).err().expect("neither can be read");
    assert!(failed[0].to_string().starts_with("/no/such.yaml: no such file"), "{}", failed[0]);
    assert!(failed[0].to_string().ends_with("(check the path)"));
    assert!(failed[1].to_string().contains("has no YAML or JSON file"), "{}", failed[1]);
}
