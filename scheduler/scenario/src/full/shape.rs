//! Everything that decides where a pod may go, in the full form.

use super::{Mirror, mirror, words};
use scheduler_model::spec::{
    HostPort, LabelSelector, Labels, NamespaceScope, NodeTerm, PodShape, PodTerm, Protocol,
    Requirement, Resources, SelectorOperator, SpreadSpec, TaintEffect, Toleration,
    TolerationOperator, WhenUnsatisfiable,
};

mirror! {
    PodShape as ShapeFile, base PodShape::default(),
    required {}
    optional {
        profile: u8,
        requests: Resources,
        node_selector: Labels,
        node_affinity: Option<Vec<NodeTerm>>,
        node_preferences: Vec<(i32, NodeTerm)>,
        tolerations: Vec<Toleration>,
        host_ports: Vec<HostPort>,
        affinity: Vec<PodTerm>,
        anti_affinity: Vec<PodTerm>,
        pod_preferences: Vec<(i32, PodTerm)>,
        spread: Vec<SpreadSpec>,
    }
}

/// A weight and the term it is for.
#[derive(serde::Serialize, serde::Deserialize, Clone, Debug)]
#[serde(deny_unknown_fields)]
pub(crate) struct WeightedFile<T> {
    weight: i32,
    term: T,
}

impl<T: Mirror> Mirror for (i32, T) {
    type File = WeightedFile<T::File>;

    fn to_file(&self) -> Self::File {
        WeightedFile { weight: self.0, term: self.1.to_file() }
    }

    fn into_value(file: Self::File) -> Self {
        (file.weight, T::into_value(file.term))
    }
}

mirror! {
    NodeTerm as NodeTermFile, base NodeTerm::default(),
    required {}
    optional { labels: Vec<Requirement>, fields: Vec<Requirement> }
}

mirror! {
    Requirement as RequirementFile,
    base Requirement {
        key: String::new(),
        operator: SelectorOperator::Exists,
        values: Vec::new(),
    },
    required { key: String, operator: SelectorOperator }
    optional { values: Vec<String> }
}

words! {
    SelectorOperator as SelectorOperatorFile ("PascalCase") {
        In, NotIn, Exists, DoesNotExist, Gt, Lt
    }
}

mirror! {
    Toleration as TolerationFile,
    base Toleration {
        key: String::new(),
        operator: TolerationOperator::Equal,
        value: String::new(),
        effect: None,
    },
    required {}
    optional {
        key: String,
        operator: TolerationOperator,
        value: String,
        effect: Option<TaintEffect>,
    }
}

words! {
    TolerationOperator as TolerationOperatorFile ("PascalCase") { Equal, Exists, Gt, Lt }
}

mirror! {
    HostPort as HostPortFile,
    base HostPort { ip: "0.0.0.0".to_owned(), protocol: Protocol::Tcp, port: 0 },
    required { port: i32 }
    optional { ip: String, protocol: Protocol }
}

words! {
    Protocol as ProtocolFile ("UPPERCASE") { Tcp, Udp, Sctp }
}

mirror! {
    LabelSelector as SelectorFile, base LabelSelector::default(),
    required {}
    optional { requirements: Vec<Requirement> }
}

mirror! {
    NamespaceScope as NamespaceScopeFile, base NamespaceScope::default(),
    required {}
    optional { names: Vec<String>, selector: Option<LabelSelector> }
}

mirror! {
    PodTerm as PodTermFile,
    base PodTerm {
        selector: None,
        namespaces: NamespaceScope::default(),
        topology_key: String::new(),
    },
    required { topology_key: String }
    optional { selector: Option<LabelSelector>, namespaces: NamespaceScope }
}

mirror! {
    SpreadSpec as SpreadFile,
    base SpreadSpec {
        max_skew: 1,
        topology_key: String::new(),
        when_unsatisfiable: WhenUnsatisfiable::DoNotSchedule,
        selector: None,
        min_domains: 1,
        honour_affinity: true,
        honour_taints: false,
    },
    required { topology_key: String }
    optional {
        max_skew: u32,
        when_unsatisfiable: WhenUnsatisfiable,
        selector: Option<LabelSelector>,
        min_domains: u32,
        honour_affinity: bool,
        honour_taints: bool,
    }
}

words! {
    WhenUnsatisfiable as UnsatisfiableFile ("PascalCase") { DoNotSchedule, ScheduleAnyway }
}
