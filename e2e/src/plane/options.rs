//! What a control plane is made of, chosen before it starts.

use super::ControlPlane;
use crate::fault::Fault;

/// Who plays the kubelets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Nodes {
    /// Nobody: nodes are objects, bound pods stay `Pending` until the test says otherwise
    /// (see [`Kubelet`](crate::Kubelet)).
    #[default]
    Objects,
    /// kwok: bound pods run at once, and end as their annotations say
    /// (see [`RUN_FOR`](crate::RUN_FOR)).
    Kwok,
}

/// Choices for a control plane; [`ControlPlane::builder`] gives the usual ones.
#[derive(Clone, Debug)]
pub struct Builder {
    pub(super) nodes: Nodes,
    pub(super) native_groups: bool,
    pub(super) controllers: Option<Vec<String>>,
    pub(super) audited: bool,
    pub(super) admits_service_accounts: bool,
    pub(super) for_load: bool,
    pub(super) features: Vec<String>,
    pub(super) flags: Vec<String>,
}

impl Default for Builder {
    fn default() -> Self {
        Self {
            nodes: Nodes::Objects,
            native_groups: false,
            controllers: Some(vec!["*".to_owned()]),
            audited: false,
            admits_service_accounts: false,
            for_load: false,
            features: Vec::new(),
            flags: Vec::new(),
        }
    }
}

impl Builder {
    /// Who plays the kubelets; nobody by default.
    #[must_use]
    pub fn nodes(mut self, nodes: Nodes) -> Self {
        self.nodes = nodes;
        self
    }

    /// Serves `PodGroup` of `scheduling.k8s.io/v1beta1`, which is off by default in Kubernetes.
    #[must_use]
    pub fn native_groups(mut self) -> Self {
        self.native_groups = true;
        self
    }

    /// Runs these controllers only, such as `job-controller` or `-disruption-controller` beside
    /// `*`. All run by default.
    #[must_use]
    pub fn controllers(mut self, names: &[&str]) -> Self {
        self.controllers = Some(names.iter().map(|name| (*name).to_owned()).collect());
        self
    }

    /// Runs no kube-controller-manager: Jobs make no pods, nothing is collected, namespaces
    /// never vanish. Starts in half the time.
    #[must_use]
    pub fn without_controllers(mut self) -> Self {
        self.controllers = None;
        self
    }

    /// Records who asked for what; read it with [`ControlPlane::audit`].
    #[must_use]
    pub fn audit(mut self) -> Self {
        self.audited = true;
        self
    }

    /// Pods get their service account's token as in a real cluster, and a namespace takes pods
    /// only when its `default` account is there. Off by default; tokens of service accounts are
    /// understood either way.
    #[must_use]
    pub fn admit_service_accounts(mut self) -> Self {
        self.admits_service_accounts = true;
        self
    }

    /// For measurements: the API server turns nobody away, and etcd keeps its data in memory.
    #[must_use]
    pub fn for_load(mut self) -> Self {
        self.for_load = true;
        self
    }

    /// One more feature gate for all parts, such as `CompositePodGroup=true`.
    #[must_use]
    pub fn feature(mut self, gate: &str) -> Self {
        self.features.push(gate.to_owned());
        self
    }

    /// One more flag for the API server.
    #[must_use]
    pub fn apiserver_flag(mut self, flag: &str) -> Self {
        self.flags.push(flag.to_owned());
        self
    }

    /// Starts it; returns when it answers.
    ///
    /// # Panics
    /// If it does not start; the message says why and where the logs are.
    pub async fn start(self) -> ControlPlane {
        self.try_start().await.unwrap_or_else(|fault| panic!("{fault}"))
    }

    /// Starts it; returns when it answers.
    pub async fn try_start(self) -> Result<ControlPlane, Fault> {
        ControlPlane::begin(self).await
    }

    /// Feature gates in the form of the command line; empty if there are none.
    pub(super) fn feature_gates(&self) -> Option<String> {
        let native = self.native_groups.then_some("GenericWorkload=true");
        let own = self.features.iter().map(String::as_str);
        let gates: Vec<&str> = native.into_iter().chain(own).collect();
        (!gates.is_empty()).then(|| format!("--feature-gates={}", gates.join(",")))
    }
}
