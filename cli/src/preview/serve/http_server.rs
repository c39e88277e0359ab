//! HTTP server on `127.0.0.1`.

use std::convert::Infallible;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::rc::Rc;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio::task::spawn_local;

use super::routes::{Routes, answer};
use super::serve_session::ApplyOrder;
use super::served::Served;

/// Maximum number of open connections; further ones are closed at once.
const MOST_CONNECTIONS: usize = 64;

/// A bound port that does not answer yet.
pub(super) struct HttpServer {
    listener: TcpListener,
    address: SocketAddr,
}

impl HttpServer {
    /// Binds to this port, or to a free one if it is 0.
    pub(super) fn bind(port: u16) -> io::Result<Self> {
        let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        Ok(Self { listener: TcpListener::from_std(listener)?, address })
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
                let connection = http1::Builder::new();
                // A connection that breaks concerns only its client.
                let _ = connection.serve_connection(TokioIo::new(stream), service).await;
                drop(open);
            });
        }
    }
}
