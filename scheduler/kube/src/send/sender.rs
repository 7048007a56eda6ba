//! One call on the wire, once: no retry, no queue, no reading of codes.
//!
//! Invariants: a write that is not allowed any more is not sent (see [`super::pass`]); an answer
//! is `Unsent` only where the server cannot carry the call out, and `Lost` whenever it might.
//! Binds have connections of their own, so that nothing else can be in their way.

use super::answer;
use super::encode::Encoder;
use super::pass::{Guarded, Pass};
use super::request::Request;
use crate::client::{self, AGENT, Response, causes, say};
use crate::clock::Clock;
use crate::served::Served;
use bytes::Bytes;
use http::HeaderMap;
use http::header::{ACCEPT, CONTENT_TYPE, USER_AGENT};
use http_body_util::{BodyExt, Limited};
use scheduler_model::time::Time;
use scheduler_protocol::answer::{Answer, Reply};
use scheduler_protocol::call::{Call, Send};
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;
use tokio::time::{Instant, timeout_at};
use tower::{BoxError, ServiceExt};

/// Most bytes of an answer that are read; the server's own limit on an object is below.
const ANSWER_BYTES: usize = 8 << 20;

type Transport = client::Transport<Guarded>;
type Meter = Arc<dyn Fn(&Sent) + std::marker::Send + Sync>;

/// One request that is over, for metrics.
#[derive(Clone, Debug, PartialEq)]
pub struct Sent {
    /// The verb as access rules name it.
    pub verb: &'static str,
    /// The resource as access rules name it, such as `pods/binding`.
    pub resource: &'static str,
    /// HTTP status code; `None` where no answer came.
    pub code: Option<u16>,
    /// How long it took.
    pub took: Duration,
}

/// Sends calls. Cheap to clone; clones share their connections.
#[derive(Clone)]
pub struct Sender {
    binds: Transport,
    rest: Transport,
    clock: Clock,
    encoder: Arc<RwLock<Arc<Encoder>>>,
    meter: Meter,
}

impl fmt::Debug for Sender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sender").field("encoder", &self.encoder()).finish_non_exhaustive()
    }
}

impl Sender {
    /// A sender to the cluster that `config` names. Must be called inside a tokio runtime.
    ///
    /// # Errors
    /// If certificates or credentials cannot be read, or a proxy is asked for.
    pub fn new(config: &kube::Config, clock: Clock, encoder: Encoder) -> kube::Result<Self> {
        Ok(Self {
            binds: client::transport(config)?,
            rest: client::transport(config)?,
            clock,
            encoder: Arc::new(RwLock::new(Arc::new(encoder))),
            meter: Arc::new(|_| ()),
        })
    }

    /// The same, with `meter` told of every request.
    #[must_use]
    pub fn with_meter(self, meter: impl Fn(&Sent) + std::marker::Send + Sync + 'static) -> Self {
        Self { meter: Arc::new(meter), ..self }
    }

    /// From now on, this sender and its clones write groups in the versions that are served.
    pub fn serve(&self, served: Served) {
        let encoder = Encoder { instance: self.encoder().instance.clone(), served };
        *self.encoder.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(encoder);
    }

