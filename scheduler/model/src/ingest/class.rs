//! Interning of pod classes: linking a class to selectors and carriers, and keeping those
//! links right as selectors come and go.
//!
//! Invariant after every call: `matches` and `acted_on` of each live class name exactly the
//! live selectors and carriers that select it, and every tally equals the sum over classes.

use crate::class::{ClassKey, PodClass, Spread, Term, resident, selector_keys};
use crate::constraint::ConstraintKey;
use crate::ids::{ClassId, ConstraintId, GangId, KeyId, PodId, SelectorId};
use crate::relation::{CarrierKind, PodSelector, Sign, Tallies, change};
use crate::snapshot::{Charge, Daemon, Snapshot};
use crate::spec::{DaemonSpec, NamespaceScope, PodSpec, PodTerm, Reach};
use crate::volume::Need;
use crate::{amount::Amount, resource::PODS};
use std::collections::BTreeSet;
use std::sync::Arc;

impl Snapshot {
    /// The id of a node label key, with a column made if it is new.
    pub(crate) fn mention_key(&mut self, key: &str) -> KeyId {
        let nodes = &self.nodes;
        let rows = nodes.live().iter().map(|node| (node, &nodes.spec(node).labels));
        self.labels.mention(key, rows)
    }

    /// Gives an unfinished pod its class, taking one reference. New selector keys can split
    /// the classes of other pods; those are interned anew.
    pub(crate) fn hold_class(&mut self, spec: &PodSpec, gang: Option<GangId>) -> ClassId {
        let shape =
            if spec.ours { Arc::clone(&spec.shape) } else { Arc::new(resident(&spec.shape)) };
        let keys = selector_keys(&shape);
        let fresh = self.classes.mention(&keys);
        self.reintern(&fresh);
        let needs = match spec.claims.is_empty() {
            true => Vec::new(),
            false => self.volumes.needs(spec).into_iter().map(|(need, _)| need).collect(),
        };
        let key = ClassKey {
            namespace: spec.namespace.clone(),
            labels: self.classes.project(&spec.labels),
            shape,
            needs,
            queues: self.queue_nodes(spec, gang),
        };
        if let Some(id) = self.classes.find(&key) {
            // The class already mentions these keys, so none can have gone stale.
            let stale = self.classes.unmention(&keys);
            debug_assert!(stale.is_empty());
            self.classes.get_mut(id).refs += 1;
            return id;
        }
        self.make_class(key)
    }

    /// Gives one reference back. A selector key that nobody mentions any more can merge the
    /// classes of other pods; those are interned anew.
    pub(crate) fn drop_class(&mut self, id: ClassId) {
        let row = self.classes.get_mut(id);
        row.refs -= 1;
        if row.refs > 0 {
            return;
        }
        let class = self.classes.remove(id);
        assert!(class.tallies.is_empty(), "a class without pods holds no room");
        for carrier in &class.carries {
            if self.relations.drop_carrier(*carrier) {
                for other in self.classes.ids() {
                    self.classes.get_mut(other).acted_on.remove(carrier);
                }
            }
        }
        for selector in &class.held {
            if self.relations.drop_selector(*selector) {
                for other in self.classes.ids() {
                    self.classes.get_mut(other).matches.remove(selector);
                }
            }
        }
        let stale = self.classes.unmention(&selector_keys(&class.key.shape));
        self.reintern(&stale);
    }

    /// Moves pods that carry one of these label keys to the class they now belong to.
    fn reintern(&mut self, keys: &BTreeSet<String>) {
        if keys.is_empty() {
            return;
        }
        let carries = |spec: &PodSpec| keys.iter().any(|key| spec.labels.contains_key(key));
        let affected: Vec<PodId> = self
            .pods
            .iter()
            .filter(|(_, pod)| pod.class.is_some() && carries(&pod.spec))
            .map(|(id, _)| id)
            .collect();
        self.intern_anew(affected);
    }

