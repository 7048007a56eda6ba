//! Gangs that arrive: how many, how large, how much alike, and what they wish for.

use crate::cluster::{GPU, HOSTNAME, MODEL, MODELS, QUEUE, TAINT, ZONE, ZONES};
use scheduler_model::amount::Amount;
use scheduler_model::event::Event;
use scheduler_model::spec::{
    Dialect, GangKey, GangSpec, LabelSelector, Labels, Membership, NamespaceScope, NodeTerm,
    PodShape, PodSpec, PodTerm, Requirement, Resources, SelectorOperator, SpreadSpec, Toleration,
    TolerationOperator, TopologyWish, WhenUnsatisfiable,
};
use std::sync::Arc;

/// Namespace of everything that runs already.
pub const RUNNING_NAMESPACE: &str = "old";
const NAMESPACE: &str = "team";
const GIB: i64 = 1 << 30;

/// How much the arriving pods differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Variety {
    /// All of one class.
    Identical,
    /// 50 classes in turn.
    Fifty,
    /// Each a class of its own by its requests; node demands are those of the 50 classes.
    Different,
    /// Each a class of its own, with a node selector that no other pod has.
    OwnSelector,
}

impl Variety {
    /// As a table names it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Identical => "identical",
            Self::Fifty => "50 classes",
            Self::Different => "all different",
            Self::OwnSelector => "own selectors",
        }
    }
}

/// What the gangs wish for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Wish {
    /// Any nodes.
    Anywhere,
    /// One rack for each gang.
    Rack,
    /// One rack for each gang if possible.
    PreferRack,
    /// Evenly over the zones and rather not beside each other: every placement changes what
    /// the next one finds.
    Spread,
}

/// What arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Workload {
    /// So many gangs.
    pub gangs: usize,
    /// Of so many pods each; all of them are the minimum.
    pub size: usize,
    /// How much the pods differ.
    pub variety: Variety,
    /// What the gangs wish for.
    pub wish: Wish,
}

impl Workload {
    /// Gangs without wishes.
    #[must_use]
    pub const fn new(gangs: usize, size: usize, variety: Variety) -> Self {
        Self { gangs, size, variety, wish: Wish::Anywhere }
    }

    /// Number of pods.
    #[must_use]
    pub const fn pods(&self) -> usize {
        self.gangs * self.size
    }

    /// The events of its arrival, in order.
    #[must_use]
    pub fn arrival(&self) -> Vec<Event> {
        let mut events = Vec::new();
        let shared: Vec<Arc<PodShape>> = match self.variety {
            Variety::Identical => vec![Arc::new(self.shape(0))],
            Variety::Fifty => (0..50).map(|class| Arc::new(self.shape(class))).collect(),
            Variety::Different | Variety::OwnSelector => Vec::new(),
        };
        for gang in 0..self.gangs {
            if self.is_grouped() {
                events.push(Event::Gang(Box::new(self.gang(gang))));
            }
            for member in 0..self.size {
                let index = gang * self.size + member;
                let shape = match shared.len() {
                    0 => Arc::new(self.shape(index)),
                    count => shared[index % count].clone(),
                };
                events.push(Event::Pod(Box::new(self.member(gang, member, shape))));
            }
        }
        events
    }

    /// The events of its departure.
    #[must_use]
    pub fn departure(&self) -> Vec<Event> {
        let mut events = Vec::new();
        for gang in 0..self.gangs {
            let uids = (0..self.size).map(|member| uid(NAMESPACE, &pod_name(gang, member)));
            events.extend(uids.map(Event::PodGone));
            if self.is_grouped() {
                events.push(Event::GangGone(key(gang)));
            }
        }
        events
    }

    fn is_grouped(&self) -> bool {
        self.size > 1
    }

    fn gang(&self, gang: usize) -> GangSpec {
        let rack = || Some("rack".to_owned());
        let topology = TopologyWish {
            topology: None,
            required: (self.wish == Wish::Rack).then(rack).flatten(),
            preferred: (self.wish == Wish::PreferRack).then(rack).flatten(),
        };
        let min = u32::try_from(self.size).expect("a gang of fewer than four billion");
        let queue = Some(QUEUE.to_owned());
        GangSpec { min, queue, topology, ..GangSpec::plain(key(gang)) }
    }

