//! No eviction in vain, none that is unlawful, and few that cost more than they must: tiny random
//! worlds, judged by [`crate::evict_judge`].

use crate::evict_judge::{Gang, Queue, Units, Victims, World};
use crate::seeds::seeds;
use crate::trial::Trial;
use scheduler_core::engine::Config;
use scheduler_core::evict::{Budgets, Evicts};
use scheduler_core::report::CycleReport;
use scheduler_model::amount::Amount;
use scheduler_model::event::Event;
use scheduler_model::spec::{
    BudgetSpec, Dialect, GangKey, GangSpec, Grants, LabelSelector, Labels, LevelSpec, Membership,
    NodeSpec, PodPhase, PodShape, PodSpec, QueueSpec, Requirement, Resources, SelectorOperator,
    TopologySpec, TopologyWish, Wishes,
};
use scheduler_model::time::Time;
use scheduler_sim::worlds::Dice;
use std::sync::Arc;

const NOW: i64 = 1_000_000;

fn size(number: u64) -> usize {
    usize::try_from(number).expect("small")
}

fn units(number: u64) -> i64 {
    i64::try_from(number).expect("small")
}

fn few(number: u64) -> u32 {
    u32::try_from(number).expect("small")
}

fn cores(number: u64) -> i64 {
    units(number) * 1000
}

fn draw(seed: u64, running: usize) -> World {
    let mut dice = Dice::new(seed);
    // Mostly few nodes, so that most worlds are crowded.
    let count = if dice.chance(70) { dice.between(1, 3) } else { dice.between(4, 6) };
    let nodes: Vec<Units> =
        (0..count).map(|_| [units(dice.between(1, 4)), cores(dice.between(2, 6))]).collect();
    let racks = nodes.iter().map(|_| size(dice.between(0, 1))).collect();
    let queues = draw_queues(&mut dice);
    let leaves: Vec<usize> = (0..queues.len())
        .filter(|at| queues.iter().all(|queue| queue.parent != Some(*at)))
        .collect();
    let mut free = nodes.clone();
    let mut gangs = Vec::new();
    for _ in 0..3 * running {
        if gangs.len() == running {
            break;
        }
        let queue = *dice.pick(&leaves);
        let gang = draw_gang(&mut dice, queue);
        if let Some(gang) = settle(&mut dice, &mut free, gang) {
            gangs.push(gang);
        }
    }
    let queue = *dice.pick(&leaves);
    let mut taker = draw_gang(&mut dice, queue);
    taker.min = taker.nodes.len();
    taker.priority = if dice.chance(60) { 10 } else { 5 };
    let together = dice.chance(30);
    let budgets: Vec<u32> = match dice.chance(30) {
        true => (0..dice.between(1, 2)).map(|_| few(dice.between(0, 3))).collect(),
        false => Vec::new(),
    };
    for gang in &mut gangs {
        gang.budgets = few(dice.between(0, (1 << budgets.len()) - 1));
    }
    let mut world = World { nodes, racks, queues, gangs, taker, together, budgets };
    draw_wishes(&mut dice, &mut world);
    world
}

/// What gangs wish, and what queues grant.
fn draw_wishes(dice: &mut Dice, world: &mut World) {
    for gang in &mut world.gangs {
        if dice.chance(40) {
            gang.saved = dice.chance(50).then(|| units(dice.between(0, 10)) * 45);
            gang.adds = units(dice.between(0, 4)) * 100;
            gang.refuses = dice.chance(30);
        }
    }
    for queue in &mut world.queues {
        if dice.chance(50) {
            queue.grants.0 = dice.chance(60).then(|| dice.chance(60));
            queue.grants.1 = dice.chance(50).then(|| units(dice.between(0, 3)) * 100);
        }
    }
}

fn draw_queues(dice: &mut Dice) -> Vec<Queue> {
    let count = size(dice.between(1, 3));
    let mut queues: Vec<Queue> = Vec::new();
    for at in 0..count {
        // A parent stands before its children, and has no parent itself.
        let parent = (at > 0 && dice.chance(40)).then_some(0);
        queues.push(Queue {
            parent,
            weight: units(dice.between(1, 3)),
            gpu_limit: dice.chance(15).then(|| units(dice.between(2, 8))),
            reclaimable: dice.chance(90),
            grants: (None, None),
        });
    }
    queues
}

