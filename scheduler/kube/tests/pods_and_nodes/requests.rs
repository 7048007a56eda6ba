//! What a pod takes on its node, by the rules of the API.

use crate::{from_json, from_spec, said};
use scheduler_kube::translate::Translated;
use scheduler_model::amount::{Amount, Unit};
use scheduler_model::spec::{PodSpec, Unsupported};

fn shown(read: &Translated<PodSpec>) -> String {
    let requests = &read.value.shape.requests;
    let each =
        requests.iter().map(|(name, amount)| format!("{name}={}", Unit::of(name).show(*amount)));
    each.collect::<Vec<_>>().join(" ")
}

fn spec(json: &str) -> String {
    shown(&from_spec(json))
}

fn container(requests: &str) -> String {
    format!(r#"{{"name":"c","resources":{{"requests":{requests}}}}}"#)
}

fn sidecar(requests: &str) -> String {
    format!(r#"{{"name":"s","restartPolicy":"Always","resources":{{"requests":{requests}}}}}"#)
}

#[test]
fn containers_are_added_up() {
    let (a, b) = (container(r#"{"cpu":"1","memory":"1Gi"}"#), container(r#"{"cpu":"500m"}"#));
    assert_eq!(spec(&format!(r#"{{"containers":[{a},{b}]}}"#)), "cpu=1500m memory=1Gi");
}

#[test]
fn requests_may_be_bare_numbers() {
    assert_eq!(spec(&format!(r#"{{"containers":[{}]}}"#, container(r#"{"cpu":2}"#))), "cpu=2");
}

#[test]
fn an_init_container_counts_only_where_it_is_larger() {
    let (init, main) =
        (container(r#"{"cpu":"4","memory":"1Gi"}"#), container(r#"{"cpu":"1","memory":"2Gi"}"#));
    let pod = format!(r#"{{"initContainers":[{init},{init}],"containers":[{main}]}}"#);
    assert_eq!(spec(&pod), "cpu=4 memory=2Gi");
}

#[test]
fn a_sidecar_runs_beside_the_containers() {
    let pod = format!(
        r#"{{"initContainers":[{}],"containers":[{}]}}"#,
        sidecar(r#"{"cpu":"1"}"#),
        container(r#"{"cpu":"2"}"#)
    );
    assert_eq!(spec(&pod), "cpu=3");
}

#[test]
fn an_init_container_runs_beside_the_sidecars_before_it_only() {
    let (small, init) = (sidecar(r#"{"cpu":"1"}"#), container(r#"{"cpu":"5"}"#));
    let after =
        format!(r#"{{"initContainers":[{small},{init}],"containers":[{}]}}"#, container("{}"));
    assert_eq!(spec(&after), "cpu=6");
    let before =
        format!(r#"{{"initContainers":[{init},{small}],"containers":[{}]}}"#, container("{}"));
    assert_eq!(spec(&before), "cpu=5");
}

#[test]
fn overhead_is_added_on_top_of_the_larger_of_both() {
    let pod = format!(
        r#"{{"overhead":{{"cpu":"250m"}},"initContainers":[{}],"containers":[{}]}}"#,
        container(r#"{"cpu":"2"}"#),
        container(r#"{"cpu":"1"}"#)
    );
    assert_eq!(spec(&pod), "cpu=2250m");
}

#[test]
fn a_limit_without_a_request_is_the_request() {
    let pod = r#"{"containers":[{"resources":{"limits":{"cpu":"2","nvidia.com/gpu":8},
        "requests":{"cpu":"1"}}}]}"#;
    assert_eq!(spec(pod), "cpu=1 nvidia.com/gpu=8");
}

#[test]
fn a_request_of_zero_is_left_out() {
    assert_eq!(spec(&format!(r#"{{"containers":[{}]}}"#, container(r#"{"cpu":"0"}"#))), "");
}

#[test]
fn what_the_whole_pod_requests_replaces_the_sum_for_what_it_names() {
    let c = container(r#"{"cpu":"1","memory":"1Gi"}"#);
    let pod = format!(
        r#"{{"resources":{{"requests":{{"cpu":"4"}}}},"overhead":{{"cpu":"1"}},"containers":[{c},{c}]}}"#
    );
    assert_eq!(spec(&pod), "cpu=5 memory=2Gi");
}

#[test]
fn a_limit_of_the_whole_pod_is_its_request_where_no_container_requests_any() {
    let c = container(r#"{"cpu":"1"}"#);
    let pod =
        format!(r#"{{"resources":{{"limits":{{"cpu":"4","memory":"8Gi"}}}},"containers":[{c}]}}"#);
    assert_eq!(spec(&pod), "cpu=1 memory=8Gi");
}

#[test]
fn a_limit_on_huge_pages_of_the_whole_pod_is_always_its_request() {
    let c = container(r#"{"hugepages-2Mi":"2Mi"}"#);
    let pod =
        format!(r#"{{"resources":{{"limits":{{"hugepages-2Mi":"8Mi"}}}},"containers":[{c}]}}"#);
    assert_eq!(spec(&pod), "hugepages-2Mi=8Mi");
}

#[test]
fn a_pod_level_request_for_anything_else_is_not_supported() {
    let read = from_spec(r#"{"resources":{"requests":{"nvidia.com/gpu":"1"}}}"#);
    let words = "a pod-level request for nvidia.com/gpu".to_owned();
    assert_eq!(read.value.unsupported, [Unsupported::Other(words)]);
}

fn resized(status: &str) -> String {
    shown(&from_json(&format!(
        r#"{{"spec":{{"containers":[{}]}},"status":{status}}}"#,
        container(r#"{"cpu":"2"}"#)
    )))
}

#[test]
fn a_resize_takes_the_largest_of_wanted_granted_and_in_force() {
    for (granted, in_force, want) in [("1", "1", "cpu=2"), ("3", "1", "cpu=3"), ("1", "4", "cpu=4")]
    {
        let status = format!(
            r#"{{"containerStatuses":[{{"name":"c","allocatedResources":{{"cpu":"{granted}"}},
                "resources":{{"requests":{{"cpu":"{in_force}"}}}}}}]}}"#
        );
        assert_eq!(resized(&status), want);
    }
}

#[test]
fn a_resize_that_can_never_happen_does_not_count() {
    let running = r#""containerStatuses":[{"name":"c","allocatedResources":{"cpu":"1"}}]"#;
    let infeasible =
        r#""conditions":[{"type":"PodResizePending","status":"True","reason":"Infeasible"}]"#;
    let deferred =
        r#""conditions":[{"type":"PodResizePending","status":"True","reason":"Deferred"}]"#;
    assert_eq!(resized(&format!("{{{running},{infeasible}}}")), "cpu=1");
    assert_eq!(resized(&format!(r#"{{{running},"resize":"Infeasible"}}"#)), "cpu=1");
    assert_eq!(resized(&format!("{{{running},{deferred}}}")), "cpu=2");
    assert_eq!(resized(&format!("{{{infeasible}}}")), "cpu=2");
}

#[test]
fn a_resize_of_the_whole_pod_counts_without_its_overhead_twice() {
    let read = from_json(
        r#"{"spec":{"resources":{"requests":{"cpu":"2"}},"overhead":{"cpu":"1"}},
            "status":{"allocatedResources":{"cpu":"5"}}}"#,
    );
    assert_eq!(shown(&read), "cpu=5");
}

#[test]
fn a_request_that_cannot_be_read_keeps_the_pod_waiting() {
    for text in ["-1", "lots", ""] {
        let read = from_spec(&format!(
            r#"{{"containers":[{}]}}"#,
            container(&format!(r#"{{"cpu":"{text}","memory":"1Gi"}}"#))
        ));
        let words = "a request for cpu that cannot be read".to_owned();
        assert_eq!(read.value.unsupported, [Unsupported::Other(words)]);
        assert_eq!(read.value.shape.requests["cpu"], Amount::MAX);
        assert!(said(&read)[0].starts_with("Pod p spec.containers[0].resources.requests.cpu: "));
    }
}

#[test]
fn absurd_requests_never_wrap_when_added_up() {
    let c = container(r#"{"memory":"1e999"}"#);
    let read = from_spec(&format!(r#"{{"containers":[{c},{c},{c}]}}"#));
    assert_eq!(read.value.shape.requests["memory"], Amount::MAX);
    assert_eq!(said(&read).len(), 3);
}

#[test]
fn half_a_gpu_is_rounded_up_to_one() {
    let read =
        from_spec(&format!(r#"{{"containers":[{}]}}"#, container(r#"{"nvidia.com/gpu":"0.5"}"#)));
    assert_eq!(shown(&read), "nvidia.com/gpu=1");
    assert_eq!(
        said(&read),
        ["Pod p spec.containers[0].resources.requests.nvidia.com/gpu: `0.5` cannot be counted \
          exactly; taken as 1 (write a multiple of its unit)"]
    );
}
