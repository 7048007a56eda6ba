//! The admin server: metrics, health, explanations, dumps, the log level.
//!
//! Invariant: what it says of gangs and queues comes from the leader, as of the last turn; a
//! standby answers 503 with the leader's name rather than with what may be old.

use super::ask::Letterbox;
use super::config::Level;
use super::logs::Logs;
use super::metrics::figures::Figures;
use super::metrics::{Metrics, Watched};
use super::{dump, values};
use axum::Router;
use axum::extract::{Path, Query, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use scheduler_core::engine::Engine;
use scheduler_live::driver::Live;
use scheduler_live::news::Leadership;
use scheduler_model::time::Time;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What tells of the watched kinds.
pub type Watching = Arc<dyn Fn() -> Watches + Send + Sync>;

/// How all watched kinds stand.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Watches {
    /// Each of them.
    pub watched: Vec<Watched>,
    /// What must still be told before anything is decided, and why it was not.
    pub missing: Vec<String>,
    /// What is wrong beside that.
    pub troubles: Vec<String>,
    /// How many things are wrong with objects.
    pub problems: u64,
}

/// What the server needs.
#[derive(Clone)]
pub struct Admin {
    /// The way to the loop.
    pub letterbox: Letterbox,
    /// What is counted.
    pub metrics: Arc<Metrics>,
    /// The log.
    pub logs: Arc<Logs>,
    /// What tells of the watched kinds.
    pub watching: Watching,
    /// True once the process was asked to stop.
    pub stops: Arc<AtomicBool>,
}

impl std::fmt::Debug for Admin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Admin").finish_non_exhaustive()
    }
}

/// All paths.
pub fn routes(admin: Admin) -> Router {
    Router::new()
        .route("/", get(index))
        .route("/metrics", get(metrics))
        .route("/healthz", get(healthz))
        .route("/readyz", get(readyz))
        .route("/explain/{namespace}/{*gang}", get(explain))
        .route("/gangs", get(gangs))
        .route("/queues", get(queues))
        .route("/dump", get(dump))
        .route("/loglevel", get(level).put(set_level))
        .with_state(admin)
}

const INDEX: &str = "\
muster

/metrics                     for Prometheus
/healthz                     200 while the loop answers
/readyz                      200 once all kinds are known; else names those that are not
/explain/NAMESPACE/GANG      why a gang waits, as JSON
/gangs?namespace=NAMESPACE   all gangs, as JSON; also ?queue=QUEUE, with those of queues below
/queues                      all queues, as JSON
/dump                        what the scheduler sees, as a scenario for muster simulate
/loglevel                    the log level; PUT changes it
";

async fn index() -> &'static str {
    INDEX
}

/// What cannot be said now, and why.
fn unavailable(words: Value) -> Response {
    (StatusCode::SERVICE_UNAVAILABLE, axum::Json(words)).into_response()
}

fn silent() -> Response {
    unavailable(json!({"error": "the scheduler's loop does not answer"}))
}

impl Admin {
    /// Asks the loop of the leader; a standby says who that is.
    async fn ask<T: Send + 'static>(
        &self,
        question: impl FnOnce(&Engine, Time) -> T + Send + 'static,
    ) -> Result<T, Response> {
        let whole = move |live: &Live, now: Time| {
            if let Leadership::Following(leader) = live.leadership() {
                let error = "this replica is a standby";
                return Err(json!({"error": error, "leader": leader}));
            }
            if !live.is_ready() {
                return Err(json!({"error": "not all kinds are known yet; /readyz names them"}));
            }
            Ok(question(live.engine(), now))
        };
        match self.letterbox.ask(whole).await {
            Some(answer) => answer.map_err(unavailable),
            None => Err(silent()),
        }
    }
}

