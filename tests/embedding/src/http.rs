//! What the program's own HTTP client does.

use std::error::Error;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::thread;

/// Starts a server whose answers repeat the head of the request, and claim to be packed. Returns its port.
pub fn start() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    thread::spawn(move || {
        for connection in listener.incoming() {
            let mut connection = connection.expect("a connection");
            let mut head = Vec::new();
            while !head.ends_with(b"\r\n\r\n") {
                let mut byte = [0];
                match connection.read(&mut byte) {
                    // The client of a TLS connection is told something else than TLS.
                    Ok(1) if head.is_empty() && !byte[0].is_ascii_alphabetic() => break,
                    Ok(1) => head.push(byte[0]),
                    _ => break,
                }
            }
            let length = head.len();
            let answer = format!(
                "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-encoding: gzip\r\ncontent-length: {length}\r\n\r\n"
            );
            let _ = connection.write_all(&[answer.as_bytes(), &head].concat());
        }
    });
    port
}

/// Tells what is sent, what becomes of the answer, and which TLS is used.
pub async fn report() -> String {
    let port = start();
    let http = reqwest::Client::new();
    let read = http.get(format!("http://127.0.0.1:{port}/read")).send().await;
    let write =
        http.post(format!("http://127.0.0.1:{port}/write")).header("x-own", "1").send().await;
    let mut report = String::from("http:");
    for answer in [read, write] {
        let answer = answer.expect("an answer");
        let headers = format!("{:?}", answer.headers());
        report +=
            &format!("\n{headers}\n{}", answer.text().await.expect("the body as it was sent"));
    }
    // Without the SDK there is no TLS, with it there is one.
    if !cfg!(feature = "reqwest-without-tls") {
        let error =
            http.get(format!("https://127.0.0.1:{port}/")).send().await.expect_err("no TLS");
        let mut cause: Option<&dyn Error> = Some(&error);
        while let Some(error) = cause {
            report += &format!("\n{error}");
            cause = error.source();
        }
    }
    report.replace(&port.to_string(), "PORT")
}
