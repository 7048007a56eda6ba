//! Claims, and what serves them, joined.

use scheduler_kube::object::{Object, Storage};
use scheduler_kube::read::KINDS;
use scheduler_kube::translate::volume::Store;
use scheduler_model::amount::Amount;
use scheduler_model::spec::{
    ClaimSpec, ClaimState, NodeTerm, Reach, Requirement, SelectorOperator,
};

fn object(kind: &str, yaml: &str) -> Storage {
    let json: serde_json::Value = serde_saphyr::from_str(yaml).expect("YAML");
    let row = KINDS.iter().find(|row| row.kind == kind).expect("a kind that is read");
    match row.decode(json.to_string().as_bytes()).expect("an object") {
        Object::Storage(object) => object,
        other => panic!("{other:?}"),
    }
}

fn store(objects: &[(&str, &str)]) -> Store {
    let mut store = Store::default();
    for (kind, yaml) in objects {
        store.put(object(kind, yaml));
    }
    store
}

fn claim(store: &Store) -> ClaimSpec {
    store.claim("a/data").expect("the claim is there").value
}

fn why(objects: &[(&str, &str)]) -> String {
    match claim(&store(objects)).state {
        ClaimState::Unready(why) => why,
        other => panic!("{other:?}"),
    }
}

fn bound_to(volume: &str) -> String {
    format!(
        "{{metadata: {{name: data, namespace: a, uid: c, annotations: {{{}}}}}, \
         spec: {{volumeName: {volume}}}}}",
        "pv.kubernetes.io/bind-completed: \"yes\""
    )
}

const CLAIM: &str = "{metadata: {name: data, namespace: a}, spec: {storageClassName: c, \
                     accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}";
const LATE: &str = "{metadata: {name: c}, provisioner: p, volumeBindingMode: WaitForFirstConsumer}";

fn only(key: &str, values: &[&str]) -> Requirement {
    let operator =
        if values.is_empty() { SelectorOperator::DoesNotExist } else { SelectorOperator::In };
    let values = values.iter().map(|value| (*value).to_owned()).collect();
    Requirement { key: key.to_owned(), operator, values }
}

