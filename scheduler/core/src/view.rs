//! What a person or a status writer reads of a gang.

use crate::engine::Engine;
use crate::roster::Roster;
use scheduler_model::explain::Explanation;
use scheduler_model::ids::GangId;
use scheduler_model::spec::GangKey;
use scheduler_model::time::Time;

/// Where a gang stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Standing {
    /// The group exists, its pods do not (yet, or any more).
    Empty,
    /// No unfinished member is left.
    Done,
    /// It has less than its minimum.
    Waiting,
    /// It lost members and has less than its minimum.
    Broken,
    /// It has its minimum; some members above it wait.
    Partial,
    /// All its members have places.
    Running,
}

/// One member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemberView {
    /// Uid.
    pub uid: String,
    /// Name.
    pub name: String,
    /// Role.
    pub role: String,
    /// Node it has or was given.
    pub node: Option<String>,
    /// Decided, but not yet seen bound.
    pub is_assumed: bool,
}

/// One gang.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GangView {
    /// What it is called.
    pub key: GangKey,
    /// Its queue.
    pub queue: String,
    /// Its priority.
    pub priority: i32,
    /// Where it stands.
    pub standing: Standing,
    /// Least number of members.
    pub min: u32,
    /// Unfinished members in order of name.
    pub members: Vec<MemberView>,
    /// Members that succeeded in this run.
    pub succeeded: u32,
    /// When it first had its minimum.
    pub age: Option<Time>,
    /// When its first member began to run.
    pub started_at: Option<Time>,
    /// Why it, or the rest of it, waits.
    pub explanation: Option<Explanation>,
}

impl Engine {
    /// All gangs in order of namespace, name and dialect.
    #[must_use]
    pub fn gangs(&self) -> Vec<GangView> {
        self.snapshot.gangs().iter().map(|(id, _)| self.view(id)).collect()
    }

    /// One gang.
    #[must_use]
    pub fn view(&self, id: GangId) -> GangView {
        let snap = &self.snapshot;
        let gang = snap.gangs().get(id);
        let roster = Roster::of(snap, id);
        let run = gang.run(snap.pods());
        let member = |pod: &_| {
            let pod = snap.pods().get(*pod);
            let known = pod.place.node().map(|node| snap.nodes().spec(node).name.clone());
            MemberView {
                uid: pod.spec.uid.clone(),
                name: pod.spec.name.clone(),
                role: pod.spec.role.clone(),
                node: known.or_else(|| pod.spec.node.clone()),
                is_assumed: pod.is_assumed(),
            }
        };
        let mut members: Vec<MemberView> = run.unfinished.iter().map(member).collect();
        members.sort_by(|a, b| scheduler_model::node::natural(&a.name, &b.name));
        GangView {
            key: gang.key.clone(),
            queue: gang.queue_name.clone(),
            priority: snap.priority(id),
            standing: match gang.members.is_empty() && gang.ghosts.is_empty() {
                true => Standing::Empty,
                false => standing(&roster),
            },
            min: roster.total.min,
            members,
            succeeded: roster.total.succeeded,
            age: self.memory.get(&id).and_then(|memory| memory.age),
            started_at: snap.started_at(id),
            explanation: self.explanation(id).cloned(),
        }
    }
}

fn standing(roster: &Roster) -> Standing {
    let total = &roster.total;
    if total.exist == 0 && total.placed == 0 {
        Standing::Done
    } else if roster.needed() > 0 {
        if total.placed > 0 { Standing::Broken } else { Standing::Waiting }
    } else if roster.pending() + total.gated > 0 {
        // A minimum met by members that succeeded still leaves the others waiting.
        if total.placed == 0 { Standing::Waiting } else { Standing::Partial }
    } else {
        Standing::Running
    }
}
