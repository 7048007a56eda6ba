//! Two replicas and a lease: the leader is killed, asked to leave, frozen, cut off.

use crate::burst::Burst;
use crate::dice::Dice;
use crate::observer::Observer;
use crate::{LONG, add_room, check, plane, repeat, turn};
use e2e::{AuditEntry, ControlPlane, FakeNode, Line, Muster, Relay, eventually};
use k8s_openapi::jiff::Timestamp;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// Short, but as far apart as the usual ones: a write that left last is over before the next
/// leader begins.
const CONFIG: &str = "
timings: {repairGrace: 20s}
leaderElection: {leaseDuration: 5s, renewDeadline: 2s, retryPeriod: 500ms}
";

/// The promise for a leader that vanished: `leaseDuration` above and three seconds.
const PROMISED: Duration = Duration::from_secs(8);

/// Beyond all reason.
const TOO_LONG: Duration = Duration::from_secs(30);

const RIGHTS: &str = "
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: replicas}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}
subjects:
- {kind: ServiceAccount, name: a, namespace: default}
- {kind: ServiceAccount, name: b, namespace: default}
";

/// Two replicas that speak as two accounts, so that the audit log tells them apart.
struct Pair {
    plane: ControlPlane,
    leader: Replica,
    standby: Replica,
    dice: Dice,
    rounds: usize,
}

struct Replica {
    user: String,
    muster: Muster,
}

impl Replica {
    fn new(plane: &ControlPlane, name: &str, kubeconfig: &Path) -> Self {
        let muster = plane.muster().name(name).kubeconfig(kubeconfig).config(CONFIG);
        let muster = muster.arg("--lease-namespace=default").arg(&format!("--identity={name}"));
        let muster = muster.start().expect("it starts");
        Self { user: format!("system:serviceaccount:default:{name}"), muster }
    }

    /// Waits until `/readyz` says so.
    async fn until(&self, words: &str) {
        eventually(LONG, words, async || match self.muster.get("/readyz").await {
            Ok((200, text)) if text.contains(words) => Ok(()),
            other => Err(format!("{other:?}")),
        })
        .await;
    }
}

/// A burst that is half bound, and who watches it.
struct Fight {
    burst: Burst,
    observer: Observer,
    /// Gangs that came after the blow: something for the next leader to do.
    more: (Burst, Observer),
    struck: SystemTime,
}

impl Fight {
    async fn until_bound(&self) {
        self.observer.until_bound(self.burst.pods()).await;
        self.more.1.until_bound(self.more.0.pods()).await;
    }

    fn check(&self, plane: &ControlPlane) {
        check::whole(plane, &self.burst, &self.observer.seen());
        check::whole(plane, &self.more.0, &self.more.1.seen());
        // Both share the large node, which is called as the namespace.
        let all = [self.observer.seen(), self.more.1.seen()];
        let nodes = all.iter().flat_map(|seen| seen.bound.values().map(|(node, _)| node));
        let count = nodes.filter(|node| **node == self.burst.namespace).count();
        assert!(count <= self.burst.each, "{count} pods on the large node");
    }
}

impl Pair {
    /// A leader whose kubeconfig `lead` makes of its own, and a standby.
    async fn new(lead: impl AsyncFnOnce(&ControlPlane, PathBuf) -> PathBuf) -> Self {
        let plane = plane(ControlPlane::builder().audit()).await;
        plane.apply(RIGHTS).expect("the rights are taken");
        let a = plane.service_account("default", "a").await.expect("it gets a token");
        let b = plane.service_account("default", "b").await.expect("it gets a token");
        let leader = Replica::new(&plane, "a", &lead(&plane, a).await);
        leader.until("ready, leads").await;
        let standby = Replica::new(&plane, "b", &b);
        standby.until("ready, a standby").await;
        Self { plane, leader, standby, dice: Dice::new(), rounds: 0 }
    }

    /// Hurts the leader at a random moment of a burst.
    async fn strike(&mut self, blow: impl FnOnce(&mut Muster)) -> Fight {
        self.rounds += 1;
        let burst = Burst::new(&self.plane, &format!("burst-{}", self.rounds), 60).await;
        let burst = Burst { each: burst.pods(), ..burst };
        let observer = Observer::new(&self.plane, &burst);
        burst.submit(&self.plane).await.expect("everything is made");
        // All room comes at once, so that the lane for binds is full from the first moment.
        let gpus = u32::try_from(burst.pods()).expect("it is a small number");
        let node = FakeNode::new(&burst.namespace).gpus(gpus).resource("pods", "1000");
        self.plane.add_nodes(&[node]).await.expect("a node can be made");
        observer.when_bound(self.dice.size_below(burst.pods() / 2)).await;
        tokio::time::sleep(self.dice.pause(15)).await;
        let before = observer.count();
        assert!(before < burst.pods(), "all is bound already: enlarge the burst");
        blow(&mut self.leader.muster);
        let struck = SystemTime::now();
        let more = Burst::new(&self.plane, &format!("more-{}", self.rounds), 8).await;
        let more = Burst { each: burst.pods(), ..more };
        add_room(&self.plane, &format!("more-{}-", self.rounds), more.pods()).await;
        let watching = Observer::new(&self.plane, &more);
        more.submit(&self.plane).await.expect("everything is made");
        Fight { burst, observer, more: (more, watching), struck }
    }

