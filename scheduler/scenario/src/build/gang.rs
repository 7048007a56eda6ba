//! Entries of `running`, `pending` and `foreign` become groups; `member` makes their pods.

use super::Builder;
use super::member::Lot;
use crate::error::Error;
use crate::file::{GangFile, GroupFile, Sections};
use crate::full::Mirror;
use crate::read::Text;
use scheduler_model::event::Event;
use scheduler_model::spec::{
    CreatesAtOnce, Dialect, GangKey, GangSpec, Ledger, Membership, Reservation, RoleSpec,
    RoleTally, TopologyWish, Wishes,
};
use scheduler_model::time::{Span, Time};

/// Which list an entry stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Section {
    Running,
    Pending,
    Foreign,
}

impl Builder {
    /// All gangs and pods. Foreign ones come last: they may join a gang but never describe it.
    pub(super) fn gangs(&mut self, sections: &Sections) -> Result<(), Error> {
        for (section, entries) in [
            (Section::Running, &sections.running),
            (Section::Pending, &sections.pending),
            (Section::Foreign, &sections.foreign),
        ] {
            // Listed first means created first: a millisecond lies between two gangs.
            let mut left: usize = entries.iter().map(|entry| names(&entry.value).len()).sum();
            for entry in entries {
                let line = entry.referenced.line();
                check(&entry.value, section).map_err(|why| {
                    Error::at(line, why, "docs/SCENARIOS.md describes gangs and pods")
                })?;
                for name in names(&entry.value) {
                    let before = Span::from_ms(i64::try_from(left).unwrap_or(i64::MAX));
                    left -= 1;
                    self.gang(&entry.value, &name, section, (line, before))?;
                }
            }
        }
        Ok(())
    }

    fn gang(
        &mut self,
        file: &GangFile,
        name: &str,
        section: Section,
        (line, before): (u64, Span),
    ) -> Result<(), Error> {
        let lot = self.lot(file, name, section, (line, before))?;
        let first = !self.gangs.contains_key(&lot.key);
        let described = described(file);
        let known = self.gangs.entry(lot.key.clone()).or_default();
        if let (false, Some(key), true) = (first, described, known.step == self.step) {
            return Err(Error::at(
                line,
                format!("gang {name:?} is already described on line {}", known.line),
                format!("write {key:?} there; another entry of the gang only adds pods"),
            ));
        }
        if first || described.is_some() {
            (known.line, known.step) = (line, self.step);
        }
        let has_group = match lot.membership {
            Membership::Group(_) => file.group != Some(GroupFile::Missing),
            Membership::Owner(_) => described.is_some(),
            Membership::Alone => false,
        };
        if has_group && section != Section::Foreign && (first || described.is_some()) {
            let ledger = self.ledger(file).unwrap_or_default();
            let wishes = match lot.membership {
                Membership::Group(_) => self.wished(file).unwrap_or_default(),
                _ => Wishes::default(),
            };
            let group = group(file, lot.key.clone(), lot.created_at);
            let spec = GangSpec { ledger, wishes, ..group };
            self.world.events.push(Event::Gang(Box::new(spec)));
        }
        self.members(file, &lot)
    }

    /// What an entry wishes where others want its room.
    pub(super) fn wished(&self, file: &GangFile) -> Option<Wishes> {
        let span = |text: &Option<Text<Span>>| text.as_ref().map_or(Span::ZERO, |it| it.0);
        let wishes = Wishes {
            non_preemptible: file.preemptible == Some(false),
            min_runtime: span(&file.min_runtime),
            cooldown: span(&file.cooldown),
            preemption_cost: file.preemption_cost,
            checkpointed_at: file.checkpointed.as_ref().map(|it| Self::moment(self.now, it.0)),
        };
        Some(wishes).filter(|it| *it != Wishes::default())
    }

