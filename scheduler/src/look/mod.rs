//! The commands that read a live cluster: `explain`, `gangs`, `queues`, `dump`.
//!
//! `groups` reads what stands on group objects, which needs rights in one namespace only;
//! `leader` asks the scheduler that leads. `paragraph`, `columns` and `queues` write for people.
//!
//! Invariant: nothing is written to the cluster, and nothing old is shown: groups carry what
//! the leader wrote, and a standby is never believed.

mod bar;
mod columns;
mod groups;
mod leader;
mod paragraph;
mod pods;
mod queues;
mod scales;

use crate::arguments::Dump;
use crate::arguments::live::{Cluster, Explain, Form, Gangs, Queues};
use crate::ending::Ending;
use columns::{columns, text};
use leader::Leader;
use scheduler_kube::look::Access;
use serde_json::{Value, json};
use std::io::{self, Write};
use std::time::Duration;

/// An answer, or why there is none, in words for a person.
type Answer<T> = Result<T, String>;

/// `muster explain`.
///
/// # Errors
/// If `out` or `err` cannot be written to.
pub fn explain(wish: &Explain, out: &mut dyn Write, err: &mut dyn Write) -> io::Result<Ending> {
    match wait_for(explained(wish)) {
        Ok(value) => match wish.output {
            Some(form @ (Form::Json | Form::Yaml)) => program(&value, form, out),
            None | Some(Form::Wide) => paragraph::write(&value, out),
        }
        .map(|()| Ending::Ran),
        Err(why) => failed(&why, err),
    }
}

async fn explained(wish: &Explain) -> Answer<Value> {
    let (namespace, name) = match wish.gang.split_once('/') {
        // `job/train` is a plain gang, not one in a namespace called job.
        Some((first, rest)) if wish.namespace.is_none() && !is_controller(first) => {
            (Some(first), rest)
        }
        _ => (wish.namespace.as_deref(), wish.gang.as_str()),
    };
    if let Some(url) = &wish.cluster.admin_url {
        let namespace = namespace.unwrap_or("default");
        return Leader::at(url).value(&format!("/explain/{namespace}/{name}")).await;
    }
    let cluster = access(&wish.cluster).cluster().await?;
    let namespace = namespace.unwrap_or_else(|| cluster.namespace()).to_owned();
    let found = groups::find(&cluster, &namespace, name).await;
    let leader = Leader::through(cluster.clone(), &wish.cluster.admin_service)?;
    if let Ok(Some(mut value)) = found {
        if value["state"] == "waiting" {
            value["queueUse"] = queue_use(&leader, &namespace, &value).await;
        }
        return Ok(value);
    }
    let why = match leader.ask(&format!("/explain/{namespace}/{name}")).await {
        Ok(text) => return leader::parse(&text),
        // Pods say less, and of any scheduler: only to those who may not ask.
        Err(silence) if silence.is_forbidden => {
            match pods::find(&cluster, &namespace, name).await {
                Ok(Some(value)) => return Ok(value),
                Ok(None) => silence.words,
                Err(why) => format!("{}; nor can pods be read: {why}", silence.words),
            }
        }
        Err(silence) => silence.words,
    };
    let groups = match found {
        Err(why) => why,
        Ok(_) => format!("no group object {namespace}/{name} is there"),
    };
    Err(format!("{groups}, and the leader says nothing either: {why}"))
}

/// How long the leader may take to add to what is known already.
const PATIENCE: Duration = Duration::from_secs(2);

/// What the queue of a group has now, if the leader may be asked: it stands on no object.
async fn queue_use(leader: &Leader, namespace: &str, gang: &Value) -> Value {
    let (name, dialect) = (text(&gang["name"]), text(&gang["dialect"]));
    let path = format!("/explain/{namespace}/{name}?dialect={dialect}");
    match tokio::time::timeout(PATIENCE, leader.value(&path)).await {
        Ok(Ok(mut told)) => told["queueUse"].take(),
        _ => Value::Null,
    }
}

/// The first part of the name of a plain gang.
fn is_controller(word: &str) -> bool {
    let kinds = ["job", "statefulset", "replicaset", "deployment", "leaderworkerset", "jobset"];
    kinds.contains(&word)
}

/// `muster gangs`.
///
/// # Errors
/// If `out` or `err` cannot be written to.
pub fn gangs(wish: &Gangs, out: &mut dyn Write, err: &mut dyn Write) -> io::Result<Ending> {
    let (value, note) = match wait_for(listed(wish)) {
        Ok(found) => found,
        Err(why) => return failed(&why, err),
    };
    if let Some(form @ (Form::Json | Form::Yaml)) = wish.output {
        program(&value, form, out)?;
    } else {
        let empty = Vec::new();
        let gangs = value["gangs"].as_array().unwrap_or(&empty);
        gang_table(gangs, wish, out)?;
    }
    if let Some(note) = note {
        writeln!(err, "note: {note}")?;
    }
    Ok(Ending::Ran)
}

