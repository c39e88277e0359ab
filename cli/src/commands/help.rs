//! `links help`: explains a topic or a command.

use clap::{Args, Command};
use serde_json::json;

use crate::context::Context;
use crate::error::CommandError;
use crate::help::HelpText;
use crate::help::TOPICS;
use crate::output::{CommandOutput, View};
use crate::suggest::nearest;

#[derive(Args, Debug)]
#[command(examples = ["links help exit-codes", "links help slots apply"])]
pub(crate) struct HelpArgs {
    /// A topic (options, exit-codes, environment, output, files, agents), or the words of a command
    #[arg(value_name = "TOPIC|COMMAND")]
    words: Vec<String>,
}

pub(crate) fn run(context: &Context, args: &HelpArgs) -> Result<CommandOutput, CommandError> {
    let text = match &args.words[..] {
        [word] => match TOPICS.iter().find(|topic| topic.name == word) {
            Some(topic) => (topic.text)(&(context.tree)()),
            None => of_command(context, &args.words)?,
        },
        words => of_command(context, words)?,
    };
    let data = json!({ "about": args.words.join(" "), "text": text });
    Ok(CommandOutput::own(data, View::Document(text)))
}

fn of_command(context: &Context, words: &[String]) -> Result<String, CommandError> {
    let mut command = (context.tree)();
    command.build();
    let mut found = &mut command;
    for (nth, word) in words.iter().enumerate() {
        let known: Vec<String> = names(found, nth == 0);
        found = found.find_subcommand_mut(word).ok_or_else(|| unknown(word, known))?;
    }
    Ok(found.render_long_help().to_string())
}

fn names(command: &Command, first: bool) -> Vec<String> {
    let topics = TOPICS.iter().filter(|_| first).map(|it| it.name.to_owned());
    command.get_subcommands().map(|it| it.get_name().to_owned()).chain(topics).collect()
}

fn unknown(word: &str, known: Vec<String>) -> CommandError {
    let failure = CommandError::usage(format!("there is no command and no topic `{word}`"));
    match nearest(word, known) {
        Some(meant) => failure.with_hint(format!("did you mean `{meant}`?")),
        None => failure.with_hint("`links --help` lists the commands"),
    }
}
