//! The API server is killed and comes back, in the middle of a burst.

use crate::burst::Burst;
use crate::dice::Dice;
use crate::observer::Observer;
use crate::{add_room, alone, check, plane, repeat, turn};
use e2e::ControlPlane;
use std::time::{Duration, Instant};

/// Beyond all reason; the promise is three seconds.
const TOO_LONG: Duration = Duration::from_secs(20);

/// What was bound before a kill may be seen a little after it.
const ECHO: Duration = Duration::from_millis(40);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn gangs_are_bound_whole_however_often_the_api_server_is_killed() {
    let _turn = turn().await;
    let plane = plane(ControlPlane::builder().audit()).await;
    let muster = alone(&plane).await;
    let mut dice = Dice::new();
    let (mut firsts, mut halves) = (Vec::new(), Vec::new());
    let mut fights = Vec::new();
    for kill in 0..5 * repeat() {
        // More gangs come before those of the last time are all bound.
        let burst = Burst::new(&plane, &format!("burst-{kill}"), 80).await;
        add_room(&plane, &format!("n{kill}-"), burst.pods()).await;
        let observer = Observer::new(&plane, &burst);
        let submitted = burst.submit(&plane);
        observer.when_bound(1 + dice.size_below(burst.pods() / 2)).await;
        tokio::time::sleep(dice.pause(15)).await;
        assert!(observer.count() < burst.pods(), "all is bound already: enlarge the burst");
        plane.kill_apiserver();
        let killed = Instant::now();
        plane.start_apiserver().await.expect("it starts again");
        fights.push((burst, observer, submitted, killed, Instant::now()));
    }
    for (burst, observer, submitted, killed, back) in fights {
        submitted.await.expect("everything is made");
        observer.until_bound(burst.pods()).await;
        // Some binds come through before the API server calls itself ready.
        let first = observer.first_after(killed + ECHO).expect("not all was bound");
        firsts.push(first.saturating_duration_since(back));
        halves.push(check::whole(&plane, &burst, &observer.seen()));
    }
    check::tell("longest half bound in each burst", halves);
    check::tell("first bind after the API server came back", firsts.clone());
    assert!(firsts.iter().all(|first| *first < TOO_LONG), "{firsts:?}; {}", muster.log());
}
