//! The network between muster and the API server loses answers, holds back and cuts.

use crate::burst::Burst;
use crate::dice::Dice;
use crate::observer::Observer;
use crate::{CONFIG, LONG, add_room, check, plane, repeat, turn};
use e2e::{ControlPlane, Line, Muster, Relay, eventually};
use std::time::{Duration, Instant};

/// Longer than any request may take, so that muster gives up on each.
const GIVEN_UP: Duration = Duration::from_secs(6);

/// After a watch that nobody ended, and a list that got no answer.
const STALLED: Duration = Duration::from_secs(120);

/// A muster with a bad line to the API server.
struct Caller {
    plane: ControlPlane,
    relay: Relay,
    muster: Muster,
    rounds: usize,
}

impl Caller {
    async fn new() -> Self {
        let plane = plane(ControlPlane::builder().audit()).await;
        let relay = Relay::new(&plane).await.expect("a port can be opened");
        let path = relay.kubeconfig(&plane, &plane.admin_kubeconfig());
        let path = path.expect("it can be written");
        let muster = plane.muster().kubeconfig(&path).config(CONFIG).arg("--no-leader-election");
        let mut muster = muster.start().expect("it starts");
        muster.ready(LONG).await.expect("it gets ready");
        Self { plane, relay, muster, rounds: 0 }
    }

    /// A burst in which the line is as the list says, each for so long; afterwards it is open.
    async fn burst(&mut self, lines: &[(Line, Duration)], dice: &mut Dice) {
        self.rounds += 1;
        let burst = Burst::new(&self.plane, &format!("burst-{}", self.rounds), 160).await;
        add_room(&self.plane, &format!("n{}-", self.rounds), burst.pods()).await;
        let observer = Observer::new(&self.plane, &burst);
        let submitted = burst.submit(&self.plane);
        for (index, (line, span)) in lines.iter().enumerate() {
            // Spread over the burst, so that there is something left to bind each time.
            observer.when_bound(burst.pods() / (lines.len() + 1) * index + 1).await;
            tokio::time::sleep(dice.pause(60)).await;
            assert!(observer.count() < burst.pods(), "all is bound already: enlarge the burst");
            self.relay.set(*line);
            tokio::time::sleep(*span).await;
            self.relay.set(Line::Open);
        }
        submitted.await.expect("everything is made");
        observer.until_bound(burst.pods()).await;
        let half = check::whole(&self.plane, &burst, &observer.seen());
        println!("{lines:?}: half bound for {half:?} at most");
        self.knows_all_ended().await;
    }

    /// `/readyz` has nothing to complain of.
    async fn until_content(&self) {
        eventually(LONG, "/readyz to be content", async || {
            let (_, ready) = self.muster.get("/readyz").await.map_err(|it| it.to_string())?;
            if ready == "ready, leads\n" { Ok(()) } else { Err(ready) }
        })
        .await;
    }

    /// muster itself has learned how every bind ended, and waits for nothing.
    async fn knows_all_ended(&self) {
        eventually(LONG, "every bind to end", async || {
            let (_, text) = self.muster.get("/metrics").await.map_err(|it| it.to_string())?;
            let waiting = sum(&text, "muster_pending_gangs");
            let (_, gangs) = self.muster.get("/gangs").await.map_err(|it| it.to_string())?;
            let open = gangs.matches("\"binding\"").count();
            if waiting == 0.0 && open == 0 {
                return Ok(());
            }
            Err(format!("{waiting} gangs wait; {gangs:.500}"))
        })
        .await;
    }
}

/// Sum of all series of a metric.
fn sum(text: &str, metric: &str) -> f64 {
    values(text, metric).sum()
}

fn values<'a>(text: &'a str, metric: &'a str) -> impl Iterator<Item = f64> + 'a {
    text.lines().filter_map(move |line| {
        let rest = line.strip_prefix(metric)?;
        let is_it = rest.starts_with(['{', ' ']);
        rest.rsplit(' ').next().filter(|_| is_it)?.parse::<f64>().ok()
    })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn gangs_are_bound_whole_though_answers_are_lost() {
    let _turn = turn().await;
    let (mut caller, mut dice) = (Caller::new().await, Dice::new());
    for _ in 0..repeat() {
        caller.burst(&[(Line::Deaf, GIVEN_UP)], &mut dice).await;
        caller.burst(&[(Line::Stalled, GIVEN_UP)], &mut dice).await;
    }
    let (_, text) = caller.muster.get("/metrics").await.expect("it answers");
    println!("{}", lines(&text, "muster_binds_total"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn gangs_are_bound_whole_though_connections_break() {
    let _turn = turn().await;
    let (mut caller, mut dice) = (Caller::new().await, Dice::new());
    for _ in 0..3 * repeat() {
        let cut = (Line::Cut, dice.pause(800));
        let deaf = (Line::Deaf, dice.pause(800));
        caller.burst(&[deaf, cut, cut], &mut dice).await;
        // What nobody could answer is lost for good.
        caller.burst(&[cut, (Line::Stalled, dice.pause(800))], &mut dice).await;
    }
}

/// Takes no turn: it does nothing but wait.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_line_that_is_silent_is_told() {
    let caller = Caller::new().await;
    // Kinds that were defined a moment ago may ask for a second of patience (status 429).
    caller.until_content().await;
    let start = Instant::now();
    caller.relay.set(Line::Stalled);
    eventually(STALLED, "/readyz and the metric to tell of it", async || {
        let (_, text) = caller.muster.get("/metrics").await.map_err(|it| it.to_string())?;
        let lag = values(&text, "muster_watch_lag_seconds").fold(0.0, f64::max);
        let (_, ready) = caller.muster.get("/readyz").await.map_err(|it| it.to_string())?;
        let words = ready.lines().find(|line| line.contains("pods")).map(str::to_owned);
        let (Some(words), true) = (words, lag > 30.0) else {
            return Err(format!("lag {lag}; {ready}"));
        };
        println!("told after {:?}: {words}; lag {lag}", start.elapsed());
        Ok(())
    })
    .await;
    caller.relay.set(Line::Open);
    let open = Instant::now();
    caller.until_content().await;
    println!("content again {:?} after the line was open", open.elapsed());
}

fn lines(text: &str, metric: &str) -> String {
    let lines: Vec<&str> = text.lines().filter(|line| line.starts_with(metric)).collect();
    lines.join("\n")
}
