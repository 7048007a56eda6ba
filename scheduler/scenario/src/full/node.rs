//! Nodes and taints in the full form.

use super::{mirror, words};
use scheduler_model::spec::{Labels, NodeSpec, Resources, Taint, TaintEffect};
use scheduler_model::time::Time;
use std::collections::BTreeMap;

mirror! {
    NodeSpec as NodeFile, base NodeSpec { ready: true, ..NodeSpec::default() },
    required { name: String }
    optional {
        labels: Labels,
        taints: Vec<Taint>,
        unschedulable: bool,
        ready: bool,
        not_ready_since: Option<Time>,
        allocatable: Resources,
        attach_limits: BTreeMap<String, u32>,
        created_at: Time,
        flavour: String,
    }
}

mirror! {
    Taint as TaintFile,
    base Taint {
        key: String::new(),
        value: String::new(),
        effect: TaintEffect::NoSchedule,
    },
    required { key: String, effect: TaintEffect }
    optional { value: String }
}

words! {
    TaintEffect as TaintEffectFile ("PascalCase") { NoSchedule, PreferNoSchedule, NoExecute }
}