    /// What was written down about the gang of an entry.
    pub(super) fn ledger(&self, file: &GangFile) -> Option<Ledger> {
        let ledger = file.ledger.as_ref()?;
        let moment =
            |time: &Option<Text<Time>>| time.as_ref().map(|time| Self::moment(self.now, time.0));
        let tallies = ledger.succeeded.iter();
        Some(Ledger {
            run: moment(&ledger.run),
            youngest: moment(&ledger.youngest),
            age: moment(&ledger.age),
            blocked_since: moment(&ledger.blocked_since),
            broken_since: moment(&ledger.broken_since),
            has_started: ledger.started,
            releases: ledger.releases,
            succeeded: tallies
                .map(|(role, count)| RoleTally { role: role.clone(), count: *count })
                .collect(),
            begun: None,
            evicted: ledger.evicted.iter().map(|it| Self::moment(self.now, it.0)).collect(),
            reservation: ledger.reservation.as_ref().map(|it| Reservation {
                plan: Self::moment(self.now, it.plan.0),
                until: Self::moment(self.now, it.until.0),
                ..Reservation::default()
            }),
        })
    }

    /// What all members of the entry have in common.
    fn lot(
        &self,
        file: &GangFile,
        name: &str,
        section: Section,
        (line, before): (u64, Span),
    ) -> Result<Lot, Error> {
        let namespace = file.namespace.clone().unwrap_or_else(|| "default".to_owned());
        let dialect = match &file.dialect {
            _ if file.pod.is_some() => Dialect::Pod,
            _ if file.owner.is_some() => Dialect::Plain,
            Some(dialect) => Dialect::into_value(dialect.clone()),
            None => Dialect::Muster,
        };
        let key = GangKey { namespace, name: name.to_owned(), dialect };
        let membership = match dialect {
            Dialect::Pod => Membership::Alone,
            Dialect::Plain => Membership::Owner(key.clone()),
            _ => Membership::Group(key.clone()),
        };
        let shift = |time: Time| Time::from_ms(time.ms().saturating_sub(before.ms()));
        let since = match &file.since {
            Some(time) => Self::moment(self.now, time.0),
            None => shift(self.ago(Span::from_secs(3600))),
        };
        let arrives = file.at.as_ref().map(|time| time.0);
        let created_at = match (&file.created, arrives) {
            (Some(time), _) => Self::moment(self.now, time.0),
            (None, Some(at)) => shift(Self::moment(self.start, at)),
            (None, None) if file.on.0.is_empty() => shift(self.now),
            (None, None) => since,
        };
        let runtime = match &file.ends {
            None => file.runtime.as_ref().map(|span| span.0),
            Some(time) => {
                let ends = Self::moment(self.now, time.0);
                if ends < since {
                    return Err(Error::at(line, "it ends before it began", "move ends or since"));
                }
                Some(ends.since(since))
            }
        };
        Ok(Lot { key, membership, section, line, since, created_at, arrives, runtime })
    }
}

/// The names an entry is about.
fn names(file: &GangFile) -> Vec<String> {
    let names = [&file.gang, &file.pod, &file.owner].into_iter().flatten();
    names.flat_map(|names| names.0.clone()).collect()
}

fn check(file: &GangFile, section: Section) -> Result<(), String> {
    let kinds = [&file.gang, &file.pod, &file.owner].into_iter().flatten().count();
    let has_places = !file.on.0.is_empty() || file.roles.values().any(|role| !role.on.0.is_empty());
    let say = |text: &str| Err(text.to_owned());
    match section {
        _ if kinds != 1 => say("an entry has exactly one of gang, pod and owner"),
        Section::Running if !has_places => say("a running gang needs on: the nodes it runs on"),
        Section::Pending if has_places => {
            say("a pending gang has no on; list its bound pods under running")
        }
        _ if file.pod.is_some() && file.pods.is_some() => {
            say("a pod is one; use gang for several, or a pattern such as \"x{1..3}\"")
        }
        _ if !file.roles.is_empty() && file.pods.is_some() => {
            say("with roles, pods stands in every role")
        }
        _ if file.owner.as_ref().is_some_and(|names| names.0.iter().any(|n| !n.contains('/'))) => {
            say("owner is <kind>/<name>, such as job/train")
        }
        _ if file.gang.is_none() && file.dialect.is_some() => {
            say("dialect goes with gang; a pod and an owner have none")
        }
        _ if file.group.is_some() && file.gang.is_none() => say("group goes with gang"),
        _ if file.ends.is_some() && file.runtime.is_some() => {
            say("ends and runtime say the same; write one of them")
        }
        _ => match demands(file) {
            Some(key) if file.pod.is_some() => Err(format!("a lone pod has no {key}")),
            Some(key) if file.group.is_some() => {
                Err(format!("{key} stands in the group, and the group is missing"))
            }
            _ => Ok(()),
        },
    }
}

