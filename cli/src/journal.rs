//! Journals of the commands that write: where they are, whose they are, and the single writes of commands that need no run.

use links_pages::apply::{JournalStore, PlannedFields, RunCommand, RunHeader, SingleWrite};

use crate::auth::redacted;
use crate::context::clock;
use crate::context::prelude::*;
use crate::settings::ServiceTarget;
use crate::ui::plan::value_lines;
use crate::ui::{cut, is_part};
use links_sdk::BaseUrl;

/// Name of the embedded service, whose URL differs from one command to the next.
pub(crate) const SANDBOX: &str = "sandbox";

/// Name that identifies the configured service. `None` if no service is configured.
pub(crate) fn service(context: &Context) -> Option<String> {
    match &context.settings.target {
        ServiceTarget::Sandbox(_) => Some(SANDBOX.to_owned()),
        ServiceTarget::Service(url) => Some(match url.base() {
            Ok(base) => base.as_str().to_owned(),
            Err(_) => url.text.clone(),
        }),
        ServiceTarget::Unset => None,
    }
}

/// State directory, without which no run begins.
pub(crate) fn directory(context: &Context) -> Result<PathBuf> {
    context.settings.needed_state_directory()
}

/// The command of this process, for a journal.
pub(crate) fn command(context: &Context) -> RunCommand {
    RunCommand {
        name: context.command.clone(),
        words: kept(&context.words),
        call: Some(context.call()),
        is_part: is_part(),
        ..RunCommand::default()
    }
}

/// Returns the write of a page by this command.
pub(crate) fn page_write(context: &Context, key: &ProfileKey) -> SingleWrite {
    let id = if let ProfileKey::Id(id) = key { *id } else { ProfileId::default() };
    single_write(context, id, &key.to_string(), None)
}

/// Returns the write of a form by this command.
pub(crate) fn form_write(context: &Context, id: &str) -> SingleWrite {
    single_write(context, ProfileId::default(), id, Some(id.to_owned()))
}

/// Returns the write of this command, which makes something new with this title.
pub(crate) fn new_write(context: &Context, title: &str) -> SingleWrite {
    single_write(context, ProfileId::default(), title, None)
}

/// Returns a write by this command. It is recorded if it is no dry run, and where state can be stored.
pub(crate) fn single_write(
    context: &Context,
    id: ProfileId,
    login: &str,
    form: Option<String>,
) -> SingleWrite {
    let place = service(context).zip(context.settings.state_directory());
    let target = place.filter(|_| context.dry_run().is_none()).map(|(service, state)| {
        let store = JournalStore::of_commands(&state, &service);
        let command = command(context);
        let mut header = RunHeader::of_command(service, command, (id, login), clock().wall());
        (header.owner, header.form) = (context.owner(), form);
        (store, header)
    });
    SingleWrite::new(target)
}

/// Ends a write with its result. A dry run shows what it would change.
pub(crate) fn finish<T, E>(
    context: &Context,
    write: &SingleWrite,
    result: Result<T, E>,
) -> Result<T, E> {
    if context.dry_run().is_some()
        && let Some(PlannedFields { changed, before, .. }) = write.replaced()
    {
        for line in value_lines(&before, changed.iter()) {
            context.ui.say(&line);
        }
    }
    close(context, write, result.is_ok());
    result
}

/// Ends a write whose changes were shown, and says if it is not in the journal.
pub(crate) fn close(context: &Context, write: &SingleWrite, is_done: bool) {
    if let Some(error) = write.close(is_done) {
        let text = format!(
            "cannot write the journal: {error}; this command will not be in `links log`, and cannot be undone"
        );
        context.ui.tell(Style::Changed, text);
    }
}

/// Maximum width of a word: the plan has the values as a whole.
const LONGEST: usize = 200;

/// Maximum number of words.
const MOST: usize = 100;

/// Returns the words of a command line as they are kept: shortened, without tokens, and without the user and the password of a URL.
fn kept(words: &[String]) -> Vec<String> {
    let shortened = |word: &String| {
        let word = redacted(word);
        let is_url = word.contains("://");
        cut(&if is_url { BaseUrl::without_user_info(&word) } else { word }, LONGEST)
    };
    let more = (words.len() > MOST).then(|| "…".to_owned());
    words.iter().take(MOST).map(shortened).chain(more).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_in_urls_and_long_values_are_left_out() {
        for (word, expected) in [
            (
                "--base-url=https://me:secret@links.example/api",
                "--base-url=https://***@links.example/api",
            ),
            ("link=https://qara.example/@menu", "link=https://qara.example/@menu"),
            ("title=a@b", "title=a@b"),
        ] {
            assert_eq!(kept(&[word.to_owned()]), [expected]);
        }
        let long = kept(&["é".repeat(300)]);
        assert_eq!(long[0].chars().count(), LONGEST);
        assert_eq!(kept(&vec![String::new(); 300]).len(), MOST + 1);
    }
}
