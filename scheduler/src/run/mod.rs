//! `muster run`: engine and machines on a real API server.
//!
//! Read in this order: here (what is started, and how it ends), [`driver`] (the loop on its own
//! thread), [`ask`] (the way to it), [`admin`] (what the admin server answers), [`config`],
//! [`logs`], [`metrics`].
//!
//! Invariants: the loop has a thread of its own, everything that waits for the network runs
//! elsewhere; nothing outside the loop decides anything.

pub mod admin;
pub mod ask;
pub mod config;
pub mod driver;
pub mod dump;
pub mod logs;
pub mod metrics;
pub mod settings;
pub mod values;

use crate::arguments::live::Run;
use crate::ending::Ending;
use admin::Admin;
use ask::Letterbox;
use config::{Config, Listen};
use driver::Driver;
use logs::Logs;
use metrics::{Metrics, Watched};
use scheduler_kube::client::Reader;
use scheduler_kube::clock::Clock;
use scheduler_kube::desk::DeskConfig;
use scheduler_kube::look::Access;
use scheduler_kube::send::{Encoder, Sender, Served};
use scheduler_kube::translate::Context;
use scheduler_kube::watch::{self, Hub, Update, WatchConfig};
use scheduler_live::driver::Live;
use scheduler_live::news::{End, News};
use scheduler_protocol::call::Send as Call;
use std::io::{self, Write};
use std::net::{Ipv4Addr, Ipv6Addr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;
use tracing::{error, info, warn};

/// Updates of watches that wait to be taken in.
const UPDATES_WAITING: usize = 16;

/// Chooses how TLS is done; before any connection.
pub fn install_crypto() {
    // It fails only where somebody has chosen already.
    let _ = rustls::crypto::ring::default_provider().install_default();
}

/// Runs the scheduler until it is asked to stop.
///
/// # Errors
/// If `err` cannot be written to.
pub fn run(wish: &Run, err: &mut dyn Write) -> io::Result<Ending> {
    install_crypto();
    let config = match settings::configured(wish) {
        Ok(config) => config,
        Err(faults) => {
            for fault in faults {
                writeln!(err, "error: {fault}")?;
            }
            return Ok(Ending::Unreadable);
        }
    };
    let logs = match Logs::begin(&config.log.level, config.log.format) {
        Ok(logs) => Arc::new(logs),
        Err(why) => {
            writeln!(err, "error: {why}")?;
            return Ok(Ending::Unreadable);
        }
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(threads())
        .enable_all()
        .build()?;
    let ending = runtime.block_on(work(wish, &config, logs));
    // Watches may hang in a read; nobody waits for them.
    runtime.shutdown_background();
    Ok(match ending {
        Ok(ending) => ending,
        Err(why) => {
            error!(why, "muster cannot run");
            Ending::Unreadable
        }
    })
}

/// Threads that read watches and answer people. More than these are of use to nobody: the kinds
/// with many objects are two, and the loop has its own thread.
fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, |cores| cores.get().min(4))
}

async fn work(wish: &Run, config: &Config, logs: Arc<Logs>) -> Result<Ending, String> {
    let identity = settings::identity(wish);
    info!(version = env!("CARGO_PKG_VERSION"), identity, names = ?config.scheduler_names, "starts");
    let access = Access { kubeconfig: wish.kubeconfig.clone(), context: wish.context.clone() };
    let cluster = access.config().await?;
    let listener = listen(config.listen).await?;
    let clock = Clock::start();
    let metrics = Arc::new(Metrics::new(config.metrics.volcano_names));
    let (letterbox, inbox) = Letterbox::new();
    let told = Arc::clone(&metrics);
    let encoder = Encoder { instance: identity.clone(), served: Served::default() };
    let unusable = |error| format!("the cluster cannot be used: {error} (check the kubeconfig)");
    let sender = Sender::new(&cluster, clock, encoder).map_err(unusable)?;
    let sender = sender.with_meter(move |sent| told.request(sent));
    let (profile, profiles) = settings::profiles(config);
    let context = Context { scheduler_names: config.scheduler_names.clone(), profiles };
    let live = Live::new(profile, settings::settings(config, &identity));
    let driver = Driver {
        live,
        clock,
        inbox,
        send: wire(sender.clone(), letterbox.clone())?,
        metrics: Arc::clone(&metrics),
        coalesce: config.timings.coalesce.duration(),
    };
    let reader = Reader::new(&cluster).map_err(unusable)?;
    let hub = Arc::new(watching(
        (reader, clock),
        context,
        config,
        &identity,
        (sender, letterbox.clone()),
    ));
    let stops = Arc::new(AtomicBool::new(false));
    heed_signals(letterbox.clone(), Arc::clone(&stops))?;
    let served = CancellationToken::new();
    let admin = Admin { letterbox, metrics, logs, watching: standing(&hub), stops };
    let server = axum::serve(listener, admin::routes(admin))
        .with_graceful_shutdown(served.clone().cancelled_owned());
    let server = tokio::spawn(server.into_future());
    let (over, end) = tokio::sync::oneshot::channel();
    let thread = std::thread::Builder::new().name("muster-loop".to_owned());
    let thread = thread.spawn(move || {
        let _ = over.send(driver.run());
    });
    thread.map_err(|error| format!("the loop has no thread: {error}"))?;
    // Without an answer the loop has panicked, and the panic said why.
    let end = end.await.ok().flatten();
    served.cancel();
    server.abort();
    Ok(ending(end))
}

