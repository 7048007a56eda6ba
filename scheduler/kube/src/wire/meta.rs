//! The slim `ObjectMeta`: identity, labels, owners, and only those annotations that some
//! translation reads.

use super::{Number, null_default};
use crate::names;
use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::collections::BTreeMap;
use std::fmt;

/// `metadata` of any object.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Meta {
    /// Name; empty in a template and where only `generateName` is given.
    #[serde(deserialize_with = "null_default")]
    pub name: String,
    /// Prefix of the name the server would make up.
    #[serde(deserialize_with = "null_default")]
    pub generate_name: String,
    /// Namespace; empty for cluster-scoped objects and hand-written files.
    #[serde(deserialize_with = "null_default")]
    pub namespace: String,
    /// Uid; empty in hand-written files.
    #[serde(deserialize_with = "null_default")]
    pub uid: String,
    /// All labels.
    #[serde(deserialize_with = "text_map")]
    pub labels: BTreeMap<String, String>,
    /// The annotations that are read, see [`names::is_read_annotation`].
    #[serde(deserialize_with = "null_default")]
    pub annotations: Annotations,
    /// Owners, of whom at most one is the controller.
    #[serde(deserialize_with = "null_default")]
    pub owner_references: Vec<OwnerReference>,
    /// When the object was created, as written.
    #[serde(deserialize_with = "null_default")]
    pub creation_timestamp: Option<String>,
    /// Which version of `spec` this is; 0 where that is unknown.
    #[serde(deserialize_with = "whole")]
    pub generation: i64,
    /// Set once deletion has begun.
    #[serde(deserialize_with = "null_default")]
    pub deletion_timestamp: Option<String>,
}

impl Meta {
    /// The namespace, `default` where none is written.
    #[must_use]
    pub fn namespace_or_default(&self) -> &str {
        if self.namespace.is_empty() { "default" } else { &self.namespace }
    }

    /// The value of a label.
    #[must_use]
    pub fn label(&self, key: &str) -> Option<&str> {
        self.labels.get(key).map(String::as_str)
    }

    /// The value of an annotation; `None` also for those that are not kept.
    #[must_use]
    pub fn annotation(&self, key: &str) -> Option<&str> {
        debug_assert!(names::is_read_annotation(key), "{key} is never kept, see names.rs");
        self.annotations.0.get(key).map(String::as_str)
    }

    /// The owner that controls this object.
    #[must_use]
    pub fn controller(&self) -> Option<&OwnerReference> {
        self.owner_references.iter().find(|owner| owner.controller)
    }
}

/// One entry of `metadata.ownerReferences`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct OwnerReference {
    /// Group and version of the owner.
    #[serde(deserialize_with = "null_default")]
    pub api_version: String,
    /// Kind of the owner.
    #[serde(deserialize_with = "null_default")]
    pub kind: String,
    /// Name of the owner.
    #[serde(deserialize_with = "null_default")]
    pub name: String,
    /// Uid of the owner.
    #[serde(deserialize_with = "null_default")]
    pub uid: String,
    /// True for the one owner that manages the object.
    #[serde(deserialize_with = "null_default")]
    pub controller: bool,
}

/// Annotations that some translation reads; all others are dropped while reading, as they
/// are often larger than the rest of the object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Annotations(pub BTreeMap<String, String>);

impl<'de> Deserialize<'de> for Annotations {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Kept;
        impl<'de> Visitor<'de> for Kept {
            type Value = Annotations;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map of annotations")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Annotations, A::Error> {
                let mut kept = BTreeMap::new();
                while let Some(ReadKey(key)) = map.next_key()? {
                    match key {
                        Some(key) => {
                            let value: Option<String> = map.next_value()?;
                            kept.insert(key, value.unwrap_or_default());
                        }
                        None => {
                            map.next_value::<IgnoredAny>()?;
                        }
                    }
                }
                Ok(Annotations(kept))
            }
        }
        deserializer.deserialize_map(Kept)
    }
}

/// A key that is only copied if it is read.
struct ReadKey(Option<String>);

impl<'de> Deserialize<'de> for ReadKey {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Key;
        impl Visitor<'_> for Key {
            type Value = ReadKey;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an annotation key")
            }

            fn visit_str<E>(self, key: &str) -> Result<ReadKey, E> {
                Ok(ReadKey(names::is_read_annotation(key).then(|| key.to_owned())))
            }
        }
        deserializer.deserialize_str(Key)
    }
}

/// A whole number; 0 for anything else.
fn whole<'de, D: Deserializer<'de>>(deserializer: D) -> Result<i64, D::Error> {
    Ok(match Option::<Number>::deserialize(deserializer)? {
        Some(Number::Whole(number)) => number,
        _ => 0,
    })
}

/// Reads a map of text in which the map itself and any value may be `null`.
///
/// # Errors
/// If the value is neither `null` nor a map of text.
pub fn text_map<'de, D>(deserializer: D) -> Result<BTreeMap<String, String>, D::Error>
where
    D: Deserializer<'de>,
{
    let map = Option::<BTreeMap<String, Option<String>>>::deserialize(deserializer)?;
    Ok(map
        .unwrap_or_default()
        .into_iter()
        .map(|(key, value)| (key, value.unwrap_or_default()))
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meta(json: &str) -> Meta {
        serde_json::from_str(json).expect("valid metadata")
    }

    #[test]
    fn an_explicit_null_reads_like_a_missing_field() {
        let nulls = r#"{"name":null,"generateName":null,"namespace":null,"uid":null,
            "labels":null,"annotations":null,"ownerReferences":null,
            "creationTimestamp":null,"generation":null,"deletionTimestamp":null}"#;
        assert_eq!(meta(nulls), Meta::default());
        assert_eq!(meta(r#"{"labels":{"a":null}}"#).label("a"), Some(""));
    }

    #[test]
    fn annotations_that_nobody_reads_are_dropped() {
        let read = meta(
            r#"{"annotations":{"kubectl.kubernetes.io/last-applied-configuration":"{}",
                "scheduling.k8s.io/group-name":"train"},"managedFields":[{"manager":"x"}]}"#,
        );
        assert_eq!(read.annotations.0.len(), 1);
        assert_eq!(read.annotation(names::VOLCANO_GROUP_NAME), Some("train"));
    }

    #[test]
    fn only_the_owner_with_the_controller_flag_controls() {
        let read = meta(
            r#"{"ownerReferences":[{"kind":"Node","name":"n1"},
                {"kind":"Job","name":"train","controller":true}]}"#,
        );
        assert_eq!(read.controller().map(|owner| owner.name.as_str()), Some("train"));
    }
}
