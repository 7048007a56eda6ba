//! Keeps what was read until everything has been: one shelf per kind of spec, ordered by name.
//!
//! Invariant: an object that stands twice is there once, the last one, and a problem names
//! both places. Next: [`super::finish`].

use super::head::{Depth, Head};
use super::kinds;
use super::owner::{Owners, Parents};
use super::raw::{Fault, Raw};
use super::split::{Piece, Taker};
use super::{Located, Reading, Story};
use crate::object::{Late, Object, Owner, Storage};
use crate::translate::{
    Context, Translated, budget, daemon, hints, kueue, namespace, native, node, object_name, pod,
    priority, queue, topology, volcano, volume,
};
use crate::wire::{Meta, Pod};
use scheduler_model::problem::Problem;
use scheduler_model::spec::{
    BudgetSpec, DaemonSpec, GangKey, GangSpec, NamespaceSpec, NodeSpec, PodShape, PodSpec,
    PriorityClassSpec, QueueSpec, TopologySpec,
};
use scheduler_model::world::SimHints;
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

/// A line of a source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub file: usize,
    pub line: u64,
}

/// Objects of one kind with their places, in order of their names.
#[derive(Debug)]
pub(super) struct Shelf<K, T>(pub BTreeMap<K, (T, Place)>);

impl<K, T> Default for Shelf<K, T> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<K: Ord, T> Shelf<K, T> {
    /// Puts one there; the place of the one whose place it takes.
    fn put(&mut self, key: K, value: T, place: Place) -> Option<Place> {
        self.0.insert(key, (value, place)).map(|(_, place)| place)
    }

    pub(super) fn get(&self, key: &K) -> Option<&T> {
        self.0.get(key).map(|(value, _)| value)
    }
}