/// Every address of this computer is also reached where it has no IPv6.
async fn listen(wanted: Listen) -> Result<TcpListener, String> {
    let bound = match TcpListener::bind(wanted.0).await {
        Err(error) if wanted.0.ip() == Ipv6Addr::UNSPECIFIED && !is_taken(&error) => {
            TcpListener::bind((Ipv4Addr::UNSPECIFIED, wanted.0.port())).await
        }
        bound => bound,
    };
    bound.map_err(|error| {
        format!("{wanted} cannot be listened on: {error} (name another with --listen)")
    })
}

fn is_taken(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::AddrInUse | io::ErrorKind::PermissionDenied)
}

fn ending(end: Option<End>) -> Ending {
    match end {
        Some(End::Stopped) => {
            info!("stopped");
            Ending::Ran
        }
        Some(End::LeaseLost(holder)) => {
            error!(holder, "the lease was lost; start again");
            Ending::Failed
        }
        None => {
            error!("the loop broke off; start again, and report it");
            Ending::Failed
        }
    }
}

/// Puts calls on the wire; each answer goes to the loop. A thread of its own carries them all,
/// so that no watch that decodes a long list is in the way of a bind.
fn wire(sender: Sender, letterbox: Letterbox) -> Result<driver::Wire, String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| format!("nothing can be sent: {error}"))?;
    let (calls, mut waiting) = tokio::sync::mpsc::unbounded_channel::<Call>();
    let carry = async move {
        while let Some(call) = waiting.recv().await {
            let (sender, letterbox) = (sender.clone(), letterbox.clone());
            tokio::task::spawn_local(async move {
                let id = call.id;
                let answer = sender.send(call).await;
                letterbox.tell([News::Answer(id, answer)]);
            });
        }
    };
    let thread = std::thread::Builder::new().name("muster-calls".to_owned());
    let thread = thread.spawn(move || tokio::task::LocalSet::new().block_on(&runtime, carry));
    thread.map_err(|error| format!("calls have no thread: {error}"))?;
    Ok(Box::new(move |call| {
        // It fails only where the process ends.
        let _ = calls.send(call);
    }))
}

/// Watches everything; what is told goes to the loop.
fn watching(
    (reader, clock): (Reader, Clock),
    context: Context,
    config: &Config,
    identity: &str,
    (sender, letterbox): (Sender, Letterbox),
) -> Hub {
    let desk = DeskConfig { context, kueue_queues: config.kueue_queues };
    let seed = scheduler_protocol::retry::seed_of(identity);
    let (updates, mut news) = tokio::sync::mpsc::channel::<Update>(UPDATES_WAITING);
    let hub =
        watch::start(reader, clock, WatchConfig { desk, seed, ..Default::default() }, updates);
    tokio::spawn(async move {
        let mut was_ready = false;
        while let Some(Update { events, problems, is_ready, served }) = news.recv().await {
            if let Some(served) = served {
                sender.serve(served);
            }
            for problem in problems {
                let (object, field, remedy) = (problem.object, problem.field, problem.remedy);
                warn!(object, field, remedy, "problem: {}", problem.message);
            }
            let change = (is_ready != was_ready).then_some(News::Ready(is_ready));
            was_ready = is_ready;
            letterbox.tell(events.into_iter().map(News::Event).chain(change));
        }
    });
    hub
}

/// What the admin server says of the watched kinds.
fn standing(hub: &Arc<Hub>) -> admin::Watching {
    let hub = Arc::clone(hub);
    Arc::new(move || {
        let watched = hub.standings().into_iter().map(|one| Watched {
            kind: one.source.to_string(),
            is_synced: one.is_told,
            silent: std::time::Duration::from_millis(one.silent.ms().unsigned_abs()),
        });
        let readiness = hub.readiness();
        admin::Watches {
            watched: watched.collect(),
            missing: readiness.missing,
            troubles: readiness.troubles,
            problems: u64::try_from(hub.problems()).unwrap_or(u64::MAX),
        }
    })
}

/// The first signal stops in good order, the second at once.
fn heed_signals(letterbox: Letterbox, stops: Arc<AtomicBool>) -> Result<(), String> {
    let unheard = |error| format!("signals cannot be heard: {error}");
    let mut term = signal(SignalKind::terminate()).map_err(unheard)?;
    let mut int = signal(SignalKind::interrupt()).map_err(unheard)?;
    tokio::spawn(async move {
        loop {
            tokio::select! {
                _ = term.recv() => {}
                _ = int.recv() => {}
            }
            if stops.swap(true, Ordering::Relaxed) {
                warn!("asked to stop twice: ends at once");
                std::process::exit(1);
            }
            info!("asked to stop");
            letterbox.tell([News::Stop]);
        }
    });
    Ok(())
}