/// The first key of the entry that only a group object can hold.
fn demands(file: &GangFile) -> Option<&'static str> {
    let keys = [
        ("min", file.min.is_some()),
        ("a role's min", file.roles.values().any(|role| role.min.is_some())),
        ("together", file.together.is_some()),
        ("prefer", file.prefer.is_some()),
        ("topology", file.topology.is_some()),
        ("unbreakable", file.unbreakable),
        ("succeeded", file.succeeded > 0),
        ("createsAtOnce", file.creates_at_once.is_some()),
        ("groupUnsupported", !file.group_unsupported.is_empty()),
        ("minResources", !file.min_resources.0.is_empty()),
    ];
    keys.into_iter().find(|(_, is_set)| *is_set).map(|(key, _)| key)
}

/// The first key of the entry that describes the group rather than its pods.
fn described(file: &GangFile) -> Option<&'static str> {
    let keys = [
        ("queue", file.queue.is_some()),
        ("priority", file.priority.is_some()),
        ("priorityClass", file.priority_class.is_some()),
        ("walltime", file.walltime.is_some()),
        ("ledger", file.ledger.is_some()),
        ("preemptible", file.preemptible.is_some()),
        ("minRuntime", file.min_runtime.is_some()),
        ("cooldown", file.cooldown.is_some()),
        ("preemptionCost", file.preemption_cost.is_some()),
        ("checkpointed", file.checkpointed.is_some()),
    ];
    let other = || keys.into_iter().find(|(_, is_set)| *is_set).map(|(key, _)| key);
    match (demands(file), &file.owner) {
        (Some(key), _) => Some(key),
        // A controller has no such fields: its pods carry them.
        (None, Some(_)) => None,
        (None, None) => other(),
    }
}

fn group(file: &GangFile, key: GangKey, created_at: Time) -> GangSpec {
    let role_min = |role: &crate::file::RoleFile| role.min.or(role.pods).unwrap_or(1);
    let roles: Vec<RoleSpec> = file
        .roles
        .iter()
        .map(|(name, role)| RoleSpec { name: name.clone(), min: role_min(role) })
        .collect();
    let whole = match key.dialect {
        // Without an explicit minimum a controller's pods start one by one.
        Dialect::Plain => 1,
        _ if roles.is_empty() => file.pods.unwrap_or(1),
        _ => roles.iter().fold(0, |sum, role| role.min.saturating_add(sum)),
    };
    GangSpec {
        created_at,
        min: file.min.unwrap_or(whole),
        roles: if key.dialect == Dialect::Plain { Vec::new() } else { roles },
        queue: file.queue.clone(),
        priority: file.priority,
        priority_class: file.priority_class.clone().unwrap_or_default(),
        topology: TopologyWish {
            topology: file.topology.clone(),
            required: file.together.clone(),
            preferred: file.prefer.clone(),
        },
        walltime: file.walltime.as_ref().map(|span| span.0),
        unbreakable: file.unbreakable,
        succeeded: file.succeeded,
        creates_at_once: file
            .creates_at_once
            .as_ref()
            .map(|one| CreatesAtOnce { pods: one.pods, setting: one.setting.clone() }),
        unsupported: file.group_unsupported.clone(),
        min_resources: file.min_resources.0.clone(),
        ..GangSpec::plain(key)
    }
}
