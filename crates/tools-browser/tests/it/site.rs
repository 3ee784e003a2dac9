//! A loopback server of a few pages.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

/// The server; dropped, it ends.
pub(crate) struct Site {
    pub(crate) address: SocketAddr,
    heads: Arc<Mutex<Vec<String>>>,
    _running: JoinSet<()>,
}

impl Site {
    /// A server of these pages, by path; a page that begins with `HTTP/` is a whole answer.
    pub(crate) async fn start(pages: &[(&str, &str)]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let owned = |(path, page): &(&str, &str)| ((*path).to_owned(), (*page).to_owned());
        let pages: Arc<HashMap<String, String>> = Arc::new(pages.iter().map(owned).collect());
        let heads = Arc::<Mutex<Vec<String>>>::default();
        let seen = Arc::clone(&heads);
        let mut running = JoinSet::new();
        running.spawn(async move {
            let mut connections = JoinSet::new();
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                connections.spawn(serve(stream, Arc::clone(&pages), Arc::clone(&seen)));
            }
        });
        Self { address, heads, _running: running }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// The heads of all requests.
    pub(crate) fn heads(&self) -> Vec<String> {
        self.heads.lock().unwrap().clone()
    }
}

async fn serve(mut stream: TcpStream, pages: Arc<HashMap<String, String>>, seen: Arc<Mutex<Vec<String>>>) {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let Ok(byte) = stream.read_u8().await else { return };
        head.push(byte);
    }
    let head = String::from_utf8(head).unwrap();
    let path = head.split(' ').nth(1).unwrap().split('?').next().unwrap().to_owned();
    seen.lock().unwrap().push(head);
    let answer = match pages.get(&path) {
        Some(whole) if whole.starts_with("HTTP/") => whole.clone(),
        Some(page) => format!(
            "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{page}",
            page.len()
        ),
        None => "HTTP/1.1 404 Not Found\r\ncontent-length: 4\r\nconnection: close\r\n\r\nnone".to_owned(),
    };
    let _ = stream.write_all(answer.as_bytes()).await;
    let _ = stream.shutdown().await;
}
