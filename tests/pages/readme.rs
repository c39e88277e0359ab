//! Test of the Rust code of the guide, compared line by line with the code that is compiled here.

#![expect(clippy::print_stdout, dead_code, reason = "that it compiles is the test")]

use std::error::Error;
use std::path::Path;

use links_test_support::guide::parts;

async fn page_file(client: links_sdk::Client) -> Result<(), Box<dyn Error>> {
    // docs/pages-in-programs.md
    use links_pages::account::{ApplyAccount, DesiredAccount};
    use links_pages::apply::{Apply, RunSettings};

    let pages = DesiredAccount::read(["cafe.yaml"])?;
    let plan = ApplyAccount::new(&client, pages.clone()).plan().await?;
    println!("{} requests", plan.pages[0].plan.request_count());
    let settings = RunSettings::new().journal("state");
    let apply = ApplyAccount::new(&client, pages);
    ApplyAccount { planned: Some(plan), settings: settings.clone(), ..apply }.run().await?;
    if let Some(undo) = Apply::undo(&client.profile("cafe"), settings).await? {
        undo.await?;
    }
    // end
    Ok(())
}

async fn apply(client: links_sdk::Client, state: &Path) -> Result<(), Box<dyn Error>> {
    // docs/pages-in-programs.md
    use links_pages::apply::{Apply, DesiredPage, RunSettings};

    let desired: DesiredPage = serde_json::from_value(serde_json::json!({
        "slots": [{"type": "button", "data": {"title": "Menu", "link": "https://qara.example/menu"}}]
    }))?;
    let settings = RunSettings::new().journal(state);
    let applied = Apply::new(&client.profile("cafe"), desired).settings(settings).await?;
    // end
    drop(applied);
    Ok(())
}

async fn agency(
    base: links_sdk::Client,
    token: links_sdk::Token,
    directory: Option<&std::path::Path>,
    files: Vec<std::path::PathBuf>,
) -> Result<(), Box<dyn Error>> {
    use links_pages::account::{ApplyAccount, DesiredAccount};
    // docs/pages-in-programs.md
    let client = base.with_token(token);
    let desired = DesiredAccount::read_within(directory, &files)?;
    let planned = ApplyAccount::new(&client, desired).plan().await?;
    // end
    drop(planned);
    Ok(())
}

#[test]
fn the_guide_shows_what_compiles() {
    let shown = parts(include_str!("../../docs/pages-in-programs.md"), "```rust", "```");
    assert_eq!(shown, parts(include_str!("readme.rs"), "// docs/pages-in-programs.md", "// end"));
    assert_eq!(shown.len(), 3);
}
