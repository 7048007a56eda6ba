//! Who asked the API server for what, read from its audit log.

use serde::Deserialize;
use std::path::Path;

/// One request, as far as the API server had come with it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuditEntry {
    /// `ResponseComplete`, or `ResponseStarted` for watches that still run.
    pub stage: String,
    /// Who asked; the name taken on, where somebody speaks as somebody else.
    pub user: String,
    /// `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, …
    pub verb: String,
    /// API group; empty for the core group and for paths that are no resources.
    pub group: String,
    /// Plural name of the kind, such as `pods`; empty for other paths.
    pub resource: String,
    /// Such as `binding` or `status`; mostly empty.
    pub subresource: String,
    /// Namespace of the object; empty for cluster-wide ones.
    pub namespace: String,
    /// Name of the object; empty for lists and some creations.
    pub name: String,
    /// Status code of the answer; 0 before there is one.
    pub code: u16,
    /// Path and query of the request.
    pub uri: String,
    /// What the client calls itself.
    pub user_agent: String,
    /// When the request came, in the API server's clock, RFC 3339.
    pub received: String,
    /// When the stage was reached, RFC 3339.
    pub reached: String,
}

impl AuditEntry {
    /// `create pods/binding` or `get /readyz`: what RBAC would be asked.
    #[must_use]
    pub fn asked(&self) -> String {
        let path = self.uri.split('?').next().unwrap_or_default();
        match (self.resource.as_str(), self.subresource.as_str()) {
            ("", _) => format!("{} {path}", self.verb),
            (resource, "") => format!("{} {resource}", self.verb),
            (resource, sub) => format!("{} {resource}/{sub}", self.verb),
        }
    }
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Wire {
    stage: String,
    #[serde(rename = "requestURI")]
    uri: String,
    verb: String,
    user: WireUser,
    impersonated_user: Option<WireUser>,
    user_agent: String,
    object_ref: WireObject,
    response_status: WireStatus,
    request_received_timestamp: String,
    stage_timestamp: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct WireUser {
    username: String,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct WireObject {
    resource: String,
    namespace: String,
    name: String,
    api_group: String,
    subresource: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct WireStatus {
    code: u16,
}

/// All whole lines of the log; a line that is still being written is left out.
pub(crate) fn read(path: &Path) -> Vec<AuditEntry> {
    let bytes = std::fs::read(path).unwrap_or_default();
    let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    bytes[..whole].split(|byte| *byte == b'\n').filter_map(entry).collect()
}

fn entry(line: &[u8]) -> Option<AuditEntry> {
    let wire: Wire = serde_json::from_slice(line).ok()?;
    Some(AuditEntry {
        stage: wire.stage,
        user: wire.impersonated_user.unwrap_or(wire.user).username,
        verb: wire.verb,
        group: wire.object_ref.api_group,
        resource: wire.object_ref.resource,
        subresource: wire.object_ref.subresource,
        namespace: wire.object_ref.namespace,
        name: wire.object_ref.name,
        code: wire.response_status.code,
        uri: wire.uri,
        user_agent: wire.user_agent,
        received: wire.request_received_timestamp,
        reached: wire.stage_timestamp,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_says_who_asked_for_what_and_what_came_back() {
        let line = br#"{"kind":"Event","stage":"ResponseComplete","requestURI":"/api/v1/x?y",
            "verb":"create","user":{"username":"admin"},"impersonatedUser":{"username":"ann"},
            "objectRef":{"resource":"pods","namespace":"n","name":"p","subresource":"binding"},
            "responseStatus":{"code":201}}"#;
        let entry = entry(line).expect("this is an entry");
        assert_eq!((entry.user.as_str(), entry.code), ("ann", 201));
        assert_eq!(entry.asked(), "create pods/binding");
    }

    #[test]
    fn half_a_line_is_no_entry() {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let path = folder.path().join("audit");
        std::fs::write(&path, "{\"verb\":\"get\"}\n{\"verb\":\"li").expect("it can be written");
        assert_eq!(read(&path).len(), 1);
    }
}
