//! The kubectl line that dumps exactly what `muster simulate` reads.
//!
//! Several API groups have `jobs`, `queues` or `podgroups`, and kubectl takes a short name for
//! whichever it finds first. So the cluster is asked for its full names, and only those that
//! the reader knows are printed.

use crate::arguments::Dump;
use crate::ending::Ending;
use scheduler_kube::read::KINDS;
use std::io::{self, Write};
use std::process::{Command, Stdio};

/// Prints the line, and nothing else, on `out`.
///
/// # Errors
/// If `out` or `err` cannot be written to.
pub fn dump(wish: &Dump, out: &mut dyn Write, err: &mut dyn Write) -> io::Result<Ending> {
    match resources(wish) {
        Ok(resources) => {
            let mut words = vec![wish.kubectl_path.as_str()];
            if let Some(context) = &wish.cluster.context {
                words.extend(["--context", context]);
            }
            words.extend(["get", "--all-namespaces", "-o", "json"]);
            writeln!(out, "{} {}", words.join(" "), resources.join(","))?;
            Ok(Ending::Ran)
        }
        Err(why) => {
            writeln!(err, "error: {why}")?;
            Ok(Ending::Unreadable)
        }
    }
}

/// The full names of all kinds that the cluster has and the reader knows.
fn resources(wish: &Dump) -> Result<Vec<String>, String> {
    let path = &wish.kubectl_path;
    let mut command = Command::new(path);
    command.args(wish.cluster.context.iter().flat_map(|context| ["--context", context]));
    command.args(["api-resources", "-o", "name", "--verbs=list"]);
    let asked = command.stdin(Stdio::null()).output();
    let answer = asked.map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => {
            format!("{path} is not there (install kubectl, or name it with --kubectl-path)")
        }
        _ => format!("{path} cannot be run: {error} (name another with --kubectl-path)"),
    })?;
    let listed = String::from_utf8_lossy(&answer.stdout);
    let listed: Vec<&str> = listed.lines().map(str::trim).collect();
    let mut found: Vec<String> = KINDS.iter().map(scheduler_kube::read::Kind::resource).collect();
    found.retain(|name| listed.contains(&name.as_str()));
    // One API group whose server is down fails the command, but all others are listed.
    if found.iter().any(|name| name == "nodes") && found.iter().any(|name| name == "pods") {
        return Ok(found);
    }
    let said = String::from_utf8_lossy(&answer.stderr);
    let said = said.lines().map(str::trim).rfind(|line| !line.is_empty());
    let said = said.unwrap_or("it lists neither nodes nor pods");
    Err(format!(
        "{path} does not list the kinds of the cluster: {said} (check that `{path} get nodes` works, \
         or name another cluster with --context)"
    ))
}
