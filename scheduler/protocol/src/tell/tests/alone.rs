//! Pods by themselves: the many of a cluster, about which little is written and remembered.

use super::make::{Make, events, ledgers};
use super::{Bench, EventReason};
use scheduler_model::spec::Dialect;

#[test]
fn a_pod_by_itself_is_remembered_until_its_start_is_told() {
    let mut bench = Bench::new();
    bench.tell(&Make::plain(1).dialect(Dialect::Pod).facts());
    assert_eq!(bench.teller.gangs.len(), 1);
    let calls = bench.settle(&Make::plain(1).dialect(Dialect::Pod).running().facts());
    assert_eq!(events(&calls), [EventReason::Scheduled]);
    assert_eq!(bench.teller.gangs.len(), 0);
    let calls = bench.settle(&Make::plain(1).dialect(Dialect::Pod).running().facts());
    assert_eq!(events(&calls), [], "it was told before");
    assert_eq!(bench.teller.gangs.len(), 0);
}

#[test]
fn a_plain_gang_of_one_that_runs_before_its_ledger_was_due_never_gets_one() {
    let mut bench = Bench::new();
    let waiting = Make::plain(1).facts();
    bench.tell(&waiting);
    let mut calls = bench.pass(2_000, &waiting, 200);
    calls.extend(bench.settle(&Make::plain(1).running().facts()));
    assert_eq!(ledgers(&calls), []);
}
