//! Many gangs at once, in a namespace of their own.

use crate::LONG;
use e2e::{ControlPlane, FakePod};
use kube::Client;
use serde_json::{Value, json, to_value, to_vec};
use std::time::{Duration, Instant};
use tokio::task::JoinSet;

/// Requests in flight while a burst is made.
const AT_ONCE: usize = 16;

/// Gangs of the same size, `gang-0` and so on, in muster's own dialect. Their pods are called
/// `gang-0.0` and so on, and want one GPU each.
#[derive(Clone, Debug)]
pub(crate) struct Burst {
    pub(crate) namespace: String,
    pub(crate) gangs: usize,
    pub(crate) size: usize,
    /// GPUs of each pod.
    pub(crate) gpus: u32,
    /// Pods that a node takes.
    pub(crate) each: usize,
}

impl Burst {
    /// So many gangs of four in a new namespace.
    pub(crate) async fn new(plane: &ControlPlane, namespace: &str, gangs: usize) -> Self {
        plane.namespace(namespace).await.expect("a namespace can be made");
        Self { namespace: namespace.to_owned(), gangs, size: 4, gpus: 1, each: 8 }
    }

    pub(crate) const fn pods(&self) -> usize {
        self.gangs * self.size
    }

    /// Makes everything, in the background, whatever happens to the API server meanwhile.
    pub(crate) fn submit(&self, plane: &ControlPlane) -> tokio::task::JoinHandle<()> {
        let (burst, client) = (self.clone(), plane.client());
        tokio::spawn(async move { burst.make(&client).await })
    }

    async fn make(&self, client: &Client) {
        let mut running = JoinSet::new();
        for (path, object) in self.objects() {
            if running.len() >= AT_ONCE {
                done(running.join_next().await);
            }
            let client = client.clone();
            running.spawn(async move { create(&client, &path, &object).await });
        }
        while !running.is_empty() {
            done(running.join_next().await);
        }
    }

    /// Each gang's group, then its pods.
    fn objects(&self) -> Vec<(String, Value)> {
        let namespace = &self.namespace;
        let groups = format!("/apis/muster.sh/v1alpha1/namespaces/{namespace}/podgroups");
        let pods = format!("/api/v1/namespaces/{namespace}/pods");
        let mut objects = Vec::new();
        for gang in 0..self.gangs {
            let name = format!("gang-{gang}");
            let group = json!({
                "apiVersion": "muster.sh/v1alpha1", "kind": "PodGroup",
                "metadata": { "name": name }, "spec": { "minAvailable": self.size },
            });
            objects.push((groups.clone(), group));
            for member in 0..self.size {
                let pod = FakePod::new(format!("{name}.{member}")).gpus(self.gpus);
                let pod = pod.label("muster.sh/pod-group", &name).object();
                objects.push((pods.clone(), to_value(pod).expect("a pod is JSON")));
            }
        }
        objects
    }
}

fn done(joined: Option<Result<(), tokio::task::JoinError>>) {
    joined.map_or(Ok(()), |done| done).expect("an object is made");
}

/// Makes one object, and tries again while the API server is away.
async fn create(client: &Client, path: &str, object: &Value) {
    let start = Instant::now();
    loop {
        let body = to_vec(object).expect("it is JSON");
        let request = http::Request::post(path).header("content-type", "application/json");
        let request = request.body(body).expect("this is a request");
        match client.request_text(request).await {
            Ok(_) => return,
            // An earlier try was carried out, and its answer lost.
            Err(kube::Error::Api(status)) if status.code == 409 => return,
            Err(error) => assert!(start.elapsed() < LONG, "{path}: {error}"),
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}
