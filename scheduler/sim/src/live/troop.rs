//! The gangs of a story: every dialect, roles, minimums, latecomers, closed gates.

use super::story::{START, amount, seconds};
use crate::worlds::Dice;
use scheduler_model::spec::{
    Dialect, GangKey, GangSpec, Membership, PodShape, PodSpec, Resources, RoleSpec,
};
use scheduler_model::time::{Span, Time};
use std::sync::Arc;

/// Dialects, as often as they are drawn.
const DIALECTS: [Dialect; 8] = [
    Dialect::Muster,
    Dialect::Muster,
    Dialect::Muster,
    Dialect::Kubernetes,
    Dialect::Volcano,
    Dialect::Coscheduling,
    Dialect::Plain,
    Dialect::Pod,
];

/// A gang that is going to arrive.
#[derive(Clone, Debug)]
pub struct Troop {
    /// Its group, or what is known of the controller.
    pub gang: GangSpec,
    /// The group exists as an object that is told of; else the pods are all there is.
    pub has_object: bool,
    /// Its pods, and how much later than the group each comes.
    pub pods: Vec<(Span, PodSpec)>,
    /// How long after its creation a pod's gate opens; `None` for pods without a gate.
    pub gated_for: Option<Span>,
    /// How long its pods run; `None` for ever.
    pub runtime: Option<Span>,
    /// Hundredths of its pods that fail in the end.
    pub fails: u64,
    /// A pod that takes the place of another bears its name.
    pub keeps_names: bool,
    /// Pods that succeeded are removed after so long.
    pub kept_for: Option<Span>,
}

impl Troop {
    /// The troop of number `index`.
    #[must_use]
    pub fn draw(index: u64, dice: &mut Dice) -> Self {
        let dialect = *dice.pick(&DIALECTS);
        let key = GangKey { namespace: "team".to_owned(), name: format!("g{index}"), dialect };
        let is_alone = dialect == Dialect::Pod;
        let count = if is_alone { 1 } else { dice.between(1, 6) };
        let min = if dice.chance(70) { count } else { dice.between(1, count) };
        let roles = if dice.chance(25) { draw_roles(min, dice) } else { Vec::new() };
        let has_object = match dialect {
            Dialect::Pod => false,
            Dialect::Plain => dice.chance(80),
            _ => true,
        };
        let gang = GangSpec {
            // Without anybody who says more, one is enough.
            min: if has_object { u32::try_from(min).unwrap_or(1) } else { 1 },
            roles: if has_object { roles } else { Vec::new() },
            queue: Some("default".to_owned()),
            priority: dice.chance(20).then_some(10),
            generation: 1,
            ..GangSpec::plain(key)
        };
        let has_controller = !is_alone && dice.chance(75);
        let pods = draw_pods(&gang, count, has_controller, dice);
        Self {
            pods,
            gang,
            has_object,
            gated_for: dice.chance(15).then(|| seconds(dice, 0, 20)),
            runtime: dice.chance(60).then(|| seconds(dice, 2, 60)),
            fails: if dice.chance(20) { 20 } else { 0 },
            keeps_names: dice.chance(40),
            kept_for: dice.chance(40).then(|| seconds(dice, 5, 60)),
        }
    }
}

/// Two roles whose minimums are that of the gang at most.
fn draw_roles(min: u64, dice: &mut Dice) -> Vec<RoleSpec> {
    let first = dice.between(0, min);
    let second = dice.between(0, min - first);
    let role = |name: &str, min: u64| RoleSpec {
        name: name.to_owned(),
        min: u32::try_from(min).unwrap_or(0),
    };
    vec![role("a", first), role("b", second)]
}

fn draw_pods(
    gang: &GangSpec,
    count: u64,
    has_controller: bool,
    dice: &mut Dice,
) -> Vec<(Span, PodSpec)> {
    let key = &gang.key;
    let shape = Arc::new(PodShape {
        requests: Resources::from([("gpu".to_owned(), amount(dice.between(1, 4)))]),
        ..PodShape::default()
    });
    let membership = match key.dialect {
        Dialect::Plain => Membership::Owner(key.clone()),
        Dialect::Pod => Membership::Alone,
        _ => Membership::Group(key.clone()),
    };
    let is_slow = dice.chance(30);
    let first = gang.roles.first().map_or(0, |role| u64::from(role.min));
    let role = |rank: u64| match (gang.roles.is_empty(), rank < first) {
        (true, _) => "",
        (false, true) => "a",
        (false, false) => "b",
    };
    let pods = (0..count).map(|rank| {
        let name = format!("{}-{rank}", key.name);
        let pod = PodSpec {
            uid: name.clone(),
            shape: Arc::clone(&shape),
            membership: membership.clone(),
            rank: Some(rank),
            role: role(rank).to_owned(),
            queue: Some("default".to_owned()),
            has_controller,
            ..PodSpec::new(&key.namespace, &name)
        };
        let late = if is_slow { seconds(dice, 0, 20) } else { Span::from_ms(0) };
        (late, pod)
    });
    pods.collect()
}

/// When the finale begins: all has come to rest long before.
#[must_use]
pub fn finale_at() -> Time {
    START.after(super::story::STORM).after(Span::from_secs(250))
}

/// The gang of the finale: it wants what only the node of the finale has.
#[must_use]
pub fn finale(dice: &mut Dice) -> Troop {
    let key = GangKey {
        namespace: "team".to_owned(),
        name: "finale".to_owned(),
        dialect: Dialect::Muster,
    };
    let count = dice.between(1, 3);
    let gang = GangSpec {
        min: u32::try_from(count).unwrap_or(1),
        queue: Some("finale".to_owned()),
        ..GangSpec::plain(key)
    };
    let mut pods = draw_pods(&gang, count, true, dice);
    let shape = Arc::new(PodShape {
        requests: Resources::from([("baton".to_owned(), amount(1))]),
        ..PodShape::default()
    });
    for (late, pod) in &mut pods {
        (*late, pod.shape, pod.queue) =
            (Span::from_ms(0), Arc::clone(&shape), Some("finale".to_owned()));
    }
    Troop {
        gang,
        pods,
        has_object: true,
        gated_for: None,
        runtime: None,
        fails: 0,
        keeps_names: false,
        kept_for: None,
    }
}
