//! The status of queues that others write too.

use crate::bench::Bench;
use scheduler_model::amount::Amount;
use scheduler_model::spec::Dialect;
use scheduler_protocol::call::{Call, QueueRef};
use scheduler_protocol::status::{GroupsByPhase, QueueStatus};

#[tokio::test]
async fn numbers_go_into_a_volcano_queue_beside_what_others_wrote() {
    let bench = Bench::new("volcano-queue").await;
    let path = "/apis/scheduling.volcano.sh/v1beta1/queues/counted";
    bench.apply(
        "{apiVersion: scheduling.volcano.sh/v1beta1, kind: Queue, metadata: {name: counted}, \
         spec: {weight: 1}}",
    );
    let made = bench.read(path).await;
    assert!(made.get("status").is_none(), "{made:#}");
    let uid = made["metadata"]["uid"].as_str().expect("it has a uid").to_owned();
    let call = |uid: &str, gpus: i64, is_first: bool| Call::QueueStatus {
        queue: QueueRef {
            dialect: Dialect::Volcano,
            name: "counted".to_owned(),
            uid: uid.to_owned(),
        },
        status: Box::new(QueueStatus {
            used: [("nvidia.com/gpu".to_owned(), Amount::new(gpus))].into(),
            groups: Some(GroupsByPhase { running: 1, done: 2, ..GroupsByPhase::default() }),
            is_first,
            ..QueueStatus::default()
        }),
    };
    assert_eq!(bench.code(call(&uid, 8, true)).await, 200);
    let status = bench.read(path).await["status"].clone();
    assert_eq!(status["allocated"]["nvidia.com/gpu"], "8", "{status:#}");
    assert_eq!((&status["running"], &status["completed"]), (&1.into(), &2.into()), "{status:#}");

    // There is a status by now, so nobody makes a new one.
    assert_eq!(bench.code(call(&uid, 4, true)).await, 422);
    assert_eq!(bench.code(call(&uid, 4, false)).await, 200);
    assert_eq!(bench.code(call("another", 2, false)).await, 422);
    let status = bench.read(path).await["status"].clone();
    assert_eq!(status["allocated"]["nvidia.com/gpu"], "4", "{status:#}");
}
