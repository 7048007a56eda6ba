//! Responses as replies: a table, and any bytes at all.

use proptest::prelude::any;
use proptest::proptest;
use scheduler_kube::send::answer::read;
use scheduler_kube::send::request::Wants;
use scheduler_model::time::{Span, Time};
use scheduler_protocol::answer::{Body, PodFacts, Reply};
use scheduler_protocol::call::LeaseRecord;

type Headers<'a> = &'a [(&'static str, &'a str)];

fn reply(code: u16, headers: Headers<'_>, body: &str, wants: Wants) -> Reply {
    let mut map = http::HeaderMap::new();
    for (name, value) in headers {
        map.insert(*name, value.parse().expect("a header"));
    }
    read(code, &map, Ok(body.as_bytes()), wants)
}

#[test]
fn the_words_of_a_status_are_kept_and_cut() {
    let long = "ä".repeat(2_000);
    let body = format!(r#"{{"kind":"Status","reason":"Conflict","message":"{long}"}}"#);
    let reply = reply(409, &[], &body, Wants::Pod);
    assert_eq!((reply.code, reply.reason.as_str()), (409, "Conflict"));
    assert_eq!(reply.message.len(), 512);
    assert_eq!(reply.body, Body::None);
}

#[test]
fn a_status_full_of_nulls_has_no_words() {
    let body = r#"{"kind":"Status","reason":null,"message":null}"#;
    assert_eq!(reply(500, &[], body, Wants::Nothing), Reply::code(500));
}

#[test]
fn text_of_a_proxy_is_its_message() {
    let headers = [("content-type", "text/plain; charset=utf-8")];
    let said = reply(502, &headers, "upstream is gone\n", Wants::Nothing);
    assert_eq!(said.message, "upstream is gone");
    assert_eq!(reply(502, &[], "<html>", Wants::Nothing).message, "");
}

#[test]
fn retry_after_is_read_in_seconds_only() {
    let after = |value: &str| reply(429, &[("retry-after", value)], "", Wants::Nothing).retry_after;
    assert_eq!(after("3"), Some(Span::from_secs(3)));
    assert_eq!(after("0"), Some(Span::ZERO));
    assert_eq!(after("-1"), None);
    assert_eq!(after("Wed, 21 Oct 2026 07:28:00 GMT"), None);
    assert_eq!(after("99999999999999999999"), None);
}

#[test]
fn a_pod_is_read_for_its_facts() {
    let body = r#"{"kind":"Pod","metadata":{"uid":"u","deletionTimestamp":"2026-11-30T06:00:00Z"},
        "spec":{"nodeName":"n","schedulingGates":[{"name":"g"}]},"status":{"phase":"Failed"}}"#;
    let facts = PodFacts {
        uid: "u".to_owned(),
        node: "n".to_owned(),
        is_terminating: true,
        is_finished: true,
        is_gated: true,
    };
    assert_eq!(reply(200, &[], body, Wants::Pod).body, Body::Pod(facts));
    let plain = r#"{"metadata":{"uid":"u","deletionTimestamp":null},"spec":{"nodeName":null,
        "schedulingGates":null},"status":null}"#;
    let facts = PodFacts { uid: "u".to_owned(), ..PodFacts::default() };
    assert_eq!(reply(200, &[], plain, Wants::Pod).body, Body::Pod(facts));
}

#[test]
fn a_lease_is_read_with_its_version() {
    let body = r#"{"metadata":{"resourceVersion":"42"},"spec":{"holderIdentity":"me",
        "leaseDurationSeconds":15,"acquireTime":"2026-11-30T06:00:00.250000Z",
        "renewTime":"2026-11-30T06:00:01.000000Z","leaseTransitions":3}}"#;
    let record = LeaseRecord {
        holder: "me".to_owned(),
        duration: Span::from_secs(15),
        acquired_at: Time::from_ms(1_796_018_400_250),
        renewed_at: Time::from_ms(1_796_018_401_000),
        transitions: 3,
        version: "42".to_owned(),
    };
    assert_eq!(reply(200, &[], body, Wants::Lease).body, Body::Lease(record));
    let empty = r#"{"metadata":{"resourceVersion":"43"},"spec":{"holderIdentity":null}}"#;
    let record = LeaseRecord { version: "43".to_owned(), ..LeaseRecord::default() };
    assert_eq!(reply(200, &[], empty, Wants::Lease).body, Body::Lease(record));
}

#[test]
fn what_is_no_pod_and_no_lease_is_unreadable() {
    for body in ["", "{", "[]", "{}", r#"{"metadata":{"uid":7}}"#, "<html>"] {
        for wants in [Wants::Pod, Wants::Lease] {
            let reply = reply(200, &[], body, wants);
            assert!(matches!(reply.body, Body::Unreadable(_)), "{body:?} as {wants:?}: {reply:?}");
        }
        assert_eq!(reply(200, &[], body, Wants::Nothing), Reply::code(200));
    }
}

#[test]
fn the_code_stands_though_the_body_broke_off() {
    let headers = http::HeaderMap::new();
    let bind = read(201, &headers, Err("it broke off"), Wants::Nothing);
    assert_eq!(bind, Reply::code(201));
    let pod = read(200, &headers, Err("it broke off"), Wants::Pod);
    assert_eq!(pod.body, Body::Unreadable("it broke off".to_owned()));
}

proptest! {
    #[test]
    fn any_bytes_make_a_reply(bytes in any::<Vec<u8>>(), code in 100_u16..1000) {
        for wants in [Wants::Nothing, Wants::Pod, Wants::Lease] {
            let reply = read(code, &http::HeaderMap::new(), Ok(&bytes), wants);
            assert_eq!(reply.code, code);
        }
    }

    #[test]
    fn an_answer_cut_anywhere_makes_a_reply(end in 0_usize..200) {
        let body = r#"{"kind":"Pod","metadata":{"uid":"ü","deletionTimestamp":"2026-11-30T06:00:00Z"},
            "spec":{"nodeName":"n","schedulingGates":[{"name":"g"}]},"status":{"phase":"Failed"}}"#;
        let bytes = &body.as_bytes()[..end.min(body.len() - 1)];
        let reply = read(200, &http::HeaderMap::new(), Ok(bytes), Wants::Pod);
        assert!(matches!(reply.body, Body::Unreadable(_)), "{reply:?}");
    }
}
