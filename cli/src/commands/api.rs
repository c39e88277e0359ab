//! `links api`: calls any path of the service.

use links_sdk::{RawCall, overrides_method};

use super::prelude::*;
use crate::args::assignment;
use crate::schema::fields::plain;
use links_pages::apply::RecordWrite;

#[derive(Args, Debug)]
#[command(examples = ["links api GET '/profiles/cafe?include=slots'", "links api POST /profiles/cafe/slots -F type=text -F 'data:={\"title\":\"Hello\"}'", "links api DELETE /profiles/cafe/slots -F 'ids:=[1001,1002]'"])]
pub(crate) struct ApiArgs {
    /// GET, POST, PUT, PATCH or DELETE
    method: String,
    /// Path below the service's URL, with its query
    path: String,
    /// Field of the body, or of the query for GET and DELETE
    #[arg(short = 'F', long = "field", value_name = "FIELD=VALUE")]
    values: Vec<String>,
    /// Extra request header; can't replace a header that `links` sets itself, such as Authorization
    #[arg(short = 'H', long = "header", value_name = "NAME:VALUE", value_parser = header)]
    headers: Vec<(String, String)>,
    /// File to send unchanged as the body (`-`: standard input)
    #[arg(long, value_name = "FILE", conflicts_with = "values")]
    input: Option<PathBuf>,
    #[command(flatten)]
    create: CreateArgs,
}

impl ApiArgs {
    /// Tells whether the request only reads.
    pub(crate) fn is_read(&self) -> bool {
        let is_overridden = || {
            let query = self.path.split_once('?').map_or("", |(_, query)| query);
            let query = query.split('&').map(|it| it.split('=').next().unwrap_or(it));
            let headers = self.headers.iter().map(|(name, _)| name.as_str());
            query.chain(headers).any(overrides_method)
        };
        let is_read = |it: &&str| self.method.eq_ignore_ascii_case(it);
        ["GET", "HEAD", "OPTIONS"].iter().any(is_read) && !is_overridden()
    }
}

pub(super) async fn run(context: &mut Context, args: ApiArgs) -> CommandResult {
    let fields = assignment::only(&args.values)?;
    let body = args.input.as_deref().map(named::read).transpose()?;
    let is_public = args.method.eq_ignore_ascii_case("GET") && matches!(&*args.path, "/" | "");
    let client = if is_public {
        context.anyone().await?
    } else {
        context.writer(args.create.dry_run).await?
    };
    let call = client.raw(&args.method, &args.path);
    let call = args.headers.iter().fold(call, |call, (name, value)| call.header(name, value));
    let call = match args.create.idempotency_key.clone() {
        Some(key) => call.idempotency_key(key),
        None => call,
    };
    let call = match body {
        Some((_, body)) => call.json_text(body),
        None if fields.is_empty() => call,
        None if ["GET", "DELETE"].iter().any(|it| args.method.eq_ignore_ascii_case(it)) => {
            fields.iter().fold(call, |call, (name, value)| in_query(call, name, value))
        }
        None => call.json(Value::Object(fields)),
    };
    // A header may be a secret, which no journal is to hold.
    for word in &mut context.words {
        for (name, _) in &args.headers {
            if let Some(at) = word.find(&format!("{name}:")) {
                word.truncate(at + name.len());
            }
        }
    }
    let answer = if args.is_read() {
        call.await?
    } else {
        // What is replaced is not known.
        let write = journal::new_write(context, &args.path);
        let operation = args.method.to_ascii_uppercase();
        let record = RecordWrite { operation, ..RecordWrite::default() };
        let sent = write.write_record(record, call, |_| None).await;
        journal::finish(context, &write, sent)?
    };
    let text = String::from_utf8_lossy(answer.body());
    let text =
        if text.is_empty() || text.ends_with('\n') { text.into() } else { format!("{text}\n") };
    if serde_json::from_slice::<&serde_json::value::RawValue>(answer.body()).is_ok() {
        return Ok(answered(&answer, View::Document(text)));
    }
    let data = json!({ "status": answer.status(), "body": text });
    Ok(CommandOutput::own(data, View::Document(text)))
}

/// Parses a header: its name, and its value without the spaces around it.
fn header(text: &str) -> Result<(String, String), &'static str> {
    let (name, value) = text.split_once(':').ok_or("a header must be NAME:VALUE")?;
    Ok((name.to_owned(), value.trim_matches(' ').to_owned()))
}

/// Adds a value to the query. A list becomes several parameters, which the service names `ids[]`.
fn in_query(call: RawCall, name: &str, value: &Value) -> RawCall {
    match value {
        Value::Array(items) => {
            items.iter().fold(call, |call, item| call.query(format!("{name}[]"), plain(item)))
        }
        value => call.query(name, plain(value)),
    }
}
