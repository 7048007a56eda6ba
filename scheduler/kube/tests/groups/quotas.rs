//! One queue in the words of several dialects: the same quotas wherever the words mean the same.

use crate::{cohorts, object};
use scheduler_kube::translate::{kueue, queue, volcano};
use scheduler_model::spec::{QueueSpec, QuotaSpec};

fn muster(spec: &str) -> QueueSpec {
    quiet(queue::queue(&object(&format!("metadata: {{name: q}}\nspec: {spec}"))))
}

fn in_volcano(spec: &str) -> QueueSpec {
    quiet(volcano::volcano_queue(&object(&format!("metadata: {{name: q}}\nspec: {spec}"))))
}

/// A ClusterQueue with one quota of GPUs on the flavour `a100`.
fn in_kueue(cohort: &str, quota: &str) -> QueueSpec {
    let yaml = format!(
        "metadata: {{name: q}}\nspec: {{{cohort} namespaceSelector: {{}}, resourceGroups: \
         [{{coveredResources: [nvidia.com/gpu], flavors: [{{name: a100, resources: [{{name: nvidia.com/gpu, \
         {quota}}}]}}]}}]}}"
    );
    quiet(kueue::cluster_queue(&object(&yaml), &cohorts(&["all"])))
}

fn quiet(read: scheduler_kube::translate::Translated<QueueSpec>) -> QueueSpec {
    assert_eq!(read.problems, []);
    read.value
}

#[test]
fn volcano_and_muster_say_the_same_of_all_flavours() {
    let ours = muster(
        "{dedicated: {cpu: 2}, deserved: {cpu: 4, nvidia.com/gpu: 8}, limit: {memory: 1Ti}}",
    );
    let in_its_words = in_volcano(
        "{guarantee: {resource: {cpu: '2'}}, deserved: {cpu: 4000m, nvidia.com/gpu: '8'}, \
         capability: {memory: 1024Gi}}",
    );
    assert_eq!(ours.quotas.len(), 3);
    let theirs = QueueSpec { dialect: ours.dialect, grants: ours.grants, ..in_its_words };
    assert_eq!(ours, theirs);
}

#[test]
fn kueue_and_muster_say_the_same_of_one_flavour() {
    let ours = |lists: &str| muster(&format!("{{flavors: [{{name: a100, {lists}}}]}}")).quotas;
    let alone = in_kueue("", "nominalQuota: 8").quotas;
    assert_eq!(alone, ours("deserved: {nvidia.com/gpu: 8}, limit: {nvidia.com/gpu: 8}"));
    let within =
        in_kueue("cohortName: all,", "nominalQuota: 8, borrowingLimit: 4, lendingLimit: 2");
    let lists = "deserved: {nvidia.com/gpu: 8}, borrowingLimit: {nvidia.com/gpu: 4}, \
                 lendingLimit: {nvidia.com/gpu: 2}";
    assert_eq!(within.quotas, ours(lists));
}

#[test]
fn what_is_deserved_is_the_same_in_all_three_but_for_the_flavour() {
    let of = |queue: QueueSpec| {
        let amounts =
            queue.quotas.into_iter().map(|QuotaSpec { resource, quota, .. }| (resource, quota));
        amounts.collect::<Vec<_>>()
    };
    let ours = of(muster("{deserved: {nvidia.com/gpu: 8}}"));
    assert_eq!(of(in_volcano("{deserved: {nvidia.com/gpu: 8}}")), ours);
    assert_eq!(of(in_kueue("cohortName: all,", "nominalQuota: 8")), ours);
}
