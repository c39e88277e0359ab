//! HTTP server on `127.0.0.1`.

use std::convert::Infallible;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::rc::Rc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio::task::spawn_local;

use super::routes::{Routes, answer};
use super::serve_session::ApplyOrder;
use super::serve_session::Served;

/// Maximum number of open connections; further ones are closed at once.
const MOST_CONNECTIONS: usize = 64;

/// Time in which a client has to send the head of a request; also how long a connection may wait for its next one.
const HEAD_LIMIT: Duration = Duration::from_secs(30);

/// A bound port that does not answer yet.
pub(super) struct HttpServer {
    listener: TcpListener,
    address: SocketAddr,
    head_limit: Duration,
}

impl HttpServer {
    /// Binds to this port, or to a free one if it is 0.
    pub(super) fn bind(port: u16) -> io::Result<Self> {
        let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let listener = TcpListener::from_std(listener)?;
        Ok(Self { listener, address, head_limit: HEAD_LIMIT })
    }

    /// Returns the URL of the document.
    pub(super) fn url(&self, served: &Served) -> String {
        format!("http://{}/{}/", self.address, served.secret())
    }

    /// Answers requests until it is dropped. Without `orders` nothing can be applied.
    pub(super) async fn run(self, served: Rc<Served>, orders: Option<mpsc::Sender<ApplyOrder>>) {
        let routes = Rc::new(Routes { host: self.address.to_string(), served, orders });
        let open = Rc::new(());
        loop {
            // A client that disconnects while it waits is no failure of the server.
            let Ok((stream, _)) = self.listener.accept().await else {
                tokio::task::yield_now().await;
                continue;
            };
            if Rc::strong_count(&open) > MOST_CONNECTIONS {
                continue;
            }
            let (routes, open) = (routes.clone(), open.clone());
            spawn_local(async move {
                let service = service_fn(|request| {
                    let routes = routes.clone();
                    async move { Ok::<_, Infallible>(answer(&routes, &request).await) }
                });
                let mut connection = http1::Builder::new();
                // Without a timer there is no time limit for the head of a request.
                connection.timer(TokioTimer::new()).header_read_timeout(self.head_limit);
                // A connection that breaks concerns only its client.
                let _ = connection.serve_connection(TokioIo::new(stream), service).await;
                drop(open);
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpStream;
    use tokio::task::LocalSet;
    use tokio::time::timeout;

    use super::*;

    #[test]
    fn a_client_that_does_not_end_its_request_is_cut_off() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let ended = LocalSet::new().block_on(&runtime, async {
            let mut server = HttpServer::bind(0).unwrap();
            server.head_limit = Duration::from_millis(1);
            let mut client = TcpStream::connect(server.address).await.unwrap();
            spawn_local(server.run(Rc::new(Served::new()), None));
            client.write_all(b"GET / HTTP/1.1\r\nHost: ").await.unwrap();
            timeout(HEAD_LIMIT, client.read(&mut [0; 1])).await
        });
        // A closed connection, or a reset one.
        assert!(ended.is_ok_and(|read| read.unwrap_or_default() == 0));
    }
}
