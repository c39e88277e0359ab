//! Words of a command line as they are kept in a journal.

use crate::auth::redacted;

/// Maximum length of a word in characters: the plan has the values as a whole.
const LONGEST: usize = 200;

/// Maximum number of words.
const MOST: usize = 100;

/// Returns the words to keep: without tokens and passwords, and shortened.
pub(crate) fn kept(words: &[String]) -> Vec<String> {
    let mut kept: Vec<String> = words.iter().take(MOST).map(|word| shortened(word)).collect();
    if words.len() > MOST {
        kept.push("…".to_owned());
    }
    kept
}

fn shortened(word: &str) -> String {
    let word = redacted(word);
    let word = without_user_info(&word);
    match word.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &word[..end]),
        None => word,
    }
}

/// Returns a word without the user and the password of a URL in it.
fn without_user_info(word: &str) -> String {
    let Some((scheme, rest)) = word.split_once("://") else { return word.to_owned() };
    let host = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    match rest[..host].rfind('@') {
        Some(at) => format!("{scheme}://{}", &rest[at + 1..]),
        None => word.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_in_urls_and_long_values_are_left_out() {
        for (word, expected) in [
            (
                "--base-url=https://me:secret@links.example/api",
                "--base-url=https://links.example/api",
            ),
            ("link=https://qara.example/@menu", "link=https://qara.example/@menu"),
            ("title=a@b", "title=a@b"),
        ] {
            assert_eq!(kept(&[word.to_owned()]), [expected]);
        }
        let long = kept(&["é".repeat(300)]);
        assert_eq!(long[0].chars().count(), LONGEST + 1);
        assert_eq!(kept(&vec![String::new(); 300]).len(), MOST + 1);
    }
}
