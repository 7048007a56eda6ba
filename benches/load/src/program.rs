//! Which scenarios are run in which size, and the page that comes of them.

use crate::arrivals::Arrivals;
use crate::burst::Burst;
use crate::contestant::{Contestant, Settings};
use crate::figures::{CPU, DRAIN, FIRST, Measure, PEAK, RATE, Runs, Scenario, WAIT_P99, WRITES};
use crate::footprint::Footprint;
use crate::recorded;
use crate::rounds::{rounds, tell};
use crate::rush::{JOBS, Rush, WALL};
use crate::shares::{IN_USE, OFF, Shares};
use crate::storm::{FREED, IDLE, Storm};
use crate::table::{Aim, Bound, OURS, show};
use crate::work::Shape;
use std::fmt::Write;
use std::time::Duration;

/// How large everything is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// Minutes.
    Small,
    /// Hours.
    Large,
}

/// A family of scenarios.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Gangs that are all there.
    B1,
    /// Plain pods.
    B2,
    /// Many queues that all get short work.
    B5,
    /// Gangs that cannot fit.
    B6,
    /// A cluster that is large and runs.
    B7,
    /// Three queues with weights.
    Shares,
}

impl Family {
    /// All of them.
    pub const ALL: [Self; 6] = [Self::B1, Self::B2, Self::B5, Self::B6, Self::B7, Self::Shares];

    /// As arguments name it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::B1 => "b1",
            Self::B2 => "b2",
            Self::B5 => "b5",
            Self::B6 => "b6",
            Self::B7 => "b7",
            Self::Shares => "shares",
        }
    }
}

/// What to run.
#[derive(Clone, Debug)]
pub struct Program {
    /// Which scenarios.
    pub families: Vec<Family>,
    /// How large.
    pub size: Size,
    /// Who is measured.
    pub contestants: Vec<Contestant>,
    /// How often each.
    pub rounds: usize,
    /// How long pods arrive in B2 (b).
    pub arrivals: Duration,
    /// How long queues are full, in seconds.
    pub full: usize,
    /// Queues of B5.
    pub queues: usize,
    /// What contestants are started with.
    pub settings: Settings,
}

/// Runs everything; gives the page.
pub async fn run(program: &Program) -> Result<String, String> {
    let mut page = crate::machine::describe(program);
    let all = program;
    // Kueue binds nothing: it has work in B5 alone.
    let binders = all.contestants.iter().copied().filter(|it| *it != Contestant::Kueue);
    let program = &Program { contestants: binders.collect(), ..all.clone() };
    for family in &program.families {
        let part = match family {
            Family::B1 => bursts(program).await,
            Family::B2 => {
                let drained = drain(program).await;
                format!("{drained}\n{}", arrivals(program).await)
            }
            Family::B5 => rush(all).await,
            Family::B6 => storms(program).await,
            Family::B7 => footprints(program).await,
            Family::Shares => shares(program).await,
        };
        let _ = write!(page, "\n{part}");
    }
    Ok(page)
}

async fn bursts(program: &Program) -> String {
    let (nodes, shapes) = match program.size {
        Size::Small => (250, [(100, 20), (4, 500), (1, 2000)]),
        Size::Large => (1000, [(500, 20), (20, 500), (1, 10_000)]),
    };
    let mut parts = Vec::new();
    for (gangs, size) in shapes {
        let shape = Shape { gangs, size };
        let title = format!("B1: {shape} pods in gangs, {nodes} nodes");
        let scenario = burst(program, &title, Burst { nodes, shape }).await;
        let most = 1.0 + 4.0 / size as f64;
        parts.push(show(&scenario, &aims(0.9, most)));
    }
    parts.join("\n")
}

async fn drain(program: &Program) -> String {
    let (nodes, gangs) = match program.size {
        Size::Small => (250, 2000),
        Size::Large => (1000, 10_000),
    };
    let title = format!("B2 (a): {gangs} plain pods, {nodes} nodes");
    let shape = Shape { gangs, size: 1 };
    let scenario = burst(program, &title, Burst { nodes, shape }).await;
    show(&scenario, &aims(0.9, 5.0))
}

async fn arrivals(program: &Program) -> String {
    let arrivals = Arrivals { nodes: 250, span: program.arrivals };
    let ceiling = match arrivals.ceiling(&program.settings).await {
        Ok(ceiling) => ceiling,
        Err(fault) => return format!("### B2 (b)\n\nThe ceiling was not measured: {fault}\n"),
    };
    tell(&format!("B2 (b): {ceiling:.0} pods/s are made and bound by the null binder"));
    let mut parts = Vec::new();
    for percent in [25, 50, 80] {
        let rate = ceiling * f64::from(percent) / 100.0;
        let title = format!(
            "B2 (b): {rate:.0} pods/s for {} s, {percent} % of the {ceiling:.0} that the null \
             binder and the loader reach together",
            program.arrivals.as_secs()
        );
        let scenario = rounds(&title, &program.contestants, program.rounds, async |contestant| {
            arrivals.run(contestant, rate, &program.settings).await
        });
        let bound = |most| [aim(WAIT_P99, None, Bound::Most(most))];
        let aims = if percent == 50 { bound(50.0) } else { bound(250.0) };
        parts.push(show(&scenario.await, &aims));
    }
    parts.join("\n")
}

