//! Objects as people write them, in YAML.

use scheduler_kube::translate::{Context, node, pod};
use scheduler_kube::wire;
use scheduler_model::spec::PodSpec;

/// The options that files are read with: a bare `1e999` is for the translation to judge.
fn read<T: serde::de::DeserializeOwned>(yaml: &str) -> T {
    let options = serde_saphyr::options! {
        non_finite_float_policy: serde_saphyr::options::NonFiniteFloatPolicy::PassThrough,
    };
    serde_saphyr::from_str_with_options(yaml, options).expect("the test's object is YAML")
}

fn from_yaml(yaml: &str) -> PodSpec {
    let pod: wire::Pod = read(yaml);
    pod::translate(&pod, &Context::default()).value
}

#[test]
fn quantities_may_be_written_without_quotes() {
    for (text, want) in
        [("2", 2000), ("0.5", 500), ("500m", 500), ("1e3", 1_000_000), ("'2'", 2000)]
    {
        let pod = from_yaml(&format!(
            "metadata: {{name: p}}\nspec:\n  containers:\n  - name: c\n    resources:\n      \
             requests: {{cpu: {text}}}\n"
        ));
        assert_eq!(pod.shape.requests["cpu"].units(), want, "{text}");
    }
}

#[test]
fn an_absurd_number_without_quotes_is_still_read() {
    for text in ["1e999", "99999999999999999999999", "1Ei"] {
        let yaml = format!("metadata: {{name: n}}\nstatus: {{allocatable: {{memory: {text}}}}}\n");
        let node: wire::Node = read(&yaml);
        assert!(node::translate(&node).value.allocatable["memory"].units() >= 1 << 60, "{text}");
    }
}

#[test]
fn empty_fields_read_like_missing_ones() {
    let pod = from_yaml(
        "metadata:\n  name: p\n  labels:\n  annotations:\n  creationTimestamp: null\n\
         spec:\n  schedulerName: muster\n  affinity:\n  containers:\nstatus: {}\n",
    );
    assert!(pod.ours);
}

#[test]
fn annotations_are_read_from_yaml_too() {
    let pod = from_yaml(
        "metadata:\n  name: p\n  annotations:\n    note: |\n      many\n      lines\n    \
         scheduling.k8s.io/group-name: train\n",
    );
    assert_eq!(
        pod.membership,
        scheduler_model::spec::Membership::Group(scheduler_model::spec::GangKey {
            namespace: "default".to_owned(),
            name: "train".to_owned(),
            dialect: scheduler_model::spec::Dialect::Volcano,
        })
    );
}
