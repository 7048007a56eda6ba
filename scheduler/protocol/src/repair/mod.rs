//! What becomes of a gang that lost members: it is waited for, repaired, released or kept.
//!
//! Placing pending members again is the engine's work and needs nothing from here. This
//! machine gives it `grace` to succeed, and releases the gang if it does not: all members that
//! hold a place are deleted, so that their controllers make them anew and the gang starts
//! whole. `release.rs` has the steps.
//!
//! Invariants: only gangs in [`Phase::Broken`] are released, at most `releases_max` times, and
//! never one with a member in place that nobody would make again; each release is counted in
//! the ledger before its first delete leaves. Gangs without a release under way have no state
//! that a restart could lose: `broken_since` and `releases` stand in the ledger, and members
//! that were marked before a restart are released without being counted twice.

mod release;

pub use release::{RELEASED, Stage};

use crate::answer::Answer;
use crate::call::CallId;
use crate::facts::{GangFacts, MemberFacts};
use crate::lanes::Lanes;
use crate::status::Phase;
use release::{Release, Step};
use scheduler_model::spec::GangKey;
use scheduler_model::time::{Span, Time};
use std::collections::BTreeMap;
use std::fmt;

/// How long writing the count down may take before people are told.
const RECORD_WITHIN: Span = Span::from_secs(60);

/// How long a gang rests after its release was called off.
const MARK_AGAIN: Span = Span::from_secs(30);

/// What a Job needs so that a release does not count as failures of its pods.
pub const RELEASE_ADVICE: &str = "a Job counts every deleted pod as a failure (backoffLimit, 6 \
    unless set): add a podFailurePolicy rule with action Ignore for the pod condition \
    DisruptionTarget, so that a release of the gang does not fail it";

/// Settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepairConfig {
    /// How long a broken gang is waited for.
    pub grace: Span,
    /// How often a gang is released at most.
    pub releases_max: u32,
}

impl Default for RepairConfig {
    fn default() -> Self {
        Self { grace: Span::from_secs(120), releases_max: 3 }
    }
}

/// Why a broken gang keeps its room.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Keep {
    /// This member has no controller that would make it again.
    NoController(String),
    /// It was released so often already.
    UsedUp(u32),
    /// This member could not be marked; in the words of the server.
    MarkRefused(String, String),
    /// This member could not be deleted; in the words of the server.
    DeleteRefused(String, String),
    /// The count of releases could not be written down.
    NotRecorded,
}

/// Completes "the gang keeps its room: …".
impl fmt::Display for Keep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoController(pod) => {
                write!(
                    f,
                    "pod {pod} has no controller that would make it again; delete the gang's \
                           pods yourself to free the room"
                )
            }
            Self::UsedUp(releases) => {
                write!(
                    f,
                    "it was released {releases} times already, which is the most allowed; \
                           delete its pods to try once more"
                )
            }
            Self::MarkRefused(pod, words) => write!(f, "pod {pod} could not be marked: {words}"),
            Self::DeleteRefused(pod, words) => {
                write!(f, "pod {pod} could not be deleted: {words}")
            }
            Self::NotRecorded => {
                write!(
                    f,
                    "the count of its releases could not be written down; look for \
                           refused status writes"
                )
            }
        }
    }
}

/// What happened to a gang, for the ledger, events and metrics.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RepairNews {
    /// It lost members.
    Broken(GangKey, Time),
    /// It has its minimum again; since when it was broken.
    Repaired(GangKey, Time),
    /// All its members are marked. To be counted: once `releases` of its ledger has this value
    /// in the API, the driver calls [`Repair::recorded`].
    Count(GangKey, u32),
    /// Its members are being deleted: which release it is, and how many pods.
    Released(GangKey, u32, u32),
    /// It keeps its room, and why.
    Kept(GangKey, Keep),
}

#[derive(Clone, Debug)]
struct Case {
    since: Time,
    /// Not to be released before then.
    not_before: Time,
    kept: Option<Keep>,
    release: Option<Release>,
    /// When it was looked at last.
    looked_at: Time,
    /// It is not broken any more, but some deletes of its release were not answered.
    is_ending: bool,
}

/// All gangs that lost members.
#[derive(Clone, Debug, Default)]
pub struct Repair {
    config: RepairConfig,
    /// When the first gang was looked at. What broke before then broke before a restart.
    born: Option<Time>,
    cases: BTreeMap<GangKey, Case>,
    by_call: BTreeMap<CallId, (GangKey, String)>,
    news: Vec<RepairNews>,
}

/// What is to become of a broken gang now.
enum Verdict {
    Wait,
    Keep(Keep),
    /// To be released, as this release.
    Release(u32),
}

impl Repair {
    /// Knows of no broken gang.
    #[must_use]
    pub fn new(config: RepairConfig) -> Self {
        Self { config, ..Self::default() }
    }

