//! Recordings of requests and responses (`LINKS_RECORD`): a server that repeats them, and their comparison with the contract server.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;
use http::Request;
use links_fixtures::{Account, ContractServer, Profile, Slot};
use serde_json::{Value, json};

use crate::canned::{Canned, Received};

/// Path of the contract server's base URL, as of the service's.
const BASE_PATH: &str = "/api/v1";

/// A request and its response.
#[derive(Clone, Debug)]
pub struct RecordedCall {
    method: String,
    /// Path with the query.
    target: String,
    headers: BTreeMap<String, String>,
    body: Value,
    /// True if the body came from a file; it is not recorded.
    is_streamed: bool,
    /// `None` if there was no response.
    status: Option<u16>,
    response: Value,
}

/// Reads a recording.
pub fn read(text: &str) -> Vec<RecordedCall> {
    let exchange = |line: &str| {
        let mut line: Value = serde_json::from_str(line).unwrap();
        let headers = line["request"]["headers"].as_object().into_iter().flatten();
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        RecordedCall {
            method: text(&line["method"]),
            target: text(&line["target"]),
            headers: headers.map(|(name, value)| (name.clone(), text(value))).collect(),
            body: line["request"]["body"].take(),
            is_streamed: line["request"]["isStreamed"] == true,
            status: line["status"].as_u64().map(|status| status.try_into().unwrap()),
            response: line["response"]["body"].take(),
        }
    };
    text.lines().map(exchange).collect()
}

/// Starts a server that answers each request as the recording does: requests of the same method, target and body in their order, and then the last
/// of them again. Another request is answered with 501.
pub fn replay(exchanges: Vec<RecordedCall>) -> Canned {
    let mut left: Vec<Option<RecordedCall>> = exchanges.into_iter().map(Some).collect();
    let mut last: BTreeMap<(String, String, String), RecordedCall> = BTreeMap::new();
    Canned::answering(move |received: &Received| {
        let mut words = received.line.split(' ');
        let (method, path) = (words.next().unwrap(), words.next().unwrap());
        let body: Value = serde_json::from_slice(&received.body).unwrap_or_default();
        let is_same = |exchange: &RecordedCall| {
            exchange.method == method && path == exchange.target && exchange.body == body
        };
        let key = (method.to_owned(), path.to_owned(), body.to_string());
        let next = left.iter_mut().find(|it| it.as_ref().is_some_and(is_same));
        let exchange = match next.and_then(Option::take) {
            Some(exchange) => {
                last.insert(key, exchange.clone());
                exchange
            }
            None => match last.get(&key) {
                Some(exchange) => exchange.clone(),
                None => return (501, json!({ "error": "not in the recording" }).to_string()),
            },
        };
        let text = match exchange.response {
            Value::Null => String::new(),
            Value::String(text) => text,
            json => json.to_string(),
        };
        (exchange.status.unwrap_or(0), text)
    })
}

/// Makes the pages that a recording reads before it writes, with their slots and IDs.
pub fn seed(exchanges: &[RecordedCall], account: &mut Account) {
    for exchange in exchanges.iter().take_while(|exchange| exchange.method == "GET") {
        let page = &exchange.response["data"];
        let (Some(id), Some(login), Some(slots)) =
            (page["id"].as_u64(), page["login"].as_str(), page["slots"].as_array())
        else {
            continue;
        };
        if account.profiles.iter().any(|profile| profile.id == id) {
            continue;
        }
        let mut profile = Profile::new(id, login, jiff::Timestamp::UNIX_EPOCH);
        profile.title = page["title"].as_str().map(str::to_owned);
        profile.description = page["description"].as_str().map(str::to_owned);
        let slot = |slot: &Value| serde_json::from_value::<Slot>(slot.clone()).unwrap();
        profile.slots = slots.iter().map(slot).collect();
        account.profiles.push(profile);
        account.next_id = account.next_id.max(id + 1);
    }
}

/// Sends the recorded requests to a contract server, and returns how its responses differ: in the status, or in the names and types of the
/// values. IDs of what a request makes are replaced in later requests.
pub fn differences(exchanges: &[RecordedCall], server: &ContractServer) -> Vec<String> {
    let (mut found, mut ids) = (Vec::new(), BTreeMap::new());
    for (nth, exchange) in exchanges.iter().enumerate() {
        let Some(status) = exchange.status.filter(|_| !exchange.is_streamed) else { continue };
        let target = with_ids(&exchange.target, &ids);
        let mut request = Request::builder()
            .method(exchange.method.as_str())
            .uri(server.base_url().replace(BASE_PATH, &target))
            .header("authorization", format!("Bearer {}", server.token()));
        for (name, value) in exchange.headers.iter().filter(|(name, _)| *name != "content-length") {
            request = request.header(name, value);
        }
        let body = match &exchange.body {
            Value::Null => Bytes::new(),
            Value::String(text) => text.clone().into(),
            json => with_ids(&json.to_string(), &ids).into(),
        };
        let response = server.respond(request.body(body).unwrap());
        let own: Value = serde_json::from_slice(response.body()).unwrap_or_default();
        let line = format!("line {}: {} {}", nth + 1, exchange.method, exchange.target);
        if response.status().as_u16() != status {
            found.push(format!("{line}: status {status}, here {}: {own}", response.status()));
            continue;
        }
        let (theirs, ours) = (shape(&exchange.response), shape(&own));
        found.extend(theirs.difference(&ours).map(|it| format!("{line}: {it} is not here")));
        found.extend(ours.difference(&theirs).map(|it| format!("{line}: {it} is only here")));
        note_ids(&exchange.response, &own, &mut ids);
    }
    found
}

/// Replaces whole numbers that are IDs, and other IDs.
fn with_ids(text: &str, ids: &BTreeMap<String, String>) -> String {
    let is_of_id = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(is_of_id) {
        let (before, word) = rest.split_at(at);
        let end = word.find(|c| !is_of_id(c)).unwrap_or(word.len());
        out.push_str(before);
        out.push_str(ids.get(&word[..end]).map_or(&word[..end], String::as_str));
        rest = &word[end..];
    }
    out + rest
}

/// Notes the IDs that differ.
fn note_ids(theirs: &Value, ours: &Value, ids: &mut BTreeMap<String, String>) {
    match (theirs, ours) {
        (Value::Object(theirs), Value::Object(ours)) => {
            for (key, value) in theirs {
                let Some(own) = ours.get(key) else { continue };
                if key == "id" && value != own {
                    let word = |value: &Value| value.to_string().trim_matches('"').to_owned();
                    ids.insert(word(value), word(own));
                }
                note_ids(value, own, ids);
            }
        }
        (Value::Array(theirs), Value::Array(ours)) => {
            for (value, own) in theirs.iter().zip(ours) {
                note_ids(value, own, ids);
            }
        }
        _ => {}
    }
}

/// Returns the names of all values with their types.
fn shape(value: &Value) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    add_shape(value, "", &mut all);
    all
}

fn add_shape(value: &Value, path: &str, all: &mut BTreeSet<String>) {
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(items) => {
            for item in items {
                add_shape(item, &format!("{path}[]"), all);
            }
            "list"
        }
        Value::Object(map) => {
            for (key, value) in map {
                add_shape(value, &format!("{path}.{key}"), all);
            }
            "object"
        }
    };
    all.insert(format!("{kind} {path}"));
}
