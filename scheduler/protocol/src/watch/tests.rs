//! A server that answers as the tests say, with every moment written out.

use super::*;

const CODE_EXPIRED: u16 = 410;

fn at(secs: i64) -> Time {
    Time::from_ms(secs * 1000)
}

fn watch() -> Watch {
    Watch::new(Times::default(), 7)
}

fn sent(watch: &mut Watch, now: Time) -> Request {
    match watch.next(now) {
        Step::Send(request) => request,
        other => panic!("nothing is sent at {now:?}: {other:?}"),
    }
}

fn pause(watch: &mut Watch, now: Time) -> Time {
    match watch.next(now) {
        Step::Pause(until) => until,
        other => panic!("no pause at {now:?}: {other:?}"),
    }
}

fn changed(version: &str) -> Line {
    Line::Changed { version: Some(version.to_owned()) }
}

fn bookmark(version: &str) -> Line {
    Line::Bookmark { version: version.to_owned(), ends_list: false }
}

fn list_end(version: &str) -> Line {
    Line::Bookmark { version: version.to_owned(), ends_list: true }
}

/// Asks for the first page, is told that there is more, and asks for a stream.
fn stream(watch: &mut Watch, now: Time) -> Request {
    let want = Request::Page { limit: Some(500), token: String::new() };
    assert_eq!(sent(watch, now), want);
    assert_eq!(watch.paged("1", "more", now), [Mark::ListStart, Mark::Nothing]);
    sent(watch, now)
}

/// Lists by stream and watches since second 0.
fn synced(version: &str) -> Watch {
    let mut watch = watch();
    assert!(matches!(stream(&mut watch, at(0)), Request::Stream { .. }));
    assert_eq!(watch.opened(at(0)), Mark::ListStart);
    assert_eq!(watch.line(list_end(version), at(0)), Mark::ListEnd);
    watch
}

/// A watch that lists in pages, after its first request.
fn paging() -> Watch {
    let mut watch = watch();
    stream(&mut watch, at(0));
    watch.failed(Fault::code(422, "Invalid", "sendInitialEvents is forbidden"), at(0));
    let until = pause(&mut watch, at(0));
    let want = Request::Page { limit: Some(500), token: String::new() };
    assert_eq!(sent(&mut watch, until), want);
    watch
}

fn version(request: Request) -> String {
    match request {
        Request::Watch { version, .. } => version,
        other => panic!("{other:?} is no watch"),
    }
}

#[test]
fn a_list_of_one_page_needs_no_stream() {
    let mut watch = watch();
    assert!(matches!(sent(&mut watch, at(0)), Request::Page { .. }));
    assert_eq!(watch.paged("3", "", at(0)), [Mark::ListStart, Mark::ListEnd]);
    assert!(watch.health().is_synced);
    assert_eq!(version(sent(&mut watch, at(0))), "3");
}

#[test]
fn a_streaming_list_goes_on_as_a_watch() {
    let mut watch = watch();
    assert!(matches!(stream(&mut watch, at(0)), Request::Stream { .. }));
    assert_eq!(watch.opened(at(0)), Mark::ListStart);
    assert_eq!(watch.line(Line::Changed { version: None }, at(0)), Mark::Apply);
    assert!(!watch.health().is_synced);
    assert_eq!(watch.line(list_end("9"), at(1)), Mark::ListEnd);
    assert!(watch.health().is_synced);
    assert_eq!(watch.line(changed("10"), at(2)), Mark::Apply);
    assert_eq!(watch.line(Line::Deleted { version: Some("11".to_owned()) }, at(3)), Mark::Delete);
    watch.ended(at(30));
    assert_eq!(version(sent(&mut watch, at(30))), "11");
}

#[test]
fn a_bookmark_moves_the_version_and_means_nothing_to_others() {
    let mut watch = synced("5");
    assert_eq!(watch.line(bookmark("70"), at(9)), Mark::Nothing);
    watch.ended(at(30));
    assert_eq!(version(sent(&mut watch, at(30))), "70");
}

#[test]
fn a_server_without_streaming_lists_is_asked_for_pages() {
    for code in [400, 422] {
        let mut watch = watch();
        stream(&mut watch, at(0));
        watch.failed(Fault::code(code, "", ""), at(0));
        let until = pause(&mut watch, at(0));
        assert!(matches!(stream(&mut watch, until), Request::Page { .. }), "{code}");
    }
}

