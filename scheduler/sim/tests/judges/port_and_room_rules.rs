//! Resources, pod count, host ports.

use crate::make::*;
use scheduler_model::explain::NodeReason;
use scheduler_model::spec::Protocol::{Tcp, Udp};
use scheduler_model::spec::{NodeSpec, PodPhase, PodShape, PodSpec};

fn lacks(
    allocatable: &[(&str, i64)],
    others: Vec<PodSpec>,
    wants: &[(&str, i64)],
) -> Vec<NodeReason> {
    let node = NodeSpec { allocatable: resources(allocatable), ..node("n", &[]) };
    let world = cluster(vec![node], others);
    reasons(&world, &pod("p", &[], requesting(wants)), "n")
}

fn holds(cpu: i64) -> PodSpec {
    on("n", pod("old", &[], requesting(&[("cpu", cpu)])))
}

#[test]
fn a_pod_fits_into_exactly_what_is_free() {
    assert_eq!(lacks(&[("cpu", 8), ("pods", 9)], vec![holds(5)], &[("cpu", 3)]), []);
}

#[test]
fn one_unit_too_much_does_not_fit() {
    let short = NodeReason::Insufficient("cpu".to_owned());
    assert_eq!(lacks(&[("cpu", 8), ("pods", 9)], vec![holds(5)], &[("cpu", 4)]), [short]);
}

#[test]
fn a_node_that_is_too_small_when_empty_is_told_apart() {
    let small = NodeReason::TooSmall("cpu".to_owned());
    assert_eq!(lacks(&[("cpu", 8), ("pods", 9)], Vec::new(), &[("cpu", 9)]), [small]);
}

#[test]
fn a_resource_that_the_node_lacks_does_not_fit() {
    let small = NodeReason::TooSmall("example.com/gpu".to_owned());
    assert_eq!(lacks(&[("pods", 9)], Vec::new(), &[("example.com/gpu", 1)]), [small]);
}

#[test]
fn every_pod_takes_one_of_the_pod_count() {
    let full = NodeReason::Insufficient("pods".to_owned());
    assert_eq!(lacks(&[("cpu", 8), ("pods", 1)], vec![holds(1)], &[]), [full]);
    let none = NodeReason::TooSmall("pods".to_owned());
    assert_eq!(lacks(&[("cpu", 8)], Vec::new(), &[]), [none]);
}

#[test]
fn an_overfilled_resource_hurts_only_those_that_want_it() {
    assert_eq!(lacks(&[("cpu", 2), ("pods", 9)], vec![holds(5)], &[]), []);
}

#[test]
fn terminating_and_foreign_pods_hold_room_and_finished_ones_do_not() {
    let short = [NodeReason::Insufficient("cpu".to_owned())];
    let all = [("cpu", 8), ("pods", 9)];
    let terminating = PodSpec { terminating: true, ..holds(8) };
    assert_eq!(lacks(&all, vec![terminating], &[("cpu", 1)]), short);
    let foreign = PodSpec { ours: false, ..holds(8) };
    assert_eq!(lacks(&all, vec![foreign], &[("cpu", 1)]), short);
    for phase in [PodPhase::Succeeded, PodPhase::Failed] {
        assert_eq!(lacks(&all, vec![PodSpec { phase, ..holds(8) }], &[("cpu", 1)]), []);
    }
}

#[test]
fn host_ports_collide_by_port_protocol_and_address() {
    let any = "0.0.0.0";
    let cases = [
        (port(any, Tcp, 80), port(any, Tcp, 80), false),
        (port(any, Tcp, 80), port(any, Tcp, 81), true),
        (port(any, Tcp, 80), port(any, Udp, 80), true),
        (port("10.0.0.1", Tcp, 80), port("10.0.0.2", Tcp, 80), true),
        (port("10.0.0.1", Tcp, 80), port("10.0.0.1", Tcp, 80), false),
        (port(any, Tcp, 80), port("10.0.0.1", Tcp, 80), false),
        (port("10.0.0.1", Tcp, 80), port(any, Tcp, 80), false),
        (port("", Tcp, 80), port("10.0.0.1", Tcp, 80), false),
    ];
    for (there, new, goes) in cases {
        let world = cluster(vec![node("n", &[])], vec![on("n", pod("old", &[], there.clone()))]);
        let free = reasons(&world, &pod("p", &[], new.clone()), "n").is_empty();
        assert_eq!(free, goes, "{:?} {:?}", there.host_ports, new.host_ports);
    }
}

#[test]
fn a_port_is_taken_on_its_own_node_only() {
    let there = on("m", pod("old", &[], port("", Tcp, 80)));
    let world = cluster(vec![node("n", &[]), node("m", &[])], vec![there]);
    let new = pod("p", &[], port("", Tcp, 80));
    assert_eq!(reasons(&world, &new, "n"), []);
    assert_eq!(reasons(&world, &new, "m"), [NodeReason::HostPort("80".to_owned())]);
}

#[test]
fn a_pod_does_not_stand_in_its_own_way() {
    let world =
        cluster(vec![node("n", &[])], vec![on("n", pod("p", &[], requesting(&[("cpu", 8)])))]);
    let again = pod("p", &[], PodShape { ..requesting(&[("cpu", 8)]) });
    assert_eq!(reasons(&world, &again, "n"), []);
}