/// Its members have no node yet.
fn draw_gang(dice: &mut Dice, queue: usize) -> Gang {
    let members = size(dice.between(1, 3));
    let each = match dice.between(0, 3) {
        0 => [0, cores(dice.between(1, 4))],
        1 => [units(dice.between(1, 3)), 0],
        _ => [units(dice.between(1, 2)), cores(dice.between(1, 2))],
    };
    let min = if dice.chance(50) { members } else { size(dice.between(1, 3)).min(members) };
    Gang {
        queue,
        priority: units(dice.between(0, 1)) * 5,
        min,
        each,
        nodes: vec![0; members],
        ran: units(dice.between(0, 10)) * 30,
        saved: None,
        adds: 0,
        refuses: false,
        unbreakable: dice.chance(15),
        budgets: 0,
    }
}

/// Gives every member a node; nothing if there is no room for all.
fn settle(dice: &mut Dice, free: &mut [Units], mut gang: Gang) -> Option<Gang> {
    let before = free.to_vec();
    for node in &mut gang.nodes {
        let holds = |at: &usize| (0..2).all(|it| free[*at][it] >= gang.each[it]);
        let fits: Vec<usize> = (0..free.len()).filter(holds).collect();
        if fits.is_empty() {
            free.copy_from_slice(&before);
            return None;
        }
        *node = *dice.pick(&fits);
        free[*node][0] -= gang.each[0];
        free[*node][1] -= gang.each[1];
    }
    Some(gang)
}

fn resources(each: Units) -> Resources {
    let all = [("nvidia.com/gpu", each[0]), ("cpu", each[1])];
    let some = all.into_iter().filter(|(_, units)| *units > 0);
    some.map(|(name, units)| (name.to_owned(), Amount::new(units))).collect()
}

/// The same world as the engine hears of it.
fn events(world: &World) -> Vec<Event> {
    let mut events = vec![Event::Topology(TopologySpec {
        name: "default".to_owned(),
        levels: vec![LevelSpec { name: "rack".to_owned(), key: "rack".to_owned() }],
    })];
    for (at, node) in world.nodes.iter().enumerate() {
        let mut allocatable = resources(*node);
        allocatable.insert("pods".to_owned(), Amount::new(110));
        events.push(Event::Node(Box::new(NodeSpec {
            name: format!("n{at}"),
            labels: Labels::from([("rack".to_owned(), format!("r{}", world.racks[at]))]),
            ready: true,
            allocatable,
            ..NodeSpec::default()
        })));
    }
    for (at, queue) in world.queues.iter().enumerate() {
        let mut spec = QueueSpec {
            parent: queue.parent.map(|parent| format!("q{parent}")),
            weight: u32::try_from(queue.weight).expect("small"),
            reclaimable: queue.reclaimable,
            grants: Grants {
                non_preemptible: queue.grants.0,
                min_runtime: None,
                preemption_cost: queue.grants.1.map(|most| u32::try_from(most).expect("small")),
            },
            ..QueueSpec::named(&format!("q{at}"))
        };
        if let Some(limit) = queue.gpu_limit {
            spec.quota_mut(None, "nvidia.com/gpu").limit = Some(Amount::new(limit));
        }
        events.push(Event::Queue(spec));
    }
    for (at, allowed) in world.budgets.iter().enumerate() {
        events.push(Event::Budget(BudgetSpec {
            namespace: "team".to_owned(),
            name: format!("b{at}"),
            selector: Some(under(at)),
            allowed: *allowed,
        }));
    }
    for (at, gang) in world.gangs.iter().enumerate() {
        tell_gang(&mut events, &format!("g{at}"), gang, Runs::Yes);
    }
    tell_gang(&mut events, "taker", &world.taker, Runs::No);
    if world.together {
        for event in &mut events {
            if let Event::Gang(spec) = event
                && spec.key.name == "taker"
            {
                let required = Some("rack".to_owned());
                spec.topology = TopologyWish { required, ..TopologyWish::default() };
            }
        }
    }
    events
}

