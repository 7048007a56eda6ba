//! Not more control planes at once than the cores carry, over all test processes of a user.
//!
//! A throttle, not a law: who has waited long goes on, so that two tests which each hold one
//! control plane and want another cannot wait for each other for ever.

use crate::cache;
use crate::fault::{Fault, Trying};
use std::fs::{File, TryLockError};
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(90);

/// The right to run one control plane. It is a lock on a file, so the kernel gives it back
/// however the process ends.
#[derive(Debug)]
pub(crate) struct Slot {
    _lock: Option<File>,
}

/// Waits for one of `MUSTER_E2E_SLOTS` slots (as many as there are cores).
pub(crate) async fn take() -> Result<Slot, Fault> {
    let start = Instant::now();
    while start.elapsed() < PATIENCE {
        if let Some(lock) = try_take()? {
            return Ok(Slot { _lock: Some(lock) });
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    Ok(Slot { _lock: None })
}

fn try_take() -> Result<Option<File>, Fault> {
    let folder = cache::folder()?.join("slots");
    std::fs::create_dir_all(&folder).trying(|| format!("making {}", folder.display()))?;
    for slot in 0..count() {
        let path = folder.join(slot.to_string());
        let file = File::create(&path).trying(|| format!("opening {}", path.display()))?;
        match file.try_lock() {
            Ok(()) => return Ok(Some(file)),
            Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(error)) => {
                return Err(error).trying(|| format!("locking {}", path.display()));
            }
        }
    }
    Ok(None)
}

fn count() -> usize {
    let wanted = std::env::var("MUSTER_E2E_SLOTS").ok().and_then(|text| text.parse().ok());
    let cores = || std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
    wanted.unwrap_or_else(cores).max(1)
}
