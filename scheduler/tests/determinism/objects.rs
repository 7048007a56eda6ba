//! A random world as Kubernetes objects, in YAML documents. What Kubernetes has no word for,
//! such as a node's flavour, is left out.

use scheduler_model::amount::{Amount, Unit};
use scheduler_model::event::Event;
use scheduler_model::spec::{
    ClaimUse, GangKey, GangSpec, LabelSelector, Membership, NodeSpec, NodeTerm, PodPhase, PodShape,
    PodSpec, PodTerm, QueueSpec, Requirement, Resources, Toleration, TopologySpec,
    WhenUnsatisfiable,
};
use scheduler_model::time::Time;
use scheduler_model::world::{SimHints, World};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// All objects in the order of the world's events, priority classes first.
pub(crate) fn write(world: &World) -> String {
    let priorities = world.events.iter().filter_map(|event| match event {
        Event::Gang(gang) => gang.priority,
        Event::Pod(pod) => pod.priority,
        _ => None,
    });
    let priorities: BTreeSet<i32> = priorities.collect();
    let classes = priorities.into_iter().map(|value| {
        json!({
            "apiVersion": "scheduling.k8s.io/v1",
            "kind": "PriorityClass",
            "metadata": {"name": class_name(value)},
            "value": value,
        })
    });
    let objects = world.events.iter().filter_map(|event| object(event, &world.gang_hints));
    let documents = classes
        .chain(objects)
        .map(|object| serde_saphyr::to_string(&object).expect("an object can be written as YAML"));
    documents.collect::<Vec<String>>().join("---\n")
}

fn object(event: &Event, hints: &BTreeMap<GangKey, SimHints>) -> Option<Value> {
    Some(match event {
        Event::Namespace(spec) => json!({
            "apiVersion": "v1",
            "kind": "Namespace",
            "metadata": {"name": spec.name, "labels": spec.labels},
        }),
        Event::Topology(spec) => topology(spec),
        Event::Queue(spec) => queue(spec),
        Event::Node(spec) => node(spec),
        Event::Gang(spec) => group(spec, hints.get(&spec.key)),
        Event::Pod(spec) => pod(spec),
        _ => return None,
    })
}

fn class_name(priority: i32) -> String {
    format!("priority{priority}")
}

/// Random worlds lie within one hour of 1970.
fn moment(time: Time) -> String {
    let seconds = time.ms() / 1000;
    format!("1970-01-01T00:{:02}:{:02}Z", seconds / 60, seconds % 60)
}

fn amounts(resources: &Resources) -> Value {
    let show = |(name, amount): (&String, &Amount)| {
        (name.clone(), Value::from(Unit::of(name).show(*amount)))
    };
    resources.iter().map(show).collect::<serde_json::Map<String, Value>>().into()
}

fn topology(spec: &TopologySpec) -> Value {
    let levels = spec.levels.iter().map(|it| json!({"name": it.name, "nodeLabel": it.key}));
    json!({
        "apiVersion": "muster.sh/v1alpha1",
        "kind": "Topology",
        "metadata": {"name": spec.name},
        "spec": {"levels": levels.collect::<Vec<_>>()},
    })
}

fn queue(spec: &QueueSpec) -> Value {
    let limits = spec.quotas.iter().filter(|quota| quota.flavour.is_none());
    let limits = limits.filter_map(|it| Some((it.resource.clone(), it.quota.limit?)));
    let limits: Resources = limits.collect();
    json!({
        "apiVersion": "muster.sh/v1alpha1",
        "kind": "Queue",
        "metadata": {"name": spec.name},
        "spec": {
            "parent": spec.parent,
            "weight": spec.weight,
            "priority": spec.priority,
            "closed": !spec.open,
            "limit": amounts(&limits),
        },
    })
}

fn node(spec: &NodeSpec) -> Value {
    let taints = spec.taints.iter().map(|taint| {
        let effect = format!("{:?}", taint.effect);
        json!({"key": taint.key, "value": taint.value, "effect": effect})
    });
    json!({
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": spec.name, "labels": spec.labels},
        "spec": {"taints": taints.collect::<Vec<_>>(), "unschedulable": spec.unschedulable},
        "status": {
            "allocatable": amounts(&spec.allocatable),
            "conditions": [{"type": "Ready", "status": if spec.ready { "True" } else { "False" }}],
        },
    })
}

fn group(spec: &GangSpec, hints: Option<&SimHints>) -> Value {
    let roles = spec.roles.iter().map(|it| json!({"name": it.name, "minAvailable": it.min}));
    let wish = &spec.topology;
    let mut group = json!({
        "apiVersion": "muster.sh/v1alpha1",
        "kind": "PodGroup",
        "metadata": {
            "name": spec.key.name,
            "namespace": spec.key.namespace,
            "creationTimestamp": moment(spec.created_at),
        },
        "spec": {
            "minAvailable": spec.min,
            "roles": roles.collect::<Vec<_>>(),
            "queue": spec.queue,
            "topology": {"topology": wish.topology, "required": wish.required},
        },
    });
    if let Some(priority) = spec.priority {
        group["spec"]["priorityClassName"] = class_name(priority).into();
    }
    if let Some(runtime) = hints.and_then(|hints| hints.runtime) {
        let runtime = format!("{}ms", runtime.ms());
        group["metadata"]["annotations"] = json!({"muster.sh/simulated-runtime": runtime});
    }
    group
}

