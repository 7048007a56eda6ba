//! Waiting for what will be true soon, without guessing how long to sleep.

use std::panic::Location;
use std::time::{Duration, Instant};

/// How long to wait between two looks: short at first, for tests that finish fast.
const PAUSES: [u64; 6] = [10, 20, 40, 80, 120, 200];

/// Asks again until the answer is `Ok`, and gives it back. An `Err` says what was seen instead.
///
/// # Panics
/// After `timeout`, with `what` was waited for and what was seen last.
#[track_caller]
pub fn eventually<T, S, F>(
    timeout: Duration,
    what: &str,
    mut look: F,
) -> impl Future<Output = T> + use<T, S, F>
where
    S: std::fmt::Display,
    F: AsyncFnMut() -> Result<T, S>,
{
    let (what, caller) = (what.to_owned(), Location::caller());
    async move {
        let start = Instant::now();
        let mut pauses = PAUSES.into_iter();
        let mut last = "nothing: the look itself did not come back".to_owned();
        loop {
            let left = timeout.saturating_sub(start.elapsed()).max(Duration::from_millis(1));
            match tokio::time::timeout(left, look()).await {
                Ok(Ok(found)) => return found,
                Ok(Err(seen)) => last = seen.to_string(),
                Err(_) => {}
            }
            if start.elapsed() >= timeout {
                panic!("{caller}: waited {timeout:?} for {what}; last seen: {last}");
            }
            let pause = pauses.next().unwrap_or(PAUSES[PAUSES.len() - 1]);
            tokio::time::sleep(Duration::from_millis(pause)).await;
        }
    }
}

/// Demands that the answer stays `Ok` for all of `span`, for what must *not* happen.
///
/// # Panics
/// As soon as it is an `Err`, with what was seen.
pub async fn stays<S, F>(span: Duration, what: &str, mut look: F)
where
    S: std::fmt::Display,
    F: AsyncFnMut() -> Result<(), S>,
{
    let start = Instant::now();
    while start.elapsed() < span {
        if let Err(seen) = look().await {
            panic!("{what} did not stay so for {span:?}; after {:?}: {seen}", start.elapsed());
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}
