//! Groups, queues, topologies and namespaces into rows. These change seldom, so what depends
//! on them is worked out anew rather than patched.

use crate::gang::Origin;
use crate::ids::{GangId, KeyId, LevelId, NodeId, PodId, QueueId, SelectorId};
use crate::queue::{Account, DEFAULT, Measure};
use crate::relation::Sign;
use crate::snapshot::Snapshot;
use crate::spec::{
    Dialect, GangKey, GangSpec, NamespaceSpec, QueueSpec, TopologySpec, TopologyWish, UserBy,
};

/// Gangs.
impl Snapshot {
    pub(crate) fn upsert_gang(&mut self, spec: Box<GangSpec>) {
        let is_plain = spec.key.dialect == Dialect::Plain;
        let origin = if is_plain { Origin::Owner } else { Origin::Group };
        let gang = self.hold_gang(spec.key.clone(), origin);
        self.mention_wish(&spec.topology);
        let row = &mut self.gangs.rows[gang];
        row.spec = Some(spec);
        row.exists = true;
        self.requeue(gang);
    }

    pub(crate) fn remove_gang(&mut self, key: &GangKey) {
        let Some(gang) = self.gangs.find(key) else { return };
        // Members that still run stay a gang by its last known spec.
        self.gangs.rows[gang].exists = false;
        self.drop_gang_if_unused(gang);
    }

    /// Works out the queue of a gang and moves its members' use there.
    pub(crate) fn requeue(&mut self, gang: GangId) {
        let name = self.queue_name(gang);
        let row = self.gangs.get(gang);
        let queue = self.queues.find(&name);
        let accounts = self.accounts(gang, queue);
        if queue == row.queue && name == row.queue_name && accounts == row.accounts {
            return;
        }
        let is_moved = queue != row.queue;
        let is_same = !is_moved && accounts == row.accounts;
        if !is_same {
            self.charge_queue(gang, Sign::Minus);
        }
        let row = &mut self.gangs.rows[gang];
        (row.queue, row.queue_name, row.accounts) = (queue, name, accounts);
        if !is_same {
            self.charge_queue(gang, Sign::Plus);
        }
        if is_moved {
            let members: Vec<PodId> = self.gangs.get(gang).members.iter().copied().collect();
            self.sort_into_queues(&members);
        }
    }

    /// Who a gang is to the queues on the way up that tell users apart.
    fn accounts(&self, gang: GangId, queue: Option<QueueId>) -> Vec<Account> {
        let Some(queue) = queue.filter(|_| self.queues.has_users()) else { return Vec::new() };
        let account = |id: QueueId| {
            let by = &self.queues.get(id).spec.users.as_ref()?.by;
            Some(Account { queue: id, user: self.user(gang, by) })
        };
        self.queues.ids_up(queue).filter_map(account).collect()
    }

    fn user(&self, gang: GangId, by: &UserBy) -> String {
        let row = self.gangs.get(gang);
        match by {
            UserBy::Namespace => row.key.namespace.clone(),
            UserBy::Label(key) => {
                let own = row.spec.as_ref().and_then(|spec| spec.labels.get(key));
                let of_pod = || row.first.and_then(|pod| self.pods.get(pod).spec.labels.get(key));
                own.or_else(of_pod).cloned().unwrap_or_default()
            }
        }
    }

    /// The queue that a gang names: its group, else its first pod that names one, else its
    /// namespace, else the default.
    fn queue_name(&self, gang: GangId) -> String {
        let row = self.gangs.get(gang);
        let own = row.spec.as_ref().and_then(|spec| spec.queue.as_ref());
        let of_pods = || row.queue_wishes.values().next();
        let of_namespace =
            || self.namespaces.get(&row.key.namespace).and_then(|spec| spec.queue.as_ref());
        let name = own.or_else(of_pods).or_else(of_namespace);
        name.map_or_else(|| DEFAULT.to_owned(), String::clone)
    }

    fn charge_queue(&mut self, gang: GangId, sign: Sign) {
        for pod in &self.gangs.get(gang).members {
            let Some(charge) = self.charge_of(*pod) else { continue };
            let flavour = self.nodes.flavour(charge.node);
            let request = &self.classes.get(charge.class).request;
            let accounts = &self.gangs.get(gang).accounts;
            self.queues.charge(charge.queue, flavour, request, charge.count, sign);
            self.queues.charge_users(accounts, (flavour, request, charge.count), sign);
        }
        let row = self.gangs.get(gang);
        if row.counts() {
            self.queues.count_gang(row.queue, &row.accounts, sign);
        }
    }
}

