//! An importer that adds a button for each line of a CSV file with the columns `title` and `link`. It can be killed at any moment: run again
//! within a day, it creates no button twice.
//!
//! ```text
//! LINKS_BASE_URL=https://links.example/api/v1 LINKS_TOKEN=pps_one PAGE=cafe \
//!     cargo run -p links-sdk --example import_csv menu.csv
//! ```

#![expect(clippy::print_stdout, reason = "the output of the program")]

use std::error::Error;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;

use links_sdk::content::Button;
use links_sdk::types::NewSlot;
use links_sdk::{Client, IdempotencyKey, Slot, Token};

/// Time for which the service remembers a key.
const KEYS_ARE_KNOWN_FOR: Duration = Duration::from_secs(24 * 60 * 60);

/// Adds the buttons of a file to a page, 50 a request.
pub async fn run(client: &Client, page: &str, file: &Path) -> Result<Vec<Slot>, Box<dyn Error>> {
    let buttons = buttons(file)?;
    let note = file.with_extension("run");
    let key = key_of_run(&note, page)?;
    let import = client.profile(page).slots().create_many(buttons).with_run_key(key);
    let made = import.on_progress(|it| println!("{} of {}", it.done, it.total)).await?;
    fs::remove_file(note)?;
    Ok(made)
}

fn buttons(file: &Path) -> Result<Vec<NewSlot>, csv::Error> {
    let rows = csv::Reader::from_path(file)?.into_deserialize::<(String, String)>();
    rows.map(|row| row.map(|(title, link)| Button::new(title, link).into())).collect()
}

/// Returns the key of the run that a file's note tells of, or begins one. The keys of the requests follow from it: what was created before
/// is answered again by the service, and not created again. The note is on the disk before the first request. It also holds the page, because
/// the key stands for buttons of that page only.
fn key_of_run(note: &Path, page: &str) -> Result<IdempotencyKey, Box<dyn Error>> {
    match fs::read_to_string(note) {
        Ok(text) => {
            if fs::metadata(note)?.modified()?.elapsed()? > KEYS_ARE_KNOWN_FOR {
                let note = note.display();
                return Err(format!("{note} is of a run that the service has forgotten: compare the page with the file, then delete it").into());
            }
            let (key, of_page) = text.split_once('\n').unwrap_or((&text, ""));
            if of_page != page {
                let note = note.display();
                return Err(format!("{note} is of a run for the page {of_page:?}: finish that run first, or delete the note").into());
            }
            Ok(IdempotencyKey::new(key)?)
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let key = IdempotencyKey::random();
            let mut file = OpenOptions::new().write(true).create_new(true).open(note)?;
            write!(file, "{}\n{page}", key.as_str())?;
            file.sync_all()?;
            Ok(key)
        }
        Err(error) => Err(error.into()),
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let [base, token, page] = ["LINKS_BASE_URL", "LINKS_TOKEN", "PAGE"]
        .map(|name| std::env::var(name).map_err(|_| format!("{name} is not set")));
    let client = Client::builder(base?).token(Token::new(&token?)?).build()?;
    let file = std::env::args_os().nth(1).ok_or("name a file")?;
    let made = run(&client, &page?, Path::new(&file)).await?;
    println!("{} buttons created", made.len());
    Ok(())
}
