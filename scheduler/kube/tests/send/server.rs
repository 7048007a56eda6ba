//! A server that does with each request what the test says, byte by byte.

use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::time::{sleep, timeout};

/// What becomes of a request.
#[derive(Clone, Debug)]
pub(crate) enum Deed {
    /// These bytes come back, and the connection stays.
    Say(String),
    /// These bytes come back, and the connection ends.
    BreakOff(String),
    /// Nothing comes back.
    Hang,
}

impl Deed {
    /// A whole answer.
    pub(crate) fn answer(code: u16, headers: &str, body: &str) -> Self {
        let length = body.len();
        Self::Say(format!("HTTP/1.1 {code} X\r\nContent-Length: {length}\r\n{headers}\r\n{body}"))
    }
}

/// The server, and everything it was sent.
pub(crate) struct Server {
    pub(crate) config: kube::Config,
    heard: Arc<Mutex<Vec<String>>>,
}

impl Server {
    /// Starts one that does one deed per request, the last one for ever.
    pub(crate) async fn start(deeds: Vec<Deed>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        Self::on(listener, deeds, Vec::new(), Duration::ZERO)
    }

    /// The same, with no room for another connection until `busy` is over.
    pub(crate) async fn start_busy(deeds: Vec<Deed>, busy: Duration) -> Self {
        let socket = TcpSocket::new_v4().expect("a socket");
        socket.bind(([127, 0, 0, 1], 0).into()).expect("a free port");
        let listener = socket.listen(1).expect("it listens");
        let address = listener.local_addr().expect("it has an address");
        let mut others = Vec::new();
        while let Ok(Ok(other)) =
            timeout(Duration::from_millis(50), TcpStream::connect(address)).await
        {
            others.push(other);
        }
        Self::on(listener, deeds, others, busy)
    }

    fn on(listener: TcpListener, deeds: Vec<Deed>, others: Vec<TcpStream>, busy: Duration) -> Self {
        let address = listener.local_addr().expect("it has an address");
        let heard: Arc<Mutex<Vec<String>>> = Arc::default();
        let deeds = Arc::new(deeds);
        let all = Arc::clone(&heard);
        tokio::spawn(async move {
            sleep(busy).await;
            drop(others);
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, Arc::clone(&all), Arc::clone(&deeds)));
            }
        });
        let url = format!("http://{address}").parse().expect("an address");
        Self { config: kube::Config::new(url), heard }
    }

    /// All requests so far, those that were not sent whole among them.
    pub(crate) fn heard(&self) -> Vec<String> {
        self.heard.lock().expect("nobody panicked").clone()
    }
}

async fn serve(mut stream: TcpStream, heard: Arc<Mutex<Vec<String>>>, deeds: Arc<Vec<Deed>>) {
    let mut index = None;
    let mut text = String::new();
    let mut bytes = [0; 4096];
    while let Ok(count) = stream.read(&mut bytes).await {
        if count == 0 {
            return;
        }
        text.push_str(&String::from_utf8_lossy(&bytes[..count]));
        let place = {
            let mut heard = heard.lock().expect("nobody panicked");
            let place = *index.get_or_insert_with(|| {
                heard.push(String::new());
                heard.len() - 1
            });
            heard[place].clone_from(&text);
            place
        };
        if !is_whole(&text) {
            continue;
        }
        match &deeds[place.min(deeds.len() - 1)] {
            Deed::Say(answer) => {
                let _ = stream.write_all(answer.as_bytes()).await;
                (index, text) = (None, String::new());
            }
            Deed::BreakOff(answer) => {
                let _ = stream.write_all(answer.as_bytes()).await;
                return;
            }
            Deed::Hang => {}
        }
    }
}

/// Head and body are here.
fn is_whole(text: &str) -> bool {
    let Some((head, body)) = text.split_once("\r\n\r\n") else { return false };
    let head = head.to_ascii_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length:"));
    let length: usize = length.map_or(0, |length| length.trim().parse().expect("a number"));
    body.len() >= length
}