#[test]
fn pages_follow_each_other_without_a_pause_and_make_one_list() {
    let mut watch = paging();
    assert_eq!(watch.paged("3", "next", at(1)), [Mark::ListStart, Mark::Nothing]);
    let want = Request::Page { limit: Some(500), token: "next".to_owned() };
    assert_eq!(sent(&mut watch, at(1)), want);
    assert!(!watch.health().is_synced);
    assert_eq!(watch.paged("3", "", at(2)), [Mark::Nothing, Mark::ListEnd]);
    assert!(watch.health().is_synced);
    assert_eq!(version(sent(&mut watch, at(2))), "3");
}

#[test]
fn pages_that_expire_are_asked_for_in_one_piece_in_the_end() {
    let mut watch = paging();
    let mut now = at(1);
    for _ in 0..2 {
        watch.paged("3", "next", now);
        sent(&mut watch, now);
        watch.failed(Fault::code(CODE_EXPIRED, "Expired", ""), now);
        now = pause(&mut watch, now);
        let Request::Page { token, .. } = sent(&mut watch, now) else { panic!("no page") };
        assert_eq!(token, "");
    }
    watch.failed(Fault::lost("x"), now);
    now = pause(&mut watch, now);
    assert_eq!(sent(&mut watch, now), Request::Page { limit: None, token: String::new() });
}

#[test]
fn an_ordinary_bookmark_inside_a_streaming_list_tells_that_the_server_knows_none() {
    let mut watch = watch();
    stream(&mut watch, at(0));
    watch.opened(at(0));
    watch.line(bookmark("4"), at(1));
    assert!(matches!(stream(&mut watch, at(1)), Request::Page { .. }));
}

#[test]
fn streaming_lists_that_break_off_again_and_again_give_way_to_pages() {
    let (mut watch, mut now, mut streams) = (watch(), at(0), 0);
    while let Request::Stream { .. } = stream(&mut watch, now) {
        streams += 1;
        assert_eq!(watch.opened(now), Mark::ListStart);
        watch.ended(now);
        now = pause(&mut watch, now);
    }
    assert_eq!(streams, 3);
}

#[test]
fn a_server_that_cannot_be_reached_says_nothing_about_streaming_lists() {
    let (mut watch, mut now) = (watch(), at(0));
    for _ in 0..10 {
        assert!(matches!(stream(&mut watch, now), Request::Stream { .. }));
        watch.failed(Fault::lost("connection refused"), now);
        now = pause(&mut watch, now);
    }
}

#[test]
fn an_expired_version_leads_to_a_fresh_list_however_it_is_said() {
    let faults = [
        Fault::code(410, "", ""),
        Fault::code(500, "Expired", ""),
        Fault::code(504, "Timeout", "Too large resource version: 9, current: 3"),
    ];
    for fault in faults {
        let mut watch = synced("5");
        assert_eq!(watch.line(Line::Failed(fault.clone()), at(2)), Mark::Nothing);
        let until = pause(&mut watch, at(2));
        assert!(matches!(stream(&mut watch, until), Request::Stream { .. }), "{fault:?}");
        assert!(watch.health().is_synced, "what was listed before still counts");
    }
}

#[test]
fn other_failures_resume_from_the_version_that_was_reached() {
    for fault in [Fault::code(500, "", ""), Fault::code(429, "", ""), Fault::lost("reset")] {
        let mut watch = synced("5");
        watch.line(changed("8"), at(1));
        watch.failed(fault, at(2));
        let until = pause(&mut watch, at(2));
        assert_eq!(version(sent(&mut watch, until)), "8");
    }
}

#[test]
fn a_line_that_makes_no_sense_leads_to_a_fresh_list() {
    let mut watch = synced("5");
    watch.failed(Fault::garbage("no JSON"), at(2));
    let until = pause(&mut watch, at(2));
    assert!(matches!(stream(&mut watch, until), Request::Stream { .. }));
}

#[test]
fn a_watch_that_says_nothing_is_given_up_shortly_after_its_time() {
    let mut watch = synced("5");
    let Step::Read(until) = watch.next(at(0)) else { panic!("nothing is open") };
    assert!(until >= at(35) && until <= at(61), "{until:?}");
    let resumed = pause(&mut watch, until);
    assert!(resumed.since(until) <= Span::from_secs(1));
    assert_eq!(version(sent(&mut watch, resumed)), "5");
    let trouble = watch.health().trouble.expect("it is said");
    assert!(trouble.words().contains("says nothing"), "{trouble:?}");
}

#[test]
fn an_answer_that_never_begins_is_given_up() {
    let mut watch = synced("5");
    watch.ended(at(40));
    sent(&mut watch, at(40));
    assert_eq!(watch.next(at(40)), Step::Read(at(55)));
    assert!(pause(&mut watch, at(55)) > at(55));
}

