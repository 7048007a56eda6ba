//! What must hold whatever happens.

use crate::GRACE;
use crate::burst::Burst;
use crate::observer::Seen;
use e2e::{AuditEntry, ControlPlane};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// Every pod is bound, each once, no node holds more than it can, no gang was half bound for
/// longer than the grace. Gives the longest time that a gang was.
pub(crate) fn whole(plane: &ControlPlane, burst: &Burst, seen: &Seen) -> Duration {
    assert_eq!(seen.faults, [""; 0]);
    assert_eq!(seen.bound.len(), burst.pods(), "a gang was lost");
    let mut nodes: BTreeMap<&str, usize> = BTreeMap::new();
    let mut gangs: BTreeMap<&str, (Instant, Instant)> = BTreeMap::new();
    for (pod, (node, at)) in &seen.bound {
        *nodes.entry(node).or_default() += 1;
        let gang = pod.split('.').next().unwrap_or_default();
        let (first, last) = gangs.entry(gang).or_insert((*at, *at));
        (*first, *last) = ((*first).min(*at), (*last).max(*at));
    }
    let full = nodes.iter().find(|(_, pods)| **pods > burst.each);
    assert_eq!(full, None, "a node is over-filled");
    let spans = gangs.iter().map(|(gang, (first, last))| (*last - *first, *gang));
    let (longest, gang) = spans.max().expect("there are gangs");
    assert!(longest < GRACE, "{}/{gang} was half bound for {longest:?}", burst.namespace);
    // Without `audit` there is nothing to read here, and the API server's word is taken.
    bound_once(&plane.audit(), &burst.namespace);
    longest
}

/// The API server has taken at most one bind of each pod, and none was deleted.
fn bound_once(audit: &[AuditEntry], namespace: &str) {
    let mut binds: BTreeMap<&str, usize> = BTreeMap::new();
    for entry in audit.iter().filter(|entry| entry.namespace == namespace) {
        assert!(entry.asked() != "delete pods", "{entry:?}");
        if entry.asked() == "create pods/binding" && entry.code == 201 {
            *binds.entry(&entry.name).or_default() += 1;
        }
    }
    let twice = binds.iter().find(|(_, count)| **count > 1);
    assert_eq!(twice, None, "a pod was bound twice");
}

/// A sample in words: how many, median, the worst.
pub(crate) fn tell(what: &str, mut sample: Vec<Duration>) {
    sample.sort();
    let middle = sample.get(sample.len() / 2);
    println!("{what}: {} times, median {middle:?}, worst {:?}", sample.len(), sample.last());
}
