//! Disruption budgets by the namespace of their pods.
//!
//! Which pods a budget covers is not kept: it is asked of the few that may be evicted.

use crate::spec::{BudgetSpec, PodSpec};
use crate::time::Time;
use std::collections::BTreeMap;

/// A budget, and when it was told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Budget {
    /// As last told.
    pub spec: BudgetSpec,
    /// When it was last told anew.
    pub told_at: Time,
}

/// All budgets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BudgetTable {
    /// By namespace and name.
    rows: BTreeMap<String, BTreeMap<String, Budget>>,
}

impl BudgetTable {
    /// The budget of this key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Budget> {
        let (namespace, name) = key.split_once('/')?;
        self.rows.get(namespace)?.get(name)
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &Budget> {
        self.rows.values().flat_map(BTreeMap::values)
    }

    /// True if there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Those that cover a pod.
    pub fn of(&self, pod: &PodSpec) -> impl Iterator<Item = &Budget> {
        // Those of no namespace are of every one.
        let namespaces = ["", pod.namespace.as_str()];
        let rows = namespaces.into_iter().filter_map(|namespace| self.rows.get(namespace));
        rows.flat_map(BTreeMap::values).filter(|budget| budget.spec.covers(pod))
    }

    pub(crate) fn insert(&mut self, spec: BudgetSpec, now: Time) {
        let rows = self.rows.entry(spec.namespace.clone()).or_default();
        rows.insert(spec.name.clone(), Budget { spec, told_at: now });
    }

    pub(crate) fn remove(&mut self, key: &str) {
        let Some((namespace, name)) = key.split_once('/') else { return };
        let Some(rows) = self.rows.get_mut(namespace) else { return };
        rows.remove(name);
        if rows.is_empty() {
            self.rows.remove(namespace);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::{LabelSelector, PodPhase, Requirement, SelectorOperator};

    fn selector(key: &str) -> LabelSelector {
        let operator = SelectorOperator::Exists;
        let requirement = Requirement { key: key.to_owned(), operator, values: Vec::new() };
        LabelSelector { requirements: vec![requirement] }
    }

    fn budget(namespace: &str, name: &str, selector: Option<LabelSelector>) -> BudgetSpec {
        BudgetSpec { namespace: namespace.to_owned(), name: name.to_owned(), selector, allowed: 1 }
    }

    fn pod() -> PodSpec {
        let labels = crate::spec::Labels::from([("app".to_owned(), "web".to_owned())]);
        PodSpec { labels, phase: PodPhase::Running, ..PodSpec::new("a", "web-0") }
    }

    fn names(table: &BudgetTable, pod: &PodSpec) -> Vec<String> {
        table.of(pod).map(|budget| budget.spec.key()).collect()
    }

    #[test]
    fn a_pod_is_under_the_budgets_of_its_namespace_that_select_it() {
        let mut table = BudgetTable::default();
        for (namespace, name, of) in [
            ("a", "all", Some(LabelSelector::default())),
            ("a", "none", None),
            ("a", "app", Some(selector("app"))),
            ("a", "other", Some(selector("other"))),
            ("b", "elsewhere", Some(LabelSelector::default())),
        ] {
            table.insert(budget(namespace, name, of), Time::ZERO);
        }
        assert_eq!(names(&table, &pod()), ["a/all", "a/app"]);
    }

    #[test]
    fn a_pod_that_has_not_begun_to_run_takes_nothing_of_a_budget() {
        let mut table = BudgetTable::default();
        table.insert(budget("a", "all", Some(LabelSelector::default())), Time::ZERO);
        assert_eq!(names(&table, &PodSpec { phase: PodPhase::Pending, ..pod() }).len(), 0);
    }

    #[test]
    fn what_stands_for_budgets_that_cannot_be_read_covers_every_pod() {
        let mut table = BudgetTable::default();
        table.insert(BudgetSpec::unreadable(), Time::ZERO);
        assert_eq!(names(&table, &pod()), ["/"]);
        table.remove("/");
        assert!(table.is_empty());
    }
}
