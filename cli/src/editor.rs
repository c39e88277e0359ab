//! A record in the user's editor: opened again, with what is wrong as comments, until it is right or left as it is.

use links_sdk::Answer;
use serde_json::json;
use tempfile::TempPath;

use crate::diagnostic::Failure;
use crate::exit::Exit;
use crate::manifest::Document;
use crate::outcome::{Line, Outcome, Tone, View};
use crate::program;
use crate::ui::Ui;

/// Marks the lines that this program writes above the text.
const MARK: &str = "#!";

/// Opens a YAML text and hands what comes back to `apply`, as often as that refuses it as invalid. `None` when nothing was changed.
///
/// # Errors
///
/// Without a terminal or an editor; what `apply` says when it is something else than invalid, or when the text is left as it was
/// refused. The text is kept then, and it is said where.
pub(crate) async fn edit<T>(
    ui: &Ui,
    editor: Option<&str>,
    name: &str,
    text: &str,
    mut apply: impl AsyncFnMut(Document) -> Result<Option<T>, Failure>,
) -> Result<Option<T>, Failure> {
    if !ui.is_interactive() {
        return Err(Failure::new(Exit::Refused, "there is no terminal to edit on")
            .hint("change fields with FIELD=VALUE or a file instead"));
    }
    let editor = editor.filter(|it| !it.trim().is_empty()).unwrap_or(if cfg!(windows) {
        "notepad"
    } else {
        "vi"
    });
    let draft = Draft::new(name, text)?;
    let mut refused: Option<Failure> = None;
    loop {
        let before = draft.read()?;
        open(editor, &draft)?;
        let after = draft.read()?;
        if after == before {
            return match refused {
                Some(failure) => {
                    draft.keep(ui);
                    Err(failure)
                }
                None => Ok(None),
            };
        }
        let document = Document::from_bytes(name, after.into_bytes()).map_err(Failure::from);
        let result = match document {
            Ok(document) => apply(document).await,
            Err(failure) => Err(failure),
        };
        match result {
            Ok(done) => return Ok(done),
            Err(failure) if failure.exit() == Exit::Invalid => {
                draft.annotate(&failure)?;
                refused = Some(failure);
            }
            Err(failure) => {
                draft.keep(ui);
                return Err(failure);
            }
        }
    }
}

/// What a command hands back after an edit: the service's answer, where there is one.
pub(crate) fn outcome(answer: Option<&Answer>, first: &'static [&'static str]) -> Outcome {
    let Some(answer) = answer else {
        let said = Line::new(Tone::Plain, "no changes");
        return Outcome::own(json!({ "changed": false }), View::Lines(vec![said]));
    };
    Outcome::service(answer.body().clone(), View::Record(first))
}

fn open(editor: &str, draft: &Draft) -> Result<(), Failure> {
    let failed = |why: String| {
        Failure::usage(format!("the editor `{editor}` failed: {why}"))
            .hint("EDITOR names the editor")
    };
    let mut command = program::named(editor).map_err(|error| failed(error.to_string()))?;
    match command.arg(&*draft.path).status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(failed(status.to_string())),
        Err(error) => Err(failed(error.to_string())),
    }
}

/// The text on its way, in a file that only this user can read.
struct Draft {
    path: TempPath,
}

impl Draft {
    fn new(name: &str, text: &str) -> Result<Self, Failure> {
        let made = tempfile::Builder::new().prefix("links-").suffix(&format!("-{name}")).tempfile();
        let path = made.map_err(|error| cannot(&error))?.into_temp_path();
        let draft = Self { path };
        draft.write(text)?;
        Ok(draft)
    }

    fn read(&self) -> Result<String, Failure> {
        std::fs::read_to_string(&self.path).map_err(|error| cannot(&error))
    }

    fn write(&self, text: &str) -> Result<(), Failure> {
        std::fs::write(&self.path, text).map_err(|error| cannot(&error))
    }

    /// Writes what is wrong above the text, in place of what was wrong before.
    fn annotate(&self, failure: &Failure) -> Result<(), Failure> {
        let text = self.read()?;
        let own: Vec<_> = text.lines().skip_while(|line| line.starts_with(MARK)).collect();
        let said = failure.to_json();
        let places = said["places"].as_array().into_iter().flatten();
        let mut wrong: Vec<String> = places
            .map(|it| {
                format!(
                    "{} {}",
                    it["path"].as_str().unwrap_or_default(),
                    it["message"].as_str().unwrap_or_default()
                )
            })
            .collect();
        if wrong.is_empty() {
            wrong = failure.to_string().lines().map(str::to_owned).collect();
        }
        let notes =
            wrong.iter().map(|it| format!("{MARK} {}\n", crate::ui::clean::line(it.trim())));
        self.write(&(notes.collect::<String>() + &own.join("\n") + "\n"))
    }

    /// Leaves the text to the user, who has written it.
    fn keep(self, ui: &Ui) {
        if let Ok(path) = self.path.keep() {
            ui.say(&Line::new(Tone::Plain, format!("the text is kept in {}", path.display())));
        }
    }
}

fn cannot(error: &std::io::Error) -> Failure {
    Failure::usage(format!("cannot keep the text in a temporary file: {error}"))
}
