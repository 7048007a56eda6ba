//! Forms of input and output, and exit codes.

use crate::{SMALL, folder, run, simulate};

#[test]
fn a_table_is_for_people() {
    insta::assert_snapshot!(simulate(SMALL, &[]).shown());
}

#[test]
fn json_is_for_programs() {
    insta::assert_snapshot!(simulate(SMALL, &["-o", "json", "--timeline"]).shown());
}

#[test]
fn yaml_says_the_same_as_json() {
    let yaml = simulate(SMALL, &["-o", "yaml"]);
    insta::assert_snapshot!(yaml.shown());
    // A sign of life that needs no YAML reader: as many reasons as in JSON.
    let json = simulate(SMALL, &["-o", "json"]);
    let count = |text: &str| text.matches("nextStep").count();
    assert_eq!(count(&yaml.out), count(&json.out));
}

#[test]
fn one_gang_is_explained_in_full() {
    let ran = simulate(SMALL, &["--explain", "a/job/large", "--explain", "job/good"]);
    insta::assert_snapshot!(ran.shown());
}

#[test]
fn a_gang_that_does_not_exist_cannot_be_explained() {
    let ran = simulate(SMALL, &["--explain", "other"]);
    assert_eq!((ran.code, ran.out.as_str()), (2, ""));
    assert_eq!(ran.err, "error: no gang is called \"other\" (there are a/job/good, a/job/large)\n");
}

#[test]
fn starts_and_ends_are_listed_in_order_of_time() {
    insta::assert_snapshot!(simulate(SMALL, &["--timeline"]).shown());
}

#[test]
fn time_may_be_cut_short() {
    let ran = simulate(SMALL, &["--until", "9m"]);
    assert!(ran.out.contains("a/job/good   default  running"), "{}", ran.out);
    assert!(ran.out.ends_with("simulated 9m\n"), "{}", ran.out);
}

#[test]
fn others_are_evicted_for_a_gang_only_where_that_is_asked_for() {
    let pod = |name: &str, priority: u32, node: &str| {
        let resources = "resources: {limits: {nvidia.com/gpu: 4}}";
        format!(
            "---\n{{apiVersion: v1, kind: Pod, metadata: {{name: {name}, namespace: a, uid: {name}}}, \
             spec: {{schedulerName: muster, priority: {priority}, {node} \
             containers: [{{name: c, {resources}}}]}}}}\n"
        )
    };
    let (node, _) = SMALL.split_once("---\n").expect("several documents");
    let all = format!("{node}{}{}", pod("low", 0, "nodeName: n1,"), pod("high", 10, ""));
    let stays = simulate(&all, &[]);
    assert!(stays.out.contains("a/high  default  waiting"), "{}", stays.out);
    let goes = simulate(&all, &["--evict", "--timeline"]);
    assert!(goes.out.contains("a/high  default  running"), "{}", goes.out);
    assert!(goes.out.contains("makes room"), "{}", goes.out);
}

#[test]
fn a_gang_that_waits_is_a_failure_only_with_strict() {
    assert_eq!(simulate(SMALL, &[]).code, 0);
    assert_eq!(simulate(SMALL, &["--strict"]).code, 1);
    let (nodes_and_good, _) = SMALL.rsplit_once("\n---\n").expect("several documents");
    assert_eq!(simulate(nodes_and_good, &["--strict"]).code, 0);
}

#[test]
fn a_controller_for_another_scheduler_is_played_only_if_that_is_named() {
    let other = SMALL.replace("schedulerName: muster", "schedulerName: other");
    let ran = simulate(&other, &[]);
    assert_eq!(ran.out, "2 gangs: 2 without pods; 2 nodes; simulated 0s\n");
    assert!(ran.err.contains("Job a/good spec.template.spec.schedulerName"), "{}", ran.err);
    let ran = simulate(&other, &["--scheduler-name", "other"]);
    assert_eq!(ran.out, simulate(SMALL, &[]).out);
}

#[test]
fn standard_input_folders_and_compressed_files_are_read() {
    let want = simulate(SMALL, &[]).out;
    let (nodes, jobs) = SMALL.split_once("---\napiVersion: batch").expect("nodes, then jobs");
    let jobs = format!("apiVersion: batch{jobs}");
    let both =
        folder(&[("b.yaml", nodes.as_bytes()), ("a.yml", jobs.as_bytes()), ("no.txt", b"x")]);
    assert_eq!(run(both.path(), &["simulate", "-"], SMALL).out, want);
    assert_eq!(run(both.path(), &["simulate", "."], "").out, want);
    assert_eq!(run(both.path(), &["simulate", "b.yaml", "-"], &jobs).out, want);
    // What `gzip -n` makes of the nodes.
    let small =
        folder(&[("nodes.yaml.gz", include_bytes!("nodes.yaml.gz")), ("j.yaml", jobs.as_bytes())]);
    assert_eq!(run(small.path(), &["simulate", "nodes.yaml.gz", "j.yaml"], "").out, want);
}

#[test]
fn the_same_input_gives_the_same_bytes_in_any_time_zone_and_locale() {
    let folder = folder(&[("in.yaml", SMALL.as_bytes())]);
    let output = assert_cmd::Command::new(env!("CARGO_BIN_EXE_muster"))
        .current_dir(folder.path())
        .env("TZ", "Asia/Kathmandu")
        .env("LC_ALL", "tr_TR.UTF-8")
        .args(["simulate", "in.yaml", "-o", "json"])
        .output()
        .expect("muster can be run");
    let out = String::from_utf8(output.stdout).expect("UTF-8");
    assert_eq!(out, simulate(SMALL, &["-o", "json"]).out);
}

#[test]
fn the_help_tells_the_exit_codes() {
    let help = run(folder(&[]).path(), &["simulate", "--help"], "");
    assert!(help.out.contains("Exit codes:"), "{}", help.out);
    assert_eq!(help.code, 0);
}

#[test]
fn arguments_that_make_no_sense_are_refused_with_what_to_write() {
    let ran = simulate(SMALL, &["--until", "soon"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("write it like 90s, 30m or 1h30m"), "{}", ran.err);
    assert_eq!(simulate(SMALL, &["--start", "monday"]).code, 2);
    assert_eq!(run(folder(&[]).path(), &["simulate"], "").code, 2);
}

#[test]
fn a_dump_that_cannot_be_written_is_told() {
    let ran = simulate(SMALL, &["--dump", "no/such/folder.yaml"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.starts_with("error: no/such/folder.yaml cannot be written"), "{}", ran.err);
}
