//! The samples of the documentation: each dialect with a gang that runs and one that waits.

use crate::{docs, folder, run};

fn simulate(name: &str) -> String {
    let file = format!("samples/{name}.yaml");
    let ran = run(&docs(), &["simulate", &file, "--check"], "");
    for state in ["running", "waiting"] {
        assert!(ran.out.contains(state), "{name} shows no gang that is {state}:\n{}", ran.shown());
    }
    ran.shown()
}

#[test]
fn the_sample_of_muster_is_shown() {
    insta::assert_snapshot!(simulate("muster"));
}

#[test]
fn the_sample_of_kubernetes_is_shown() {
    insta::assert_snapshot!(simulate("kubernetes"));
}

#[test]
fn the_sample_of_volcano_is_shown() {
    insta::assert_snapshot!(simulate("volcano"));
}

#[test]
fn the_sample_of_coscheduling_is_shown() {
    insta::assert_snapshot!(simulate("coscheduling"));
}

#[test]
fn the_sample_of_kueue_is_shown() {
    insta::assert_snapshot!(simulate("kueue"));
}

#[test]
fn the_sample_of_plain_controllers_is_shown() {
    insta::assert_snapshot!(simulate("plain"));
}

#[test]
fn the_demo_is_shown() {
    insta::assert_snapshot!(simulate("demo"));
}

#[test]
fn a_dump_of_any_sample_decides_the_same() {
    let mut tried = 0;
    for entry in docs().join("samples").read_dir().expect("the samples") {
        let path = entry.expect("a sample").path();
        let path = path.to_str().expect("the path is UTF-8");
        let folder = folder(&[]);
        let first = run(folder.path(), &["simulate", path, "--timeline", "--dump", "d.yaml"], "");
        let again = run(folder.path(), &["simulate", "d.yaml", "--timeline"], "");
        assert_eq!(first.out, again.out, "{path}");
        tried += 1;
    }
    assert!(tried >= 7, "{tried} samples");
}

#[test]
fn the_order_of_documents_does_not_matter() {
    let text = std::fs::read_to_string(docs().join("samples/demo.yaml")).expect("the demo");
    let mut documents: Vec<&str> = text.split("\n---\n").collect();
    documents.reverse();
    let turned = run(&docs(), &["simulate", "-", "-o", "json"], &documents.join("\n---\n"));
    let straight = run(&docs(), &["simulate", "samples/demo.yaml", "-o", "json"], "");
    assert_eq!(turned.out, straight.out);
}
