//! All about one gang for a person, from its JSON form.

use super::columns::text;
use serde_json::Value;
use std::io::{self, Write};

/// Writes a paragraph about the gang.
pub(super) fn write(gang: &Value, out: &mut dyn Write) -> io::Result<()> {
    let of = |key: &str| text(&gang[key]);
    write!(out, "gang {}/{} ({})", of("namespace"), of("name"), of("dialect"))?;
    if !of("queue").is_empty() {
        write!(out, " in queue {}", of("queue"))?;
    }
    if !of("priority").is_empty() {
        write!(out, ", priority {}", of("priority"))?;
    }
    writeln!(out, ": {}", of("state"))?;
    let members = gang["members"].as_array();
    let all = members.map(Vec::len).map_or_else(|| of("exist"), |count| count.to_string());
    if !of("placed").is_empty() {
        let all = if all.is_empty() { String::new() } else { format!(" of {all}") };
        let min = of("min");
        let must = if min.is_empty() { min } else { format!(", at least {min} must") };
        writeln!(out, "  pods       {}{all} have a node{must}", of("placed"))?;
    }
    let nodes: Vec<&str> =
        members.into_iter().flatten().filter_map(|member| member["node"].as_str()).collect();
    if !nodes.is_empty() {
        writeln!(out, "  nodes      {}", crate::show::compress(nodes))?;
    }
    let why = &gang["explanation"];
    if why.is_null() {
        return Ok(());
    }
    writeln!(out, "  why        {}", text(&why["sentence"]))?;
    for set in why["sets"].as_array().into_iter().flatten() {
        tally(set, out)?;
    }
    for sentence in gang["queueUse"]["sentences"].as_array().into_iter().flatten() {
        writeln!(out, "  queue      {}", text(sentence))?;
    }
    if let Some(step) = why["nextStep"].as_str().filter(|step| !step.is_empty()) {
        writeln!(out, "  next step  {step}")?;
    }
    match why["cure"].as_str() {
        Some(word) => writeln!(out, "  cure       {}", cure(word)),
        None => Ok(()),
    }
}

fn cure(word: &str) -> &str {
    match word {
        "wait" => "time: something that runs will end",
        "nodes" => "more or freer nodes",
        "queue" => "the administrator of the queue",
        "author" => "the author of the gang; no change of any node helps",
        other => other,
    }
}

fn tally(set: &Value, out: &mut dyn Write) -> io::Result<()> {
    let role = set["role"].as_str().filter(|role| !role.is_empty()).unwrap_or("members");
    let requests = set["requests"].as_object().into_iter().flatten();
    let requests: Vec<String> =
        requests.map(|(name, amount)| format!("{} {name}", text(amount))).collect();
    let each = match requests.as_slice() {
        [] => String::new(),
        requests => format!(", each {}", requests.join(", ")),
    };
    let (placed, wanted) = (text(&set["placed"]), text(&set["wanted"]));
    writeln!(out, "             {role}: {placed} of {wanted} could be placed{each}")?;
    for node in set["nodes"].as_array().into_iter().flatten() {
        let count = node["count"].as_u64().unwrap_or(0);
        let nodes = if count == 1 { "node" } else { "nodes" };
        writeln!(out, "             {count:>6} {nodes}: {}", text(&node["sentence"]))?;
    }
    Ok(())
}
