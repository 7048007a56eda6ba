//! One gang, written in every vocabulary: the objects a user of each would apply.
//!
//! A dialect with groups writes group and pods; one without writes the controller, whose pods
//! are played. `None` where a shape cannot say what is wanted.

use std::fmt::Write as _;

/// What the gang wants, in nobody's words.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wish {
    /// Pods there are.
    pub(crate) pods: u32,
    /// Least number of them that may run.
    pub(crate) min: u32,
    /// Together in a rack.
    pub(crate) rack: Rack,
    /// Its priority class.
    pub(crate) class: Option<&'static str>,
    /// Its queue.
    pub(crate) queue: Option<&'static str>,
}

/// Whether the members want to be in one rack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rack {
    Free,
    Preferred,
    Required,
}

/// A gang of `pods` that needs all of them, and nothing else.
pub(crate) const fn whole(pods: u32) -> Wish {
    Wish { pods, min: pods, rack: Rack::Free, class: None, queue: None }
}

/// A vocabulary.
pub(crate) struct Dialect {
    pub(crate) name: &'static str,
    /// The gang called `train` in namespace `team`.
    pub(crate) write: fn(&Wish) -> Option<String>,
}

pub(crate) const DIALECTS: [Dialect; 9] = [
    Dialect { name: "muster", write: muster },
    Dialect { name: "kubernetes v1beta1", write: kubernetes_v1beta1 },
    Dialect { name: "kubernetes v1alpha2", write: kubernetes_v1alpha2 },
    Dialect { name: "kubernetes v1alpha1", write: kubernetes_v1alpha1 },
    Dialect { name: "volcano", write: volcano },
    Dialect { name: "coscheduling", write: coscheduling },
    Dialect { name: "indexed job", write: indexed_job },
    Dialect { name: "vcjob", write: vcjob },
    Dialect { name: "leader worker set", write: leader_worker_set },
];

/// The containers of every member.
const CONTAINERS: &str =
    "containers: [{name: c, resources: {requests: {cpu: 4, nvidia.com/gpu: 8}}}]";

/// When everything was created.
const CREATED: &str = "creationTimestamp: \"2026-11-30T06:00:00Z\"";

/// `key: value` if there is a value, else nothing.
fn field(key: &str, value: Option<&str>) -> String {
    value.map(|value| format!("{key}: {value}, ")).unwrap_or_default()
}

/// The annotation that asks for one rack where the vocabulary has no word for it.
fn rack_annotation(wish: &Wish) -> &'static str {
    match wish.rack {
        Rack::Free => "",
        Rack::Preferred => "muster.sh/topology-preferred: rack",
        Rack::Required => "muster.sh/topology-required: rack",
    }
}

/// Volcano's word for it: racks are HyperNodes of tier 1.
fn network_topology(wish: &Wish) -> &'static str {
    match wish.rack {
        Rack::Free => "",
        Rack::Preferred => "networkTopology: {mode: soft, highestTierAllowed: 1}, ",
        Rack::Required => "networkTopology: {mode: hard, highestTierAllowed: 1}, ",
    }
}

/// The pods of a group: what joins them stands in labels, annotations or spec.
fn members(wish: &Wish, labels: &str, annotations: &str, spec: &str) -> String {
    (0..wish.pods).fold(String::new(), |mut text, rank| {
        let _ = write!(
            text,
            "---
apiVersion: v1
kind: Pod
metadata:
  name: train-{rank}
  namespace: team
  uid: pod-{rank}
  {CREATED}
  labels: {{{labels}}}
  annotations: {{{annotations}}}
spec: {{schedulerName: muster, {spec}{CONTAINERS}}}
"
        );
        text
    })
}

fn muster(wish: &Wish) -> Option<String> {
    let topology = match wish.rack {
        Rack::Free => "",
        Rack::Preferred => "topology: {preferred: rack}",
        Rack::Required => "topology: {required: rack}",
    };
    let group = format!(
        "---
apiVersion: muster.sh/v1alpha1
kind: PodGroup
metadata: {{name: train, namespace: team, uid: group, {CREATED}}}
spec: {{minAvailable: {}, {}{}{}}}
",
        wish.min,
        field("queue", wish.queue),
        field("priorityClassName", wish.class),
        topology,
    );
    Some(group + &members(wish, "muster.sh/pod-group: train", "", ""))
}