    /// Moves pods to the class they now belong to.
    pub(crate) fn intern_anew(&mut self, pods: impl IntoIterator<Item = PodId>) {
        for pod in pods {
            let charge = self.charge_of(pod);
            if let Some(charge) = charge {
                self.charge(charge, Sign::Minus);
            }
            let Some(old) = self.pods.get(pod).class else { continue };
            let row = self.pods.get(pod);
            let (spec, gang) = (row.spec.clone(), row.gang);
            let new = self.hold_class(&spec, gang);
            self.pods.rows[pod].class = Some(new);
            self.drop_class(old);
            if let Some(charge) = charge {
                self.charge(Charge { class: new, ..charge }, Sign::Plus);
            }
        }
    }

    pub(crate) fn upsert_daemon(&mut self, spec: DaemonSpec) {
        let constraint = self.intern_constraint(ConstraintKey::of(&spec.shape));
        let mut wants = spec.shape.requests.clone();
        wants.insert(PODS.to_owned(), Amount::new(1));
        let (request, _) = self.resources.request(&wants);
        self.nodes.cover(self.resources.len());
        self.daemons.insert(spec.key.clone(), Daemon { spec, constraint, request });
    }

    fn make_class(&mut self, key: ClassKey) -> ClassId {
        let shape = Arc::clone(&key.shape);
        let mut wants = shape.requests.clone();
        wants.insert(PODS.to_owned(), Amount::new(1));
        let (request, refused_resources) = self.resources.request(&wants);
        self.nodes.cover(self.resources.len());
        let constraint = self.constraint_of(&key);
        let reaches = self.made_within(&key.needs);
        let mut held = Vec::new();
        let terms = |snap: &mut Self, held: &mut Vec<SelectorId>, terms: &[PodTerm]| {
            terms.iter().map(|term| snap.hold_term(term, held)).collect::<Vec<Term>>()
        };
        let affinity = terms(self, &mut held, &shape.affinity);
        let anti_affinity = terms(self, &mut held, &shape.anti_affinity);
        let preferences: Vec<(i32, Term)> = shape
            .pod_preferences
            .iter()
            .map(|(weight, term)| (*weight, self.hold_term(term, &mut held)))
            .collect();
        let spread = self.hold_spread(&key, &mut held);
        let class = PodClass {
            key,
            request,
            refused_resources,
            constraint,
            reaches,
            affinity,
            anti_affinity,
            preferences,
            spread,
            carries: Vec::new(),
            matches: BTreeSet::new(),
            acted_on: BTreeSet::new(),
            tallies: Tallies::new(),
            held,
            refs: 1,
        };
        let id = self.classes.insert(class);
        self.link_class(id);
        self.hold_carriers(id);
        self.mention_own_levels(id);
        id
    }

    /// Members that demand each other's company must share a domain: its level is kept ready.
    pub(crate) fn mention_own_levels(&mut self, id: ClassId) {
        let row = self.classes.get(id);
        let own = row.affinity.iter().filter(|term| row.matches.contains(&term.selector));
        let keys: Vec<String> =
            own.map(|term| self.labels.column(term.key).key().to_owned()).collect();
        for key in keys {
            self.mention_level(&[key]);
        }
    }

    /// What a class demands of the node alone, the volumes of its bound claims included.
    fn constraint_of(&mut self, key: &ClassKey) -> ConstraintId {
        let bound = key.needs.iter().filter_map(|need| match need {
            Need::Bound { reach, .. } => reach.clone(),
            Need::Late(_) => None,
        });
        let reaches = bound.collect();
        let constraint = ConstraintKey::of(&key.shape).within(reaches);
        self.intern_constraint(constraint.in_queues(key.queues.clone()))
    }

    /// Per need, the nodes for which a volume can be made.
    fn made_within(&mut self, needs: &[Need]) -> Vec<Option<ConstraintId>> {
        let reach = |need: &Need| match need {
            Need::Bound { .. } => None,
            Need::Late(late) => late.provision.as_ref()?.reach.clone(),
        };
        needs.iter().map(|need| self.intern_reach(reach(need))).collect()
    }

    /// Nodes as a constraint; `None` is every node.
    pub(crate) fn intern_reach(&mut self, reach: Reach) -> Option<ConstraintId> {
        reach.map(|terms| self.intern_constraint(ConstraintKey::of_terms(terms)))
    }

