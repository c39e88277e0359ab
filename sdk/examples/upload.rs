//! An uploader: sends an image, with its progress, and makes it the picture of a page.
//!
//! ```text
//! LINKS_BASE_URL=https://links.example/api/v1 LINKS_TOKEN=pps_one PAGE=cafe \
//!     cargo run -p links-sdk --example upload logo.png
//! ```

#![expect(clippy::print_stderr, clippy::print_stdout, reason = "the output of the program")]

use std::error::Error;
use std::path::Path;

use links_sdk::{Client, ImageUse, ProfileChanges, Token, Upload};

/// Uploads an image and sets it as the picture of a page. Returns its URL.
///
/// An image that the page cannot show is refused before anything is sent. The two writes are separate: when the second one fails, the file
/// stays with the service, and costs nothing.
pub async fn run(client: &Client, page: &str, file: &Path) -> Result<String, links_sdk::Error> {
    let upload = Upload::file(file).for_use(ImageUse::Avatar);
    let upload = upload.on_progress(|it| eprint!("\r{} of {:?} bytes", it.sent, it.total));
    let stored = client.files().upload(upload).await?;
    client.profile(page).update(ProfileChanges::default().avatar(stored.path)).await?;
    Ok(stored.src)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let [base, token, page] = ["LINKS_BASE_URL", "LINKS_TOKEN", "PAGE"]
        .map(|name| std::env::var(name).map_err(|_| format!("{name} is not set")));
    let client = Client::builder(base?).token(Token::new(&token?)?).build()?;
    let file = std::env::args_os().nth(1).ok_or("name an image")?;
    println!("{}", run(&client, &page?, Path::new(&file)).await?);
    Ok(())
}
