//! The admin server over a real socket, in front of a loop whose world is made by hand.

mod answers;
mod commands;
mod queues;

use scheduler::run::admin::{Admin, Watches, routes};
use scheduler::run::ask::Letterbox;
use scheduler::run::config::{Format, Level};
use scheduler::run::driver::Driver;
use scheduler::run::logs::Logs;
use scheduler::run::metrics::{Metrics, Watched};
use scheduler_kube::clock::Clock;
use scheduler_kube::read::{Source, read};
use scheduler_kube::translate::Context;
use scheduler_live::driver::Live;
use scheduler_live::news::News;
use scheduler_live::settings::Settings;
use scheduler_protocol::call::LeaseRef;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// A node of four GPUs, a gang of two pods for whose six there is no room, and one that fits.
const OBJECTS: &str = "\
{apiVersion: v1, kind: Node, metadata: {name: n1}, status: {allocatable: {cpu: 8, pods: 10, nvidia.com/gpu: 4}, conditions: [{type: Ready, status: 'True'}]}}
---
{apiVersion: muster.sh/v1alpha1, kind: PodGroup, metadata: {name: large, namespace: a, uid: g1}, spec: {minAvailable: 2}}
---
{apiVersion: v1, kind: Pod, metadata: {name: l-0, namespace: a, uid: u0, labels: {muster.sh/pod-group: large}}, spec: {schedulerName: muster, containers: [{name: c, resources: {limits: {nvidia.com/gpu: 3}}}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: l-1, namespace: a, uid: u1, labels: {muster.sh/pod-group: large}}, spec: {schedulerName: muster, containers: [{name: c, resources: {limits: {nvidia.com/gpu: 3}}}]}}
---
{apiVersion: muster.sh/v1alpha1, kind: PodGroup, metadata: {name: small, namespace: a, uid: g2}, spec: {minAvailable: 1}}
---
{apiVersion: v1, kind: Pod, metadata: {name: s-0, namespace: a, uid: u2, labels: {muster.sh/pod-group: small}}, spec: {schedulerName: muster, containers: [{name: c, resources: {limits: {nvidia.com/gpu: 1}}}]}}
";

/// A server at an address, and what it answers from.
struct Stage {
    url: String,
    letterbox: Letterbox,
    runtime: tokio::runtime::Runtime,
}

/// A gang whose two members have nodes, and wait for a driver that makes a volume for one of
/// them and for Kubernetes to bind another that exists.
const CLAIMS: &str = "\
{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: fast}, provisioner: d.example, volumeBindingMode: WaitForFirstConsumer}
---
{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: local}, provisioner: kubernetes.io/no-provisioner, volumeBindingMode: WaitForFirstConsumer}
---
{apiVersion: v1, kind: PersistentVolume, metadata: {name: disk, resourceVersion: '7'}, spec: {storageClassName: local, accessModes: [ReadWriteOnce], capacity: {storage: 2Gi}}}
---
{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: made, namespace: a, uid: c0}, spec: {storageClassName: fast, accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}
---
{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: there, namespace: a, uid: c1}, spec: {storageClassName: local, accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}
---
{apiVersion: muster.sh/v1alpha1, kind: PodGroup, metadata: {name: stored, namespace: a, uid: g3}, spec: {minAvailable: 2}}
---
{apiVersion: v1, kind: Pod, metadata: {name: v-0, namespace: a, uid: u3, labels: {muster.sh/pod-group: stored}}, spec: {schedulerName: muster, volumes: [{name: v, persistentVolumeClaim: {claimName: made}}], containers: [{name: c}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: v-1, namespace: a, uid: u4, labels: {muster.sh/pod-group: stored}}, spec: {schedulerName: muster, volumes: [{name: v, persistentVolumeClaim: {claimName: there}}], containers: [{name: c}]}}
";

/// The log of this test process; it can begin once only.
fn logs() -> Arc<Logs> {
    static LOGS: OnceLock<Arc<Logs>> = OnceLock::new();
    let begin = || Logs::begin(&Level::parse("error").expect("a level"), Format::Json);
    let logs = LOGS.get_or_init(|| Arc::new(begin().expect("it begins once")));
    Arc::clone(logs)
}

/// A server whose loop runs alone, or behind a lease that nobody grants.
fn stage(lease: Option<LeaseRef>, watches: Watches) -> Stage {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let (letterbox, inbox) = Letterbox::new();
    let metrics = Arc::new(Metrics::new(false));
    let driver = Driver {
        live: Live::new(plugins::default_profile(), Settings::of("here", lease)),
        clock: Clock::start(),
        inbox,
        send: Box::new(|_| ()),
        metrics: Arc::clone(&metrics),
        coalesce: Duration::from_millis(1),
    };
    std::thread::spawn(move || driver.run());
    let admin = Admin {
        letterbox: letterbox.clone(),
        metrics,
        logs: logs(),
        watching: Arc::new(move || watches.clone()),
        stops: Arc::new(AtomicBool::new(false)),
    };
    let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0"));
    let listener = listener.expect("a free port");
    let url = format!("http://{}", listener.local_addr().expect("it is bound"));
    runtime.spawn(async move { axum::serve(listener, routes(admin)).await });
    Stage { url, letterbox, runtime }
}

/// A server that leads and knows [`OBJECTS`].
fn leader() -> Stage {
    leader_of(OBJECTS)
}

/// A server that leads and knows these objects.
fn leader_of(objects: &str) -> Stage {
    let stage = stage(None, Watches::default());
    let reader = Box::new(std::io::Cursor::new(objects.to_owned()));
    let source = Source { name: "objects".into(), reader };
    let context = Context::of(vec!["muster".to_owned()]);
    let world = read(vec![source], &context).world;
    stage.letterbox.tell(world.events.into_iter().map(News::Event).chain([News::Ready(true)]));
    // Questions are answered after the news before them, and decisions after the next turn.
    for _ in 0..100 {
        let waits = |live: &Live, _| live.engine().census(Clock::start().now()).pending.len();
        if stage.runtime.block_on(stage.letterbox.ask(waits)).expect("the loop lives") > 0 {
            break;
        }
    }
    stage
}

fn watched(kind: &str, is_synced: bool) -> Watched {
    Watched { kind: kind.to_owned(), is_synced, silent: Duration::ZERO }
}

impl Stage {
    /// Status and body of a path.
    fn get(&self, path: &str) -> (u16, String) {
        use scheduler_kube::look::{Refusal, get_plain};
        match self.runtime.block_on(get_plain(&format!("{}{path}", self.url))) {
            Ok(text) => (200, text),
            Err(Refusal::Status(code, text)) => (code, text),
            Err(Refusal::Unreachable(why)) => panic!("{why}"),
        }
    }
}
