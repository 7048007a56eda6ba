//! Gives each port of a node to one pod only.
//!
//! Two host ports collide if number and protocol are equal and the addresses are, or either
//! address is the wildcard. Pods on their way out keep their ports until they are gone.

use scheduler_framework::profile::Profile;
use scheduler_framework::{Cadence, EventMask, Filter, Plugin, Verdict};
use scheduler_model::explain::NodeReason;
use scheduler_model::ids::{ClassId, NodeId};
use scheduler_model::node_set::NodeSet;
use scheduler_model::snapshot::Snapshot;
use scheduler_model::spec::HostPort;
use std::sync::Arc;

#[derive(Debug)]
struct HostPorts;

pub(crate) fn install(profile: &mut Profile) {
    profile.filter(Arc::new(HostPorts));
}

impl Plugin for HostPorts {
    fn name(&self) -> &'static str {
        "host_ports"
    }

    fn wakes_on(&self) -> EventMask {
        EventMask::NODE_ADDED | EventMask::ROOM_FREED
    }
}

impl Filter for HostPorts {
    fn cadence(&self) -> Cadence {
        Cadence::PerPlacement
    }

    fn concerns(&self, snap: &Snapshot, class: ClassId) -> bool {
        snap.classes().get(class).has_host_ports()
    }

    fn is_local(&self, _: &Snapshot, _: ClassId) -> bool {
        true
    }

    fn accepts(&self, snap: &Snapshot, class: ClassId, node: NodeId) -> Verdict {
        match wants(snap, class).iter().find(|port| is_taken(snap, node, port)) {
            Some(port) => Verdict::Unfit(NodeReason::HostPort(port.port.to_string())),
            None => Verdict::Fit,
        }
    }

    fn retain(&self, snap: &Snapshot, class: ClassId, nodes: &mut NodeSet) {
        let ports = wants(snap, class);
        nodes.retain_if(|node| !ports.iter().any(|port| is_taken(snap, node, port)));
    }
}

fn wants(snap: &Snapshot, class: ClassId) -> &[HostPort] {
    &snap.classes().get(class).key.shape.host_ports
}

fn is_taken(snap: &Snapshot, node: NodeId, port: &HostPort) -> bool {
    snap.nodes().port_conflict(node, port).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{build, kept, node, on, pod, refusal, terminating};
    use scheduler_model::spec::{PodShape, Protocol};

    fn wanting(ports: &[(&str, Protocol, i32)]) -> PodShape {
        let host_ports = ports
            .iter()
            .map(|(ip, protocol, port)| HostPort {
                ip: (*ip).to_owned(),
                protocol: *protocol,
                port: *port,
            })
            .collect();
        PodShape { host_ports, ..PodShape::default() }
    }

    #[test]
    fn ports_collide_by_number_protocol_and_address() {
        use Protocol::{Tcp, Udp};
        let cases = [
            (("10.0.0.1", Tcp, 80), ("10.0.0.1", Tcp, 80), false),
            (("10.0.0.1", Tcp, 80), ("10.0.0.2", Tcp, 80), true),
            (("10.0.0.1", Tcp, 80), ("0.0.0.0", Tcp, 80), false),
            (("", Tcp, 80), ("10.0.0.1", Tcp, 80), false),
            (("0.0.0.0", Tcp, 80), ("0.0.0.0", Udp, 80), true),
            (("0.0.0.0", Tcp, 80), ("0.0.0.0", Tcp, 81), true),
        ];
        for (taken, wanted, fits) in cases {
            let there = on("a", pod("there", &[], wanting(&[taken])));
            let snap = build(vec![node("a")], vec![there, pod("p", &[], wanting(&[wanted]))]);
            let got = refusal(&HostPorts, &snap, "p", "a").is_none();
            assert_eq!(got, fits, "{taken:?} {wanted:?}");
        }
    }

    #[test]
    fn only_the_node_that_has_the_port_taken_refuses() {
        let port = || wanting(&[("", Protocol::Tcp, 80)]);
        let pods = vec![on("a", pod("there", &[], port())), pod("p", &[], port())];
        let snap = build(vec![node("a"), node("b")], pods);
        assert_eq!(kept(&HostPorts, &snap, "p"), ["b"]);
        let reason = NodeReason::HostPort("80".to_owned());
        assert_eq!(refusal(&HostPorts, &snap, "p", "a"), Some(reason));
    }

    #[test]
    fn a_terminating_pod_keeps_its_ports() {
        let port = || wanting(&[("", Protocol::Tcp, 80)]);
        let there = terminating(on("a", pod("there", &[], port())));
        let snap = build(vec![node("a")], vec![there, pod("p", &[], port())]);
        assert!(kept(&HostPorts, &snap, "p").is_empty());
    }

    #[test]
    fn a_pod_without_host_ports_is_not_asked() {
        let snap = build(vec![node("a")], vec![pod("p", &[], PodShape::default())]);
        let (class, _) = snap.classes().iter().next().expect("one class");
        assert!(!HostPorts.concerns(&snap, class));
    }
}
