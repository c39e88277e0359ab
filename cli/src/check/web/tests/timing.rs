//! Time that many links take.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::time::Instant;

use super::super::visit::VisitEnd;
use super::{checker, link};

const HOSTS: u16 = 250;
const LINKS: usize = 500;
const LATENCY: Duration = Duration::from_millis(200);

/// Answers every request after a while.
async fn serve(listener: TcpListener) {
    while let Ok((mut stream, _)) = listener.accept().await {
        tokio::spawn(async move {
            let mut request = Vec::new();
            loop {
                while !request.ends_with(b"\r\n\r\n") {
                    if !matches!(stream.read_buf(&mut request).await, Ok(read) if read > 0) {
                        return;
                    }
                }
                request.clear();
                #[expect(clippy::disallowed_methods, reason = "the latency is what is measured")]
                tokio::time::sleep(LATENCY).await;
                let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
                if stream.write_all(answer).await.is_err() {
                    return;
                }
            }
        });
    }
}

/// `cargo test -p links-cli --lib web::tests::timing -- --ignored --nocapture`, on Linux, where all of 127/8 is this machine.
#[tokio::test]
#[ignore = "takes seconds in real time, and needs an idle machine"]
async fn five_hundred_links_on_250_hosts_take_what_the_limits_force() {
    let mut hosts: Vec<SocketAddr> = Vec::new();
    for nth in 0..HOSTS {
        let [high, low] = nth.to_be_bytes();
        let listener = TcpListener::bind((Ipv4Addr::new(127, 7, high, low + 1), 0)).await.unwrap();
        hosts.push(listener.local_addr().unwrap());
        tokio::spawn(serve(listener));
    }
    let url = |nth: usize| format!("http://{}/{nth}", hosts[nth % hosts.len()]);
    let links = (0..LINKS).map(|nth| link(&url(nth))).collect();
    let start = Instant::now();
    let visits = checker().visit_all(links, || {}).await;
    let taken = start.elapsed();
    assert!(visits.iter().all(|visit| visit.end == VisitEnd::Status(200)));
    #[expect(clippy::cast_precision_loss, reason = "500 is exact")]
    let forced = LATENCY.mul_f64(LINKS as f64 / 16.0);
    println!(
        "{taken:?}, {:.2} of the {forced:?} that 16 at once force",
        taken.as_secs_f64() / forced.as_secs_f64()
    );
    assert!(taken <= forced.mul_f64(1.2), "{taken:?}");
}
