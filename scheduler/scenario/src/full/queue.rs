//! Queues, topologies, priority classes and namespaces in the full form.

use super::value::ResourcesFile;
use super::{Mirror, mirror, words};
use scheduler_model::amount::Amount;
use scheduler_model::spec::{
    Dialect, Grants, LabelSelector, Labels, LevelSpec, NamespaceScope, NamespaceSpec, Order,
    PriorityClassSpec, QueueSpec, Quota, QuotaSpec, Resources, TopologySpec, UserBy, UserRule,
};
use scheduler_model::time::{Span, Time};
use std::collections::BTreeMap;

mirror! {
    QueueSpec as QueueFile, base QueueSpec::named(""),
    required { name: String, uid: String }
    optional {
        dialect: Option<Dialect>,
        digest: Option<u64>,
        created_at: Time,
        parent: Option<String>,
        weight: u32,
        priority: i32,
        quotas: Vec<QuotaSpec>,
        open: bool,
        reclaimable: bool,
        preempts: bool,
        preemptible: bool,
        min_runtime: Span,
        grants: Grants,
        order: Option<Order>,
        holds: Option<bool>,
        hold_after: Option<Span>,
        namespaces: Option<NamespaceScope>,
        node_selector: LabelSelector,
        max_running: Option<u32>,
        users: Option<Box<UserRule>>,
    }
}

mirror! {
    UserRule as UserRuleFile, base UserRule::default(),
    required {}
    optional {
        by: UserBy,
        limit: Resources,
        max_running: Option<u32>,
    }
}

words! {
    UserBy as UserByFile("camelCase") { Namespace, Label(String) }
}

mirror! {
    Grants as GrantsFile, base Grants::default(),
    required {}
    optional {
        non_preemptible: Option<bool>,
        min_runtime: Option<Span>,
        preemption_cost: Option<u32>,
    }
}

words! {
    Order as OrderFile("camelCase") { Priority, Fifo, BestEffortFifo, FairByUser }
}

/// Mirror of `QuotaSpec`: maps of one entry, since the resource decides the unit.
#[derive(serde::Serialize, Clone, Debug, Default)]
#[serde(rename_all = "camelCase")]
pub(crate) struct QuotaFile {
    #[serde(skip_serializing_if = "Option::is_none")]
    flavour: Option<String>,
    resource: String,
    #[serde(flatten)]
    amounts: BTreeMap<&'static str, ResourcesFile>,
}

/// A quota as it is read.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct QuotaText {
    flavour: Option<String>,
    resource: String,
    dedicated: Option<ResourcesFile>,
    deserved: Option<ResourcesFile>,
    limit: Option<ResourcesFile>,
    borrowing_limit: Option<ResourcesFile>,
    lending_limit: Option<ResourcesFile>,
}

/// The amounts of a quota by their keys.
const AMOUNTS: [(&str, Field); 5] = [
    ("dedicated", |quota| &mut quota.dedicated),
    ("deserved", |quota| &mut quota.deserved),
    ("limit", |quota| &mut quota.limit),
    ("borrowingLimit", |quota| &mut quota.borrowing_limit),
    ("lendingLimit", |quota| &mut quota.lending_limit),
];

type Field = fn(&mut Quota) -> &mut Option<Amount>;

impl<'de> serde::Deserialize<'de> for QuotaFile {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = QuotaText::deserialize(deserializer)?;
        let lists =
            [text.dedicated, text.deserved, text.limit, text.borrowing_limit, text.lending_limit];
        let mut amounts = BTreeMap::new();
        for ((key, _), list) in AMOUNTS.into_iter().zip(lists) {
            let Some(list) = list else { continue };
            if list.0.keys().ne([&text.resource]) {
                let resource = &text.resource;
                return Err(serde::de::Error::custom(format!(
                    "`{key}` of a quota of {resource} names exactly that resource"
                )));
            }
            amounts.insert(key, list);
        }
        Ok(Self { flavour: text.flavour, resource: text.resource, amounts })
    }
}

impl Mirror for QuotaSpec {
    type File = QuotaFile;

    fn to_file(&self) -> QuotaFile {
        let mut quota = self.quota;
        let amounts = AMOUNTS.into_iter().filter_map(|(key, field)| {
            let amount = (*field(&mut quota))?;
            Some((key, ResourcesFile(Resources::from([(self.resource.clone(), amount)]))))
        });
        let amounts = amounts.collect();
        QuotaFile { flavour: self.flavour.clone(), resource: self.resource.clone(), amounts }
    }

    fn into_value(file: QuotaFile) -> Self {
        let mut quota = Quota::default();
        for (key, field) in AMOUNTS {
            let list = file.amounts.get(key);
            *field(&mut quota) = list.and_then(|list| list.0.get(&file.resource)).copied();
        }
        Self { flavour: file.flavour, resource: file.resource, quota }
    }
}

mirror! {
    TopologySpec as TopologyFile, base TopologySpec { name: String::new(), levels: Vec::new() },
    required { name: String, levels: Vec<LevelSpec> }
    optional {}
}

mirror! {
    LevelSpec as LevelFile, base LevelSpec { name: String::new(), key: String::new() },
    required { name: String, key: String }
    optional {}
}

mirror! {
    PriorityClassSpec as PriorityClassFile,
    base PriorityClassSpec { name: String::new(), value: 0, is_default: false, preempts: true },
    required { name: String, value: i32 }
    optional { is_default: bool, preempts: bool }
}

mirror! {
    NamespaceSpec as NamespaceFile, base NamespaceSpec::default(),
    required { name: String }
    optional { labels: Labels, queue: Option<String> }
}