fn native(wish: &Wish, version: &str) -> Option<String> {
    let topology = match wish.rack {
        Rack::Free => None,
        Rack::Preferred => return None,
        Rack::Required => Some("{topology: [{key: rack}]}"),
    };
    let group = format!(
        "---
apiVersion: scheduling.k8s.io/{version}
kind: PodGroup
metadata: {{name: train, namespace: team, uid: group, {CREATED}, labels: {{{}}}}}
spec: {{schedulingPolicy: {{gang: {{minCount: {}}}}}, {}{}}}
",
        field("muster.sh/queue", wish.queue),
        wish.min,
        field("priorityClassName", wish.class),
        field("schedulingConstraints", topology),
    );
    Some(group + &members(wish, "", "", "schedulingGroup: {podGroupName: train}, "))
}

fn kubernetes_v1beta1(wish: &Wish) -> Option<String> {
    native(wish, "v1beta1")
}

fn kubernetes_v1alpha2(wish: &Wish) -> Option<String> {
    native(wish, "v1alpha2")
}

/// The Workload of 1.35, which holds its groups inside.
fn kubernetes_v1alpha1(wish: &Wish) -> Option<String> {
    if wish.rack != Rack::Free || wish.queue.is_some() {
        return None;
    }
    let group = format!(
        "---
apiVersion: scheduling.k8s.io/v1alpha1
kind: Workload
metadata: {{name: train, namespace: team, uid: group, {CREATED}}}
spec: {{podGroups: [{{name: worker, policy: {{gang: {{minCount: {}}}}}}}]}}
",
        wish.min,
    );
    let class = field("priorityClassName", wish.class);
    let spec = format!("{class}workloadRef: {{name: train, podGroup: worker}}, ");
    Some(group + &members(wish, "", "", &spec))
}

fn volcano(wish: &Wish) -> Option<String> {
    let group = format!(
        "---
apiVersion: scheduling.volcano.sh/v1beta1
kind: PodGroup
metadata: {{name: train, namespace: team, uid: group, {CREATED}}}
spec: {{minMember: {}, {}{}{}}}
",
        wish.min,
        field("queue", wish.queue),
        field("priorityClassName", wish.class),
        network_topology(wish),
    );
    Some(group + &members(wish, "", "scheduling.k8s.io/group-name: train", ""))
}

fn coscheduling(wish: &Wish) -> Option<String> {
    let group = format!(
        "---
apiVersion: scheduling.x-k8s.io/v1alpha1
kind: PodGroup
metadata: {{name: train, namespace: team, uid: group, {CREATED}, labels: {{{}}}, annotations: {{{}}}}}
spec: {{minMember: {}}}
",
        field("muster.sh/queue", wish.queue),
        rack_annotation(wish),
        wish.min,
    );
    let class = field("priorityClassName", wish.class);
    Some(group + &members(wish, "scheduling.x-k8s.io/pod-group: train", "", &class))
}

/// Metadata of a controller without a group of its own.
fn controller(wish: &Wish) -> String {
    format!(
        "metadata: {{name: train, namespace: team, uid: owner, {CREATED}, labels: {{{}}}, \
         annotations: {{{}}}}}",
        field("muster.sh/queue", wish.queue),
        rack_annotation(wish),
    )
}

fn template(wish: &Wish) -> String {
    let class = field("priorityClassName", wish.class);
    format!("{{spec: {{schedulerName: muster, {class}{CONTAINERS}}}}}")
}

/// Whole by default, since all of its pods exist at once.
fn indexed_job(wish: &Wish) -> Option<String> {
    let Wish { pods, min, .. } = wish;
    (pods == min).then(|| {
        format!(
            "---
apiVersion: batch/v1
kind: Job
{}
spec: {{parallelism: {pods}, completions: {pods}, completionMode: Indexed, template: {}}}
",
            controller(wish),
            template(wish),
        )
    })
}

fn vcjob(wish: &Wish) -> Option<String> {
    let task = Wish { class: None, ..*wish };
    (wish.pods >= wish.min).then(|| {
        format!(
            "---
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {{name: train, namespace: team, uid: owner, {CREATED}}}
spec:
  {{schedulerName: muster, minAvailable: {}, {}{}{}tasks: [
    {{name: worker, replicas: {}, minAvailable: {}, template: {}}}]}}
",
            wish.min,
            field("queue", wish.queue),
            field("priorityClassName", wish.class),
            network_topology(wish),
            wish.pods,
            wish.min,
            template(&task),
        )
    })
}

/// One replica is one gang; its leader is rank 0.
fn leader_worker_set(wish: &Wish) -> Option<String> {
    let Wish { pods, min, .. } = wish;
    (pods == min).then(|| {
        format!(
            "---
apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
{}
spec:
  replicas: 1
  startupPolicy: LeaderCreated
  leaderWorkerTemplate: {{size: {pods}, workerTemplate: {}}}
",
            controller(wish),
            template(wish),
        )
    })
}
