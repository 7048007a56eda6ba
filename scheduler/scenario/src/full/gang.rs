//! Gangs in the full form.

use super::{mirror, words};
use scheduler_model::spec::{
    CreatesAtOnce, Dialect, GangKey, GangSpec, Labels, Ledger, Minimum, NodeTally, Reservation,
    Resources, RoleSpec, RoleTally, TopologyWish, Wishes,
};
use scheduler_model::time::{Span, Time};

mirror! {
    GangSpec as GangFile, base GangSpec::plain(empty_key()),
    required { key: GangKey, uid: String }
    optional {
        created_at: Time,
        generation: i64,
        min: u32,
        roles: Vec<RoleSpec>,
        queue: Option<String>,
        priority: Option<i32>,
        priority_class: String,
        topology: TopologyWish,
        walltime: Option<Span>,
        unbreakable: bool,
        wishes: Wishes,
        succeeded: u32,
        creates_at_once: Option<CreatesAtOnce>,
        unsupported: Vec<String>,
        min_resources: Resources,
        labels: Labels,
        ledger: Ledger,
        digest: Option<u64>,
        scheduler: String,
        is_contested: bool,
    }
}

mirror! {
    Wishes as WishesFile, base Wishes::default(),
    required {}
    optional {
        non_preemptible: bool,
        min_runtime: Span,
        cooldown: Span,
        preemption_cost: Option<u32>,
        checkpointed_at: Option<Time>,
    }
}

mirror! {
    GangKey as GangKeyFile, base empty_key(),
    required { name: String, dialect: Dialect }
    optional { namespace: String }
}

/// The key whose fields a file may leave out.
pub(super) fn empty_key() -> GangKey {
    GangKey { namespace: "default".to_owned(), name: String::new(), dialect: Dialect::Muster }
}

words! {
    Dialect as DialectFile ("camelCase") {
        Muster, Kubernetes, Volcano, Coscheduling, Plain, Pod
    }
}

mirror! {
    RoleSpec as RoleFile, base RoleSpec { name: String::new(), min: 0 },
    required { name: String, min: u32 }
    optional {}
}

mirror! {
    TopologyWish as TopologyWishFile, base TopologyWish::default(),
    required {}
    optional { topology: Option<String>, required: Option<String>, preferred: Option<String> }
}

mirror! {
    CreatesAtOnce as CreatesAtOnceFile, base CreatesAtOnce { pods: 0, setting: String::new() },
    required { pods: u32, setting: String }
    optional {}
}

mirror! {
    Ledger as LedgerFile, base Ledger::default(),
    required {}
    optional {
        run: Option<Time>,
        youngest: Option<Time>,
        age: Option<Time>,
        blocked_since: Option<Time>,
        broken_since: Option<Time>,
        has_started: bool,
        releases: u32,
        succeeded: Vec<RoleTally>,
        begun: Option<Minimum>,
        evicted: Vec<Time>,
        reservation: Option<Reservation>,
    }
}

mirror! {
    Reservation as ReservationFile, base Reservation::default(),
    required { plan: Time }
    optional { until: Time, victims: u32, nodes: Vec<NodeTally> }
}

mirror! {
    NodeTally as NodeTallyFile, base NodeTally::default(),
    required { node: String }
    optional { count: u32 }
}

mirror! {
    Minimum as MinimumFile, base Minimum::default(),
    required { total: u32 }
    optional { roles: Vec<RoleTally> }
}

mirror! {
    RoleTally as RoleTallyFile, base RoleTally::default(),
    required { count: u32 }
    optional { role: String }
}