    fn intern_constraint(&mut self, key: ConstraintKey) -> ConstraintId {
        let nodes = &self.nodes;
        self.constraints.intern(key, &mut self.labels, &mut |labels, key| {
            let rows = nodes.live().iter().map(|node| (node, &nodes.spec(node).labels));
            labels.mention(key, rows)
        })
    }

    fn hold_spread(&mut self, key: &ClassKey, held: &mut Vec<SelectorId>) -> Vec<Spread> {
        let own = NamespaceScope { names: vec![key.namespace.clone()], selector: None };
        let shape = Arc::clone(&key.shape);
        shape
            .spread
            .iter()
            .map(|spec| {
                let selector = PodSelector { scope: own.clone(), selector: spec.selector.clone() };
                let selector = self.hold_selector(selector, held);
                let key = self.mention_key(&spec.topology_key);
                Spread { selector, key, spec: spec.clone() }
            })
            .collect()
    }

    fn hold_term(&mut self, term: &PodTerm, held: &mut Vec<SelectorId>) -> Term {
        let selector =
            PodSelector { scope: term.namespaces.clone(), selector: term.selector.clone() };
        let selector = self.hold_selector(selector, held);
        Term { selector, key: self.mention_key(&term.topology_key) }
    }

    /// Takes a reference to a selector; a new one is matched with all classes and counted.
    fn hold_selector(&mut self, selector: PodSelector, held: &mut Vec<SelectorId>) -> SelectorId {
        let (id, is_new) = self.relations.hold_selector(selector);
        held.push(id);
        if is_new {
            for class in self.classes.ids() {
                self.rematch(class, id);
            }
        }
        id
    }

    /// Makes `matches` and the tally of one selector right for one class.
    pub(crate) fn rematch(&mut self, class: ClassId, selector: SelectorId) {
        let row = self.classes.get(class);
        let is_match = self.relations.selector(selector).selector.selects(
            &row.key.namespace,
            &row.key.labels,
            &self.namespaces,
        );
        if is_match == row.matches.contains(&selector) {
            return;
        }
        let sign = if is_match { Sign::Plus } else { Sign::Minus };
        for (node, tally) in &row.tallies {
            change(&mut self.relations.selector_mut(selector).tallies, *node, *tally, sign);
        }
        let row = self.classes.get_mut(class);
        match sign {
            Sign::Plus => row.matches.insert(selector),
            Sign::Minus => row.matches.remove(&selector),
        };
    }

    /// Finds the selectors that select a new class and the carriers that act on it.
    fn link_class(&mut self, class: ClassId) {
        let selectors: Vec<SelectorId> = self.relations.selectors().map(|(id, _)| id).collect();
        for selector in selectors {
            self.rematch(class, selector);
        }
        self.relink_carriers(class);
    }

    /// Makes `acted_on` of one class right after its `matches` changed.
    pub(crate) fn relink_carriers(&mut self, class: ClassId) {
        let row = self.classes.get(class);
        let acted_on = self
            .relations
            .carriers()
            .filter(|(_, carrier)| row.matches.contains(&carrier.selector))
            .map(|(id, _)| id)
            .collect();
        self.classes.get_mut(class).acted_on = acted_on;
    }

    /// Takes references to the terms that placed pods of the class carry.
    fn hold_carriers(&mut self, class: ClassId) {
        let row = self.classes.get(class);
        let refuses = row.anti_affinity.iter().map(|term| (*term, CarrierKind::Refuses));
        // Kubernetes weighs a required affinity of a placed pod as a preference of weight 1.
        let attracts = row.affinity.iter().map(|term| (*term, CarrierKind::Prefers(1)));
        let prefers =
            row.preferences.iter().map(|(weight, term)| (*term, CarrierKind::Prefers(*weight)));
        let terms: Vec<(Term, CarrierKind)> = refuses.chain(attracts).chain(prefers).collect();
        for (term, kind) in terms {
            let (id, is_new) = self.relations.hold_carrier(term.selector, term.key, kind);
            if is_new {
                for other in self.classes.ids() {
                    let row = self.classes.get_mut(other);
                    if row.matches.contains(&term.selector) {
                        row.acted_on.insert(id);
                    }
                }
            }
            self.classes.get_mut(class).carries.push(id);
        }
    }
}
