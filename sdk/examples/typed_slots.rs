//! A program that puts a button at the end of a page, renames it, and lists what the slots of the page show.

use std::error::Error;

use links_sdk::content::{Button, SlotContent};
use links_sdk::{Client, ProfileId, Slot, Token};

/// Adds a button to a page and returns a line for each of its slots.
pub async fn run(client: &Client, page: ProfileId) -> Result<Vec<String>, links_sdk::Error> {
    let slots = client.profile(page).slots();
    let menu = Button::new("Menu", "https://cafe.example/menu").style("primary");
    let made = slots.create(menu).await?;
    slots.update(made.id, Button::default().title("Our menu")).await?;
    Ok(slots.list().await?.iter().map(line).collect())
}

fn line(slot: &Slot) -> String {
    let shown = match slot.content() {
        SlotContent::Button(button) => button.link,
        SlotContent::Text(text) => text.title,
        SlotContent::Form(form) => form.form_id.map(|id| format!("form {id}")),
        _ => None,
    };
    format!("{} {}: {}", slot.id, slot.kind, shown.unwrap_or_default())
}

#[expect(clippy::print_stdout, reason = "the output of the program")]
#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let [base, token, page] = ["LINKS_BASE_URL", "LINKS_TOKEN", "PAGE_ID"]
        .map(|name| std::env::var(name).map_err(|_| format!("{name} is not set")));
    let client = Client::builder(base?).token(Token::new(&token?)?).build()?;
    for line in run(&client, page?.parse()?).await? {
        println!("{line}");
    }
    Ok(())
}
