//! One HTTP request as plain data, before it meets a connection.

use serde_json::Value;

/// A request to the API server.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// HTTP method.
    pub method: &'static str,
    /// Path and query, already escaped.
    pub path: String,
    /// Content type and content; `None` for a read.
    pub body: Option<(Content, Value)>,
    /// The verb as access rules name it.
    pub verb: &'static str,
    /// The resource as access rules name it, such as `pods/binding`.
    pub resource: &'static str,
    /// What the answer is read for.
    pub wants: Wants,
}

/// What a body is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// An object.
    Json,
    /// RFC 7386: objects are merged, lists replaced, `null` takes away.
    MergePatch,
    /// Kubernetes' own: as before, but lists with a key are merged by it.
    StrategicPatch,
    /// RFC 6902: steps, among them tests.
    JsonPatch,
}

impl Content {
    /// The value of `Content-Type`.
    #[must_use]
    pub const fn mime(self) -> &'static str {
        match self {
            Self::Json => "application/json",
            Self::MergePatch => "application/merge-patch+json",
            Self::StrategicPatch => "application/strategic-merge-patch+json",
            Self::JsonPatch => "application/json-patch+json",
        }
    }
}

/// What the answer to a request is read for, beside its code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wants {
    /// Nothing.
    Nothing,
    /// A pod.
    Pod,
    /// A lease.
    Lease,
}

/// Where an object or a collection lives, built up segment by segment.
#[derive(Clone, Debug)]
pub(super) struct Path(String);

impl Path {
    /// `/api/v1/namespaces/<namespace>` or `/apis/<group>/<version>/namespaces/<namespace>`.
    pub(super) fn in_namespace(group: &str, version: &str, namespace: &str) -> Self {
        Self::in_cluster(group, version).then("namespaces").then(namespace)
    }

    /// `/api/v1` or `/apis/<group>/<version>`.
    pub(super) fn in_cluster(group: &str, version: &str) -> Self {
        let root = Self(if group.is_empty() { "/api" } else { "/apis" }.to_owned());
        let root = if group.is_empty() { root } else { root.then(group) };
        root.then(version)
    }

    /// One segment more. Whatever a name holds, it stays one segment.
    pub(super) fn then(mut self, segment: &str) -> Self {
        self.0.push('/');
        for byte in segment.bytes() {
            let is_plain = byte.is_ascii_alphanumeric() || b"-._~:@".contains(&byte);
            if is_plain && segment != "." && segment != ".." {
                self.0.push(char::from(byte));
            } else {
                self.0.push_str(&format!("%{byte:02X}"));
            }
        }
        self
    }

    /// A read of it.
    pub(super) fn read(self, resource: &'static str, wants: Wants) -> Request {
        Request { method: "GET", path: self.0, body: None, verb: "get", resource, wants }
    }

    /// A creation in it.
    pub(super) fn create(self, resource: &'static str, object: Value, wants: Wants) -> Request {
        self.write(("POST", "create"), resource, (Content::Json, object), wants)
    }

    /// A replacement of it.
    pub(super) fn replace(self, resource: &'static str, object: Value, wants: Wants) -> Request {
        self.write(("PUT", "update"), resource, (Content::Json, object), wants)
    }

    /// A change of it.
    pub(super) fn patch(self, resource: &'static str, content: Content, patch: Value) -> Request {
        self.write(("PATCH", "patch"), resource, (content, patch), Wants::Nothing)
    }

    /// A deletion of it.
    pub(super) fn delete(self, resource: &'static str, options: Value) -> Request {
        let body = Some((Content::Json, options));
        let (method, verb) = ("DELETE", "delete");
        Request { method, path: self.0, body, verb, resource, wants: Wants::Nothing }
    }

    /// Writes are marked as ours in `managedFields`.
    fn write(
        self,
        (method, verb): (&'static str, &'static str),
        resource: &'static str,
        body: (Content, Value),
        wants: Wants,
    ) -> Request {
        let path = format!("{}?fieldManager={}", self.0, scheduler_api::names::FIELD_MANAGER);
        Request { method, path, body: Some(body), verb, resource, wants }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_cannot_leave_its_segment() {
        let path = Path::in_namespace("", "v1", "team-a").then("pods").then("../x?y#z%");
        assert_eq!(path.0, "/api/v1/namespaces/team-a/pods/..%2Fx%3Fy%23z%25");
        assert_eq!(Path::in_namespace("g", "v1", "..").0, "/apis/g/v1/namespaces/%2E%2E");
    }
}
