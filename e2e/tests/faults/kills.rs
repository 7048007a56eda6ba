//! muster is killed at random moments of a burst.

use crate::burst::Burst;
use crate::dice::Dice;
use crate::observer::Observer;
use crate::{add_room, alone, check, plane, repeat, turn};
use e2e::{ControlPlane, Muster};
use std::time::{Duration, Instant};

/// What was handed to the socket before a kill is seen after it. No muster binds anything so
/// soon after its start.
const ECHO: Duration = Duration::from_millis(40);

/// Beyond all reason; the promise is three seconds.
const TOO_LONG: Duration = Duration::from_secs(15);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn gangs_are_bound_whole_however_often_muster_is_killed() {
    let _turn = turn().await;
    let plane = plane(ControlPlane::builder().audit()).await;
    let mut muster = alone(&plane).await;
    let mut dice = Dice::new();
    let (mut kills, mut firsts, mut halves) = (0, Vec::new(), Vec::new());
    let mut round = 0;
    while kills < 50 * repeat() {
        round += 1;
        assert!(round < 40 * repeat(), "muster binds too fast to be killed: {kills} kills");
        let burst = Burst::new(&plane, &format!("burst-{round}"), 200).await;
        add_room(&plane, &format!("n{round}-"), burst.pods()).await;
        let observer = Observer::new(&plane, &burst);
        let submitted = burst.submit(&plane);
        observer.when_bound(1).await;
        let mut starts = vec![Instant::now()];
        while starts.len() <= 6 {
            let start = starts[starts.len() - 1];
            if !strike(&plane, &mut muster, &observer, &burst, &mut dice, start).await {
                break;
            }
            starts.push(Instant::now());
        }
        submitted.await.expect("everything is made");
        observer.until_bound(burst.pods()).await;
        kills += starts.len() - 1;
        firsts.extend(waits(&observer, &starts[1..]));
        halves.push(check::whole(&plane, &burst, &observer.seen()));
    }
    check::tell("longest half bound in each burst", halves);
    check::tell("first bind after a kill", firsts.clone());
    assert!(firsts.iter().all(|first| *first < TOO_LONG), "{firsts:?}");
}

/// From each start to the first bind after it, where it lived long enough to bind.
fn waits(observer: &Observer, starts: &[Instant]) -> Vec<Duration> {
    let end = |index: usize| starts.get(index + 1).copied();
    let first = |(index, start): (usize, &Instant)| {
        let first = observer.first_after(*start + ECHO)?;
        end(index).is_none_or(|end| first < end).then(|| first - *start)
    };
    starts.iter().enumerate().filter_map(first).collect()
}

/// Kills muster, in the middle of binding or before it began, and starts it again; false if all
/// is bound already.
async fn strike(
    plane: &ControlPlane,
    muster: &mut Muster,
    observer: &Observer,
    burst: &Burst,
    dice: &mut Dice,
    start: Instant,
) -> bool {
    if dice.below(3) == 0 {
        tokio::time::sleep(dice.pause(600)).await;
    } else {
        while observer.first_after(start + ECHO).is_none() && observer.count() < burst.pods() {
            assert!(start.elapsed() < TOO_LONG, "nothing was bound; {}", muster.log());
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        tokio::time::sleep(dice.pause(120)).await;
    }
    if observer.count() == burst.pods() {
        return false;
    }
    muster.kill9();
    muster.restart(plane).expect("it starts again");
    true
}
