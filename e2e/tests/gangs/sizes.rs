//! Gangs that are large, late, or larger than they must be.

use crate::bench::{A_WHILE, Bench, POOL};
use crate::dialects::{MUSTER, group};
use e2e::{FakeNode, FakePod, stays};

#[tokio::test]
async fn a_gang_of_a_thousand_pods_is_bound_whole() {
    let bench = Bench::new("thousand").await;
    let shape = |node: FakeNode, _| node.gpus(8).label(POOL, &bench.name);
    let nodes = FakeNode::many(125, "thousand-", shape);
    bench.plane.add_nodes(&nodes).await.expect("nodes can be made");
    bench.apply(&group(MUSTER, "{minAvailable: 1000}"));
    let pods: Vec<FakePod> = (0..1000)
        .map(|index| bench.small(&format!("t-{index}")).gpus(1))
        .map(|pod| pod.label("muster.sh/pod-group", "train"))
        .collect();
    let (last, first) = pods.split_last().expect("there are pods");
    bench.add(first).await;
    let seen = bench.pods().await;
    assert!(seen.iter().all(|pod| pod.node.is_empty()), "nothing is bound before the last came");
    bench.add(std::slice::from_ref(last)).await;
    let seen = bench.bound(1000).await;
    let mut nodes: Vec<&str> = seen.iter().map(|pod| pod.node.as_str()).collect();
    nodes.sort_unstable();
    let fullest = nodes.chunk_by(|a, b| a == b).map(<[&str]>::len).max();
    assert_eq!(fullest, Some(8), "no node has more members than GPUs");
}

#[tokio::test]
async fn nobody_is_bound_before_the_last_of_the_minimum_came() {
    let bench = Bench::new("late").await;
    bench.nodes(&["a", "b", "c"]).await;
    bench.apply(&group(MUSTER, "{minAvailable: 3}"));
    let pod = |name| bench.pod(name).label("muster.sh/pod-group", "train");
    bench.add(&[pod("t-0"), pod("t-1")]).await;
    stays(A_WHILE, "two members without a node", async || {
        let pods = bench.pods().await;
        let is_so = pods.len() == 2 && pods.iter().all(|pod| pod.node.is_empty());
        if is_so { Ok(()) } else { Err(format!("{pods:#?}")) }
    })
    .await;
    bench.add(&[pod("t-2")]).await;
    bench.bound(3).await;
}

#[tokio::test]
async fn members_above_the_minimum_come_as_there_is_room() {
    let bench = Bench::new("elastic").await;
    bench.nodes(&["a", "b"]).await;
    bench.apply(&group(MUSTER, "{minAvailable: 2}"));
    let pod = |name| bench.pod(name).label("muster.sh/pod-group", "train");
    bench.add(&[pod("t-0"), pod("t-1"), pod("t-2")]).await;
    let is_so = |pods: &[crate::bench::Seen]| {
        let bound = pods.iter().filter(|pod| !pod.node.is_empty()).count();
        let waits = pods.iter().filter(|pod| pod.reason == "Unschedulable").count();
        bound == 2 && waits == 1
    };
    bench.until("two to run and one to wait", is_so).await;
    bench.nodes(&["c"]).await;
    bench.bound(3).await;
}
