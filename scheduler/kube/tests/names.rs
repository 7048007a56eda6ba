//! The names that are read are the names that muster's own kinds document.

use scheduler_api::names as documented;
use scheduler_kube::names as read;

#[test]
fn both_lists_of_names_agree() {
    for (read, documented) in [
        (read::GROUP, documented::POD_GROUP),
        (read::ROLE, documented::ROLE),
        (read::RANK, documented::RANK),
        (read::QUEUE, documented::QUEUE),
        (read::MIN_AVAILABLE, documented::MIN_AVAILABLE),
        (read::TOPOLOGY, documented::TOPOLOGY),
        (read::TOPOLOGY_REQUIRED, documented::TOPOLOGY_REQUIRED),
        (read::TOPOLOGY_PREFERRED, documented::TOPOLOGY_PREFERRED),
        (read::WALLTIME, documented::WALLTIME),
        (read::SIMULATED_RUNTIME, documented::SIMULATED_RUNTIME),
        (read::SIMULATED_ARRIVAL, documented::SIMULATED_ARRIVAL),
        (read::STATE, documented::STATE),
        (read::EXPLANATION, documented::EXPLANATION),
    ] {
        assert_eq!(read, documented);
    }
}
