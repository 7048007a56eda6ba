//! What stands in the status of queues.

use crate::bench::{Bench, SOON};
use crate::dialects::condition;
use e2e::eventually;
use serde_json::Value;

/// The queue once it is as `is_there` wants it.
async fn queue(bench: &Bench, name: &str, is_there: impl Fn(&Value) -> bool) -> Value {
    let path = format!("/apis/muster.sh/v1alpha1/queues/{name}");
    eventually(SOON, &format!("queue {name} to be told"), async || {
        let seen = bench.read(&path).await?;
        if is_there(&seen) { Ok(seen) } else { Err(format!("{:#}", seen["status"])) }
    })
    .await
}

#[tokio::test]
async fn a_queue_says_what_it_has_and_what_is_wrong_with_it() {
    let bench = Bench::new("told-queues").await;
    bench.nodes(&["a"]).await;
    bench.apply(
        "apiVersion: muster.sh/v1alpha1\nkind: Queue\nmetadata: {name: told}\n\
         spec: {weight: 2}\n",
    );
    bench.apply(
        "apiVersion: muster.sh/v1alpha1\nkind: Queue\nmetadata: {name: told-orphan}\n\
         spec: {parent: told-nowhere}\n",
    );
    bench.add(&[bench.pod("p").label("muster.sh/queue", "told")]).await;
    bench.bound(1).await;
    let is_orphan = |it: &Value| condition(it, "Accepted") == "False/ParentMissing";
    queue(&bench, "told-orphan", is_orphan).await;
    let uses = |it: &Value| it["status"]["used"]["nvidia.com/gpu"].is_string();
    let seen = queue(&bench, "told", uses).await;
    assert_eq!(condition(&seen, "Accepted"), "True/Accepted", "{seen:#}");
    assert_eq!(seen["status"]["waiting"], 0, "{seen:#}");
    assert!(seen["status"]["entitled"]["nvidia.com/gpu"].is_string(), "{seen:#}");
}
