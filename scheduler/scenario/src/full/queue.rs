//! Queues, topologies, priority classes and namespaces in the full form.

use super::value::ResourcesFile;
use super::{Mirror, mirror};
use scheduler_model::amount::Amount;
use scheduler_model::spec::{
    Labels, LevelSpec, LimitSpec, NamespaceSpec, PriorityClassSpec, QueueSpec, Resources,
    TopologySpec,
};
use scheduler_model::time::Time;

mirror! {
    QueueSpec as QueueFile, base QueueSpec::named(""),
    required { name: String, uid: String }
    optional {
        created_at: Time,
        parent: Option<String>,
        weight: u32,
        priority: i32,
        limits: Vec<LimitSpec>,
        open: bool,
    }
}

/// Mirror of `LimitSpec`: a map of one entry, since the resource decides the unit.
#[derive(serde::Serialize, serde::Deserialize, Clone, Debug)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct LimitFile {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    flavour: Option<String>,
    of: OneAmount,
}

/// Exactly one resource with its amount.
#[derive(serde::Serialize, Clone, Debug)]
#[serde(transparent)]
struct OneAmount(ResourcesFile);

impl<'de> serde::Deserialize<'de> for OneAmount {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let amounts = ResourcesFile::deserialize(deserializer)?;
        match amounts.0.len() {
            1 => Ok(Self(amounts)),
            count => Err(serde::de::Error::custom(format!(
                "a limit is on one resource, not on {count}; write one entry for each"
            ))),
        }
    }
}

impl Mirror for LimitSpec {
    type File = LimitFile;

    fn to_file(&self) -> LimitFile {
        let amounts = Resources::from([(self.resource.clone(), self.amount)]);
        LimitFile { flavour: self.flavour.clone(), of: OneAmount(ResourcesFile(amounts)) }
    }

    fn into_value(file: LimitFile) -> Self {
        let (resource, amount) =
            file.of.0.0.into_iter().next().unwrap_or((String::new(), Amount::ZERO));
        Self { flavour: file.flavour, resource, amount }
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
    base PriorityClassSpec { name: String::new(), value: 0, is_default: false },
    required { name: String, value: i32 }
    optional { is_default: bool }
}

mirror! {
    NamespaceSpec as NamespaceFile, base NamespaceSpec::default(),
    required { name: String }
    optional { labels: Labels, queue: Option<String> }
}
