//! Everything about a pod that decides where it may go: `spec` to [`PodShape`].
//!
//! Invariant: a demand that cannot be read never vanishes. Where "matches nothing" keeps the
//! pod away it is read so; where it would let the pod go anywhere (anti-affinity, spread,
//! ports) the pod is marked unsupported and waits. Wishes that cannot be read are dropped.

use super::{Problems, affinity, requests, shorten, spread, toleration};
use crate::wire::{Container, Number, PodBody, PodStatus, Port};
use scheduler_model::spec::{ClaimUse, HostPort, Labels, PodShape, Protocol, Unsupported};

/// A shape, and what of the pod cannot be placed yet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shaped {
    /// What can be honoured.
    pub shape: PodShape,
    /// What cannot; sorted, without repeats.
    pub unsupported: Vec<Unsupported>,
}

/// The pod around a `spec`.
#[derive(Clone, Copy, Debug)]
pub struct Own<'a> {
    /// Its name, which generated claims carry.
    pub name: &'a str,
    /// Its namespace, where its pod terms look unless they say otherwise.
    pub namespace: &'a str,
    /// Its labels, for `matchLabelKeys`.
    pub labels: &'a Labels,
}

/// Collects what the parts of a shape find wrong.
pub(super) struct Findings<'a> {
    pub(super) problems: &'a mut Problems,
    pub(super) unsupported: Vec<Unsupported>,
}

impl Findings<'_> {
    /// The pod waits because of this, in words that complete "the pod uses …".
    pub(super) fn unsupported(&mut self, words: impl Into<String>) {
        self.unsupported.push(Unsupported::Other(words.into()));
    }
}

/// The shape of a pod with this `spec` and `status`.
pub fn of(spec: &PodBody, status: &PodStatus, own: Own<'_>, problems: &mut Problems) -> Shaped {
    let mut findings = Findings { problems, unsupported: refused(spec) };
    let requests = requests::effective(spec, status, findings.problems, &mut findings.unsupported);
    let away = &spec.affinity.pod_anti_affinity;
    let towards = &spec.affinity.pod_affinity;
    let mut pod_preferences =
        affinity::preferred_pods(&towards.preferred, affinity::Side::Towards, own, &mut findings);
    pod_preferences.extend(affinity::preferred_pods(
        &away.preferred,
        affinity::Side::Away,
        own,
        &mut findings,
    ));
    let shape = PodShape {
        profile: 0,
        requests,
        node_selector: spec.node_selector.clone(),
        node_affinity: affinity::required_nodes(&spec.affinity.node_affinity, findings.problems),
        node_preferences: affinity::preferred_nodes(
            &spec.affinity.node_affinity,
            findings.problems,
        ),
        tolerations: toleration::all(&spec.tolerations, findings.problems),
        host_ports: host_ports(spec, &mut findings),
        affinity: affinity::required_pods(
            &towards.required,
            affinity::Side::Towards,
            own,
            &mut findings,
        ),
        anti_affinity: affinity::required_pods(
            &away.required,
            affinity::Side::Away,
            own,
            &mut findings,
        ),
        pod_preferences,
        spread: spread::all(&spec.topology_spread_constraints, own.labels, &mut findings),
    };
    let mut unsupported = findings.unsupported;
    unsupported.sort();
    unsupported.dedup();
    Shaped { shape, unsupported }
}

/// The volume claims of a pod; one that is made for the pod alone is called after it.
pub(super) fn claims(spec: &PodBody, pod: &str) -> Vec<ClaimUse> {
    let mut claims = Vec::new();
    for volume in &spec.volumes {
        if let Some(claim) = &volume.persistent_volume_claim {
            claims.push(ClaimUse { name: claim.claim_name.clone(), is_own: false });
        }
        if volume.ephemeral {
            claims.push(ClaimUse { name: format!("{pod}-{}", volume.name), is_own: true });
        }
    }
    claims.sort();
    claims.dedup();
    claims
}

/// Volumes and devices that this version cannot place.
fn refused(spec: &PodBody) -> Vec<Unsupported> {
    let mut found = Vec::new();
    for volume in &spec.volumes {
        let inline = [
            (volume.aws_elastic_block_store, "awsElasticBlockStore"),
            (volume.gce_persistent_disk, "gcePersistentDisk"),
            (volume.rbd, "rbd"),
            (volume.iscsi, "iscsi"),
        ];
        for (_, kind) in inline.into_iter().filter(|(is_present, _)| *is_present) {
            found.push(Unsupported::Other(format!("the inline {kind} volume {}", volume.name)));
        }
    }
    found.extend(spec.resource_claims.iter().map(|c| Unsupported::ResourceClaim(c.name.clone())));
    found
}

/// Host ports of the containers and sidecars; plain init containers end before the others
/// start, and the API counts no ports of theirs.
fn host_ports(spec: &PodBody, findings: &mut Findings<'_>) -> Vec<HostPort> {
    let sidecars = spec.init_containers.iter().filter(|container| container.is_sidecar());
    let mut ports = Vec::new();
    for container in spec.containers.iter().chain(sidecars) {
        for port in &container.ports {
            ports.extend(host_port(port, container, spec.host_network, findings));
        }
    }
    ports.sort();
    ports.dedup();
    ports
}

fn host_port(
    port: &Port,
    container: &Container,
    is_host_network: bool,
    findings: &mut Findings<'_>,
) -> Option<HostPort> {
    let is_taken = |number: &&Number| **number != Number::Whole(0);
    let host_port = port.host_port.as_ref().filter(is_taken);
    let container_port = port.container_port.as_ref().filter(|_| is_host_network);
    let written = host_port.or(container_port.filter(is_taken))?;
    let number = match written {
        Number::Whole(number) => i32::try_from(*number).ok().filter(|n| (1..=65_535).contains(n)),
        Number::Other(_) => None,
    };
    let protocol = match port.protocol.as_str() {
        "" | "TCP" => Some(Protocol::Tcp),
        "UDP" => Some(Protocol::Udp),
        "SCTP" => Some(Protocol::Sctp),
        _ => None,
    };
    let (Some(protocol), Some(number)) = (protocol, number) else {
        findings.problems.add(
            format!("ports of container {}", container.name),
            format!(
                "`{}/{}` is not a host port; the pod waits",
                shorten(&written.to_string()),
                shorten(&port.protocol)
            ),
            "use a port from 1 to 65535 and TCP, UDP or SCTP",
        );
        findings.unsupported("a host port that cannot be read");
        return None;
    };
    let ip = if port.host_ip.is_empty() { "0.0.0.0" } else { &port.host_ip };
    Some(HostPort { ip: ip.to_owned(), protocol, port: number })
}