async fn metrics(State(admin): State<Admin>) -> Response {
    let figures = |engine: &Engine, now: Time| Figures {
        census: engine.census(now),
        nodes: engine.snapshot().nodes().live().iter().fold(0, |count, _| count + 1),
        problems: engine.snapshot().problems().fold(0, |count, _| count + 1),
    };
    // Without an answer everything else is still told: that is when it is needed most.
    let mut figures = admin.ask(figures).await.ok();
    let watches = (admin.watching)();
    if let Some(figures) = &mut figures {
        figures.problems += watches.problems;
    }
    let text = admin.metrics.text(figures.as_ref(), &watches.watched);
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], text).into_response()
}

async fn healthz(State(admin): State<Admin>) -> Response {
    match admin.letterbox.ask(|_, _| ()).await {
        Some(()) => "ok\n".into_response(),
        None => silent(),
    }
}

async fn readyz(State(admin): State<Admin>) -> Response {
    if admin.stops.load(Ordering::Relaxed) {
        return unavailable(json!({"error": "it was asked to stop"}));
    }
    let Watches { missing, troubles, .. } = (admin.watching)();
    let state = |live: &Live, _| (live.is_ready(), live.leadership().clone());
    let Some((is_ready, leadership)) = admin.letterbox.ask(state).await else { return silent() };
    if !is_ready || !missing.is_empty() {
        let error = "not all kinds are known yet";
        return unavailable(json!({"error": error, "missing": missing, "troubles": troubles}));
    }
    let troubles: String = troubles.iter().map(|trouble| format!("{trouble}\n")).collect();
    let head = match leadership {
        Leadership::Alone | Leadership::Leading => "ready, leads".to_owned(),
        Leadership::Following(leader) if leader.is_empty() => {
            "ready, a standby; nobody is known to lead".to_owned()
        }
        Leadership::Following(leader) => format!("ready, a standby; {leader} leads"),
    };
    format!("{head}\n{troubles}").into_response()
}

async fn explain(
    State(admin): State<Admin>,
    Path((namespace, gang)): Path<(String, String)>,
    Query(query): Query<BTreeMap<String, String>>,
) -> Response {
    let missing = format!("there is no gang {namespace}/{gang}");
    let dialect = query.get("dialect").cloned();
    let found = admin
        .ask(move |engine, _| values::explain(engine, &namespace, &gang, dialect.as_deref()))
        .await;
    match found {
        Ok(Some(value)) => axum::Json(value).into_response(),
        Ok(None) => (StatusCode::NOT_FOUND, axum::Json(json!({"error": missing}))).into_response(),
        Err(response) => response,
    }
}

async fn gangs(
    State(admin): State<Admin>,
    Query(query): Query<BTreeMap<String, String>>,
) -> Response {
    let [namespace, queue] = ["namespace", "queue"].map(|key| query.get(key).cloned());
    let found = admin
        .ask(move |engine, _| values::gangs(engine, namespace.as_deref(), queue.as_deref()))
        .await;
    found.map_or_else(|response| response, |value| axum::Json(value).into_response())
}

async fn queues(State(admin): State<Admin>) -> Response {
    let found = admin.ask(values::queues).await;
    found.map_or_else(|response| response, |value| axum::Json(value).into_response())
}

async fn dump(State(admin): State<Admin>) -> Response {
    // Only the world is made by the loop; as text it becomes larger and slower.
    let world = admin.ask(|engine, now| (dump::world(engine), now)).await;
    match world {
        Ok((world, now)) => {
            let text = dump::text(&world, now);
            ([(header::CONTENT_TYPE, "application/yaml")], text).into_response()
        }
        Err(response) => response,
    }
}

async fn level(State(admin): State<Admin>) -> String {
    format!("{}\n", admin.logs.level().as_str())
}

async fn set_level(State(admin): State<Admin>, body: String) -> Response {
    let set = Level::parse(body.trim()).and_then(|level| admin.logs.set(level));
    match set {
        Ok(()) => level(State(admin)).await.into_response(),
        Err(why) => (StatusCode::BAD_REQUEST, format!("{why}\n")).into_response(),
    }
}