async fn listed(wish: &Gangs) -> Answer<(Value, Option<String>)> {
    let queue = wish.queue.as_deref();
    // It stands in a path.
    let is_plain = |char: char| char.is_ascii_alphanumeric() || "-./_".contains(char);
    if let Some(name) = queue.filter(|name| !name.chars().all(is_plain)) {
        return Err(format!("no queue can be called {name:?}"));
    }
    let path = |namespace: Option<&str>| {
        let wishes = [("namespace", namespace), ("queue", queue)];
        let wishes = wishes.iter().filter_map(|(key, it)| it.map(|it| format!("{key}={it}")));
        format!("/gangs?{}", wishes.collect::<Vec<String>>().join("&"))
    };
    if let Some(url) = &wish.cluster.admin_url {
        let value = Leader::at(url).value(&path(wish.namespace.as_deref())).await?;
        return Ok((value, None));
    }
    let cluster = access(&wish.cluster).cluster().await?;
    let own = wish.namespace.clone().unwrap_or_else(|| cluster.namespace().to_owned());
    let namespace = (!wish.all_namespaces).then_some(own.as_str());
    let leader = Leader::through(cluster.clone(), &wish.cluster.admin_service)?;
    match leader.value(&path(namespace)).await {
        Ok(value) => Ok((value, None)),
        Err(why) => {
            let mut gangs = groups::list(&cluster, namespace).await?;
            let mut left_out = "gangs without a group object";
            if let Some(queue) = queue {
                gangs.retain(|gang| gang["queue"] == queue);
                left_out = "gangs without a group object, and those of queues below,";
            }
            let note = format!("{left_out} are not listed: {why}");
            Ok((json!({"gangs": gangs}), Some(note)))
        }
    }
}

fn gang_table(gangs: &[Value], wish: &Gangs, out: &mut dyn Write) -> io::Result<()> {
    let is_wide = wish.output == Some(Form::Wide);
    let mut titles = vec!["GANG", "QUEUE", "STATE", "PODS", "MIN"];
    if wish.all_namespaces {
        titles.insert(0, "NAMESPACE");
    }
    if is_wide {
        titles.extend(["DIALECT", "PRIORITY", "NODES"]);
    }
    titles.push("REASON");
    let row = |gang: &Value| {
        let members = gang["members"].as_array();
        let exist = members.map(Vec::len).map_or_else(|| text(&gang["exist"]), |it| it.to_string());
        let mut row = vec![
            text(&gang["name"]),
            text(&gang["queue"]),
            text(&gang["state"]),
            format!("{}/{exist}", text(&gang["placed"])),
            text(&gang["min"]),
        ];
        if wish.all_namespaces {
            row.insert(0, text(&gang["namespace"]));
        }
        if is_wide {
            let nodes = members.into_iter().flatten().filter_map(|it| it["node"].as_str());
            row.extend([text(&gang["dialect"]), text(&gang["priority"])]);
            row.push(crate::show::compress(nodes));
        }
        row.push(text(&gang["explanation"]["sentence"]));
        row
    };
    columns(&titles, gangs.iter().map(row).collect(), out)
}

/// `muster queues`.
///
/// # Errors
/// If `out` or `err` cannot be written to.
pub fn queues(wish: &Queues, out: &mut dyn Write, err: &mut dyn Write) -> io::Result<Ending> {
    let value = match wait_for(leading(&wish.cluster, "/queues")) {
        Ok(text) => text,
        Err(why) => return failed(&why, err),
    };
    let value: Value = match serde_json::from_str(&value) {
        Ok(value) => value,
        Err(error) => return failed(&format!("the leader's answer is no JSON: {error}"), err),
    };
    if let Some(form @ (Form::Json | Form::Yaml)) = wish.output {
        return program(&value, form, out).map(|()| Ending::Ran);
    }
    queues::write(&value, wish.output == Some(Form::Wide), out).map(|()| Ending::Ran)
}

/// `muster dump` of a live cluster.
///
/// # Errors
/// If `out` or `err` cannot be written to.
pub fn dump(wish: &Dump, out: &mut dyn Write, err: &mut dyn Write) -> io::Result<Ending> {
    match wait_for(leading(&wish.cluster, "/dump")) {
        Ok(text) => out.write_all(text.as_bytes()).map(|()| Ending::Ran),
        Err(why) => failed(&why, err),
    }
}

async fn leading(wish: &Cluster, path: &str) -> Answer<String> {
    if let Some(url) = &wish.admin_url {
        return Leader::at(url).text(path).await;
    }
    let cluster = access(wish).cluster().await?;
    Leader::through(cluster, &wish.admin_service)?.text(path).await
}

fn access(wish: &Cluster) -> Access {
    Access { kubeconfig: wish.kubeconfig.clone(), context: wish.context.clone() }
}

fn program(value: &Value, form: Form, out: &mut dyn Write) -> io::Result<()> {
    if form == Form::Yaml {
        let text = serde_saphyr::to_string(value).map_err(io::Error::other)?;
        return writeln!(out, "{}", text.trim_end());
    }
    serde_json::to_writer_pretty(&mut *out, value)?;
    writeln!(out)
}

fn failed(why: &str, err: &mut dyn Write) -> io::Result<Ending> {
    writeln!(err, "error: {why}")?;
    Ok(Ending::Unreadable)
}

/// Runs a command's few requests to their end.
fn wait_for<T>(work: impl Future<Output = Answer<T>>) -> Answer<T> {
    crate::run::install_crypto();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.map_err(|error| format!("no requests can be made: {error}"))?.block_on(work)
}
