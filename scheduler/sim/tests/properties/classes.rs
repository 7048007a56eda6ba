//! Pods that nothing can tell apart are one class, and only those.

use scheduler_model::event::Event;
use scheduler_model::snapshot::Snapshot;
use scheduler_model::spec::{
    LabelSelector, NamespaceScope, PodShape, PodSpec, PodTerm, Requirement, SelectorOperator,
};
use scheduler_model::time::Time;
use scheduler_sim::worlds::{Size, random_of};
use std::sync::Arc;

/// A waiting pod without any wish, with these labels.
fn pod(name: &str, labels: &[(&str, &str)], shape: PodShape) -> PodSpec {
    let world = random_of(0, Size::TINY, &[]);
    let pods = world.events.into_iter().filter_map(|event| match event {
        Event::Pod(pod) => Some(*pod),
        _ => None,
    });
    let labels = labels.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
    PodSpec {
        uid: name.to_owned(),
        name: name.to_owned(),
        labels: labels.collect(),
        shape: Arc::new(shape),
        ..pods.into_iter().next().expect("every world has a pod")
    }
}

fn avoiding(key: &str, value: &str) -> PodShape {
    let requirement = Requirement {
        key: key.to_owned(),
        operator: SelectorOperator::In,
        values: vec![value.to_owned()],
    };
    let term = PodTerm {
        selector: Some(LabelSelector { requirements: vec![requirement] }),
        namespaces: NamespaceScope { names: Vec::new(), selector: Some(LabelSelector::default()) },
        topology_key: "kubernetes.io/hostname".to_owned(),
    };
    PodShape { anti_affinity: vec![term], ..PodShape::default() }
}

fn tell(snap: &mut Snapshot, pod: PodSpec) {
    snap.ingest(Event::Pod(Box::new(pod)), Time::ZERO);
}

#[test]
fn an_indexed_job_of_5000_pods_is_one_class() {
    let mut snap = Snapshot::default();
    for index in 0..5000 {
        let index = index.to_string();
        let labels = [("app", "train"), ("batch.kubernetes.io/job-completion-index", &*index)];
        tell(&mut snap, pod(&format!("train-{index}"), &labels, PodShape::default()));
    }
    assert_eq!((snap.pods().len(), snap.classes().len()), (5000, 1));
}

#[test]
fn a_label_that_a_third_pod_avoids_makes_two_classes_until_that_pod_is_gone() {
    let mut snap = Snapshot::default();
    tell(&mut snap, pod("a", &[("tier", "web"), ("index", "0")], PodShape::default()));
    tell(&mut snap, pod("b", &[("tier", "db"), ("index", "1")], PodShape::default()));
    let class = |snap: &Snapshot, uid: &str| {
        snap.pods().get(snap.pods().find(uid).expect("it was told")).class
    };
    assert_eq!(class(&snap, "a"), class(&snap, "b"));
    tell(&mut snap, pod("shy", &[], avoiding("tier", "db")));
    assert_ne!(class(&snap, "a"), class(&snap, "b"));
    assert_eq!(snap.classes().len(), 3);
    snap.ingest(Event::PodGone("shy".to_owned()), Time::ZERO);
    assert_eq!(class(&snap, "a"), class(&snap, "b"));
    assert_eq!(snap.classes().len(), 1);
}

#[test]
fn a_selector_over_an_index_label_splits_only_what_carries_it() {
    let mut snap = Snapshot::default();
    for index in 0..10 {
        let index = index.to_string();
        tell(&mut snap, pod(&format!("j-{index}"), &[("index", &index)], PodShape::default()));
    }
    tell(&mut snap, pod("x", &[("app", "x")], PodShape::default()));
    tell(&mut snap, pod("y", &[("app", "y")], PodShape::default()));
    assert_eq!(snap.classes().len(), 1);
    tell(&mut snap, pod("shy", &[], avoiding("index", "3")));
    // Ten values of the label, the pods without it, and the shy one.
    assert_eq!(snap.classes().len(), 12);
}
