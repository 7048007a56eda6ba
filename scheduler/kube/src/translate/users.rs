//! How many gangs of a queue may run at once, and what each of its users may have.
//!
//! Invariant: a number that cannot be meant lets none run, with a problem; what was meant as a
//! limit never reads as none.

use super::{Problems, amounts, count, group};
use crate::wire::Number;
use crate::wire::groups::UserLimits;
use scheduler_model::spec::{Resources, UserBy, UserRule};

/// Most gangs that run at once.
pub(super) fn running(
    number: Option<&Number>,
    field: &str,
    problems: &mut Problems,
) -> Option<u32> {
    if number == Some(&Number::Whole(0)) {
        problems.add(field, "it is 0, so no gang starts", "write 1 or more, or close the queue");
        return Some(0);
    }
    count::count(number, field, problems)
}

/// What each user may have.
pub(super) fn rule(written: &UserLimits, problems: &mut Problems) -> UserRule {
    let field = "spec.users";
    if written.limit.is_empty() && written.max_running.is_none() {
        problems.add(field, "it limits nothing", "give it a limit or maxRunning, or leave it out");
    }
    let limit: Resources = written
        .limit
        .iter()
        .map(|(resource, text)| {
            let of = format_args!("{field}.limit.{resource}");
            (resource.clone(), amounts::offered(resource, text, of, problems))
        })
        .collect();
    UserRule {
        by: group::filled(&written.label).map_or(UserBy::Namespace, UserBy::Label),
        limit,
        max_running: running(
            written.max_running.as_ref(),
            &format!("{field}.maxRunning"),
            problems,
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Translated;
    use super::super::queue::queue;
    use super::*;
    use scheduler_model::amount::Amount;
    use scheduler_model::spec::QueueSpec;

    fn read(spec: &str) -> Translated<QueueSpec> {
        let json = format!(r#"{{"metadata":{{"name":"a"}},"spec":{spec}}}"#);
        queue(&serde_json::from_str(&json).expect("a Queue"))
    }

    fn fields(read: &Translated<QueueSpec>) -> Vec<&str> {
        read.problems.iter().map(|problem| &*problem.field).collect()
    }

    #[test]
    fn the_most_gangs_that_run_and_the_limits_of_users_arrive() {
        let read = read(
            r#"{"maxRunning":4,"users":{"label":"team","limit":{"cpu":2,"nvidia.com/gpu":"8"},"maxRunning":1}}"#,
        );
        let limit = [("cpu".to_owned(), 2000), ("nvidia.com/gpu".to_owned(), 8)];
        let want = UserRule {
            by: UserBy::Label("team".to_owned()),
            limit: limit.map(|(name, units)| (name, Amount::new(units))).into(),
            max_running: Some(1),
        };
        assert_eq!((read.value.max_running, read.value.users), (Some(4), Some(Box::new(want))));
        assert_eq!(read.problems, []);
    }

    #[test]
    fn without_a_label_the_namespace_is_the_user() {
        for spec in [
            r#"{"users":{"maxRunning":1}}"#,
            r#"{"users":{"label":"","maxRunning":1}}"#,
            r#"{"users":{"label":null,"limit":null,"maxRunning":1}}"#,
        ] {
            let by = read(spec).value.users.map(|users| users.by);
            assert_eq!(by, Some(UserBy::Namespace), "{spec}");
        }
    }

    #[test]
    fn a_queue_that_says_nothing_of_it_limits_nobody() {
        for spec in ["{}", r#"{"maxRunning":null,"users":null}"#] {
            let read = read(spec);
            assert_eq!((read.value.max_running, read.value.users), (None, None), "{spec}");
            assert_eq!(read.problems, [], "{spec}");
        }
    }

    #[test]
    fn a_number_of_gangs_that_cannot_be_meant_lets_none_start_and_is_said() {
        for number in ["0", "-1", r#""many""#] {
            let read =
                read(&format!(r#"{{"maxRunning":{number},"users":{{"maxRunning":{number}}}}}"#));
            let of_users = read.value.users.as_ref().and_then(|users| users.max_running);
            assert_eq!((read.value.max_running, of_users), (Some(0), Some(0)), "{number}");
            assert_eq!(fields(&read), ["spec.maxRunning", "spec.users.maxRunning"], "{number}");
        }
    }

    #[test]
    fn an_amount_of_users_that_cannot_be_read_is_nothing_and_is_said() {
        let read = read(r#"{"users":{"limit":{"cpu":"lots"}}}"#);
        let users = read.value.users.as_ref().expect("there are limits");
        assert_eq!(users.limit["cpu"], Amount::ZERO);
        assert_eq!(fields(&read), ["spec.users.limit.cpu"]);
    }

    #[test]
    fn users_that_are_told_apart_for_nothing_are_said() {
        let read = read(r#"{"users":{"label":"team"}}"#);
        assert_eq!(fields(&read), ["spec.users"]);
    }
}