    fn member(&self, gang: usize, member: usize, shape: Arc<PodShape>) -> PodSpec {
        let membership = match self.is_grouped() {
            true => Membership::Group(key(gang)),
            false => Membership::Alone,
        };
        let labels: Labels = [
            ("job".to_owned(), format!("gang-{gang}")),
            ("index".to_owned(), member.to_string()),
            ("svc".to_owned(), "bench".to_owned()),
        ]
        .into();
        PodSpec {
            labels,
            membership,
            queue: Some(QUEUE.to_owned()),
            rank: Some(u64::try_from(member).expect("an index fits 64 bits")),
            ..pod(NAMESPACE, &pod_name(gang, member), shape)
        }
    }

    fn shape(&self, index: usize) -> PodShape {
        let kind = match self.variety {
            // A rack has too few GPUs of one model: either will do.
            Variety::Identical if self.wish != Wish::Anywhere => 3,
            Variety::Identical => 1,
            Variety::Fifty | Variety::Different | Variety::OwnSelector => index % 50 + 1,
        };
        let own = match self.variety {
            Variety::Identical | Variety::Fifty => 0,
            Variety::Different | Variety::OwnSelector => {
                i64::try_from(index).expect("an index fits 63 bits")
            }
        };
        let step = i64::try_from(kind).expect("at most 50");
        let gpus = if kind % 5 == 0 { 2 } else { 1 };
        let wants = [
            ("cpu", 2000 + 100 * step + own),
            ("memory", (16 + step) * GIB + own * (1 << 20)),
            (GPU, gpus),
        ];
        let mut shape = PodShape { requests: requests(&wants), ..PodShape::default() };
        if kind % 3 != 0 {
            shape.node_selector.insert(MODEL.to_owned(), MODELS[kind % 3 - 1].to_owned());
        }
        if kind % 5 == 0 {
            shape.tolerations.push(toleration());
        }
        if kind % 4 == 0 {
            let term = one_of(ZONE, &format!("z{}", kind % ZONES));
            let term = NodeTerm { labels: vec![term], fields: Vec::new() };
            shape.node_preferences.push((50, term));
        }
        if self.variety == Variety::OwnSelector {
            let elsewhere = Requirement {
                operator: SelectorOperator::NotIn,
                ..one_of(HOSTNAME, &format!("node-{index}"))
            };
            let term = NodeTerm { labels: vec![elsewhere], fields: Vec::new() };
            shape.node_affinity = Some(vec![term]);
        }
        if self.wish == Wish::Spread {
            spread(&mut shape);
        }
        shape
    }
}

fn spread(shape: &mut PodShape) {
    let selector = LabelSelector { requirements: vec![one_of("svc", "bench")] };
    shape.spread.push(SpreadSpec {
        max_skew: 4,
        topology_key: ZONE.to_owned(),
        when_unsatisfiable: WhenUnsatisfiable::DoNotSchedule,
        selector: Some(selector.clone()),
        min_domains: 1,
        honour_affinity: true,
        honour_taints: false,
    });
    let namespaces = NamespaceScope { names: vec![NAMESPACE.to_owned()], selector: None };
    let topology_key = HOSTNAME.to_owned();
    shape
        .pod_preferences
        .push((-50, PodTerm { selector: Some(selector), namespaces, topology_key }));
}

fn toleration() -> Toleration {
    Toleration {
        key: TAINT.to_owned(),
        operator: TolerationOperator::Exists,
        value: String::new(),
        effect: None,
    }
}

fn one_of(key: &str, value: &str) -> Requirement {
    let operator = SelectorOperator::In;
    Requirement { key: key.to_owned(), operator, values: vec![value.to_owned()] }
}

fn key(gang: usize) -> GangKey {
    gang_key(NAMESPACE, &format!("gang-{gang}"))
}

pub(crate) fn gang_key(namespace: &str, name: &str) -> GangKey {
    let dialect = Dialect::Muster;
    GangKey { namespace: namespace.to_owned(), name: name.to_owned(), dialect }
}

fn pod_name(gang: usize, member: usize) -> String {
    format!("gang-{gang}-{member}")
}

fn uid(namespace: &str, name: &str) -> String {
    format!("{namespace}/{name}")
}

pub(crate) fn requests(pairs: &[(&str, i64)]) -> Resources {
    pairs.iter().map(|(name, units)| ((*name).to_owned(), Amount::new(*units))).collect()
}

/// A pending pod of ours without a gang.
pub(crate) fn pod(namespace: &str, name: &str, shape: Arc<PodShape>) -> PodSpec {
    PodSpec { uid: uid(namespace, name), shape, ..PodSpec::new(namespace, name) }
}
