//! Free ports on the loopback address.
//!
//! They lie below the range from which the kernel takes ports of outgoing connections, so that
//! a server that was killed finds its port free when it starts again.

use std::collections::BTreeSet;
use std::net::{Ipv4Addr, TcpListener};
use std::sync::{LazyLock, Mutex, PoisonError};

const FIRST: u16 = 20_000;
const COUNT: u16 = 12_000;

/// Ports that this process has given out, so that two control planes never share one.
static GIVEN: LazyLock<Mutex<BTreeSet<u16>>> = LazyLock::new(Mutex::default);

/// A port that nobody listens on. Another process may still be faster; who starts a server
/// tries again then.
///
/// # Panics
/// If every port is taken.
#[must_use]
pub fn free_port() -> u16 {
    let mut given = GIVEN.lock().unwrap_or_else(PoisonError::into_inner);
    // Processes that test at the same time begin at different places.
    let start = u16::try_from(std::process::id().wrapping_mul(97) % u32::from(COUNT))
        .expect("the rest is smaller than COUNT");
    let port = (0..COUNT)
        .map(|step| FIRST + (start + step) % COUNT)
        .find(|port| !given.contains(port) && is_free(*port))
        .expect("one of 12,000 ports is free");
    given.insert(port);
    port
}

/// True if nobody listens on `port` of the loopback address.
pub(crate) fn is_free(port: u16) -> bool {
    TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok()
}