fn pod(spec: &PodSpec) -> Value {
    let mut metadata = json!({
        "name": spec.name,
        "namespace": spec.namespace,
        "uid": spec.uid,
        "labels": spec.labels,
        "creationTimestamp": moment(spec.created_at),
    });
    match &spec.membership {
        Membership::Group(key) => {
            metadata["labels"]["muster.sh/pod-group"] = key.name.clone().into();
            metadata["labels"]["muster.sh/role"] = spec.role.clone().into();
        }
        Membership::Owner(key) => {
            let name = key.name.rsplit('/').next().expect("a text has a last part");
            metadata["ownerReferences"] = json!([{
                "apiVersion": "batch/v1", "kind": "Job", "name": name, "uid": name,
                "controller": true,
            }]);
        }
        Membership::Alone => {}
    }
    if let Some(queue) = &spec.queue {
        metadata["labels"]["muster.sh/queue"] = queue.clone().into();
    }
    if spec.terminating {
        metadata["deletionTimestamp"] = moment(spec.created_at).into();
    }
    let gates: Vec<Value> = spec.gates.iter().map(|name| json!({"name": name})).collect();
    let mut body = constraints(&spec.shape);
    body["schedulerName"] = if spec.ours { "muster" } else { "other" }.into();
    body["schedulingGates"] = gates.into();
    body["nodeName"] = spec.node.clone().into();
    body["containers"] = containers(&spec.shape);
    if !spec.unsupported.is_empty() {
        body["resourceClaims"] = json!([{"name": "gpu", "resourceClaimName": "gpu"}]);
    }
    let volume = |claim: &ClaimUse| json!({"name": claim.name, "persistentVolumeClaim": {"claimName": claim.name}});
    body["volumes"] = spec.claims.iter().map(volume).collect::<Vec<Value>>().into();
    json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": metadata,
        "spec": body,
        "status": {"phase": phase(spec.phase), "startTime": spec.started_at.map(moment)},
    })
}

fn phase(phase: PodPhase) -> &'static str {
    match phase {
        PodPhase::Pending => "Pending",
        PodPhase::Running => "Running",
        PodPhase::Succeeded => "Succeeded",
        PodPhase::Failed => "Failed",
    }
}

fn containers(shape: &PodShape) -> Value {
    let ports = shape.host_ports.iter().map(|port| {
        let protocol = format!("{:?}", port.protocol).to_uppercase();
        json!({"hostPort": port.port, "containerPort": port.port, "protocol": protocol,
            "hostIP": port.ip})
    });
    json!([{
        "name": "main",
        "ports": ports.collect::<Vec<_>>(),
        "resources": {"requests": amounts(&shape.requests), "limits": amounts(&shape.requests)},
    }])
}

fn constraints(shape: &PodShape) -> Value {
    let mut affinity = json!({
        "podAffinity": required(shape.affinity.iter().map(pod_term)),
        "podAntiAffinity": required(shape.anti_affinity.iter().map(pod_term)),
    });
    if let Some(terms) = &shape.node_affinity {
        // No list of terms is empty in a cluster; an empty term matches nothing as well.
        let none = vec![NodeTerm::default()];
        let terms = if terms.is_empty() { &none } else { terms };
        let terms: Vec<Value> = terms.iter().map(node_term).collect();
        affinity["nodeAffinity"] = json!({
            "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms},
        });
    }
    let spread = shape.spread.iter().map(|it| {
        let when = match it.when_unsatisfiable {
            WhenUnsatisfiable::DoNotSchedule => "DoNotSchedule",
            WhenUnsatisfiable::ScheduleAnyway => "ScheduleAnyway",
        };
        let honour = |honours: bool| if honours { "Honor" } else { "Ignore" };
        let hard = it.when_unsatisfiable == WhenUnsatisfiable::DoNotSchedule;
        json!({
            "maxSkew": it.max_skew,
            "topologyKey": it.topology_key,
            "whenUnsatisfiable": when,
            "labelSelector": it.selector.as_ref().map(selector),
            "minDomains": hard.then_some(it.min_domains),
            "nodeAffinityPolicy": honour(it.honour_affinity),
            "nodeTaintsPolicy": honour(it.honour_taints),
        })
    });
    json!({
        "nodeSelector": shape.node_selector,
        "tolerations": shape.tolerations.iter().map(toleration).collect::<Vec<_>>(),
        "affinity": affinity,
        "topologySpreadConstraints": spread.collect::<Vec<_>>(),
    })
}

fn required(terms: impl Iterator<Item = Value>) -> Value {
    json!({"requiredDuringSchedulingIgnoredDuringExecution": terms.collect::<Vec<_>>()})
}

fn pod_term(term: &PodTerm) -> Value {
    json!({
        "labelSelector": term.selector.as_ref().map(selector),
        "namespaces": term.namespaces.names,
        "namespaceSelector": term.namespaces.selector.as_ref().map(selector),
        "topologyKey": term.topology_key,
    })
}

fn selector(selector: &LabelSelector) -> Value {
    json!({"matchExpressions": selector.requirements.iter().map(requirement).collect::<Vec<_>>()})
}

fn node_term(term: &NodeTerm) -> Value {
    json!({
        "matchExpressions": term.labels.iter().map(requirement).collect::<Vec<_>>(),
        "matchFields": term.fields.iter().map(requirement).collect::<Vec<_>>(),
    })
}

fn requirement(it: &Requirement) -> Value {
    json!({"key": it.key, "operator": format!("{:?}", it.operator), "values": it.values})
}

fn toleration(it: &Toleration) -> Value {
    json!({
        "key": it.key,
        "operator": format!("{:?}", it.operator),
        "value": it.value,
        "effect": it.effect.map(|effect| format!("{effect:?}")),
    })
}
