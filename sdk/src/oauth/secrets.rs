//! Secrets in the forms of OAuth, which no error message may repeat.

use url::form_urlencoded::parse;

use crate::secrets::Secrets;

/// Fields of a form that are secret.
const FIELDS: [&str; 5] = ["code", "code_verifier", "refresh_token", "token", "client_secret"];

/// Adds the secrets of a form that is to be sent.
pub(super) fn add_form(secrets: &Secrets, form: &[u8]) {
    for (name, value) in parse(form) {
        if FIELDS.contains(&&*name) {
            secrets.add_text(&value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_of_a_form_are_hidden_encoded_and_decoded() {
        let secrets = Secrets::default();
        add_form(&secrets, b"grant_type=authorization_code&code=a%2Fsecret%3D&token=short");
        secrets.add_text("a/secret=, and more");
        let text = "a/secret= a%2Fsecret%3D short authorization_code a/secret=, and more";
        assert_eq!(secrets.hide(text), "*** *** short authorization_code ***");
    }
}