/// Queues.
impl Snapshot {
    pub(crate) fn upsert_queue(&mut self, spec: QueueSpec) {
        let mut quotas = Vec::new();
        for quota in &spec.quotas {
            let Some(resource) = self.resources.intern(&quota.resource) else { continue };
            let flavour = quota.flavour.as_ref().map(|name| self.nodes.intern_flavour(name));
            quotas.push((Measure { flavour, resource }, quota.quota));
        }
        let mut of_users = Vec::new();
        for (name, most) in spec.users.iter().flat_map(|users| &users.limit) {
            let Some(resource) = self.resources.intern(name) else { continue };
            of_users.push((Measure { flavour: None, resource }, *most));
        }
        self.queues.insert(spec, quotas, of_users);
    }

    pub(crate) fn remove_queue(&mut self, name: &str) {
        if name == DEFAULT {
            self.queues.insert_default();
        } else {
            self.queues.remove(name);
        }
    }

    /// Finds parents, every gang's queue and all use anew, if a queue came, went or moved since
    /// the last call. What happens in between is charged anew too.
    pub fn settle_queues(&mut self) {
        match self.queues.is_stale() {
            true => self.settle_tree(),
            false => self.queues.check(),
        }
        if self.queues.take_unsorted() {
            let pods: Vec<PodId> = self.pods.iter().map(|(id, _)| id).collect();
            self.sort_into_queues(&pods);
        }
    }

    fn settle_tree(&mut self) {
        self.queues.settle();
        let gangs: Vec<GangId> = self.gangs.by_key.values().copied().collect();
        for gang in gangs {
            // All use of queues was emptied, that of gangs without one was not.
            let row = &mut self.gangs.rows[gang];
            let was_outside = row.queue.is_none();
            (row.queue, row.accounts) = (None, Vec::new());
            let name = self.queue_name(gang);
            let queue = self.queues.find(&name);
            let accounts = self.accounts(gang, queue);
            if was_outside && queue.is_some() {
                self.charge_queue(gang, Sign::Minus);
            }
            let row = &mut self.gangs.rows[gang];
            (row.queue, row.queue_name, row.accounts) = (queue, name, accounts);
            if queue.is_some() || !was_outside {
                self.charge_queue(gang, Sign::Plus);
            }
        }
    }
}

/// Topologies.
impl Snapshot {
    pub(crate) fn upsert_topology(&mut self, spec: TopologySpec) {
        self.topology.specs_mut().insert(spec.name.clone(), spec);
        self.mention_wishes();
    }

    pub(crate) fn remove_topology(&mut self, name: &str) {
        self.topology.specs_mut().remove(name);
        self.mention_wishes();
    }

    /// Makes all levels that gangs wish for: a change of topologies gives their words another
    /// meaning.
    fn mention_wishes(&mut self) {
        let wishes: Vec<TopologyWish> = self
            .gangs
            .rows
            .iter()
            .filter_map(|(_, gang)| gang.spec.as_ref())
            .map(|spec| spec.topology.clone())
            .collect();
        for wish in wishes {
            self.mention_wish(&wish);
        }
    }

    /// Makes the levels that a gang wishes for.
    fn mention_wish(&mut self, wish: &TopologyWish) {
        for level in [&wish.required, &wish.preferred].into_iter().flatten() {
            if let Some(keys) = self.topology.resolve(wish.topology.as_deref(), level) {
                self.mention_level(&keys);
            }
        }
    }

    /// The level of these label keys, widest first, made if it is new.
    pub fn mention_level(&mut self, keys: &[String]) -> LevelId {
        let keys: Vec<KeyId> = keys.iter().map(|key| self.mention_key(key)).collect();
        let nodes: Vec<NodeId> = self.nodes.live().iter().collect();
        self.topology.mention(keys, &self.labels, &nodes)
    }
}

/// Namespaces.
impl Snapshot {
    pub(crate) fn upsert_namespace(&mut self, spec: NamespaceSpec) {
        let name = spec.name.clone();
        self.namespaces.insert(name.clone(), spec);
        self.namespace_changed(&name);
    }

    pub(crate) fn remove_namespace(&mut self, name: &str) {
        self.namespaces.remove(name);
        self.namespace_changed(name);
    }

    fn namespace_changed(&mut self, name: &str) {
        let selectors: Vec<SelectorId> = self
            .relations
            .selectors()
            .filter(|(_, row)| row.selector.scope.selector.is_some())
            .map(|(id, _)| id)
            .collect();
        for class in self.classes.ids() {
            if self.classes.get(class).key.namespace != name {
                continue;
            }
            for selector in &selectors {
                self.rematch(class, *selector);
            }
            self.relink_carriers(class);
            // Only now may its members be whom they ask for.
            self.mention_own_levels(class);
        }
        let gangs: Vec<GangId> = self
            .gangs
            .iter()
            .filter(|(_, gang)| gang.key.namespace == name)
            .map(|(id, _)| id)
            .collect();
        for gang in gangs {
            self.requeue(gang);
        }
    }
}
