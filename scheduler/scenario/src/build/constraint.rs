//! Requests and constraints become the shape of a pod.

use super::Builder;
use crate::file::{ConstraintsFile, PodTermFile, SpreadFile};
use crate::full::Mirror;
use crate::read::{Amounts, plain};
use scheduler_model::amount::Amount;
use scheduler_model::spec::{NamespaceScope, PodShape, PodTerm, SpreadSpec, WhenUnsatisfiable};

impl Builder {
    /// The shape of a pod in `namespace`.
    pub(super) fn shape(
        &self,
        each: &Amounts,
        file: &ConstraintsFile,
        namespace: &str,
    ) -> PodShape {
        let terms = |files: &[PodTermFile]| -> Vec<PodTerm> {
            files.iter().map(|file| self.pod_term(file, namespace)).collect()
        };
        let mut requests = each.0.clone();
        requests.retain(|_, amount| *amount != Amount::ZERO);
        let mut host_ports = plain(file.host_ports.clone());
        host_ports.sort();
        host_ports.dedup();
        let weighted = file.node_preferences.iter();
        let preferred = file.pod_preferences.iter();
        PodShape {
            profile: 0,
            requests,
            node_selector: file.node_selector.clone(),
            node_affinity: file.node_affinity.clone().map(plain),
            node_preferences: weighted.map(|one| (one.weight, one.nodes.0.clone())).collect(),
            tolerations: plain(file.tolerations.clone()),
            host_ports,
            affinity: terms(&file.affinity),
            anti_affinity: terms(&file.anti_affinity),
            pod_preferences: preferred
                .map(|one| (one.weight.unwrap_or(1), self.pod_term(one, namespace)))
                .collect(),
            spread: self.spread(file),
        }
    }

    fn pod_term(&self, file: &PodTermFile, namespace: &str) -> PodTerm {
        let selector = file.namespace_selector.as_ref().map(|text| text.0.clone());
        let mut names = match &file.namespaces {
            Some(names) => names.clone(),
            None if selector.is_some() => Vec::new(),
            None => vec![namespace.to_owned()],
        };
        names.sort();
        names.dedup();
        PodTerm {
            selector: file.pods.as_ref().map(|text| text.0.clone()),
            namespaces: NamespaceScope { names, selector },
            topology_key: self.label_key(&file.per),
        }
    }

    fn spread(&self, file: &ConstraintsFile) -> Vec<SpreadSpec> {
        let one = |file: &SpreadFile| SpreadSpec {
            max_skew: file.max_skew.unwrap_or(1),
            topology_key: self.label_key(&file.per),
            when_unsatisfiable: file
                .when_unsatisfiable
                .clone()
                .map_or(WhenUnsatisfiable::DoNotSchedule, WhenUnsatisfiable::into_value),
            selector: file.pods.as_ref().map(|text| text.0.clone()),
            min_domains: file.min_domains.unwrap_or(1),
            honour_affinity: file.honour_affinity.unwrap_or(true),
            honour_taints: file.honour_taints,
        };
        file.spread.iter().map(one).collect()
    }
}
