//! A bad connection to the API server: stalls, swallows answers, is cut.
//!
//! It forwards bytes and understands none of them, so what goes wrong here looks to a client
//! exactly like a network that does. It lives on the runtime of the test that made it.

use crate::fault::{Fault, Trying};
use crate::plane::ControlPlane;
use std::path::{Path, PathBuf};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// How the connection behaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line {
    /// Everything passes.
    Open,
    /// Nothing passes either way, and nobody is told; what was sent arrives after it is open
    /// again.
    Stalled,
    /// Requests arrive, answers are held back until it is open again.
    Deaf,
    /// Answers and what watches tell arrive, requests are held back until it is open again.
    Mute,
    /// Connections are closed, and new ones as soon as they are made.
    Cut,
}

/// A port that leads to the API server, until the test says otherwise. Dropping it cuts it.
#[derive(Debug)]
pub struct Relay {
    port: u16,
    line: watch::Sender<Line>,
    acceptor: JoinHandle<()>,
}

impl Relay {
    /// An open line to the API server of `plane`.
    pub async fn new(plane: &ControlPlane) -> Result<Self, Fault> {
        let listener = TcpListener::bind("127.0.0.1:0").await;
        let listener = listener.trying(|| "opening a port".to_owned())?;
        let port = listener.local_addr().trying(|| "opening a port".to_owned())?.port();
        let (line, state) = watch::channel(Line::Open);
        let target = plane.url().trim_start_matches("https://").to_owned();
        let acceptor = tokio::spawn(accept(listener, target, state));
        Ok(Self { port, line, acceptor })
    }

    /// Behaves so from now on, also on connections that are there.
    pub fn set(&self, line: Line) {
        self.line.send_replace(line);
    }

    /// A copy of a kubeconfig file that leads through this relay.
    pub fn kubeconfig(&self, plane: &ControlPlane, original: &Path) -> Result<PathBuf, Fault> {
        let text = std::fs::read_to_string(original);
        let text = text.trying(|| format!("reading {}", original.display()))?;
        let through = format!("https://127.0.0.1:{}", self.port);
        let path = original.with_extension(format!("{}.kubeconfig", self.port));
        let done = std::fs::write(&path, text.replace(&plane.url(), &through));
        done.trying(|| format!("writing {}", path.display()))?;
        Ok(path)
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.acceptor.abort();
        self.line.send_replace(Line::Cut);
    }
}

async fn accept(listener: TcpListener, target: String, line: watch::Receiver<Line>) {
    while let Ok((client, _)) = listener.accept().await {
        if *line.borrow() == Line::Cut {
            continue;
        }
        let Ok(server) = TcpStream::connect(&target).await else { continue };
        let (from_client, to_client) = client.into_split();
        let (from_server, to_server) = server.into_split();
        tokio::spawn(pump(from_client, to_server, line.clone(), &[Line::Open, Line::Deaf]));
        tokio::spawn(pump(from_server, to_client, line.clone(), &[Line::Open, Line::Mute]));
    }
}

/// Forwards one direction while the line is in one of the states of `passing`.
async fn pump(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    mut line: watch::Receiver<Line>,
    passing: &'static [Line],
) {
    let mut buffer = vec![0; 64 * 1024];
    loop {
        let count = tokio::select! {
            read = from.read(&mut buffer) => match read {
                Ok(count) if count > 0 => count,
                _ => return,
            },
            // Whoever waits for bytes that never come is cut too.
            _ = line.wait_for(|line| *line == Line::Cut) => return,
        };
        let is_open = line
            .wait_for(|line| *line == Line::Cut || passing.contains(line))
            .await
            .is_ok_and(|line| *line != Line::Cut);
        if !is_open || to.write_all(&buffer[..count]).await.is_err() {
            return;
        }
    }
}
