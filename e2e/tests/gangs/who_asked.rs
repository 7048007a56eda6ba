//! What muster asked the API server for, over all tests of this target.

use crate::bench::{ACCOUNT, Bench, when_all_are_over};
use std::collections::BTreeSet;

#[tokio::test]
async fn nothing_that_muster_asks_for_is_forbidden() {
    let bench = Bench::new("who").await;
    bench.nodes(&["a"]).await;
    bench.add(&[bench.pod("alone")]).await;
    bench.bound(1).await;
    drop(bench);
    let stage = when_all_are_over().await;
    let entries = stage.plane.audit();
    let own = entries.iter().filter(|entry| entry.user == ACCOUNT);
    let (forbidden, allowed): (Vec<_>, Vec<_>) = own.partition(|entry| entry.code == 403);
    assert!(allowed.iter().any(|entry| entry.asked() == "create pods/binding"));
    assert!(forbidden.is_empty(), "{forbidden:#?}");
    let asked = |entry: &&e2e::AuditEntry| format!("{} ({})", entry.asked(), entry.group);
    let asked: BTreeSet<String> = allowed.iter().map(asked).collect();
    println!("{asked:#?}");
}
