//! Volume claims and volumes of the virtual cluster, and everybody who works on them: the driver
//! that makes volumes, and the controller that brings a volume and its claim together.
//!
//! Both see the server's objects at once and act after a while. During the storm the driver is
//! slow, gives claims back, and makes volumes elsewhere than it was asked to.

use super::server::ApiServer;
use super::story::{START, STORM, Story, seconds};
use super::troop::Troop;
use crate::worlds::Dice;
use scheduler_model::amount::Amount;
use scheduler_model::event::Event;
use scheduler_model::spec::{
    BoundVolume, ClaimSpec, ClaimState, ClaimUse, LateClaim, NodeTerm, Provision, Reach,
    Requirement, SelectorOperator, VolumeSpec,
};
use scheduler_model::time::{Span, Time};
use scheduler_protocol::answer::Reply;
use scheduler_protocol::call::{Call, ClaimRef};
use std::collections::BTreeMap;

/// The class whose volumes are made, and the one whose volumes are there.
const CLASSES: [&str; 2] = ["made", "there"];

/// How long the claims of a plan may take: short, so that a story of minutes has time-outs.
pub const TIMEOUT: Span = Span::from_secs(25);

/// Claims and volumes.
#[derive(Clone, Debug, Default)]
pub struct Store {
    /// Claims by key.
    pub claims: BTreeMap<String, ClaimSpec>,
    /// Volumes by name, and the uid of the claim each was taken for.
    pub volumes: BTreeMap<String, (VolumeSpec, Option<String>)>,
    versions: u64,
}

impl Store {
    /// Takes over what was changed.
    pub(super) fn change(&mut self, event: &Event) {
        match event {
            Event::Claim(claim) => {
                self.claims.insert(claim.key.clone(), (**claim).clone());
            }
            Event::Volume(volume) => {
                self.volumes.insert(volume.name.clone(), ((**volume).clone(), None));
            }
            _ => {}
        }
    }

    /// Volumes that nobody took.
    pub(super) fn free(&self) -> impl Iterator<Item = &VolumeSpec> {
        self.volumes.values().filter(|(_, taken)| taken.is_none()).map(|(volume, _)| volume)
    }

    /// Carries a call out; what it changed.
    pub(super) fn call(&mut self, call: &Call) -> (Reply, Option<Event>) {
        match call {
            Call::SelectNode { claim, node } => match self.meant(claim) {
                Err(code) => (Reply::code(code), None),
                Ok(spec) => (Reply::code(200), choose(spec, Some(node))),
            },
            Call::DeselectNode { claim, node } => {
                let is_there = |spec: &ClaimSpec| chosen(spec) == Some(node);
                match self.meant(claim) {
                    Err(404) => (Reply::code(404), None),
                    Ok(spec) if is_there(&spec) => (Reply::code(200), choose(spec, None)),
                    _ => (Reply::code(422), None),
                }
            }
            Call::TakeVolume { volume, version, claim, .. } => match self.volumes.get_mut(volume) {
                None => (Reply::code(404), None),
                Some((spec, _)) if spec.version != *version => (Reply::code(409), None),
                Some((spec, taken)) => {
                    self.versions += 1;
                    spec.version = format!("taken-{}", self.versions);
                    *taken = Some(claim.uid.clone());
                    (Reply::code(200), Some(Event::VolumeGone(volume.clone())))
                }
            },
            _ => (Reply::code(404), None),
        }
    }

    fn meant(&self, claim: &ClaimRef) -> Result<ClaimSpec, u16> {
        let key = format!("{}/{}", claim.namespace, claim.name);
        let found = self.claims.get(&key).ok_or(404_u16)?;
        if found.uid == claim.uid { Ok(found.clone()) } else { Err(409) }
    }
}

/// The node set on a claim that is not bound.
pub(super) fn chosen(claim: &ClaimSpec) -> Option<&String> {
    match &claim.state {
        ClaimState::Late(late) => late.chosen.as_ref(),
        ClaimState::Bound(_) | ClaimState::Unready(_) => None,
    }
}

