//! muster is killed while room is made, and the next one goes on.

use crate::stage::{LONG, Stage};
use e2e::eventually;
use kube::ResourceExt;
use std::collections::BTreeSet;
use std::time::Duration;

const KILLS: u64 = 20;

/// Marks and deletes go one by one, so that there is a middle to be killed in.
const CONFIG: &str = "limits: {deletionsInFlight: 1}\neviction: {after: 0s}\n";

/// Moments between the arrival of the gang and the kill, spread over what a reclaim takes.
fn moment(round: u64) -> Duration {
    Duration::from_millis(round * 7 % 60)
}

#[tokio::test]
async fn no_kill_in_the_middle_of_a_reclaim_costs_another_victim_or_the_room() {
    let mut stage = Stage::lent(2).await;
    stage.muster.kill9();
    let muster = stage.plane.muster().name("slow").config(CONFIG).arg("--no-leader-election");
    stage.muster = muster.start().expect("it starts");
    stage.muster.ready(LONG).await.expect("it gets ready");
    let mut stages = Vec::new();
    let mut running: BTreeSet<String> = ["v0".to_owned(), "v1".to_owned()].into();
    for round in 0..KILLS {
        let gainer = format!("gainer{round}");
        stage.gang(&gainer, "owner", |pod| pod).await;
        tokio::time::sleep(moment(round)).await;
        stage.muster.kill9();
        let ledger = stage.group(&gainer).await["status"]["ledger"]["reservation"].clone();
        stages.push((!ledger.is_null(), stage.going().await.len()));
        if round % 2 == 0 {
            stage.end().await;
        }
        stage.muster.restart(&stage.plane).expect("it starts");
        stage.muster.ready(LONG).await.expect("it gets ready");
        let gone = |stage: &Stage| {
            let (api, running) = (stage.api.clone(), running.clone());
            async move {
                let pods = api.list(&Default::default()).await.expect("pods can be listed");
                let there: BTreeSet<String> = pods
                    .into_iter()
                    .filter(|pod| pod.metadata.deletion_timestamp.is_none())
                    .map(|pod| pod.name_any())
                    .collect();
                let of = |gang: &&String| (0..2).any(|it| !there.contains(&format!("{gang}-{it}")));
                running.iter().filter(of).cloned().collect::<BTreeSet<String>>()
            }
        };
        eventually(LONG, "a gang to go", async || {
            let gone = gone(&stage).await;
            if gone.is_empty() { Err("nobody went".to_owned()) } else { Ok(()) }
        })
        .await;
        eventually(LONG, "the gainer to have its room", async || {
            stage.end().await;
            let pods = stage.pods(&gainer).await;
            let bound = pods
                .iter()
                .filter(|pod| pod.spec.as_ref().is_some_and(|spec| spec.node_name.is_some()));
            let count = bound.count();
            if count == 2 { Ok(()) } else { Err(format!("{count} of 2 bound")) }
        })
        .await;
        let victims = gone(&stage).await;
        assert_eq!(victims.len(), 1, "round {round}: {victims:?} went; {stages:?}");
        // All as before, with a new gang in the place of the old one.
        stage.remove(&gainer).await;
        let victim = victims.into_iter().next().unwrap_or_default();
        stage.remove(&victim).await;
        running.remove(&victim);
        let next = format!("w{round}");
        stage.gang(&next, "lender", |pod| pod).await;
        stage.bound(&next).await;
        running.insert(next);
    }
    let recorded = stages.iter().filter(|(recorded, _)| *recorded).count();
    let half = stages.iter().filter(|(_, going)| *going == 1).count();
    println!(
        "of {KILLS} kills {recorded} came after the reservation, {half} in mid-gang: {stages:?}"
    );
    assert!(recorded > 0, "every kill came too early: {stages:?}");
}
