//! A cluster and one pod, as Kubernetes objects.

use serde_json::Value;

/// One question: which of the nodes may take the pod?
#[derive(Clone, Debug)]
pub(crate) struct Case {
    /// The story that it is from, or the sentence that it tells.
    pub(crate) name: String,
    /// All that is there, in order of creation. The status of pods and nodes counts, and a pod
    /// with a `deletionTimestamp` is terminating.
    pub(crate) objects: Vec<Value>,
    /// The pod that waits.
    pub(crate) pod: Value,
    /// The right answer, where the case says it itself.
    pub(crate) right: Option<Vec<String>>,
}

impl Case {
    /// True if only the names differ.
    pub(crate) fn asks_the_same_as(&self, other: &Self) -> bool {
        let nameless = |pod: &Value| {
            let mut pod = pod.clone();
            pod["metadata"]["name"] = Value::Null;
            pod
        };
        self.objects == other.objects && nameless(&self.pod) == nameless(&other.pod)
    }
}

/// Names of the objects of one kind.
pub(crate) fn names<'a>(objects: &'a [Value], kind: &'a str) -> impl Iterator<Item = String> + 'a {
    of_kind(objects, kind).map(|object| text(object, "/metadata/name").to_owned())
}

/// The objects of one kind.
pub(crate) fn of_kind<'a>(
    objects: &'a [Value],
    kind: &'a str,
) -> impl Iterator<Item = &'a Value> + 'a {
    objects.iter().filter(move |object| object["kind"] == kind)
}

/// The text at a path; empty where there is none.
pub(crate) fn text<'a>(object: &'a Value, path: &str) -> &'a str {
    object.pointer(path).and_then(Value::as_str).unwrap_or_default()
}