async fn rush(program: &Program) -> String {
    let can = [Contestant::Null, Contestant::Muster, Contestant::Kueue];
    let contestants: Vec<Contestant> =
        program.contestants.iter().copied().filter(|it| can.contains(it)).collect();
    let rush = Rush { queues: program.queues };
    let title = format!("B5: {} queues, {} jobs", rush.queues, rush.queues * 50);
    let scenario = rounds(&title, &contestants, program.rounds, async |contestant| {
        rush.run(contestant, &program.settings).await
    });
    let (null, kueue) = (Contestant::Null.name(), Contestant::Kueue.name());
    let aims = [aim(WALL, Some(null), Bound::Most(1.3)), aim(JOBS, Some(kueue), Bound::Least(5.0))];
    show(&scenario.await, &aims)
}

async fn shares(program: &Program) -> String {
    let contestants: Vec<Contestant> =
        program.contestants.iter().copied().filter(|it| *it == Contestant::Muster).collect();
    let shares = Shares { nodes: 15, seconds: program.full };
    let title = format!("Three queues, weights 1:2:3, 120 GPUs, full for {} s", shares.seconds);
    let scenario = rounds(&title, &contestants, program.rounds, async |contestant| {
        shares.run(contestant, &program.settings).await
    });
    let aims = [aim(OFF, None, Bound::Most(5.0)), aim(IN_USE, None, Bound::Least(95.0))];
    show(&scenario.await, &aims)
}

async fn storms(program: &Program) -> String {
    let storm = match program.size {
        Size::Small => {
            Storm { nodes: 250, gangs: 200, fitting: 50, freed: 10, idle: Duration::from_secs(15) }
        }
        Size::Large => Storm {
            nodes: 1000,
            gangs: 2000,
            fitting: 240,
            freed: 40,
            idle: Duration::from_secs(30),
        },
    };
    // Whoever decides nothing cannot tell who fits.
    let contestants: Vec<Contestant> =
        program.contestants.iter().copied().filter(|it| *it != Contestant::Null).collect();
    let gangs = storm.gangs;
    let title = format!("B6: {gangs} gangs that cannot fit, {} nodes 95 % full", storm.nodes);
    let stormy = rounds(&title, &contestants, program.rounds, async |contestant| {
        storm.run(contestant, &program.settings).await
    });
    let stormy = stormy.await;
    let calm = Storm { gangs: 0, ..storm };
    let title = format!("B6: the same without those {gangs} gangs");
    let calm = rounds(&title, &contestants, program.rounds, async |contestant| {
        calm.run(contestant, &program.settings).await
    });
    let calm = calm.await;
    let aims = [aim(FREED, None, Bound::Most(300.0)), aim(IDLE, None, Bound::Most(2.0))];
    let both = both(&stormy, &calm);
    let loss = [aim(RATE, Some(CALM), Bound::Least(0.9))];
    [show(&stormy, &aims), show(&calm, &[]), show(&both, &loss)].join("\n")
}

const CALM: &str = "muster without the storm";

/// muster in the storm beside muster without.
fn both(stormy: &Scenario, calm: &Scenario) -> Scenario {
    let of = |scenario: &Scenario| -> Runs { scenario.runs(OURS).to_vec() };
    let rows = vec![(OURS.to_owned(), of(stormy)), (CALM.to_owned(), of(calm))];
    Scenario { title: "B6: what the storm costs small gangs that fit".to_owned(), rows }
}

async fn footprints(program: &Program) -> String {
    let (nodes, sizes): (usize, &[usize]) = match program.size {
        Size::Small => (1000, &[10_000]),
        Size::Large => (5000, &[10_000, 50_000, 100_000]),
    };
    let contestants: Vec<Contestant> =
        program.contestants.iter().copied().filter(|it| *it != Contestant::Null).collect();
    let aims = [aim(FIRST, None, Bound::Most(5.0)), aim(PEAK, None, Bound::Most(350.0))];
    let mut parts = Vec::new();
    for pods in sizes {
        let size = Footprint { nodes, pods: *pods };
        let done = size.run(&contestants, program.rounds, &program.settings).await;
        parts.push(shown(done, &aims));
        parts.push(shown(recorded::run(size, program.rounds).await, &aims));
    }
    parts.join("\n")
}

fn shown(done: Result<Scenario, e2e::Fault>, aims: &[Aim]) -> String {
    match done {
        Ok(scenario) => show(&scenario, aims),
        Err(fault) => format!("### B7\n\nNot measured: {fault}\n"),
    }
}

async fn burst(program: &Program, title: &str, burst: Burst) -> Scenario {
    rounds(title, &program.contestants, program.rounds, async |contestant| {
        burst.run(contestant, &program.settings).await
    })
    .await
}

const fn aim(measure: Measure, over: Option<&'static str>, bound: Bound) -> Aim {
    Aim { measure, over, bound }
}

/// What a burst promises.
///
/// A scheduler that decides for long about one gang and then binds it in a burst is fast from
/// its first to its last bind, whatever its users waited: peers are compared from the start on,
/// too.
fn aims(of_ceiling: f64, writes: f64) -> [Aim; 8] {
    let (null, volcano) = (Contestant::Null.name(), Contestant::Volcano.name());
    let peer = Contestant::KubeScheduler.name();
    [
        aim(RATE, Some(null), Bound::Least(of_ceiling)),
        aim(RATE, Some(volcano), Bound::Least(4.0)),
        aim(RATE, Some(peer), Bound::Least(3.0)),
        aim(DRAIN, Some(volcano), Bound::Least(4.0)),
        aim(DRAIN, Some(peer), Bound::Least(3.0)),
        aim(CPU, Some(volcano), Bound::Most(0.1)),
        aim(PEAK, Some(volcano), Bound::Most(0.167)),
        aim(WRITES, None, Bound::Most(writes)),
    ]
}
