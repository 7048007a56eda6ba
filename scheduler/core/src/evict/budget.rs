//! Room in disruption budgets, for whole sets of victims.
//!
//! Pods are deleted, not asked for through the Eviction API, so nobody but us keeps budgets. What
//! a budget allows is counted by others, who need a moment to see what we did: a pod that was
//! asked to go therefore counts against its budgets, beside what they say, until it was seen to
//! go and whoever counts has had [`COUNTED_WITHIN`] for it and told something since. Where
//! nothing is told, as the pod was not counted before either, its debt ends after
//! [`FORGIVEN_AFTER`], as it does for the Eviction API. To count a pod twice for a moment holds
//! evictions back; not to count it would break a budget.
//!
//! Invariant: fewer victims never exceed a budget by more.

use super::victims::Bundle;
use crate::engine::Engine;
use scheduler_framework::EventMask;
use scheduler_model::explain::Explanation;
use scheduler_model::ids::{GangId, PodId};
use scheduler_model::snapshot::Snapshot;
use scheduler_model::spec::BudgetSpec;
use scheduler_model::time::{Span, Time};
use std::collections::{BTreeMap, BTreeSet};

/// How soon a pod's going is in what its budgets say, once it was seen.
const COUNTED_WITHIN: Span = Span::from_secs(10);

/// How long a pod that went counts against a budget that is not told anew.
const FORGIVEN_AFTER: Span = Span::from_secs(120);

/// Budgets that an explanation names at most.
const NAMED_MAX: usize = 3;

/// Whether victims may be taken that a disruption budget protects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Budgets {
    /// Never.
    #[default]
    Keep,
    /// Only if no others would do, and then as few as can be found.
    BreakLast,
}

/// Pods that were asked to go and that budgets may not have seen go yet, by uid.
#[derive(Clone, Debug, Default)]
pub(super) struct Debts {
    rows: BTreeMap<String, Debt>,
}

/// What one pod counts against.
#[derive(Clone, Debug)]
struct Debt {
    /// Keys of budgets.
    budgets: Vec<String>,
    /// When it was asked to go.
    asked: Time,
    /// When it was seen to go.
    seen: Option<Time>,
}

impl Debts {
    /// A pod is asked to go.
    pub(super) fn goes(&mut self, snap: &Snapshot, pod: PodId, now: Time) {
        let spec = &snap.pods().get(pod).spec;
        let budgets: Vec<String> = snap.budgets().of(spec).map(|it| it.spec.key()).collect();
        if !budgets.is_empty() {
            self.rows.insert(spec.uid.clone(), Debt { budgets, asked: now, seen: None });
        }
    }

    /// It stays after all.
    pub(super) fn stays(&mut self, uid: &str) {
        self.rows.remove(uid);
    }

    /// Sees who went, and drops what is in the numbers of its budgets by now.
    pub(super) fn settle(&mut self, snap: &Snapshot, now: Time) {
        self.rows.retain(|uid, debt| {
            let pod = snap.pods().find(uid).map(|pod| &snap.pods().get(pod).spec);
            if pod.is_none_or(|pod| pod.terminating || pod.phase.is_finished()) {
                debt.seen.get_or_insert(now);
            }
            let Some(seen) = debt.seen else { return true };
            let asked = debt.asked;
            debt.budgets.retain(|key| {
                let budget = snap.budgets().get(key);
                budget.is_some_and(|budget| {
                    let is_told = budget.told_at > asked;
                    seen.after(if is_told { COUNTED_WITHIN } else { FORGIVEN_AFTER }) > now
                })
            });
            !debt.budgets.is_empty()
        });
    }

    /// The next moment at which a debt may have ended, as things stand.
    fn next(&self, now: Time) -> Option<Time> {
        let ends = |debt: &Debt| {
            let seen = debt.seen?;
            // Until then its budgets may be told anew.
            let soon = seen.after(COUNTED_WITHIN);
            Some(if soon > now { soon } else { seen.after(FORGIVEN_AFTER) })
        };
        self.rows.values().filter_map(ends).min()
    }

    fn of(&self, key: &str) -> u32 {
        let all = self.rows.values().filter(|debt| debt.budgets.iter().any(|it| it == key));
        u32::try_from(all.count()).unwrap_or(u32::MAX)
    }
}

