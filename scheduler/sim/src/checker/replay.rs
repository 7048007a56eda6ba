//! A sequence of binds, each judged on the state just before it.

use super::{Cluster, Violation, refusals};

/// Binds the `steps` (uid, node) one after another and says which were not allowed. A step
/// that was not allowed is carried out all the same if the pod is free, so that the state
/// that is left is the one the steps lead to.
pub fn replay(cluster: &mut Cluster, steps: &[(String, String)]) -> Vec<Violation> {
    let mut violations = Vec::new();
    for (uid, node) in steps {
        let Some(pod) = cluster.pods.get(uid) else {
            violations.push(Violation::NoPod { uid: uid.clone() });
            continue;
        };
        let refusals = refusals(cluster, pod, node);
        if !refusals.is_empty() {
            violations.push(Violation::Refused { uid: uid.clone(), node: node.clone(), refusals });
        }
        if let Some(pod) = cluster.pods.get_mut(uid) {
            pod.node.get_or_insert_with(|| node.clone());
        }
    }
    violations
}