/// The claim with another node set; nothing where it is bound: nobody looks at it then.
fn choose(claim: ClaimSpec, node: Option<&String>) -> Option<Event> {
    let ClaimState::Late(late) = claim.state else { return None };
    if late.chosen.as_ref() == node {
        return None;
    }
    let state = ClaimState::Late(LateClaim { chosen: node.cloned(), ..late });
    Some(Event::Claim(Box::new(ClaimSpec { state, ..claim })))
}

/// What the story has of volumes.
#[derive(Clone, Debug, Default)]
pub struct Stock {
    /// Claims at the start.
    pub claims: Vec<ClaimSpec>,
    /// Volumes at the start.
    pub volumes: Vec<VolumeSpec>,
    /// Hundredths of the claims that the driver gives back during the storm.
    pub refusals: u64,
    /// Hundredths of the volumes that it makes elsewhere during the storm.
    pub elsewhere: u64,
    /// The longest it takes for a volume during the storm, in milliseconds.
    pub most: u64,
}

impl Stock {
    /// Gives pods of some troops claims, and makes what may serve them. Its dice are its own: a
    /// seed without volumes plays as it did before there were any.
    #[must_use]
    pub fn draw(troops: &mut [Troop], nodes: &[String], dice: &mut Dice) -> Option<Self> {
        if !dice.chance(30) {
            return None;
        }
        let mut stock = Self {
            refusals: *dice.pick(&[0, 20, 50]),
            elsewhere: *dice.pick(&[0, 0, 20]),
            most: *dice.pick(&[200, 3_000, 60_000]),
            ..Self::default()
        };
        for troop in troops.iter_mut().filter(|troop| troop.gang.key.name != "finale") {
            if dice.chance(40) {
                continue;
            }
            let class = *dice.pick(&CLASSES);
            for (_, pod) in &mut troop.pods {
                let name = format!("data-{}", pod.name);
                stock.claims.push(late(&format!("{}/{name}", pod.namespace), class));
                pod.claims.push(ClaimUse { name, is_own: false });
                if class == "there" && dice.chance(90) {
                    let name = format!("disk-{}", stock.volumes.len());
                    let node: &String = dice.pick(nodes);
                    stock.volumes.push(volume(&name, node));
                }
            }
        }
        Some(stock)
    }
}

impl Stock {
    /// All of it, as news.
    pub fn events(&self) -> impl Iterator<Item = Event> {
        let claims = self.claims.iter().cloned().map(Box::new).map(Event::Claim);
        claims.chain(self.volumes.iter().cloned().map(Box::new).map(Event::Volume))
    }
}

fn late(key: &str, class: &str) -> ClaimSpec {
    let provision = Provision { driver: "maker".to_owned(), reach: None, counts_room: false };
    let late = LateClaim {
        class: class.to_owned(),
        bytes: Amount::new(1),
        modes: vec!["ReadWriteOnce".to_owned()],
        is_block: false,
        selector: None,
        provision: (class == "made").then_some(provision),
        chosen: None,
    };
    ClaimSpec {
        key: key.to_owned(),
        uid: format!("uid-{key}"),
        owner: None,
        is_once_pod: false,
        state: ClaimState::Late(late),
    }
}

fn volume(name: &str, node: &str) -> VolumeSpec {
    VolumeSpec {
        name: name.to_owned(),
        version: "1".to_owned(),
        class: "there".to_owned(),
        bytes: Amount::new(1),
        modes: vec!["ReadWriteOnce".to_owned()],
        is_block: false,
        labels: BTreeMap::new(),
        reach: on(node),
        attach: None,
        kept_for: None,
    }
}

fn on(node: &str) -> Reach {
    let name = Requirement {
        key: "metadata.name".to_owned(),
        operator: SelectorOperator::In,
        values: vec![node.to_owned()],
    };
    Some(vec![NodeTerm { labels: Vec::new(), fields: vec![name] }])
}

/// Who makes volumes, and brings them together with claims.
#[derive(Clone, Debug)]
pub struct Maker {
    agenda: BTreeMap<(Time, u64), String>,
    number: u64,
    seen: usize,
    dice: Dice,
}

