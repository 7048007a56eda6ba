//! What must hold once all has come to rest.
//!
//! 1. Nothing is in flight.
//! 2. What the leader believes is what a process that starts afresh reads from the server.
//! 3. Such a process finds nothing to do: whatever could run, runs.
//! 4. What people read of a group with members is what the leader would tell them.

use super::promises::Promises;
use super::replica::Replica;
use super::server::{ApiServer, Done};
use super::tally::group_of;
use super::watch::Watch;
use scheduler_core::engine::{Config, Engine};
use scheduler_core::report::Decision;
use scheduler_framework::profile::Profile;
use scheduler_model::event::{Event, Kind};
use scheduler_model::spec::{Dialect, GangKey};
use scheduler_model::time::Time;
use scheduler_protocol::lanes::Lane;
use scheduler_protocol::status::GroupStatus;
use std::collections::{BTreeMap, BTreeSet};

/// Looks at everything once more.
pub fn look(
    promises: &mut Promises,
    server: &ApiServer,
    replicas: &[Replica],
    (profile, config): (&Profile, &Config),
    now: Time,
) {
    let live: Vec<_> = replicas.iter().filter_map(|replica| replica.live.as_ref()).collect();
    let Some(leader) = live.iter().find(|live| live.leadership().leads()) else {
        promises.broken(now, "nobody leads in the end");
        return;
    };
    for lane in [Lane::Bind, Lane::Volume, Lane::Repair] {
        let (waiting, flying) = leader.traffic(lane);
        if waiting + flying > 0 {
            promises.broken(now, &format!("{lane:?}: {waiting} wait and {flying} fly in the end"));
        }
    }
    if leader.engine().in_flight() > 0 {
        promises.broken(now, "binds are not settled in the end");
    }
    let mut fresh = Engine::new(profile.clone(), config.clone());
    for event in everything(server) {
        fresh.observe(event, now);
    }
    for line in outdated(server, leader.engine()) {
        promises.broken(now, &line);
    }
    for line in leader.engine().audit() {
        promises.broken(now, &format!("the leader's snapshot: {line}"));
    }
    for decision in fresh.cycle(now).decisions {
        if let Decision::Run(plan) = decision {
            let why = leader.engine().gang(&plan.gang).and_then(|view| view.explanation);
            let why = why.map_or_else(|| "nothing".to_owned(), |why| why.to_string());
            let words = format!("{} could run, and the leader says: {why}", plan.gang);
            promises.broken(now, &words);
        }
    }
}

/// Groups whose status, where they have one, says something else than the leader would. A new
/// process says nothing of a group without members.
fn outdated(server: &ApiServer, engine: &Engine) -> Vec<String> {
    let writes = server.writes.iter().filter_map(|write| match &write.what {
        Done::Group(key, status) => Some(((key, &write.uid), status)),
        _ => None,
    });
    let last: BTreeMap<_, &Box<GroupStatus>> = writes.collect();
    let unfinished = server.pods.values().filter(|pod| !pod.phase.is_finished());
    let present: BTreeSet<&GangKey> = unfinished.filter_map(group_of).collect();
    let mut lines = Vec::new();
    for gang in server.gangs.values().filter(|gang| present.contains(&gang.key)) {
        let Some(status) = last.get(&(&gang.key, &gang.uid)) else { continue };
        let Some(view) = engine.gang(&gang.key) else { continue };
        if status.generation != gang.generation {
            lines.push(format!("the status of {} is about an earlier generation", gang.key));
        }
        // Kubernetes' own groups have no word for counts.
        let count = |placed: u32| (gang.key.dialect != Dialect::Kubernetes).then_some(placed);
        let says = (status.min, count(status.counts.placed), status.explanation.is_some());
        let is = (view.min, count(view.counts.placed), view.explanation.is_some());
        if says != is {
            lines.push(format!("the status of {} says {says:?}, it is {is:?}", gang.key));
        }
    }
    lines
}

fn everything(server: &ApiServer) -> Vec<Event> {
    let mut all = Watch::still(server);
    for kind in [Kind::Node, Kind::Claim, Kind::Volume, Kind::Gang, Kind::Pod] {
        all.extend(server.list(kind));
    }
    all
}
