//! `Namespace` to [`NamespaceSpec`].

use super::{Problems, Translated, membership};
use crate::wire;
use scheduler_model::spec::NamespaceSpec;

/// The label that every namespace carries on a server, with its own name.
const NAME_LABEL: &str = "kubernetes.io/metadata.name";

/// A namespace in our words. Its name label is filled in, as the server does.
#[must_use]
pub fn translate(namespace: &wire::Namespace) -> Translated<NamespaceSpec> {
    let meta = &namespace.metadata;
    let mut problems = Problems::of("Namespace", meta);
    if meta.name.is_empty() {
        problems.add("metadata.name", "it has no name", "give it one");
    }
    let mut labels = meta.labels.clone();
    labels.insert(NAME_LABEL.to_owned(), meta.name.clone());
    let queue = meta.label(crate::names::QUEUE).filter(|queue| !queue.is_empty());
    let queue = queue.map(str::to_owned).or_else(|| membership::volcano_queue(meta));
    problems.with(NamespaceSpec { name: meta.name.clone(), labels, queue })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn namespace(json: &str) -> NamespaceSpec {
        translate(&serde_json::from_str(json).expect("a namespace")).value
    }

    #[test]
    fn a_namespace_carries_its_name_as_a_label() {
        let read = namespace(r#"{"metadata":{"name":"team-a","labels":{"tier":"gold"}}}"#);
        assert_eq!(read.labels[NAME_LABEL], "team-a");
        assert_eq!(read.labels["tier"], "gold");
        assert_eq!(read.queue, None);
    }

    #[test]
    fn a_namespace_names_the_queue_of_its_gangs() {
        let ours = namespace(r#"{"metadata":{"name":"a","labels":{"muster.sh/queue":"q"}}}"#);
        assert_eq!(ours.queue.as_deref(), Some("q"));
        let volcano = namespace(
            r#"{"metadata":{"name":"a","annotations":{"scheduling.volcano.sh/queue-name":"v"}}}"#,
        );
        assert_eq!(volcano.queue.as_deref(), Some("v"));
    }
}
