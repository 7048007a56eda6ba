//! Calls on a real connection to a server that misbehaves.

use crate::make::{bind, encoder, group, lease, pod, running, send};
use crate::server::{Deed, Server};
use scheduler_kube::clock::Clock;
use scheduler_kube::send::{Sender, Sent};
use scheduler_model::spec::Dialect;
use scheduler_model::time::{Span, Time};
use scheduler_protocol::answer::{Answer, Body, Reply};
use scheduler_protocol::call::{Call, Send};
use std::sync::{Arc, Mutex};
use std::time::Duration;

fn sender(server: &Server) -> Sender {
    Sender::new(&server.config, Clock::start(), encoder()).expect("a plain configuration")
}

fn ok() -> Deed {
    Deed::answer(201, "", r#"{"kind":"Status","status":"Success"}"#)
}

#[tokio::test]
async fn a_bind_goes_out_once_and_its_answer_comes_back() {
    let server = Server::start(vec![ok()]).await;
    let answer = sender(&server).send(send(bind(), Time::NEVER)).await;
    assert_eq!(answer, Answer::Reply(Reply::code(201)));
    let heard = server.heard();
    assert_eq!(heard.len(), 1);
    let start = "POST /api/v1/namespaces/a/pods/train-0/binding?fieldManager=muster HTTP/1.1\r\n";
    assert!(heard[0].starts_with(start), "{}", heard[0]);
    assert!(heard[0].contains(r#""uid":"u-1""#), "{}", heard[0]);
}

#[tokio::test]
async fn a_server_that_is_busy_is_not_asked_again() {
    let busy = Deed::answer(503, "Retry-After: 7\r\n", "");
    let server = Server::start(vec![busy]).await;
    let answer = sender(&server).send(send(bind(), Time::NEVER)).await;
    let wanted = Reply { retry_after: Some(Span::from_secs(7)), ..Reply::code(503) };
    assert_eq!(answer, Answer::Reply(wanted));
    assert_eq!(server.heard().len(), 1);
}

#[tokio::test]
async fn a_connection_that_ends_without_an_answer_loses_the_call() {
    let server = Server::start(vec![Deed::BreakOff(String::new())]).await;
    let answer = sender(&server).send(send(bind(), Time::NEVER)).await;
    assert!(matches!(answer, Answer::Lost(_)), "{answer:?}");
    assert_eq!(server.heard().len(), 1);
}

#[tokio::test]
async fn an_answer_that_breaks_off_in_its_head_loses_the_call() {
    let server = Server::start(vec![Deed::BreakOff("HTTP/1.1 201 Crea".to_owned())]).await;
    let answer = sender(&server).send(send(bind(), Time::NEVER)).await;
    assert!(matches!(answer, Answer::Lost(_)), "{answer:?}");
}

#[tokio::test]
async fn an_answer_that_breaks_off_in_its_body_has_its_code() {
    let half = "HTTP/1.1 201 Created\r\nContent-Length: 900\r\n\r\n{\"kind\":";
    let server = Server::start(vec![Deed::BreakOff(half.to_owned())]).await;
    let sender = sender(&server);
    let answer = sender.send(send(bind(), Time::NEVER)).await;
    assert_eq!(answer, Answer::Reply(Reply::code(201)));
    let Answer::Reply(read) = sender.send(send(Call::ReadPod(pod()), Time::NEVER)).await else {
        panic!("the head was whole");
    };
    assert!(matches!(read.body, Body::Unreadable(_)), "{read:?}");
}

#[tokio::test]
async fn no_answer_in_time_loses_the_call() {
    let server = Server::start(vec![Deed::Hang]).await;
    let short = Send { timeout: Span::from_ms(100), ..send(bind(), Time::NEVER) };
    let answer = sender(&server).send(short).await;
    assert_eq!(answer, Answer::Lost("no answer in time".to_owned()));
    assert_eq!(server.heard().len(), 1);
}

#[tokio::test]
async fn a_body_that_never_ends_is_cut_off_by_the_timeout() {
    let endless = "HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n{";
    let server = Server::start(vec![Deed::Say(endless.to_owned())]).await;
    let call = Call::ReadLease(lease());
    let short = Send { timeout: Span::from_ms(100), ..send(call, Time::NEVER) };
    let answer = sender(&server).send(short).await;
    let Answer::Reply(Reply { body: Body::Unreadable(words), .. }) = answer else {
        panic!("the head was whole: {answer:?}");
    };
    assert!(words.contains("in time"), "{words}");
}

#[tokio::test]
async fn without_a_server_nothing_is_sent() {
    let mut server = Server::start(vec![ok()]).await;
    // Port 1 is nobody's.
    server.config.cluster_url = "http://127.0.0.1:1".parse().expect("an address");
    let sender = sender(&server);
    for call in [bind(), Call::ReadPod(pod())] {
        let answer = sender.send(send(call, Time::NEVER)).await;
        assert!(matches!(answer, Answer::Unsent(_)), "{answer:?}");
    }
}

#[tokio::test]
async fn a_call_that_is_late_already_is_not_sent() {
    let server = Server::start(vec![ok()]).await;
    let answer = sender(&server).send(send(bind(), Time::from_ms(1))).await;
    assert!(matches!(answer, Answer::Unsent(_)), "{answer:?}");
    assert_eq!(server.heard(), Vec::<String>::new());
}

/// At the time of `send` the right to write was there; then the connection took a while. Not a
/// byte of the request arrives, though the server is there again long before the timeout.
#[tokio::test]
async fn a_call_that_becomes_late_while_it_connects_is_not_sent() {
    let server = Server::start_busy(vec![ok()], Duration::from_millis(300)).await;
    let clock = Clock::start();
    let sender = Sender::new(&server.config, clock, encoder()).expect("a plain configuration");
    let soon = clock.now().after(Span::from_ms(200));
    let patient = Send { timeout: Span::from_secs(20), ..send(bind(), soon) };
    let answer = sender.send(patient.clone()).await;
    let Answer::Unsent(words) = answer else { panic!("it was late: {answer:?}") };
    assert!(words.contains("right to write"), "{words}");
    assert_eq!(server.heard(), Vec::<String>::new());

    let in_time = Send { not_after: Time::NEVER, ..patient };
    assert_eq!(sender.send(in_time).await, Answer::Reply(Reply::code(201)));
}

/// Nobody knows whether the server would have got it, had it been sent; it was not.
#[tokio::test]
async fn a_time_out_before_there_is_a_connection_leaves_the_call_unsent() {
    let server = Server::start_busy(vec![ok()], Duration::from_secs(3_600)).await;
    let short = Send { timeout: Span::from_ms(100), ..send(bind(), Time::NEVER) };
    let answer = sender(&server).send(short).await;
    assert!(matches!(answer, Answer::Unsent(_)), "{answer:?}");
}

#[tokio::test]
async fn a_status_in_two_requests_stops_at_the_first_refusal() {
    let refused = Deed::answer(422, "", r#"{"kind":"Status","reason":"Invalid"}"#);
    let server = Server::start(vec![refused]).await;
    let call =
        Call::GroupStatus { group: group(Dialect::Coscheduling), status: Box::new(running()) };
    let answer = sender(&server).send(send(call, Time::NEVER)).await;
    let wanted = Reply { reason: "Invalid".to_owned(), ..Reply::code(422) };
    assert_eq!(answer, Answer::Reply(wanted));
    assert_eq!(server.heard().len(), 1);
}

#[tokio::test]
async fn a_status_in_two_requests_has_the_last_answer() {
    let answers = [Deed::answer(200, "", "{}"), Deed::answer(202, "", "{}")];
    let server = Server::start(answers.to_vec()).await;
    let call =
        Call::GroupStatus { group: group(Dialect::Coscheduling), status: Box::new(running()) };
    let answer = sender(&server).send(send(call, Time::NEVER)).await;
    assert_eq!(answer, Answer::Reply(Reply::code(202)));
    assert_eq!(server.heard().len(), 2);
}

#[tokio::test]
async fn the_status_of_a_gang_without_an_object_finds_none() {
    let server = Server::start(vec![ok()]).await;
    let call = Call::GroupStatus { group: group(Dialect::Plain), status: Box::new(running()) };
    let Answer::Reply(reply) = sender(&server).send(send(call, Time::NEVER)).await else {
        panic!("it is answered without a server");
    };
    assert_eq!((reply.code, server.heard().len()), (404, 0));
}

#[tokio::test]
async fn every_request_is_metered() {
    let server = Server::start(vec![ok(), Deed::BreakOff(String::new())]).await;
    let seen: Arc<Mutex<Vec<Sent>>> = Arc::default();
    let all = Arc::clone(&seen);
    let sender = sender(&server)
        .with_meter(move |sent| all.lock().expect("nobody panicked").push(sent.clone()));
    sender.send(send(bind(), Time::NEVER)).await;
    sender.send(send(Call::ReadLease(lease()), Time::NEVER)).await;
    let seen = seen.lock().expect("nobody panicked").clone();
    let seen: Vec<_> = seen.iter().map(|sent| (sent.verb, sent.resource, sent.code)).collect();
    assert_eq!(seen, [("create", "pods/binding", Some(201)), ("get", "leases", None)]);
}
