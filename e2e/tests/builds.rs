//! How the binaries get into the cache, with a `go` that only pretends.

use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Says it is new, takes a while to build, and writes down that it did.
const PRETENDER: &str = r#"#!/bin/sh
if [ "$1" = env ]; then echo go1.99.0; exit; fi
echo built >>"$COUNT"
sleep 0.5
while [ "$1" != -o ]; do shift; done
for name in helm prometheus promtool; do echo "$name" >"$2/$name"; done
"#;

#[test]
fn without_go_the_message_says_what_to_install() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let output = build(folder.path(), "/nowhere").wait_with_output().expect("it ends");
    let text = errors(&output);
    assert!(!output.status.success());
    assert!(text.contains("install Go 1.26 or newer") && text.contains("go.dev/dl"), "{text}");
}

#[test]
fn an_old_go_is_refused_with_its_version() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let path = go(folder.path(), "#!/bin/sh\necho go1.22.1\n");
    let output = build(folder.path(), &path).wait_with_output().expect("it ends");
    let text = errors(&output);
    assert!(text.contains("go1.22.1") && text.contains("install Go 1.26"), "{text}");
}

#[test]
fn two_that_want_the_same_build_at_once_share_it() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let path = go(folder.path(), PRETENDER);
    let both = [build(folder.path(), &path), build(folder.path(), &path)];
    let both = both.map(|it| it.wait_with_output().expect("it ends"));
    assert!(both.iter().all(|it| it.status.success()), "{}", errors(&both[0]));
    assert_eq!(both[0].stdout, both[1].stdout, "both get the same folder");

    let again = build(folder.path(), &path).wait_with_output().expect("it ends");
    assert_eq!(again.stdout, both[0].stdout);
    let count = std::fs::read_to_string(folder.path().join("count")).expect("go has run");
    assert_eq!(count, "built\n", "one build is enough");
    let built = String::from_utf8_lossy(&again.stdout);
    assert!(Path::new(built.trim()).join("bin/promtool").is_file(), "{built}");
}

#[test]
fn a_build_that_fails_says_why_and_leaves_nothing() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let script = "#!/bin/sh\nif [ \"$1\" = env ]; then echo go1.99.0; exit; fi\n\
                  echo no disk left >&2\nexit 1\n";
    let path = go(folder.path(), script);
    let output = build(folder.path(), &path).wait_with_output().expect("it ends");
    assert!(!output.status.success());
    assert!(errors(&output).contains("no disk left"), "{}", errors(&output));
    let left = std::fs::read_dir(folder.path().join("cache")).expect("the cache is there");
    let left: Vec<_> = left.flatten().filter(|it| it.path().is_dir()).collect();
    assert!(left.is_empty(), "{left:?}");
}

/// A folder for `PATH` with this `go` in front of what the machine has.
fn go(folder: &Path, script: &str) -> String {
    // A shell writes it: a file that this process holds open while another thread starts a
    // process cannot be run ("text file busy").
    let write = "printf %s \"$2\" >\"$1\" && chmod +x \"$1\"";
    let mut shell = Command::new("sh");
    shell.args(["-c", write, "sh"]).arg(folder.join("go")).arg(script);
    assert!(shell.status().expect("a shell runs").success());
    format!("{}:{}", folder.display(), std::env::var("PATH").unwrap_or_default())
}

fn build(folder: &Path, path: &str) -> std::process::Child {
    Command::new(env!("CARGO_BIN_EXE_controlplane"))
        .args(["build", "tools"])
        .env("PATH", path)
        .env("COUNT", folder.join("count"))
        .env("MUSTER_E2E_CACHE", folder.join("cache"))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts")
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}
