//! What no error repeats: a server may send back what it was sent.

use url::form_urlencoded::{byte_serialize, parse};

/// The fields of a form that are worth something to whoever reads them.
const FIELDS: [&str; 5] = ["code", "code_verifier", "refresh_token", "token", "client_secret"];
/// A text of a few letters stands everywhere, and is no secret.
const FEWEST_LETTERS: usize = 8;

#[derive(Default)]
pub(super) struct Secrets(Vec<String>);

impl Secrets {
    pub(super) fn add(&mut self, secret: &str) {
        if secret.len() < FEWEST_LETTERS {
            return;
        }
        // A body that is repeated as it came has it encoded.
        for text in [secret.to_owned(), byte_serialize(secret.as_bytes()).collect()] {
            if !self.0.contains(&text) {
                self.0.push(text);
            }
        }
        // The beginning of another is not to be hidden before it.
        self.0.sort_by_key(|text| std::cmp::Reverse(text.len()));
    }

    /// Adds those of a form that is to be sent.
    pub(super) fn add_form(&mut self, form: &[u8]) {
        for (name, value) in parse(form) {
            if FIELDS.contains(&&*name) {
                self.add(&value);
            }
        }
    }

    /// Takes them out of a text that somebody else wrote.
    pub(super) fn hide_in(&self, text: &mut String) {
        for secret in &self.0 {
            if text.contains(secret) {
                *text = text.replace(secret, "***");
            }
        }
    }
}

impl std::fmt::Debug for Secrets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secrets(***)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_form_holds_is_hidden_encoded_or_not() {
        let mut secrets = Secrets::default();
        secrets.add_form(b"grant_type=authorization_code&code=a%2Fsecret%3D&token=short");
        secrets.add("a/secret=, and more");
        let mut text =
            "a/secret= a%2Fsecret%3D short authorization_code a/secret=, and more".to_owned();
        secrets.hide_in(&mut text);
        assert_eq!(text, "*** *** short authorization_code ***");
        assert!(!format!("{secrets:?}").contains("secret="));
    }
}