    /// Looks at a gang whenever something about it changed, and when [`Repair::looks`] says. Only
    /// while the right to write is held.
    pub fn look(&mut self, facts: &GangFacts, lanes: &mut Lanes, now: Time) {
        let key = &facts.group.key;
        self.born.get_or_insert(now);
        if facts.phase != Phase::Broken {
            self.not_broken(facts, lanes, now);
            return;
        }
        if !self.cases.contains_key(key) {
            let since = facts.ledger.broken_since.unwrap_or(now).min(now);
            self.cases.insert(key.clone(), Case::new(since, self.config.grace));
            self.news.push(RepairNews::Broken(key.clone(), since));
        }
        let verdict = self.verdict(facts, now);
        let case = self.cases.get_mut(key).expect("it was just put there");
        (case.looked_at, case.is_ending) = (now, false);
        let stage = case.release.as_ref().map(|release| release.stage);
        match (stage, verdict) {
            (None, Verdict::Wait) => {}
            (None | Some(Stage::Marking), Verdict::Keep(why)) => {
                self.call_off(key, lanes, now);
                self.keep(key, why);
            }
            (Some(Stage::Marking), Verdict::Wait) => self.call_off(key, lanes, now),
            (None, Verdict::Release(number)) => {
                case.release = Some(Release::new(number));
                self.mark(facts, lanes, now);
            }
            (Some(Stage::Marking), Verdict::Release(_)) => self.mark(facts, lanes, now),
            (Some(Stage::Recording), _) => self.overdue(key, now),
            (Some(Stage::Deleting), _) => {
                let release = case.release.as_ref().expect("it is being deleted");
                if release.is_over() && !release.is_seen_in(facts) {
                    // Others have come into its place since, and are fewer than the minimum.
                    *case = Case::new(now, self.config.grace);
                }
            }
        }
    }

    /// The ledger with `releases` stands in the API: what was marked may be deleted.
    pub fn recorded(&mut self, key: &GangKey, releases: u32, lanes: &mut Lanes, now: Time) {
        let Some(release) = self.release(key) else { return };
        if release.stage != Stage::Recording || releases < release.number {
            return;
        }
        release.stage = Stage::Deleting;
        let (number, pods) = (release.number, release.pods());
        let calls = release.push(lanes, now);
        self.remember(key, calls);
        self.news.push(RepairNews::Released(key.clone(), number, pods));
    }

    /// The answer to a call came. Calls of others are ignored.
    pub fn answered(&mut self, id: CallId, answer: &Answer, lanes: &mut Lanes, now: Time) {
        let Some((key, uid)) = self.by_call.remove(&id) else { return };
        let Some(release) = self.release(&key) else { return };
        let (step, due) = release.answered(&uid, answer, now);
        match step {
            Step::Marked => {
                (release.stage, release.recording_since) = (Stage::Recording, now);
                let number = release.number;
                self.news.push(RepairNews::Count(key, number));
                return;
            }
            Step::MarkRefused(pod, words) if release.stage == Stage::Marking => {
                self.call_off(&key, lanes, now);
                self.keep(&key, Keep::MarkRefused(pod, words));
                return;
            }
            Step::MarkRefused(pod, words) => self.keep(&key, Keep::MarkRefused(pod, words)),
            Step::DeleteRefused(pod, words) => self.keep(&key, Keep::DeleteRefused(pod, words)),
            Step::On => {}
        }
        let release = self.release(&key).expect("it was just there");
        let call = release.push_one(&uid, lanes, due);
        self.remember(&key, call.map(|id| (id, uid)));
        self.end_if_over(&key);
    }

    /// The gang is gone.
    pub fn gone(&mut self, key: &GangKey, lanes: &mut Lanes) {
        if let Some(Case { release: Some(release), .. }) = self.cases.remove(key) {
            release.drop_calls(lanes);
        }
        self.by_call.retain(|_, (gang, _)| gang != key);
    }

    /// The right to write is lost: nothing leaves any more.
    pub fn forget_all(&mut self, lanes: &mut Lanes) {
        for id in std::mem::take(&mut self.by_call).into_keys() {
            lanes.cancel(id);
        }
        self.cases.clear();
    }

    /// What happened since the last call.
    pub fn take_news(&mut self) -> Vec<RepairNews> {
        std::mem::take(&mut self.news)
    }

    /// Gangs to be looked at again, whether or not anything changed.
    #[must_use]
    pub fn looks(&self, now: Time) -> Vec<GangKey> {
        let due = self.cases.iter().filter(|(_, case)| case.wake_at().is_some_and(|at| at <= now));
        due.map(|(key, _)| key.clone()).collect()
    }

    /// When [`Repair::looks`] has something.
    #[must_use]
    pub fn wake_at(&self) -> Option<Time> {
        self.cases.values().filter_map(Case::wake_at).min()
    }

    /// How far the release of a gang is, if one is under way.
    #[must_use]
    pub fn stage(&self, key: &GangKey) -> Option<Stage> {
        self.cases.get(key)?.release.as_ref().map(|release| release.stage)
    }

