//! Tests of the Rust code of the README and the guides, compared line by line with the code that is compiled here.

#![expect(dead_code, reason = "that it compiles is the test")]

use std::error::Error;

use links_test_support::guide::parts;

async fn in_short(base: &str, token: String) -> Result<(), Box<dyn Error>> {
    // README.md
    use links_sdk::content::Button;
    use links_sdk::{Client, Token};

    let client = Client::builder(base).token(Token::new(&token)?).build()?;
    let menu = Button::new("Menu", "https://qara.example/menu");
    let made = client.profile("cafe").slots().create(menu).await?;
    // end
    drop(made);
    Ok(())
}

async fn client(base: &str, token: String) -> Result<(), Box<dyn Error>> {
    // docs/embedding.md
    use links_sdk::content::Button;
    use links_sdk::{Client, Token};
    use serde_json::json;

    let client = Client::builder(base).token(Token::new(&token)?).build()?;
    let slots = client.profile("cafe").slots();
    let menu = Button::new("Menu", "https://qara.example/menu");
    slots.create(menu.clone()).dry_run().await?;
    let made = slots.create(menu).await?;
    slots.update(made.id, json!({"title": "Our menu"})).await?;
    // end
    Ok(())
}

async fn login(base: &str, mcp_url: &str) -> Result<(), Box<dyn Error>> {
    use links_sdk::Client;

    // docs/embedding.md
    use links_sdk::ConnectionOptions;
    use links_sdk::oauth::{Connector, RefreshingTokenSource, file_store};

    let connector = Connector::discover(mcp_url, &ConnectionOptions::default()).await?;
    let login = connector.begin("http://127.0.0.1:49152/callback", "Café planner", None).await?;
    let redirect = in_the_browser(login.url()).await?;
    file_store("login.json").save(&login.finish(&redirect).await?)?;

    // The next start needs no browser.
    let source = RefreshingTokenSource::new(file_store("login.json"));
    let client = Client::builder(base).token(source).build()?;
    // end
    drop(client);
    Ok(())
}

async fn in_the_browser(_: &str) -> Result<String, Box<dyn Error>> {
    std::future::ready(Err("no user is there".into())).await
}

#[test]
fn the_readme_and_the_guides_show_what_compiles() {
    let code = include_str!("readme.rs");
    for (path, document, count) in [
        ("README.md", include_str!("../../README.md"), 1),
        ("docs/embedding.md", include_str!("../../docs/embedding.md"), 2),
    ] {
        let shown = parts(document, "```rust", "```");
        assert_eq!(shown, parts(code, &format!("// {path}"), "// end"), "{path}");
        assert_eq!(shown.len(), count, "{path}");
    }
}

/// The guide to testing shows the example of the module, which is compiled and run there.
#[test]
fn the_guide_to_testing_shows_the_example_of_the_module() {
    let module = include_str!("../../sdk/src/testing.rs");
    let [shown] = &parts(include_str!("../../docs/testing.md"), "```rust", "```")[..] else {
        panic!("one example")
    };
    for line in shown {
        assert!(module.contains(format!("//! {line}").trim_end()), "{line}");
    }
}
