//! Which version of each kind of group the API server serves: what is read in it is written in
//! it too.
//!
//! Invariant: a kind that is not served keeps the newest version that is known here; nothing is
//! written to it then, as nobody names such a group. Next: `watch/discover.rs` finds it out,
//! [`crate::send`] writes by it.

/// Versions of the groups of all dialects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Served {
    /// Of `muster.sh`.
    pub muster: String,
    /// Of `scheduling.k8s.io`.
    pub kubernetes: String,
    /// Of `scheduling.volcano.sh`.
    pub volcano: String,
    /// The Volcano kind has a status subresource; as Volcano itself installs it, it has none.
    pub volcano_has_status: bool,
    /// Of Volcano's queues, where they have a status subresource: nothing else of them is ours to
    /// write.
    pub volcano_queues: Option<String>,
    /// Of `scheduling.x-k8s.io`.
    pub coscheduling: String,
}

/// The newest of each that is known here.
impl Default for Served {
    fn default() -> Self {
        Self {
            muster: scheduler_api::names::VERSION.to_owned(),
            kubernetes: "v1beta1".to_owned(),
            volcano: "v1beta1".to_owned(),
            volcano_has_status: false,
            volcano_queues: None,
            coscheduling: "v1alpha1".to_owned(),
        }
    }
}

impl Served {
    /// Notes that the groups of an API group are served in `version`. Other API groups have
    /// none that is written.
    pub(crate) fn note(&mut self, api: &str, version: &str, has_status: HasStatus) {
        let place = match api {
            scheduler_api::names::GROUP => &mut self.muster,
            "scheduling.k8s.io" => &mut self.kubernetes,
            "scheduling.x-k8s.io" => &mut self.coscheduling,
            "scheduling.volcano.sh" => {
                self.volcano_has_status = has_status == HasStatus::Yes;
                &mut self.volcano
            }
            _ => return,
        };
        version.clone_into(place);
    }
}

/// Whether a kind has a status subresource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HasStatus {
    /// It has one.
    Yes,
    /// It has none.
    No,
}