    /// All is bound by the standby, who leads from now on. From the blow to its first write.
    async fn taken_over(&mut self, fight: &Fight) -> Duration {
        fight.until_bound().await;
        std::mem::swap(&mut self.leader, &mut self.standby);
        let writes = self.writes_of_leader_since(fight.struck);
        let first = writes.iter().map(|write| moment(&write.received)).min();
        let first = first.expect("the standby took over and had something to do");
        let struck = Timestamp::try_from(fight.struck).expect("the clock is right");
        first.duration_since(struck).unsigned_abs()
    }

    fn writes_of_leader_since(&self, time: SystemTime) -> Vec<AuditEntry> {
        let since = Timestamp::try_from(time).expect("the clock is right");
        let writes = writes(&self.plane, &self.leader.user);
        writes.into_iter().filter(|write| moment(&write.received) > since).collect()
    }

    /// What the old leader sent after the new one had begun.
    fn late_writes(&self, fight: &Fight) -> Vec<AuditEntry> {
        let begun = self.writes_of_leader_since(fight.struck);
        let begun = begun.iter().map(|write| moment(&write.received)).min();
        let begun = begun.expect("the new leader had something to do");
        let mut late = writes(&self.plane, &self.standby.user);
        late.retain(|write| moment(&write.received) > begun);
        late
    }

    async fn revive(&mut self) {
        self.standby.muster.restart(&self.plane).expect("it starts again");
        self.standby.until("ready, a standby").await;
    }
}

/// Everything that changes anything but the lease.
fn writes(plane: &ControlPlane, user: &str) -> Vec<AuditEntry> {
    let mut entries = plane.audit();
    entries.retain(|entry| {
        let is_read = ["get", "list", "watch"].contains(&entry.verb.as_str());
        // Rights are asked for by a review, which is created but changes nothing.
        let is_review = entry.group.ends_with("authorization.k8s.io");
        entry.user == user && !is_read && !is_review && entry.resource != "leases"
    });
    entries
}

fn moment(text: &str) -> Timestamp {
    text.parse().expect("the API server writes times in RFC 3339")
}

async fn no_relay(_: &ControlPlane, kubeconfig: PathBuf) -> PathBuf {
    kubeconfig
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_standby_goes_on_where_the_leader_was_killed_or_left() {
    let _turn = turn().await;
    let mut pair = Pair::new(no_relay).await;
    let (mut killed, mut left) = (Vec::new(), Vec::new());
    for round in 0..4 * repeat() {
        let is_kill = round % 2 == 0;
        let fight = pair
            .strike(|leader| {
                if is_kill {
                    leader.kill9();
                } else {
                    leader.signal(e2e::Signal::TERM);
                }
            })
            .await;
        let took = pair.taken_over(&fight).await;
        if is_kill {
            killed.push(took);
        } else {
            left.push(took);
            let ended = pair.standby.muster.end(LONG).await.expect("it leaves");
            assert_eq!(ended.code(), Some(0), "{}", pair.standby.muster.log());
        }
        fight.check(&pair.plane);
        pair.revive().await;
    }
    check::tell(&format!("first write after a kill (promised: {PROMISED:?})"), killed.clone());
    check::tell("first write after SIGTERM (promised: 3s)", left.clone());
    assert!(killed.iter().chain(&left).all(|took| *took < TOO_LONG), "{killed:?} {left:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_leader_that_wakes_up_late_sends_nothing_new() {
    let _turn = turn().await;
    let mut pair = Pair::new(no_relay).await;
    let mut taken = Vec::new();
    for _ in 0..4 * repeat() {
        let fight = pair.strike(Muster::stop).await;
        taken.push(pair.taken_over(&fight).await);
        pair.standby.muster.cont();
        let ended = pair.standby.muster.end(LONG).await.expect("it ends by itself");
        assert_eq!(ended.code(), Some(1), "{}", pair.standby.muster.log());
        // One may have been between the last check and the socket.
        let late = pair.late_writes(&fight);
        assert!(late.len() <= 1, "{late:#?}");
        if let [late] = &late[..] {
            println!("was between check and socket: {} {}", late.asked(), late.code);
        }
        fight.check(&pair.plane);
        pair.revive().await;
    }
    check::tell("first write after SIGSTOP", taken);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_on_its_way_when_the_lease_moved_breaks_nothing() {
    let _turn = turn().await;
    let mut relay = None;
    let mut pair = Pair::new(async |plane: &ControlPlane, kubeconfig: PathBuf| {
        let made = Relay::new(plane).await.expect("a port can be opened");
        let path = made.kubeconfig(plane, &kubeconfig).expect("it can be written");
        relay = Some(made);
        path
    })
    .await;
    let relay = relay.expect("it was made");
    // Binds of the leader stay in the middle of the line until long after the lease moved.
    let fight = pair.strike(|_| relay.set(Line::Stalled)).await;
    pair.taken_over(&fight).await;
    relay.set(Line::Open);
    let ended = pair.standby.muster.end(LONG).await.expect("it ends by itself");
    assert_eq!(ended.code(), Some(1), "{}", pair.standby.muster.log());
    let late = pair.late_writes(&fight);
    let codes: Vec<u16> = late.iter().map(|write| write.code).collect();
    println!("arrived after the new leader had begun: {codes:?}");
    fight.check(&pair.plane);
}