/// How many more pods may go, for each budget that covers a candidate.
#[derive(Clone, Debug, Default)]
pub(super) struct Rooms {
    budgets: Vec<(String, usize)>,
    /// Budgets of each pod that is under some.
    of: BTreeMap<PodId, Vec<usize>>,
}

impl Rooms {
    pub(super) fn of(snap: &Snapshot, debts: &Debts, bundles: &[Bundle]) -> Self {
        let mut rooms = Self::default();
        if snap.budgets().is_empty() {
            return rooms;
        }
        let mut places: BTreeMap<String, usize> = BTreeMap::new();
        let pods: BTreeSet<PodId> = bundles.iter().flat_map(|it| &it.pods).copied().collect();
        for pod in pods {
            for budget in snap.budgets().of(&snap.pods().get(pod).spec) {
                let key = budget.spec.key();
                let at = *places.entry(key.clone()).or_insert_with(|| {
                    let room = budget.spec.allowed.saturating_sub(debts.of(&key));
                    rooms.budgets.push((key, usize::try_from(room).unwrap_or(usize::MAX)));
                    rooms.budgets.len() - 1
                });
                rooms.of.entry(pod).or_default().push(at);
            }
        }
        rooms
    }

    /// Pods beyond what each budget allows, if all of these go. A pod under two budgets counts
    /// against both.
    pub(super) fn excess(&self, set: &[&Bundle]) -> usize {
        self.beyond(set).map(|(_, count)| count).sum()
    }

    /// Budgets that would be broken.
    fn broken(&self, set: &[&Bundle]) -> Vec<String> {
        self.beyond(set).map(|(at, _)| self.budgets[at].0.clone()).collect()
    }

    /// Budgets that would be broken, by how many pods each.
    fn beyond(&self, set: &[&Bundle]) -> impl Iterator<Item = (usize, usize)> {
        let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
        if !self.of.is_empty() {
            let pods: BTreeSet<&PodId> = set.iter().flat_map(|it| &it.pods).collect();
            for at in pods.into_iter().filter_map(|pod| self.of.get(pod)).flatten() {
                *counts.entry(*at).or_insert(0) += 1;
            }
        }
        let beyond =
            counts.into_iter().map(|(at, count)| (at, count.saturating_sub(self.budgets[at].1)));
        beyond.filter(|(_, count)| *count > 0)
    }
}

/// What a gang could have but for budgets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Barred {
    /// Pods that could go for it.
    pods: usize,
    /// Keys of the budgets that keep them.
    budgets: Vec<String>,
}

impl Engine {
    /// Takes victims that were found if budgets or policy allow it, and notes of whom budgets
    /// keep victims away.
    pub(super) fn heed_budgets(
        &mut self,
        gang: GangId,
        rooms: &Rooms,
        victims: &[Bundle],
        now: Time,
    ) -> bool {
        let set: Vec<&Bundle> = victims.iter().collect();
        let budgets = rooms.broken(&set);
        if budgets.is_empty() || self.config.budgets == Budgets::BreakLast {
            self.plans.barred.remove(&gang);
            return true;
        }
        let pods = victims.iter().map(|it| it.pods.len()).sum();
        self.plans.barred.insert(gang, Barred { pods, budgets });
        if let Some(next) = self.plans.debts.next(now) {
            let again = self.plans.again.entry(gang).or_insert(next);
            *again = next.min(*again);
        }
        false
    }

    /// Says of a gang that finds no room that budgets keep it from making some, and wakes it when
    /// they allow more.
    pub(crate) fn tell_of_budgets(&self, gang: GangId, why: &mut (Explanation, EventMask)) {
        let Some(barred) = self.plans.barred.get(&gang) else { return };
        let (explanation, wakes_on) = why;
        *wakes_on |= EventMask::BUDGET_ROSE;
        let step = &mut explanation.next_step;
        let pods = match barred.pods {
            1 => "1 pod".to_owned(),
            many => format!("{many} pods"),
        };
        if barred.budgets.iter().any(|key| *key == BudgetSpec::unreadable().key()) {
            *step += &format!("; {pods} could be evicted for it if PodDisruptionBudgets were read");
            return;
        }
        let named: Vec<&str> = barred.budgets.iter().take(NAMED_MAX).map(String::as_str).collect();
        let more = if barred.budgets.len() > NAMED_MAX { " and others" } else { "" };
        let named = named.join(", ");
        *step +=
            &format!("; {pods} could be evicted for it but for PodDisruptionBudget {named}{more}");
    }
}
