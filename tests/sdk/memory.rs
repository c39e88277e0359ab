//! Test of the memory of the largest upload, which runs itself as another process that measures itself.

use std::fs;
use std::process::Command;

use links_fixtures::{ContractServer, World};
use links_sdk::{Client, MAX_UPLOAD_BYTES, Token, Upload, UploadMethod};

const MIB: u64 = 1024 * 1024;
/// Variable with `base token way file` for the other process; without a file it uploads nothing.
const ORDER: &str = "LINKS_TEST_UPLOAD";

/// Returns the maximum memory of the process so far, in bytes.
fn peak() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix(" kB")?.parse::<u64>().ok()? * 1024)
}

#[tokio::test]
#[ignore = "the other process of the test below"]
async fn uploading_process() {
    let Ok(order) = std::env::var(ORDER) else { return };
    let words: Vec<&str> = order.split(' ').collect();
    let client = Client::builder(words[0]).token(Token::new(words[1]).unwrap()).build().unwrap();
    client.me().await.unwrap();
    if let Some(path) = words.get(3) {
        let via = if words[2] == "url" { UploadMethod::UploadUrl } else { UploadMethod::Multipart };
        client.files().upload(Upload::file(path).method(via)).await.unwrap();
    }
    println!("peak={}", peak().unwrap());
}

/// Runs the other process to its end, and returns its peak.
fn run(order: String) -> u64 {
    let this = std::env::current_exe().unwrap();
    let arguments = ["--exact", "memory::uploading_process", "--ignored", "--nocapture"];
    let output = Command::new(this).args(arguments).env(ORDER, order).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let peak = text.split_once("peak=").and_then(|(_, rest)| rest.lines().next()?.parse().ok());
    peak.unwrap_or_else(|| panic!("{text}{}", String::from_utf8_lossy(&output.stderr)))
}

#[tokio::test(flavor = "multi_thread")]
async fn fifty_megabytes_take_at_most_sixteen_of_memory() {
    if peak().is_none() {
        println!("skipped: this system does not tell the peak memory of a process in /proc");
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("large.png");
    fs::write(&path, b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\x06\x40\0\0\x03\x84\x08\x02\0\0\0")
        .unwrap();
    fs::File::options().write(true).open(&path).unwrap().set_len(MAX_UPLOAD_BYTES).unwrap();
    let server = ContractServer::builder(World::cafe()).no_limits().start().await.unwrap();
    let (base, token) = (server.base_url(), server.token());
    let measure = |rest: String| {
        let order = format!("{base} {token} {rest}");
        tokio::task::spawn_blocking(|| run(order))
    };
    let empty = measure("none".to_owned()).await.unwrap();
    for way in ["multipart", "url"] {
        let full = measure(format!("{way} {}", path.display())).await.unwrap();
        let more = full.saturating_sub(empty) / MIB;
        assert!(more <= 16, "{way}: {more} MiB more than the {} MiB of an empty run", empty / MIB);
        println!("{way}: {more} MiB more than the {} MiB of an empty run", empty / MIB);
    }
    let stored: Vec<u64> = server.account().files.iter().map(|file| file.bytes).collect();
    assert_eq!(stored.iter().filter(|bytes| **bytes == MAX_UPLOAD_BYTES).count(), 2);
}
