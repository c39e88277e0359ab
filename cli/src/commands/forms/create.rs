//! `links forms create`

use clap::Args;
use links_sdk::{NewForm, Object};
use serde_json::{Map, Value};

use crate::context::Context;
use crate::diagnostic::Failure;
use crate::manifest::{Document, Problem};
use crate::outcome::{Outcome, View};
use crate::values;

/// Arguments of `links forms create`.
#[derive(Args, Debug)]
#[command(override_usage = "links forms create [OPTIONS] [FILE] [FIELD=VALUE]...")]
pub(crate) struct FormsCreateArgs {
    /// A YAML or JSON file with the form (`-`: standard input), and values that go before the file's: `title=Text`, `enabled:=false`
    /// (JSON), `description=@file`
    #[arg(value_name = "FILE|FIELD=VALUE")]
    words: Vec<String>,
}

pub(crate) async fn run(context: &mut Context, args: FormsCreateArgs) -> Result<Outcome, Failure> {
    let words = values::sort(&args.words)?;
    let file = words.file.as_deref().map(Document::read).transpose()?;
    let mut form = Object::default();
    if let Some(file) = &file {
        form.extend(fields(file)?);
    }
    form.extend(words.values.clone());
    if form.is_empty() {
        return Err(Failure::usage("there is nothing to create")
            .hint("give a file, or values such as title=Contact"));
    }
    let created = context.client().await?.forms().create(NewForm::from(form)).answer().await;
    let answer = created.map_err(|error| {
        let failure = Failure::from(error);
        let top = |path: &str| path.split('.').next().unwrap_or_default().to_owned();
        let in_file = failure.errors().all(|(path, _)| !words.values.contains_key(&top(path)));
        match &file {
            Some(file) if in_file && failure.errors().next().is_some() => {
                let bad = file.refuse(failure.errors());
                failure.at(bad)
            }
            _ => failure,
        }
    })?;
    Ok(Outcome::service(answer.body().clone(), View::Record(&["id", "title", "active", "enabled"])))
}

fn fields(file: &Document) -> Result<Map<String, Value>, Failure> {
    if let Value::Object(fields) = file.root.to_json() {
        return Ok(fields);
    }
    let message = format!("a form is a mapping, not {}", file.root.kind());
    Err(file.bad(vec![Problem::new("", file.root.span.clone(), message)]).into())
}