fn ago(seconds: i64) -> Time {
    Time::from_ms(NOW - seconds * 1000)
}

/// Selects the pods that are under a budget.
fn under(at: usize) -> LabelSelector {
    let (key, operator) = (label(at), SelectorOperator::Exists);
    LabelSelector { requirements: vec![Requirement { key, operator, values: Vec::new() }] }
}

fn label(budget: usize) -> String {
    format!("under-{budget}")
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Runs {
    Yes,
    No,
}

fn tell_gang(events: &mut Vec<Event>, name: &str, gang: &Gang, runs: Runs) {
    let key =
        GangKey { namespace: "team".to_owned(), name: name.to_owned(), dialect: Dialect::Muster };
    events.push(Event::Gang(Box::new(GangSpec {
        min: u32::try_from(gang.min).expect("small"),
        queue: Some(format!("q{}", gang.queue)),
        priority: Some(i32::try_from(gang.priority).expect("small")),
        unbreakable: gang.unbreakable,
        wishes: Wishes {
            non_preemptible: gang.refuses,
            preemption_cost: Some(u32::try_from(gang.adds).expect("small")),
            checkpointed_at: gang.saved.map(ago),
            ..Wishes::default()
        },
        ..GangSpec::plain(key.clone())
    })));
    let shape = Arc::new(PodShape { requests: resources(gang.each), ..PodShape::default() });
    let budgets = (0..32).filter(|at| gang.budgets >> at & 1 == 1);
    let labels: Labels = budgets.map(|at| (label(at), String::new())).collect();
    for (member, node) in gang.nodes.iter().enumerate() {
        let mut pod = PodSpec {
            labels: labels.clone(),
            uid: format!("{name}-{member}"),
            shape: Arc::clone(&shape),
            membership: Membership::Group(key.clone()),
            rank: u64::try_from(member).ok(),
            ..PodSpec::new("team", &format!("{name}-{member}"))
        };
        if runs == Runs::Yes {
            pod.node = Some(format!("n{node}"));
            pod.phase = PodPhase::Running;
            pod.started_at = Some(ago(gang.ran));
        }
        events.push(Event::Pod(Box::new(pod)));
    }
}

/// Who was told to go.
fn victims(world: &World, report: &CycleReport) -> Victims {
    let mut victims = vec![0; world.gangs.len()];
    for (_, evict) in &report.evictions {
        let (gang, member) = evict.uid[1..].split_once('-').expect("a running gang's member");
        let at: usize = gang.parse().expect("its number");
        victims[at] |= 1 << member.parse::<u32>().expect("its number");
    }
    victims
}

/// With so many that not every combination is tried.
#[test]
fn of_many_candidates_none_is_evicted_in_vain_or_against_the_rules_either() {
    let config = Config { evicts: Evicts::ByQueue, ..Config::default() };
    let mut evicting = 0;
    for seed in seeds(3000) {
        let mut world = draw(seed, 12);
        world.taker.priority = 10;
        let fair = [world.fair(0), world.fair(1)];
        let mut trial = Trial::with_time(config.clone(), &events(&world), Time::from_ms(NOW));
        let report = trial.engine.cycle(Time::from_ms(NOW));
        if report.evictions.is_empty() {
            continue;
        }
        evicting += 1;
        let victims = victims(&world, &report);
        let blame = world.blame(&victims, &fair);
        blame.unwrap_or_else(|why| panic!("seed {seed}: {why}\n{world:?}\n{report:?}"));
    }
    assert!(evicting > 0 || seeds(3000).count() < 3000, "nobody was evicted");
}

#[test]
#[allow(clippy::print_stderr, reason = "a measurement is for people to read")]
fn nobody_is_evicted_in_vain_or_against_the_rules() {
    let config = Config { evicts: Evicts::ByQueue, ..Config::default() };
    let (mut possible, mut found, mut optimal, mut spent) = (0_u64, 0_u64, 0_i64, 0_i64);
    let (mut budgeted, mut wished) = (0_u64, 0_u64);
    let mut missed = Vec::new();
    for seed in seeds(1500) {
        let world = draw(seed, 4);
        let fair = [world.fair(0), world.fair(1)];
        let mut trial = Trial::with_time(config.clone(), &events(&world), Time::from_ms(NOW));
        let report = trial.engine.cycle(Time::from_ms(NOW));
        let said = |why: String| format!("seed {seed}: {why}\n{world:?}\n{report:?}");
        let none = vec![0; world.gangs.len()];
        if world.fits(&none) {
            assert!(report.evictions.is_empty(), "{}", said("it fits without".to_owned()));
            continue;
        }
        let best = world.best(&fair);
        possible += u64::from(best.is_some());
        budgeted += u64::from(world.without_budgets().best(&fair) != best);
        wished += u64::from(world.without_wishes().best(&fair) != best);
        if report.evictions.is_empty() {
            missed.extend(best.map(|_| seed));
            continue;
        }
        let victims = victims(&world, &report);
        world.blame(&victims, &fair).unwrap_or_else(|why| panic!("{}", said(why)));
        let best = best.unwrap_or_else(|| panic!("{}", said("no plan is lawful".to_owned())));
        let cost = world.cost(&victims);
        if cost.0 > best.0 {
            missed.push(seed);
            continue;
        }
        found += 1;
        (optimal, spent) = (optimal + best.1, spent + cost.1);
        assert_eq!(trial.engine.audit(), Vec::<String>::new(), "seed {seed}");
    }
    eprintln!("evicting: {found} of {possible} found, for {spent} instead of {optimal}");
    eprintln!("evicting: missed {missed:?}");
    eprintln!("evicting: budgets decide in {budgeted} worlds, wishes in {wished}");
    if seeds(1500).count() >= 1500 {
        let worlds = u64::try_from(seeds(1500).count()).expect("few");
        assert!(possible * 10 >= worlds * 3, "only {possible} worlds have a lawful plan");
        assert!(found * 100 >= possible * 98, "found {found} of {possible}");
        assert!(budgeted * 50 >= worlds, "budgets decide in {budgeted} worlds only");
        assert!(wished * 20 >= worlds, "wishes decide in {wished} worlds only");
        assert!(spent * 10 <= optimal * 11, "spent {spent} instead of {optimal}");
    }
}

/// Where policy lets budgets be broken.
#[test]
fn a_disruption_budget_is_broken_only_where_nothing_else_would_do() {
    let config =
        Config { evicts: Evicts::ByQueue, budgets: Budgets::BreakLast, ..Config::default() };
    let mut breaking = 0;
    for seed in seeds(1500) {
        let world = draw(seed, 4);
        let fair = [world.fair(0), world.fair(1)];
        if world.budgets.is_empty() || world.fits(&vec![0; world.gangs.len()]) {
            continue;
        }
        let mut trial = Trial::with_time(config.clone(), &events(&world), Time::from_ms(NOW));
        let report = trial.engine.cycle(Time::from_ms(NOW));
        let said = |why: String| format!("seed {seed}: {why}\n{world:?}\n{report:?}");
        let victims = victims(&world, &report);
        let (keeping, free) = (world.best(&fair), world.without_budgets());
        if keeping.is_some() || report.evictions.is_empty() {
            let is_right = keeping == (!report.evictions.is_empty()).then(|| world.cost(&victims));
            let is_lawful = keeping.is_none() || world.blame(&victims, &fair).is_ok();
            assert!(is_right && is_lawful, "{}", said(format!("{keeping:?} was possible")));
            assert!(keeping.is_some() || free.best(&fair).is_none(), "{}", said("none".to_owned()));
            continue;
        }
        breaking += 1;
        free.blame(&victims, &fair).unwrap_or_else(|why| panic!("{}", said(why)));
        let fewest = world.fewest_broken(&fair);
        assert_eq!(Some(world.broken(&victims)), fewest, "{}", said("too many".to_owned()));
    }
    assert!(breaking > 0 || seeds(1500).count() < 1500, "no budget was broken");
}
