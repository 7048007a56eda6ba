//! Binds of which no answer told how they ended: each may still be carried out.
//!
//! Until that is over, the pod goes nowhere else, and its room is given to nobody.

use super::server::{ApiServer, Caller};
use scheduler_model::time::{Span, Time};
use scheduler_protocol::answer::Answer;
use scheduler_protocol::call::{Call, PodRef};
use std::collections::BTreeMap;

/// A request without an answer may be carried out for this long.
const LINGERS: Span = Span::from_secs(60);

/// Per life of a replica and pod: where a bind may still put it, and until when.
#[derive(Clone, Debug, Default)]
pub(super) struct Doubts {
    rows: BTreeMap<((usize, u64), String), (String, Time)>,
}

impl Doubts {
    /// A process heard how a call of its own ended.
    pub(super) fn answered(&mut self, by: Caller, call: &Call, answer: &Answer, now: Time) {
        let Call::Bind { pod, node, .. } = call else { return };
        let is_unknown = match answer {
            Answer::Lost(_) => true,
            Answer::Reply(reply) => matches!(reply.code, 500 | 504),
            Answer::Unsent(_) => false,
        };
        if is_unknown {
            let row = (node.clone(), now.after(LINGERS));
            self.rows.insert(((by.replica, by.life), pod.uid.clone()), row);
        }
    }

    /// What is wrong with a bind that a process puts on the wire, given what may still happen
    /// of what it sent before. Room is looked at only where no stranger took of it.
    pub(super) fn fault(
        &self,
        server: &ApiServer,
        by: Caller,
        (pod, node): (&PodRef, &str),
        is_surprised: bool,
        now: Time,
    ) -> Option<String> {
        let life = (by.replica, by.life);
        let of_life = self.rows.iter().filter(|((whose, _), _)| *whose == life);
        let open = of_life.filter(|(_, (_, until))| now < *until).filter_map(|((_, uid), row)| {
            let found = server.pod(uid)?;
            let may_come = found.node.is_none() && !found.terminating && !found.phase.is_finished();
            may_come.then_some((found, row.0.as_str()))
        });
        let open: Vec<_> = open.collect();
        if let Some((_, other)) =
            open.iter().find(|(found, other)| found.uid == pod.uid && *other != node)
        {
            return Some(format!("to {node} while it may still come to {other}"));
        }
        if is_surprised {
            return None;
        }
        let (spec, bound) = (server.nodes.get(node)?, server.pod(&pod.uid)?);
        let here = server.pods.values().filter(|it| {
            it.node.as_deref() == Some(node) && !it.phase.is_finished() && it.uid != pod.uid
        });
        let here: Vec<_> = here.collect();
        let awaited = open.iter().filter(|(it, where_to)| *where_to == node && it.uid != pod.uid);
        for (resource, wanted) in &bound.shape.requests {
            let asks = |it: &scheduler_model::spec::PodSpec| {
                it.shape.requests.get(resource).map_or(0, |amount| amount.units())
            };
            let has = spec.allocatable.get(resource).map_or(0, |amount| amount.units());
            let used: i64 = here.iter().map(|it| asks(it)).sum::<i64>() + wanted.units();
            let more: i64 = awaited.clone().map(|(it, _)| asks(it)).sum();
            if used <= has && used + more > has {
                return Some(format!("to {node}, where {resource} is kept for binds in doubt"));
            }
        }
        None
    }
}
