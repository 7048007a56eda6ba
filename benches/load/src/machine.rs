//! On what, and with which versions, the figures were measured.

use crate::kueue::MODULE as KUEUE;
use crate::program::Program;
use std::path::Path;

/// The module that etcd and Kubernetes are built from.
const CONTROL_PLANE: &str = include_str!("../../../e2e/controlplane/go.mod");
/// The module that Volcano is built from.
const VOLCANO: &str = include_str!("../../../e2e/volcano/go.mod");

/// One paragraph.
#[must_use]
pub fn describe(program: &Program) -> String {
    let cores = std::thread::available_parallelism().map_or(0, std::num::NonZero::get);
    let cpu = first_value("/proc/cpuinfo", "model name");
    let memory = first_value("/proc/meminfo", "MemTotal");
    let data = if Path::new("/dev/shm").is_dir() { "on tmpfs" } else { "on disk" };
    format!(
        "{cores} cores ({cpu}), memory {memory}; muster {}, Kubernetes {}, etcd {} ({data}, \
         without fsync), Volcano {}, Kueue {}; {} rounds, null binder with {} binds in flight.\n",
        env!("CARGO_PKG_VERSION"),
        version(CONTROL_PLANE, "k8s.io/kubernetes"),
        version(CONTROL_PLANE, "go.etcd.io/etcd/server/v3"),
        version(VOLCANO, "volcano.sh/volcano"),
        version(KUEUE, "sigs.k8s.io/kueue"),
        program.rounds,
        program.settings.in_flight,
    )
}

fn first_value(path: &str, key: &str) -> String {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(key));
    let value = line.and_then(|rest| rest.split_once(':')).map(|(_, value)| value.trim());
    value.unwrap_or("unknown").to_owned()
}

/// The version of a module in a `go.mod`.
pub(crate) fn version<'a>(module: &'a str, name: &str) -> &'a str {
    let words = module.lines().map(|line| line.trim().trim_start_matches("require "));
    let mut found = words.filter_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    found.next().and_then(|rest| rest.split(' ').next()).unwrap_or("unknown")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_versions_of_what_is_measured_are_known() {
        for (module, name) in [
            (CONTROL_PLANE, "k8s.io/kubernetes"),
            (CONTROL_PLANE, "go.etcd.io/etcd/server/v3"),
            (VOLCANO, "volcano.sh/volcano"),
            (KUEUE, "sigs.k8s.io/kueue"),
        ] {
            assert!(version(module, name).starts_with('v'), "{name}");
        }
    }
}
