//! A gang with a volume that is made for it and one that exists; the target `volumes` has more.

use crate::bench::Bench;
use e2e::{PROVISIONER, Provisioner};
use serde_json::json;

const OBJECTS: &str = "
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: NAMESPACE-made}
provisioner: PROVISIONER
volumeBindingMode: WaitForFirstConsumer
---
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: NAMESPACE-there}
provisioner: kubernetes.io/no-provisioner
volumeBindingMode: WaitForFirstConsumer
---
apiVersion: v1
kind: PersistentVolume
metadata: {name: NAMESPACE-disk}
spec:
  capacity: {storage: 1Gi}
  accessModes: [ReadWriteOnce]
  storageClassName: NAMESPACE-there
  local: {path: /disk}
  nodeAffinity:
    required:
      nodeSelectorTerms:
      - matchExpressions:
        - {key: kubernetes.io/hostname, operator: In, values: [NAMESPACE-b]}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: made, namespace: NAMESPACE}
spec:
  accessModes: [ReadWriteOnce]
  storageClassName: NAMESPACE-made
  resources: {requests: {storage: 1Gi}}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: there, namespace: NAMESPACE}
spec:
  accessModes: [ReadWriteOnce]
  storageClassName: NAMESPACE-there
  resources: {requests: {storage: 1Gi}}
---
apiVersion: muster.sh/v1alpha1
kind: PodGroup
metadata: {name: g, namespace: NAMESPACE}
spec: {minAvailable: 2}
";

#[tokio::test]
async fn a_gang_gets_a_volume_that_is_made_for_it_and_one_that_exists() {
    let bench = Bench::new("claims").await;
    bench.nodes(&["a", "b"]).await;
    let _maker = Provisioner::new("claims-made").start(bench.client.clone());
    bench.apply(&OBJECTS.replace("PROVISIONER", PROVISIONER));
    let pods = ["made", "there"].map(|claim| {
        let volume = json!([{ "name": "data", "persistentVolumeClaim": { "claimName": claim } }]);
        bench.pod(claim).label("muster.sh/pod-group", "g").spec("volumes", volume)
    });
    bench.add(&pods).await;
    let nodes: Vec<String> = bench.bound(2).await.into_iter().map(|pod| pod.node).collect();
    assert_eq!(nodes, ["claims-a", "claims-b"]);
}