    fn encoder(&self) -> Arc<Encoder> {
        // It is replaced whole, so a panic elsewhere leaves nothing half-written.
        Arc::clone(&self.encoder.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Sends one call and waits for its answer, no longer than it allows.
    pub async fn send(&self, send: Send) -> Answer {
        let deadline = Instant::now() + Duration::from_millis(send.timeout.ms().unsigned_abs());
        let transport = match send.call {
            Call::Bind { .. } | Call::ReadPod(_) => &self.binds,
            _ => &self.rest,
        };
        let requests = self.encoder().encode(send.id, &send.call);
        let mut last = nowhere();
        for (index, request) in requests.into_iter().enumerate() {
            let answer = self.one(transport, request, send.not_after, deadline).await;
            last = match answer {
                Answer::Reply(reply) if is_success(&reply) => Answer::Reply(reply),
                // The first half is done, so the whole was not left undone.
                Answer::Unsent(words) if index > 0 => return Answer::Lost(words),
                other => return other,
            };
        }
        last
    }

    async fn one(
        &self,
        transport: &Transport,
        request: Request,
        not_after: Time,
        deadline: Instant,
    ) -> Answer {
        let (verb, resource) = (request.verb, request.resource);
        let begin = Instant::now();
        let answer = self.exchange(transport, request, not_after, deadline).await;
        let code = match &answer {
            Answer::Reply(reply) => Some(reply.code),
            Answer::Lost(_) | Answer::Unsent(_) => None,
        };
        (self.meter)(&Sent { verb, resource, code, took: begin.elapsed() });
        answer
    }

    async fn exchange(
        &self,
        transport: &Transport,
        request: Request,
        not_after: Time,
        deadline: Instant,
    ) -> Answer {
        let wants = request.wants;
        let pass = Pass::new(self.clock, not_after);
        let has_body = request.body.is_some();
        if pass.is_late() {
            return Answer::Unsent(super::pass::TooLate.to_string());
        }
        let request = match http_request(request, &pass) {
            Ok(request) => request,
            Err(error) => return Answer::Unsent(format!("it makes no request: {error}")),
        };
        let sent = timeout_at(deadline, transport.clone().oneshot(request)).await;
        let failure = match sent {
            Ok(Ok(response)) => return Answer::Reply(receive(response, wants, deadline).await),
            Ok(Err(error)) => {
                Failure { is_unconnected: is_unconnected(&*error), words: say(&*error) }
            }
            Err(_) => Failure { is_unconnected: false, words: "no answer in time".to_owned() },
        };
        // From here on the body cannot go out any more, if it has not.
        let is_unsent = if has_body { pass.withdraw() } else { failure.is_unconnected };
        if is_unsent { Answer::Unsent(failure.words) } else { Answer::Lost(failure.words) }
    }
}

struct Failure {
    is_unconnected: bool,
    words: String,
}

/// There is no object to write to: what the server would say.
fn nowhere() -> Answer {
    let message = "this gang has no group object to write to".to_owned();
    Answer::Reply(Reply {
        message,
        reason: "NotFound".to_owned(),
        ..Reply::code(http::StatusCode::NOT_FOUND.as_u16())
    })
}

fn is_success(reply: &Reply) -> bool {
    http::StatusCode::from_u16(reply.code).is_ok_and(|code| code.is_success())
}

fn http_request(request: Request, pass: &Arc<Pass>) -> Result<http::Request<Guarded>, BoxError> {
    let mut builder = http::Request::builder()
        .method(request.method)
        .uri(request.path)
        .header(ACCEPT, "application/json")
        .header(USER_AGENT, AGENT);
    let mut bytes = Bytes::new();
    if let Some((content, value)) = request.body {
        builder = builder.header(CONTENT_TYPE, content.mime());
        bytes = serde_json::to_vec(&value)?.into();
    }
    Ok(builder.body(Guarded::new(bytes, Arc::clone(pass)))?)
}

/// The code stands once the head is here, whatever becomes of the body.
async fn receive(response: Response, wants: super::request::Wants, deadline: Instant) -> Reply {
    let (head, body) = response.into_parts();
    let whole = timeout_at(deadline, Limited::new(body, ANSWER_BYTES).collect()).await;
    let body = match whole {
        Ok(Ok(body)) => Ok(body.to_bytes()),
        Ok(Err(error)) => Err(format!("the answer broke off: {error}")),
        Err(_) => Err("the answer broke off: its rest did not come in time".to_owned()),
    };
    let headers: &HeaderMap = &head.headers;
    let body = body.as_deref().map_err(String::as_str);
    answer::read(head.status.as_u16(), headers, body, wants)
}

/// True if there was no connection to send anything over.
fn is_unconnected(error: &(dyn std::error::Error + 'static)) -> bool {
    causes(error).any(|cause| {
        let client = cause.downcast_ref::<hyper_util::client::legacy::Error>();
        client.is_some_and(hyper_util::client::legacy::Error::is_connect)
    })
}
