//! The command lines of etcd, the API server, the controller manager and kwok.

use super::options::{Builder, Nodes};
use crate::access::Access;
use crate::fault::Fault;
use crate::module::Module;
use crate::nest::Nest;
use std::path::Path;
use std::process::Command;

/// Every request but watches' first halves, by name only.
const AUDIT_POLICY: &str = "\
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules: [{ level: Metadata }]
";

const STAGES: &str = include_str!("../stages.yaml");

/// Loopback ports of one control plane.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ports {
    pub(super) etcd: u16,
    pub(super) etcd_peer: u16,
    pub(super) apiserver: u16,
}

pub(super) fn etcd(nest: &Nest, ports: Ports) -> Result<Command, Fault> {
    let mut command = Command::new(Module::ControlPlane.binary("etcd")?);
    let (client, peer) = (ports.etcd, ports.etcd_peer);
    command.args(["--name=e2e", "--log-level=warn", "--quota-backend-bytes=8589934592"]);
    // A test that loses power has other troubles than its data.
    command.arg("--unsafe-no-fsync");
    command.arg(format!("--data-dir={}", nest.bulk().join("etcd").display()));
    command.arg(format!("--listen-client-urls=http://127.0.0.1:{client}"));
    command.arg(format!("--advertise-client-urls=http://127.0.0.1:{client}"));
    command.arg(format!("--listen-peer-urls=http://127.0.0.1:{peer}"));
    command.arg(format!("--initial-advertise-peer-urls=http://127.0.0.1:{peer}"));
    command.arg(format!("--initial-cluster=e2e=http://127.0.0.1:{peer}"));
    Ok(command)
}

pub(super) fn apiserver(
    nest: &Nest,
    access: &Access,
    ports: Ports,
    builder: &Builder,
) -> Result<Command, Fault> {
    let mut command = Command::new(Module::ControlPlane.binary("kube-apiserver")?);
    command.arg(format!("--etcd-servers=http://127.0.0.1:{}", ports.etcd));
    command.arg(format!("--secure-port={}", ports.apiserver));
    // Otherwise it refuses to tell the cluster a loopback address of itself.
    command.args(["--bind-address=127.0.0.1", "--endpoint-reconciler-type=none"]);
    command.args(["--service-cluster-ip-range=10.96.0.0/16", "--authorization-mode=RBAC"]);
    command.args(["--allow-privileged=true", "--profiling=false"]);
    command.arg("--service-account-issuer=https://kubernetes.default.svc");
    for (flag, path) in [
        ("cert-dir", nest.folder()),
        ("tls-cert-file", &access.certificate),
        ("tls-private-key-file", &access.key),
        ("token-auth-file", &access.tokens),
        ("service-account-key-file", &access.verifying_key),
        ("service-account-signing-key-file", &access.signing_key),
    ] {
        command.arg(format!("--{flag}={}", path.display()));
    }
    // A node is what the test says from its first moment, not "not ready" until a controller
    // has had a look.
    let mut disabled = vec!["TaintNodesByCondition"];
    if !builder.admits_service_accounts {
        disabled.push("ServiceAccount");
    }
    command.arg(format!("--disable-admission-plugins={}", disabled.join(",")));
    if builder.native_groups {
        command.arg("--runtime-config=scheduling.k8s.io/v1beta1=true");
    }
    command.args(builder.feature_gates());
    if builder.audited {
        let policy = nest.write("audit-policy.yaml", AUDIT_POLICY)?;
        command.arg(format!("--audit-policy-file={}", policy.display()));
        command.arg(format!("--audit-log-path={}", audit_log(nest).display()));
        command.args(["--audit-log-mode=blocking", "--audit-log-maxsize=10000"]);
    }
    if builder.for_load {
        command.args(["--max-requests-inflight=0", "--max-mutating-requests-inflight=0"]);
        command.arg("--enable-priority-and-fairness=false");
    }
    command.args(&builder.flags);
    Ok(command)
}

/// Where the API server writes who asked for what.
pub(super) fn audit_log(nest: &Nest) -> std::path::PathBuf {
    nest.folder().join("audit.jsonl")
}

pub(super) fn controller_manager(
    access: &Access,
    kubeconfig: &Path,
    controllers: &[String],
    builder: &Builder,
) -> Result<Command, Fault> {
    let mut command = Command::new(Module::ControlPlane.binary("kube-controller-manager")?);
    command.arg(format!("--kubeconfig={}", kubeconfig.display()));
    command.args(["--leader-elect=false", "--secure-port=0"]);
    command.args(["--kube-api-qps=1000", "--kube-api-burst=2000"]);
    // No kubelet renews a lease here; a node is lost when the test says so.
    command.arg("--node-monitor-grace-period=24h");
    command.arg(format!("--service-account-private-key-file={}", access.signing_key.display()));
    command.arg(format!("--root-ca-file={}", access.authority.display()));
    command.arg(format!("--controllers={}", controllers.join(",")));
    command.args(builder.feature_gates());
    Ok(command)
}

pub(super) fn kwok(nest: &Nest, kubeconfig: &Path, nodes: Nodes) -> Result<Option<Command>, Fault> {
    if nodes == Nodes::Objects {
        return Ok(None);
    }
    let mut command = Command::new(Module::ControlPlane.binary("kwok")?);
    command.arg(format!("--kubeconfig={}", kubeconfig.display()));
    command.arg(format!("--config={}", nest.write("stages.yaml", STAGES)?.display()));
    // No lease to renew and no port of a kubelet to serve.
    command.args(["--manage-all-nodes=true", "--node-lease-duration-seconds=0", "--node-port=0"]);
    Ok(Some(command))
}
