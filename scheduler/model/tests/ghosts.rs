//! What a gang remembers of members that are gone stays small.

use scheduler_model::event::Event;
use scheduler_model::snapshot::Snapshot;
use scheduler_model::spec::{Dialect, GangKey, GangSpec, Membership, PodPhase, PodSpec, RoleTally};
use scheduler_model::time::Time;

fn key() -> GangKey {
    GangKey { namespace: "default".into(), name: "again".into(), dialect: Dialect::Muster }
}

fn pod(run: i64, phase: PodPhase) -> Event {
    Event::Pod(Box::new(PodSpec {
        membership: Membership::Group(key()),
        phase,
        created_at: Time::from_ms(run * 100),
        finished_at: phase.is_finished().then(|| Time::from_ms(run * 100 + 50)),
        ..PodSpec::new("default", &format!("again-{run}"))
    }))
}

#[test]
fn a_group_that_is_used_again_and_again_forgets_its_earlier_runs() {
    let mut snap = Snapshot::default();
    snap.ingest(Event::Gang(Box::new(GangSpec::plain(key()))), Time::ZERO);
    for run in 0..1000 {
        let now = Time::from_ms(run * 100 + 60);
        snap.ingest(pod(run, PodPhase::Succeeded), now);
        snap.ingest(Event::PodGone(format!("pod:default/again-{run}")), now);
    }
    let gang = snap.gangs().find(&key()).expect("told above");
    let gang = snap.gangs().get(gang);
    assert!(gang.ghosts.len() < 64, "{} ghosts", gang.ghosts.len());
    assert_eq!(gang.run(snap.pods()).succeeded_total(), 1);
}

#[test]
fn a_member_that_a_recalled_run_takes_in_again_is_not_counted_twice() {
    let mut snap = Snapshot::default();
    snap.ingest(Event::Gang(Box::new(GangSpec::plain(key()))), Time::ZERO);
    snap.ingest(pod(0, PodPhase::Succeeded), Time::from_ms(60));
    snap.ingest(pod(1, PodPhase::Pending), Time::from_ms(100));
    let gang = snap.gangs().find(&key()).expect("told above");
    // The first member is of an earlier run by its times, of the same by what was written down.
    let succeeded = [RoleTally { role: String::new(), count: 1 }];
    snap.recall(gang, Time::ZERO, &succeeded);
    assert_eq!(snap.gangs().get(gang).run(snap.pods()).succeeded_total(), 1);
}
