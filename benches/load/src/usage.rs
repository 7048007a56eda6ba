//! What a process has used, from the process table.

use crate::wire::failed;
use e2e::Fault;
use std::time::Duration;

/// What one process has used since it began.
#[derive(Clone, Copy, Debug, Default)]
pub struct Usage {
    /// Time on a core, its threads together.
    pub cpu: Duration,
    /// Most memory at once, in bytes.
    pub peak: u64,
    /// Memory now, in bytes.
    pub resident: u64,
}

impl Usage {
    /// Of a process that runs.
    pub fn of(pid: u32) -> Result<Self, Fault> {
        let read = |name: &str| {
            let path = format!("/proc/{pid}/{name}");
            std::fs::read_to_string(&path).map_err(|error| failed(&path, error))
        };
        let (stat, status) = (read("stat")?, read("status")?);
        Ok(Self {
            cpu: cpu(&stat).ok_or_else(|| failed("/proc/PID/stat", &stat))?,
            peak: kib(&status, "VmHWM:"),
            resident: kib(&status, "VmRSS:"),
        })
    }
}

/// User and system time. The name of the program, in brackets, may hold anything.
fn cpu(stat: &str) -> Option<Duration> {
    let (_, fields) = stat.rsplit_once(')')?;
    let ticks = |index| fields.split_whitespace().nth(index)?.parse::<u64>().ok();
    Some(of_ticks(ticks(11)? + ticks(12)?))
}

fn kib(status: &str, key: &str) -> u64 {
    let line = status.lines().find_map(|line| line.strip_prefix(key));
    let number = line.and_then(|rest| rest.split_whitespace().next()?.parse::<u64>().ok());
    number.unwrap_or(0) * 1024
}

fn of_ticks(ticks: u64) -> Duration {
    Duration::from_secs(ticks)
        / u32::try_from(rustix::param::clock_ticks_per_second()).unwrap_or(100)
}

/// Time that all cores together have worked since the machine started.
pub fn machine() -> Result<Duration, Fault> {
    let stat = std::fs::read_to_string("/proc/stat").map_err(|it| failed("/proc/stat", it))?;
    let line = stat.lines().next().unwrap_or_default();
    let ticks: Vec<u64> = line.split_whitespace().filter_map(|it| it.parse().ok()).collect();
    // All but idle and waiting for disks; what guests use is counted as user time already.
    let busy = ticks.iter().take(8).enumerate().filter(|(index, _)| ![3, 4].contains(index));
    Ok(of_ticks(busy.map(|(_, ticks)| ticks).sum()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_that_works_has_used_time_and_memory() {
        let own = std::process::id();
        let start = Usage::of(own).expect("it runs");
        let begin = std::time::Instant::now();
        let mut sum = 0_u64;
        while begin.elapsed() < Duration::from_millis(100) {
            sum = sum.wrapping_add(std::hint::black_box(1));
        }
        let end = Usage::of(own).expect("it runs");
        assert!(end.cpu > start.cpu, "{start:?} {end:?} {sum}");
        assert!(end.peak >= end.resident && end.resident > 100_000, "{end:?}");
    }

    #[test]
    fn a_program_may_be_called_anything() {
        let stat = "7 (a) b (c) R 1 7 7 0 -1 0 0 0 0 0 150 50 0 0 20 0 1 0 9 0 0";
        assert_eq!(cpu(stat), Some(of_ticks(200)));
    }
}
