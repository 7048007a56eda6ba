//! The position of a pod among its peers, from whichever controller numbered it.

use crate::names;
use crate::wire::Meta;

/// The number a pod carries, or the one its name ends in. Names that the server completed
/// with random letters end in no number that means anything.
#[must_use]
pub fn of(meta: &Meta) -> Option<u64> {
    let numbered =
        [names::RANK, names::LWS_WORKER_INDEX].into_iter().find_map(|key| number(meta, key));
    numbered.or_else(|| job_index(meta)).or_else(|| {
        [names::VOLCANO_TASK_INDEX, names::KUEUE_POD_INDEX, names::POD_INDEX]
            .into_iter()
            .find_map(|key| number(meta, key))
            .or_else(|| trailing_number(meta))
    })
}

fn number(meta: &Meta, key: &str) -> Option<u64> {
    let text = meta.label(key).or_else(|| meta.annotation(key))?;
    text.parse().ok()
}

/// The completion index; within a JobSet the number of the Job goes before it.
fn job_index(meta: &Meta) -> Option<u64> {
    let index = number(meta, names::JOB_INDEX);
    match number(meta, names::JOBSET_GLOBAL_JOB_INDEX) {
        Some(job) => job.checked_mul(1 << 32)?.checked_add(index.unwrap_or(0)),
        None => index,
    }
}

fn trailing_number(meta: &Meta) -> Option<u64> {
    if !meta.generate_name.is_empty() {
        return None;
    }
    let digits = meta.name.trim_end_matches(|letter: char| letter.is_ascii_digit()).len();
    meta.name[digits..].parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rank(json: &str) -> Option<u64> {
        of(&serde_json::from_str(json).expect("metadata"))
    }

    #[test]
    fn every_controller_numbers_its_pods_in_its_own_place() {
        for (json, want) in [
            (r#"{"labels":{"muster.sh/rank":"7"},"name":"a-1"}"#, Some(7)),
            (r#"{"labels":{"batch.kubernetes.io/job-completion-index":"4"}}"#, Some(4)),
            (r#"{"annotations":{"batch.kubernetes.io/job-completion-index":"5"}}"#, Some(5)),
            (r#"{"annotations":{"volcano.sh/task-index":"2"}}"#, Some(2)),
            (r#"{"labels":{"apps.kubernetes.io/pod-index":"3"}}"#, Some(3)),
            (
                r#"{"labels":{"leaderworkerset.sigs.k8s.io/worker-index":"0",
                    "apps.kubernetes.io/pod-index":"9"}}"#,
                Some(0),
            ),
            (r#"{"name":"train-worker-12"}"#, Some(12)),
            (r#"{"name":"w3"}"#, Some(3)),
            (r#"{"name":"train"}"#, None),
            (r#"{"name":"train-99999999999999999999999"}"#, None),
            (r#"{"labels":{"apps.kubernetes.io/pod-index":"x"},"name":"a-6"}"#, Some(6)),
        ] {
            assert_eq!(rank(json), want, "{json}");
        }
    }

    #[test]
    fn random_letters_of_the_server_are_no_rank() {
        assert_eq!(rank(r#"{"name":"train-x2k47","generateName":"train-"}"#), None);
    }

    #[test]
    fn jobs_of_a_jobset_follow_each_other() {
        let of_job = |job, index| {
            rank(&format!(
                r#"{{"labels":{{"jobset.sigs.k8s.io/job-global-index":"{job}",
                    "batch.kubernetes.io/job-completion-index":"{index}"}}}}"#
            ))
        };
        assert_eq!(of_job(0, 3), Some(3));
        assert!(of_job(0, 3) < of_job(1, 0));
        assert!(of_job(1, 0) < of_job(1, 1));
    }
}