    /// Why a broken gang keeps its room, if it does.
    #[must_use]
    pub fn kept(&self, key: &GangKey) -> Option<&Keep> {
        self.cases.get(key)?.kept.as_ref()
    }

    fn verdict(&self, facts: &GangFacts, now: Time) -> Verdict {
        let case = &self.cases[&facts.group.key];
        // Room is being made for it: others go so that it may be whole again.
        let is_on_its_way = facts.members.iter().any(|member| member.assumed.is_some())
            || facts.ledger.reservation.is_some();
        if now < case.not_before || is_on_its_way {
            return Verdict::Wait;
        }
        let mut placed = facts.members.iter().filter(|member| member.node.is_some());
        let is_bare = |member: &&MemberFacts| !member.has_controller && !member.is_lost;
        let has_none = || placed.clone().all(|member| !member.has_controller);
        let bare = placed.clone().find(is_bare).or_else(|| placed.clone().find(|_| has_none()));
        if let Some(member) = bare {
            return Verdict::Keep(Keep::NoController(member.pod.name.clone()));
        }
        let releases = facts.ledger.releases;
        let is_old = self.born.is_some_and(|born| case.since < born);
        let is_resumed = is_old && releases > 0 && placed.any(|member| member.is_marked);
        if is_resumed {
            return Verdict::Release(releases);
        }
        if releases >= self.config.releases_max {
            return Verdict::Keep(Keep::UsedUp(releases));
        }
        Verdict::Release(releases + 1)
    }

    fn not_broken(&mut self, facts: &GangFacts, lanes: &mut Lanes, now: Time) {
        let key = &facts.group.key;
        let Some(case) = self.cases.get(key) else { return };
        let since = case.since;
        let is_deleting = case.release.as_ref().is_some_and(|release| release.has_begun(lanes));
        if is_deleting {
            // Those whose delete was not answered yet are still owed it.
            self.cases.get_mut(key).expect("it was just there").is_ending = true;
            self.end_if_over(key);
            return;
        }
        self.call_off(key, lanes, now);
        self.cases.remove(key);
        if facts.phase == Phase::Running {
            self.news.push(RepairNews::Repaired(key.clone(), since));
        }
    }

    fn mark(&mut self, facts: &GangFacts, lanes: &mut Lanes, now: Time) {
        let key = &facts.group.key;
        let release = self.release(key).expect("it is being marked");
        release.enlist(facts);
        let calls = release.push(lanes, now);
        self.remember(key, calls);
    }

    fn call_off(&mut self, key: &GangKey, lanes: &mut Lanes, now: Time) {
        let Some(case) = self.cases.get_mut(key) else { return };
        let Some(release) = case.release.take() else { return };
        // Marks that are taken back must have landed before others are set.
        case.not_before = now.after(self.config.grace.min(MARK_AGAIN));
        for id in release.cancel(lanes, now) {
            self.by_call.remove(&id);
        }
    }

    fn overdue(&mut self, key: &GangKey, now: Time) {
        let Some(release) = self.release(key) else { return };
        if now >= release.recording_since.after(RECORD_WITHIN) {
            self.keep(key, Keep::NotRecorded);
        }
    }

    fn end_if_over(&mut self, key: &GangKey) {
        let is_over =
            |case: &Case| case.is_ending && case.release.as_ref().is_none_or(Release::is_over);
        if self.cases.get(key).is_some_and(is_over) {
            self.cases.remove(key);
        }
    }

    fn keep(&mut self, key: &GangKey, why: Keep) {
        let Some(case) = self.cases.get_mut(key) else { return };
        if case.kept.as_ref() != Some(&why) {
            case.kept = Some(why.clone());
            self.news.push(RepairNews::Kept(key.clone(), why));
        }
    }

    fn release(&mut self, key: &GangKey) -> Option<&mut Release> {
        self.cases.get_mut(key)?.release.as_mut()
    }

    fn remember(&mut self, key: &GangKey, calls: impl IntoIterator<Item = (CallId, String)>) {
        let calls = calls.into_iter().map(|(id, uid)| (id, (key.clone(), uid)));
        self.by_call.extend(calls);
    }
}

impl Case {
    const fn new(since: Time, grace: Span) -> Self {
        Self {
            since,
            not_before: since.after(grace),
            kept: None,
            release: None,
            looked_at: Time::ZERO,
            is_ending: false,
        }
    }

    /// When time alone may change what becomes of it.
    fn wake_at(&self) -> Option<Time> {
        let is_told = self.kept == Some(Keep::NotRecorded);
        match &self.release {
            Some(release) if release.stage == Stage::Recording && !is_told => {
                Some(release.recording_since.after(RECORD_WITHIN))
            }
            Some(_) => None,
            None => (self.looked_at < self.not_before).then_some(self.not_before),
        }
    }
}