#[test]
fn a_list_may_take_long_as_long_as_it_says_something() {
    let mut watch = watch();
    stream(&mut watch, at(0));
    watch.opened(at(0));
    for second in 1..100 {
        watch.line(Line::Changed { version: None }, at(second));
        assert_eq!(watch.next(at(second)), Step::Read(at(second + 15)));
    }
    assert!(pause(&mut watch, at(200)) > at(200));
}

#[test]
fn a_refusal_is_told_and_tried_again_seldom() {
    for (code, is_forbidden) in [(403, true), (404, false)] {
        let mut watch = watch();
        sent(&mut watch, at(0));
        watch.failed(Fault::code(code, "", "no"), at(0));
        assert!(pause(&mut watch, at(0)) >= at(20));
        let trouble = watch.health().trouble.expect("it is said");
        assert_eq!(matches!(trouble, Trouble::Forbidden(_)), is_forbidden);
        assert_eq!(trouble.words(), format!("status {code}: no"));
    }
}

#[test]
fn pauses_grow_and_what_the_server_asks_for_is_kept() {
    let (mut watch, mut now, mut last) = (synced("5"), at(100), Span::ZERO);
    for _ in 0..5 {
        watch.failed(Fault::lost("x"), now);
        let until = pause(&mut watch, now);
        assert!(until.since(now) > last, "{last:?}");
        (last, now) = (until.since(now), until);
        sent(&mut watch, now);
    }
    let asked = Fault { retry_after: Some(Span::from_secs(40)), ..Fault::code(429, "", "") };
    watch.failed(asked, now);
    assert!(pause(&mut watch, now).since(now) >= Span::from_secs(40));
}

#[test]
fn a_list_that_expires_at_once_again_and_again_makes_no_storm() {
    let (mut watch, mut now, mut lists) = (watch(), at(0), 0);
    while now < at(120) {
        match stream(&mut watch, now) {
            Request::Stream { .. } => {
                lists += 1;
                watch.opened(now);
                watch.line(list_end("5"), now);
                watch.line(Line::Failed(Fault::code(410, "Expired", "")), now);
            }
            other => panic!("{other:?}"),
        }
        now = pause(&mut watch, now);
    }
    assert!(lists <= 20, "{lists} lists in two minutes");
}

#[test]
fn watches_that_end_at_once_make_no_storm() {
    let (mut watch, mut now, mut tries) = (synced("5"), at(60), 0);
    watch.ended(now);
    while now < at(180) {
        assert_eq!(version(sent(&mut watch, now)), "5");
        watch.opened(now);
        watch.ended(now);
        tries += 1;
        now = pause(&mut watch, now);
    }
    assert!(tries <= 20, "{tries} watches in two minutes");
}

#[test]
fn a_watch_that_is_answered_again_is_in_no_trouble_though_nothing_happens() {
    let mut watch = synced("5");
    watch.failed(Fault::lost("x"), at(1));
    let now = pause(&mut watch, at(1));
    sent(&mut watch, now);
    assert!(watch.health().trouble.is_some());
    watch.opened(now);
    assert_eq!(watch.health().trouble, None);
}

#[test]
fn a_watch_that_lives_again_forgets_its_failures() {
    let mut watch = synced("5");
    let mut now = at(1);
    for _ in 0..6 {
        watch.failed(Fault::lost("x"), now);
        now = pause(&mut watch, now);
        sent(&mut watch, now);
    }
    watch.opened(now);
    watch.line(changed("6"), now);
    assert_eq!(watch.health().trouble, None);
    watch.failed(Fault::lost("x"), now);
    assert!(pause(&mut watch, now).since(now) <= Span::from_ms(300));
}

#[test]
fn watches_of_different_seeds_do_not_end_together() {
    let ends: std::collections::BTreeSet<Time> = (0..20)
        .map(|seed| {
            let mut watch = Watch::new(Times::default(), seed);
            match stream(&mut watch, at(0)) {
                Request::Stream { timeout } => at(0).after(timeout),
                other => panic!("{other:?}"),
            }
        })
        .collect();
    assert!(ends.len() > 15, "{ends:?}");
    assert!(ends.iter().all(|end| *end >= at(30) && *end <= at(55)), "{ends:?}");
}

#[test]
fn what_comes_late_from_a_connection_that_was_given_up_means_nothing() {
    let mut watch = synced("5");
    watch.failed(Fault::lost("x"), at(1));
    assert_eq!(watch.line(changed("99"), at(1)), Mark::Nothing);
    assert_eq!(watch.paged("99", "", at(1)), [Mark::Nothing; 2]);
    let until = pause(&mut watch, at(1));
    assert_eq!(version(sent(&mut watch, until)), "5");
}