/// Everything read so far.
pub(super) struct Collector<'c> {
    pub context: &'c Context,
    pub files: Vec<String>,
    here: Place,
    /// Whether anything stood in the source, unknown kinds included.
    is_source_empty: bool,
    list: Head,
    pub out: Reading,
    pub problems: Vec<(Place, Problem)>,
    pub nodes: Shelf<String, NodeSpec>,
    pub pods: Shelf<(String, String), Box<PodSpec>>,
    uids: BTreeMap<String, (String, String)>,
    pub pod_hints: BTreeMap<String, SimHints>,
    pub groups: Shelf<GangKey, (GangSpec, SimHints)>,
    pub queues: Shelf<String, QueueSpec>,
    pub topologies: Shelf<String, TopologySpec>,
    pub classes: Shelf<String, PriorityClassSpec>,
    pub namespaces: Shelf<String, NamespaceSpec>,
    pub daemons: Shelf<String, DaemonSpec>,
    pub budgets: Shelf<String, BudgetSpec>,
    pub late: Shelf<(&'static str, String), Late>,
    pub storage: Shelf<(&'static str, String), Storage>,
    pub owners: Owners,
    pub parents: Parents,
    shapes: HashSet<Arc<PodShape>>,
    prefixes: BTreeMap<(String, String), usize>,
}

impl<'c> Collector<'c> {
    pub(super) fn new(context: &'c Context) -> Self {
        Self {
            context,
            files: Vec::new(),
            here: Place::default(),
            is_source_empty: true,
            list: Head::default(),
            out: Reading::default(),
            problems: Vec::new(),
            nodes: Shelf::default(),
            pods: Shelf::default(),
            uids: BTreeMap::new(),
            pod_hints: BTreeMap::new(),
            groups: Shelf::default(),
            queues: Shelf::default(),
            topologies: Shelf::default(),
            classes: Shelf::default(),
            namespaces: Shelf::default(),
            daemons: Shelf::default(),
            budgets: Shelf::default(),
            late: Shelf::default(),
            storage: Shelf::default(),
            owners: Shelf::default(),
            parents: Parents::default(),
            shapes: HashSet::new(),
            prefixes: BTreeMap::new(),
        }
    }

    /// The source of this name begins.
    pub(super) fn begin(&mut self, name: &str) {
        self.here = Place { file: self.files.len(), line: 0 };
        self.files.push(name.to_owned());
        self.is_source_empty = true;
    }

    /// The source is over, or `error` ended it.
    pub(super) fn end(&mut self, error: Option<&str>) {
        if let Some(error) = error {
            self.out.cut_short.push(self.files[self.here.file].clone());
            let message = format!("reading ended here: {error}");
            self.say("this source", &message, "make the file again, or copy it again");
        } else if self.is_source_empty {
            self.here.line = 0;
            self.say("this source", "it is empty", "name a file with Kubernetes objects");
        }
    }

    fn say(&mut self, object: &str, message: &str, remedy: &str) {
        self.problems.push((self.here, Problem::new(object, "", message, remedy)));
    }

    /// Notes problems of the object that is being read.
    pub(super) fn note(&mut self, problems: Vec<Problem>) {
        self.problems.extend(problems.into_iter().map(|problem| (self.here, problem)));
    }

    /// A place as people read it.
    pub(super) fn show(&self, place: Place) -> String {
        format!("{}:{}", self.files[place.file], place.line)
    }

    /// Where a problem of this place is to be found.
    pub(super) fn located(&self, (place, problem): (Place, Problem)) -> Located {
        Located { file: self.files[place.file].clone(), line: place.line, problem }
    }

    fn twice(&mut self, object: &str, before: Option<Place>) {
        if let Some(before) = before {
            let before = self.show(before);
            let message = format!("it stands at {before} already; this one, the last, is used");
            self.say(object, &message, "keep one of the two, or give them different names");
        }
    }

    fn keep(&mut self, object: Object) {
        match object {
            Object::Node(object) => self.node(node::translate(&object)),
            Object::Pod(object) => self.pod(*object),
            Object::Namespace(object) => self.namespace(namespace::translate(&object)),
            Object::PriorityClass(object) => self.priority_class(priority::translate(&object)),
            Object::DaemonSet(object) => self.daemon(daemon::translate(&object)),
            Object::Budget(object) => self.budget(budget::translate(&object)),
            Object::Owner(object) => self.owner(object),
            Object::Group(object) => self.group(object.meta(), object.translate()),
            Object::Workload(object) => {
                self.workload(&object.metadata, native::workload(&object));
            }
            Object::Queue(object) => self.queue("Queue", queue::queue(&object)),
            Object::VolcanoQueue(object) => self.queue("Queue", volcano::volcano_queue(&object)),
            Object::LocalQueue(object) => self.queue("LocalQueue", kueue::local_queue(&object)),
            Object::Topology(object) => self.topology(topology::topology(&object)),
            Object::Late(object) => self.late(object),
            Object::Storage(object) => self.storage(object),
        }
    }

    fn node(&mut self, read: Translated<NodeSpec>) {
        self.note(read.problems);
        let object = format!("Node {}", read.value.name);
        if !read.value.name.is_empty() {
            let before = self.nodes.put(read.value.name.clone(), read.value, self.here);
            self.twice(&object, before);
        }
    }

    fn pod(&mut self, mut object: Pod) {
        self.complete_name(&mut object.metadata);
        let Translated { value: mut spec, problems } = pod::translate(&object, self.context);
        self.note(problems);
        if spec.name.is_empty() {
            return;
        }
        self.parents.note(&object.metadata);
        let hints = hints::of("Pod", &object.metadata);
        self.note(hints.problems);
        if hints.value != SimHints::default() {
            self.pod_hints.insert(spec.uid.clone(), hints.value);
        }
        // Pods of one template share one shape: most of a large dump is the same few shapes.
        match self.shapes.get(&spec.shape) {
            Some(shape) => spec.shape = Arc::clone(shape),
            None => {
                self.shapes.insert(Arc::clone(&spec.shape));
            }
        }
        let (object, key) = (object_name("Pod", &object.metadata), pod_key(&spec));
        if let Some(other) = self.uids.insert(spec.uid.clone(), key.clone())
            && other != key
            && let Some((_, before)) = self.pods.0.remove(&other)
        {
            let before = self.show(before);
            let message = format!(
                "the pod {}/{} at {before} has the same uid; this one, the last, is used",
                other.0, other.1
            );
            self.say(&object, &message, "give each pod its own uid, or leave uids out");
        }
        let before = self.pods.put(key, Box::new(spec), self.here);
        self.twice(&object, before);
    }

    /// A server would complete `generateName`; here the pods of one prefix are counted.
    fn complete_name(&mut self, meta: &mut Meta) {
        if meta.name.is_empty() && !meta.generate_name.is_empty() {
            let namespace = meta.namespace_or_default().to_owned();
            let count = self.prefixes.entry((namespace, meta.generate_name.clone())).or_default();
            meta.name = format!("{}{count}", meta.generate_name);
            *count += 1;
        }
    }

    fn group(&mut self, meta: &Meta, read: Translated<GangSpec>) {
        self.note(read.problems);
        let hints = hints::of("PodGroup", meta);
        self.note(hints.problems);
        let object = object_name("PodGroup", meta);
        let before = self.groups.put(read.value.key.clone(), (read.value, hints.value), self.here);
        self.twice(&object, before);
    }

    fn workload(&mut self, meta: &Meta, read: Translated<Vec<GangSpec>>) {
        self.note(read.problems);
        let object = object_name("Workload", meta);
        for gang in read.value {
            let value = (gang, SimHints::default());
            let before = self.groups.put(value.0.key.clone(), value, self.here);
            self.twice(&object, before);
        }
    }

    fn queue(&mut self, kind: &str, read: Translated<QueueSpec>) {
        self.note(read.problems);
        let object = format!("{kind} {}", read.value.name);
        let before = self.queues.put(read.value.name.clone(), read.value, self.here);
        self.twice(&object, before);
    }

    fn topology(&mut self, read: Translated<TopologySpec>) {
        self.note(read.problems);
        let object = format!("Topology {}", read.value.name);
        let before = self.topologies.put(read.value.name.clone(), read.value, self.here);
        self.twice(&object, before);
    }

    fn priority_class(&mut self, read: Translated<PriorityClassSpec>) {
        self.note(read.problems);
        let object = format!("PriorityClass {}", read.value.name);
        let before = self.classes.put(read.value.name.clone(), read.value, self.here);
        self.twice(&object, before);
    }

    fn namespace(&mut self, read: Translated<NamespaceSpec>) {
        self.note(read.problems);
        let object = format!("Namespace {}", read.value.name);
        let before = self.namespaces.put(read.value.name.clone(), read.value, self.here);
        self.twice(&object, before);
    }

    fn daemon(&mut self, read: Translated<DaemonSpec>) {
        self.note(read.problems);
        let object = format!("DaemonSet {}", read.value.key);
        let before = self.daemons.put(read.value.key.clone(), read.value, self.here);
        self.twice(&object, before);
    }

    fn budget(&mut self, read: Translated<BudgetSpec>) {
        self.note(read.problems);
        let object = format!("PodDisruptionBudget {}", read.value.key());
        let before = self.budgets.put(read.value.key(), read.value, self.here);
        self.twice(&object, before);
    }

    fn late(&mut self, object: Late) {
        let (kind, meta) = (object.kind(), object.meta());
        let (name, key) = (object_name(kind, meta), (kind, meta.name.clone()));
        let before = self.late.put(key, object, self.here);
        self.twice(&name, before);
    }

    fn storage(&mut self, object: Storage) {
        let kind = object.kind();
        let name = object_name(kind, object.meta());
        if object.meta().name.is_empty() {
            self.say(&name, "it has no name, left out", "give it one");
            return;
        }
        let before = self.storage.put((kind, volume::key_of(&object)), object, self.here);
        self.twice(&name, before);
    }

    fn owner(&mut self, object: Owner) {
        let key = object.key();
        let name = object_name(key.1, object.meta());
        if key.3.is_empty() {
            self.say(&name, "it has no name, left out", "give it one");
            return;
        }
        self.parents.note(object.meta());
        let before = self.owners.put(key, object, self.here);
        self.twice(&name, before);
    }

    /// Reads one object of any kind.
    fn read(&mut self, raw: Raw<'_>) {
        let mut head = raw.head(Depth::Kind);
        if head.kind.is_empty()
            && let Some(kind) = self.list.kind.strip_suffix("List").filter(|kind| !kind.is_empty())
        {
            // Items of a `PodList` need not say what they are.
            kind.clone_into(&mut head.kind);
            head.api_version.clone_from(&self.list.api_version);
        }
        if let (true, Raw::Yaml(text)) = (head.is_story, raw) {
            let above = usize::try_from(self.here.line.saturating_sub(1)).unwrap_or(0);
            let text = format!("{}{text}", "\n".repeat(above));
            let file = self.files[self.here.file].clone();
            self.out.stories.push(Story { file, text });
            return;
        }
        if head.kind.ends_with("List") {
            return match raw.items() {
                Ok(items) => self.items(&head, &items),
                Err(fault) => self.fault(raw, &fault),
            };
        }
        if head.kind.is_empty() || head.api_version.is_empty() {
            let field = if head.kind.is_empty() { "kind" } else { "apiVersion" };
            let name = raw.head(Depth::Name).object();
            // A document that cannot be read at all has no kind either.
            return match raw.parse::<serde_json::Value>() {
                Err(fault) => self.fault(raw, &fault),
                Ok(_) => {
                    let message = format!("it is no Kubernetes object: {field} is missing");
                    self.say(&name, &message, "write apiVersion and kind, or remove it");
                }
            };
        }
        let Some(kind) = kinds::find(head.group(), &head.kind) else {
            let name = match head.group() {
                "" => head.kind,
                group => format!("{group}/{}", head.kind),
            };
            *self.out.unknown.entry(name).or_default() += 1;
            return;
        };
        match (kind.parse)(raw) {
            Ok(object) => {
                self.out.objects += 1;
                self.keep(object);
            }
            Err(fault) => self.fault(raw, &fault),
        }
    }

    fn items(&mut self, head: &Head, items: &[serde_json::Value]) {
        let outer = std::mem::replace(&mut self.list, head.clone());
        for item in items {
            self.read(Raw::Inner(item));
        }
        self.list = outer;
    }

    fn fault(&mut self, raw: Raw<'_>, fault: &Fault) {
        let object = raw.head(Depth::Name).object();
        let begin = self.here.line;
        self.here.line = begin + fault.line.saturating_sub(1);
        self.say(&object, &format!("{}; it is left out", fault.message), fault.remedy);
        self.here.line = begin;
    }
}

impl Taker for Collector<'_> {
    fn object(&mut self, piece: Piece<'_>) {
        self.here.line = piece.line;
        match Raw::of(piece) {
            Ok(raw) if raw.is_empty() => {}
            Ok(raw) => {
                self.is_source_empty = false;
                self.read(raw);
            }
            Err(fault) => {
                self.is_source_empty = false;
                let raw = Raw::Yaml("");
                self.fault(raw, &fault);
            }
        }
    }

    fn list_begins(&mut self, head: Piece<'_>) {
        self.is_source_empty = false;
        self.list = match Raw::of(head) {
            Ok(Raw::Json(text)) => Head::of_json(text, Depth::Kind),
            Ok(Raw::Yaml(text)) => Head::of_lines(text),
            _ => Head::default(),
        };
    }

    fn list_ends(&mut self, shell: Piece<'_>) {
        self.list = Head::default();
        let kind = Raw::of(shell).map(|raw| raw.head(Depth::Kind).kind).unwrap_or_default();
        if !kind.is_empty() && !kind.ends_with("List") {
            self.object(shell);
        }
    }

    fn broken(&mut self, piece: Piece<'_>, line: u64, why: &str) {
        self.is_source_empty = false;
        self.list = Head::default();
        let object = Head::of_json(piece.text, Depth::Name).object();
        self.here.line = line;
        let message = format!("{why}; it is left out, and so is the rest of its list");
        self.say(&object, &message, "mend the JSON there, or dump it again");
    }
}

fn pod_key(spec: &PodSpec) -> (String, String) {
    (spec.namespace.clone(), spec.name.clone())
}