fn reach(objects: &[(&str, &str)]) -> Reach {
    match claim(&store(objects)).state {
        ClaimState::Bound(volume) => volume.reach,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_claim_that_is_not_ready_says_what_is_in_the_way() {
    let no_class = "{metadata: {name: data, namespace: a}, spec: {}}";
    let at_once = "{metadata: {name: c}, provisioner: p, volumeBindingMode: Immediate}";
    let going =
        "{metadata: {name: data, namespace: a, deletionTimestamp: \"2026-01-01T00:00:00Z\"}}";
    let lost = "{metadata: {name: data, namespace: a}, status: {phase: Lost}}";
    let half = "{metadata: {name: data, namespace: a}, spec: {volumeName: v}}";
    for (objects, words) in [
        (vec![("PersistentVolumeClaim", no_class)], "no storage class"),
        (vec![("PersistentVolumeClaim", CLAIM)], "\"c\", which does not exist"),
        (vec![("PersistentVolumeClaim", CLAIM), ("StorageClass", at_once)], "binds at once"),
        (vec![("PersistentVolumeClaim", going)], "being deleted"),
        (vec![("PersistentVolumeClaim", lost)], "lost"),
        (vec![("PersistentVolumeClaim", half)], "not bound to its volume \"v\" yet"),
        (vec![("PersistentVolumeClaim", &bound_to("v"))], "\"v\", which does not exist"),
    ] {
        let why = why(&objects);
        assert!(why.contains(words), "{why}");
    }
}

#[test]
fn a_late_claim_knows_its_class_size_and_driver() {
    let driver = "{metadata: {name: p}, spec: {storageCapacity: true}}";
    let store =
        store(&[("PersistentVolumeClaim", CLAIM), ("StorageClass", LATE), ("CSIDriver", driver)]);
    let ClaimState::Late(late) = claim(&store).state else { panic!("it waits for its pod") };
    assert_eq!((late.class.as_str(), late.bytes), ("c", Amount::new(1 << 30)));
    let provision = late.provision.expect("a driver makes its volumes");
    assert_eq!((provision.driver.as_str(), provision.counts_room), ("p", true));
}

#[test]
fn the_class_may_stand_in_the_old_annotation() {
    let old = "{metadata: {name: data, namespace: a, \
               annotations: {volume.beta.kubernetes.io/storage-class: c}}}";
    let by_hand = "{metadata: {name: c}, provisioner: kubernetes.io/no-provisioner, \
                   volumeBindingMode: WaitForFirstConsumer}";
    let store = store(&[("PersistentVolumeClaim", old), ("StorageClass", by_hand)]);
    let ClaimState::Late(late) = claim(&store).state else { panic!("it waits for its pod") };
    assert_eq!((late.class.as_str(), late.provision), ("c", None));
}

#[test]
fn zone_labels_of_a_volume_are_part_of_its_reach() {
    let volume = "{metadata: {name: v, labels: {topology.kubernetes.io/zone: z1__z2}}}";
    let keys = [
        "failure-domain.beta.kubernetes.io/region",
        "failure-domain.beta.kubernetes.io/zone",
        "topology.kubernetes.io/region",
        "topology.kubernetes.io/zone",
    ];
    let term = |labels| NodeTerm { labels, fields: Vec::new() };
    assert_eq!(
        reach(&[("PersistentVolumeClaim", &bound_to("v")), ("PersistentVolume", volume)]),
        Some(vec![
            term(vec![only("topology.kubernetes.io/zone", &["z1", "z2"])]),
            term(keys.iter().map(|key| only(key, &[])).collect()),
        ])
    );
}

#[test]
fn only_volumes_that_nobody_has_are_told() {
    let volume =
        |more: &str| format!("{{metadata: {{name: v}}, spec: {{storageClassName: c{more}}}}}");
    let is_told = |yaml: &str| {
        store(&[("StorageClass", LATE), ("PersistentVolume", yaml)]).volume("v").is_some()
    };
    assert!(is_told(&volume("")));
    assert!(is_told(&volume(", claimRef: {namespace: a, name: data}")));
    assert!(!is_told(&volume(", claimRef: {namespace: a, name: data, uid: gone}")));
    assert!(!is_told("{metadata: {name: v}, spec: {storageClassName: other}}"));
}

#[test]
fn a_claim_is_touched_by_all_that_it_is_joined_from() {
    let mut store = store(&[("PersistentVolumeClaim", &bound_to("v"))]);
    let volume = object("PersistentVolume", "{metadata: {name: v}}");
    let is_touched =
        |touched: scheduler_kube::translate::volume::Touched| touched.claims.contains("a/data");
    assert!(is_touched(store.put(volume)));
    assert!(is_touched(store.remove("PersistentVolume", "v")));
    store.put(object("PersistentVolumeClaim", CLAIM));
    assert!(is_touched(store.put(object("StorageClass", LATE))));
    assert!(is_touched(store.put(object("CSIDriver", "{metadata: {name: p}}"))));
}

#[test]
fn nodes_are_limited_only_by_drivers_that_count() {
    let node = "{metadata: {name: n1}, spec: {drivers: [{name: p, allocatable: {count: 3}}, \
                {name: q}, {name: r, allocatable: {}}]}}";
    let limits = store(&[("CSINode", node)]).attach_limits("n1");
    assert_eq!(limits.into_iter().collect::<Vec<_>>(), [("p".to_owned(), 3)]);
}

#[test]
fn room_without_nodes_is_none_and_an_empty_selector_is_every_node() {
    let pool = |topology: &str| {
        let yaml = format!(
            "{{metadata: {{name: x, namespace: s}}, storageClassName: c, capacity: 5Gi, \
             maximumVolumeSize: 2Gi{topology}}}"
        );
        store(&[("CSIStorageCapacity", &yaml)]).pool("s/x").map(|read| read.value)
    };
    assert_eq!(pool(""), None);
    let everywhere = pool(", nodeTopology: {}").expect("it has nodes");
    assert_eq!((everywhere.reach, everywhere.largest), (None, Amount::new(2 << 30)));
}