impl Maker {
    /// Nothing to do yet.
    #[must_use]
    pub fn new(dice: Dice) -> Self {
        Self { agenda: BTreeMap::new(), number: 0, seen: 0, dice }
    }

    /// When it does something next.
    #[must_use]
    pub fn wake_at(&self) -> Option<Time> {
        self.agenda.keys().next().map(|(at, _)| *at)
    }

    /// Reads what happened, and does what is due.
    pub fn turn(&mut self, server: &mut ApiServer, story: &Story, now: Time) {
        let Some(stock) = &story.stock else { return };
        while let Some(((at, number), key)) = self.agenda.first_key_value() {
            if *at > now {
                break;
            }
            let (slot, key) = ((*at, *number), key.clone());
            self.agenda.remove(&slot);
            self.work(server, stock, &key, now);
        }
        let is_stormy = now < START.after(STORM);
        let claims: Vec<String> = server.log[self.seen..]
            .iter()
            .filter_map(|(_, event)| match event {
                Event::Claim(claim) => chosen(claim).map(|_| claim.key.clone()),
                Event::VolumeGone(volume) => {
                    let uid = server.store.volumes.get(volume)?.1.as_ref()?;
                    server.store.claims.values().find(|it| it.uid == *uid).map(|it| it.key.clone())
                }
                _ => None,
            })
            .collect();
        self.seen = server.log.len();
        for key in claims {
            let most = if is_stormy { stock.most } else { 200 };
            let wait = i64::try_from(self.dice.between(20, most)).unwrap_or(0);
            self.number += 1;
            self.agenda.insert((now.after(Span::from_ms(wait)), self.number), key);
        }
    }

    /// Binds a claim, if it is still to be.
    fn work(&mut self, server: &mut ApiServer, stock: &Stock, key: &str, now: Time) {
        let Some(claim) = server.store.claims.get(key).cloned() else { return };
        let ClaimState::Late(late) = &claim.state else { return };
        let mut taken = server.store.volumes.values();
        let taken = taken.find(|(_, taken)| taken.as_ref() == Some(&claim.uid));
        if let Some((volume, _)) = taken {
            let (name, reach) = (volume.name.clone(), volume.reach.clone());
            bind(server, claim, name, reach, now);
            return;
        }
        let Some(node) = late.chosen.clone() else { return };
        let is_stormy = now < START.after(STORM);
        let is_there = server.nodes.contains_key(&node);
        if !is_there || (is_stormy && self.dice.chance(stock.refusals)) {
            let event = choose(claim, None).expect("a node is set");
            server.change(event, now);
            return;
        }
        let nodes: Vec<String> =
            server.nodes.keys().filter(|name| name.starts_with('n')).cloned().collect();
        let is_elsewhere = is_stormy && self.dice.chance(stock.elsewhere);
        let node = if is_elsewhere { self.dice.pick(&nodes).clone() } else { node };
        let name = format!("made-for-{}", claim.uid);
        bind(server, claim, name, on(&node), now);
    }
}

fn bind(server: &mut ApiServer, claim: ClaimSpec, name: String, reach: Reach, now: Time) {
    let state = ClaimState::Bound(BoundVolume { name, reach, attach: None });
    server.change(Event::Claim(Box::new(ClaimSpec { state, ..claim })), now);
}

/// A person changes a volume that nobody took: what was decided on it does not count any more.
pub(super) fn touch(server: &mut ApiServer, pick: u64, now: Time) {
    let free: Vec<VolumeSpec> = server.store.free().cloned().collect();
    let Some(count) = u64::try_from(free.len()).ok().filter(|count| *count > 0) else { return };
    let mut volume = free[usize::try_from(pick % count).unwrap_or(0)].clone();
    volume.version = format!("{}+", volume.version);
    server.change(Event::Volume(Box::new(volume)), now);
}

/// Moments of the storm at which somebody changes a volume.
pub(super) fn touches(dice: &mut Dice) -> Vec<(Time, u64)> {
    let count = dice.between(0, 6);
    (0..count).map(|_| (START.after(seconds(dice, 0, 60)), dice.roll())).collect()
}
