//! Every plugin there is, in the order in which they are installed. Filters stand in the
//! order in which an explanation names reasons: first the node itself, then other pods.

use crate::{
    affinity, fair_share, gpu_pack, host_ports, pack, priority, selectors, spread, taints,
    topology_pack, unschedulable, volume_reach, volumes,
};
use scheduler_framework::profile::Profile;

// How often a scorer's points count. What somebody wrote down (a taint, a preference, a
// spread) goes before what merely saves room, and a whole accelerator kept free is worth more
// than a fuller node. Equals of one group differ so that full points of the stronger one
// outvote half points of the weaker one: an administrator's taint before a user's preference.
pub(crate) const WEIGHT_TAINTS: i64 = 8;
pub(crate) const WEIGHT_SELECTORS: i64 = 6;
pub(crate) const WEIGHT_AFFINITY: i64 = 6;
pub(crate) const WEIGHT_SPREAD: i64 = 4;
pub(crate) const WEIGHT_GPU_PACK: i64 = 3;
pub(crate) const WEIGHT_PACK: i64 = 1;

/// One plugin as the catalogue lists it.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Its name: that of its file, in configuration and in explanations.
    pub name: &'static str,
    /// The points it sits on, separated by commas.
    pub points: &'static str,
    /// What it does, in one sentence.
    pub about: &'static str,
    /// Puts it on its points.
    pub install: fn(&mut Profile),
}

/// All plugins in the default order.
pub const CATALOGUE: &[Entry] = &[
    Entry {
        name: "unschedulable",
        points: "filter",
        about: "Keeps pods off nodes that are cordoned or not ready.",
        install: unschedulable::install,
    },
    Entry {
        name: "taints",
        points: "filter, scorer",
        about: "Keeps pods off nodes whose taints they do not tolerate.",
        install: taints::install,
    },
    Entry {
        name: "selectors",
        points: "filter, scorer",
        about: "Honours node selectors and node affinity.",
        install: selectors::install,
    },
    Entry {
        name: "volume_reach",
        points: "filter",
        about: "Keeps pods where the volumes of their bound claims can be used.",
        install: volume_reach::install,
    },
    Entry {
        name: "host_ports",
        points: "filter",
        about: "Gives each port of a node to one pod only.",
        install: host_ports::install,
    },
    Entry {
        name: "volumes",
        points: "filter",
        about: "Gives late claims a volume and drivers no more volumes than they attach.",
        install: volumes::install,
    },
    Entry {
        name: "affinity",
        points: "filter, scorer",
        about: "Brings pods together with, or keeps them apart from, other pods.",
        install: affinity::install,
    },
    Entry {
        name: "spread",
        points: "filter, scorer",
        about: "Spreads pods evenly over domains.",
        install: spread::install,
    },
    Entry {
        name: "gpu_pack",
        points: "scorer",
        about: "Fills started accelerator nodes first and keeps whole ones free.",
        install: gpu_pack::install,
    },
    Entry {
        name: "pack",
        points: "scorer",
        about: "Prefers nodes that are fuller by cpu and memory.",
        install: pack::install,
    },
    Entry {
        name: "priority",
        points: "gang order",
        about: "Serves higher priority first, then broken gangs, then older ones.",
        install: priority::install,
    },
    Entry {
        name: "fair_share",
        points: "queue order",
        about: "Serves the queue first that uses least of the cluster for its weight.",
        install: fair_share::install,
    },
    Entry {
        name: "topology_pack",
        points: "domain order",
        about: "Tries the tightest domain first that takes the whole gang.",
        install: topology_pack::install,
    },
];

/// The profile that is in force where nobody configures another: the whole catalogue.
#[must_use]
pub fn default_profile() -> Profile {
    let mut profile = Profile::default();
    for entry in CATALOGUE {
        (entry.install)(&mut profile);
    }
    profile
}

/// The catalogue without some plugins, and with other weights for some scorers.
#[must_use]
pub fn chosen_profile(
    is_disabled: impl Fn(&str) -> bool,
    weight_of: impl Fn(&str) -> Option<i64>,
) -> Profile {
    let mut profile = Profile::default();
    for entry in CATALOGUE.iter().filter(|entry| !is_disabled(entry.name)) {
        (entry.install)(&mut profile);
    }
    profile.reweigh(weight_of);
    profile
}
