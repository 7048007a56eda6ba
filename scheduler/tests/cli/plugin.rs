//! The program as kubectl's plugin, and the completion of shells.
#![cfg(unix)]

use crate::{Ran, folder, run};

/// Runs the program under another name.
fn called(name: &str, arguments: &[&str]) -> Ran {
    let folder = folder(&[]);
    let path = folder.path().join(name);
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_muster"), &path).expect("a link");
    let output = std::process::Command::new(&path).args(arguments).output().expect("it runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("muster writes UTF-8");
    let code = output.status.code().expect("muster ends by itself");
    Ran { code, out: text(output.stdout), err: text(output.stderr) }
}

#[test]
fn kubectls_plugin_is_the_same_program_and_says_how_it_was_called() {
    let ran = called("kubectl-muster", &["gangs", "--help"]);
    assert_eq!(ran.code, 0);
    assert!(ran.out.contains("Usage: kubectl muster gangs"), "{}", ran.shown());
}

#[test]
fn kubectl_completes_commands_flags_and_values() {
    let complete = |words: &[&str]| called("kubectl_complete-muster", words).out;
    assert_eq!(complete(&["ga"]), "gangs\n:4\n");
    assert_eq!(complete(&["gangs", "--all"]), "--all-namespaces\n:4\n");
    assert_eq!(complete(&["gangs", "-o", ""]), "wide\njson\nyaml\n:4\n");
    assert_eq!(complete(&["simulate", "a"]), ":0\n", "files are completed by the shell");
}

#[test]
fn shells_get_a_script() {
    for (shell, part) in
        [("bash", "complete -F"), ("zsh", "#compdef muster"), ("fish", "complete -c muster")]
    {
        let ran = run(folder(&[]).path(), &["completion", shell], "");
        assert_eq!(ran.code, 0);
        assert!(ran.out.contains(part), "{shell}: {}", ran.out);
    }
}
