//! Secrets that no message may repeat: a server may send back what it was sent.

use std::borrow::Cow;
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

use base64::Engine;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use zeroize::Zeroizing;

use crate::token::Token;

/// Tokens that are removed from texts in each form in which they occur: as they are, percent-encoded, in base64, or escaped as PHP's JSON
/// does. Cloning is cheap, and clones share the same tokens.
///
/// A [`Client`](crate::Client) adds each token that it sends, a renewed one too, and removes them from the texts of its errors. Pass your
/// own collection through [`ClientBuilder::secrets`](crate::ClientBuilder::secrets) to clean your program's output with the same ones.
///
/// ```
/// use links_sdk::{Secrets, Token};
///
/// let secrets = Secrets::default();
/// secrets.add(&Token::new("lnk_secret")?);
/// assert_eq!(secrets.hide("Authorization: Bearer lnk_secret"), "Authorization: Bearer ***");
/// # Ok::<(), links_sdk::InvalidToken>(())
/// ```
#[derive(Clone, Default)]
pub struct Secrets(Arc<RwLock<Vec<Secret>>>);

struct Secret {
    text: Zeroizing<String>,
    /// Other spellings of the secret.
    forms: Vec<Zeroizing<String>>,
}

/// Minimum length of a secret: shorter texts occur everywhere.
const FEWEST_LETTERS: usize = 8;
/// Placeholder for a secret.
const HIDDEN: &str = "***";

impl Secrets {
    /// Adds a token.
    pub fn add(&self, token: &Token) {
        self.add_text(token.secret());
    }

    /// Returns the text without the tokens.
    pub fn hide<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut text = Cow::Borrowed(text);
        for secret in &*self.0.read().unwrap_or_else(PoisonError::into_inner) {
            for form in std::iter::once(&secret.text).chain(&secret.forms) {
                if text.contains(form.as_str()) {
                    text = text.replace(form.as_str(), HIDDEN).into();
                }
            }
            if let Some(hidden) = without_encoded(&text, secret.text.as_bytes()) {
                text = hidden.into();
            }
        }
        text
    }

    pub(crate) fn add_text(&self, secret: &str) {
        let is_known = |known: &Secret| *known.text == secret;
        if secret.len() < FEWEST_LETTERS
            || self.0.read().unwrap_or_else(PoisonError::into_inner).iter().any(is_known)
        {
            return;
        }
        let text = Zeroizing::new(secret.to_owned());
        let mut secrets = self.0.write().unwrap_or_else(PoisonError::into_inner);
        secrets.push(Secret { forms: forms(secret), text });
        // Longer secrets come first, so that a secret that begins another one does not hide only a part of it.
        secrets.sort_by_key(|secret| std::cmp::Reverse(secret.text.len()));
    }

    pub(crate) fn hide_in(&self, text: &mut String) {
        if let Cow::Owned(hidden) = self.hide(text) {
            *text = hidden;
        }
    }
}

/// Returns the forms of a secret in base64, at each offset in the encoded data, and with escaped slashes.
fn forms(secret: &str) -> Vec<Zeroizing<String>> {
    let mut forms = Vec::new();
    for (before, skipped) in [("", 0), ("\0", 2), ("\0\0", 3)] {
        let text = Zeroizing::new(format!("{before}{secret}"));
        // The last character also encodes a part of the bytes that follow.
        let shared = usize::from(text.len() % 3 != 0);
        for engine in [&STANDARD_NO_PAD, &URL_SAFE_NO_PAD] {
            let encoded = Zeroizing::new(engine.encode(text.as_bytes()));
            let own = &encoded[skipped..encoded.len() - shared];
            if own.len() >= FEWEST_LETTERS && !forms.iter().any(|form: &Zeroizing<_>| **form == own)
            {
                forms.push(Zeroizing::new(own.to_owned()));
            }
        }
    }
    if secret.contains('/') {
        forms.push(Zeroizing::new(secret.replace('/', "\\/")));
    }
    forms
}

/// Returns the text without a secret of which some characters, or all, are percent-encoded; `None` if the text does not hold it.
fn without_encoded(text: &str, secret: &[u8]) -> Option<String> {
    if !text.contains('%') {
        return None;
    }
    // Each decoded byte, with its position.
    let bytes = text.as_bytes();
    let mut meant = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let (byte, length) = match encoded(&bytes[at..]) {
            Some(byte) => (byte, 3),
            None => (bytes[at], 1),
        };
        meant.push((byte, at..at + length));
        at += length;
    }
    let mut hidden = String::new();
    let (mut kept_to, mut first) = (0, 0);
    while first + secret.len() <= meant.len() {
        let window = &meant[first..first + secret.len()];
        if window.iter().map(|(byte, _)| byte).eq(secret) {
            hidden.push_str(&text[kept_to..window[0].1.start]);
            hidden.push_str(HIDDEN);
            kept_to = window[secret.len() - 1].1.end;
            first += secret.len();
        } else {
            first += 1;
        }
    }
    (kept_to > 0).then(|| hidden + &text[kept_to..])
}

/// Returns the byte that begins here, if it is percent-encoded.
fn encoded(bytes: &[u8]) -> Option<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|it| u8::try_from(it).ok());
    match *bytes {
        [b'%', high, low, ..] => Some(digit(high)? * 16 + digit(low)?),
        _ => None,
    }
}

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secrets(***)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOKEN: &str = "lnk_7|a/secret?x=~1";

    fn secrets() -> Secrets {
        let secrets = Secrets::default();
        secrets.add(&Token::new(TOKEN).unwrap());
        secrets
    }

    #[test]
    fn found_22_a_token_is_hidden_in_every_form() {
        let all = |c: &u8| format!("%{c:02x}");
        let encoded: String = url::form_urlencoded::byte_serialize(TOKEN.as_bytes()).collect();
        for form in [
            TOKEN.to_owned(),
            encoded.clone(),
            encoded.to_lowercase(),
            TOKEN.as_bytes().iter().map(all).collect(),
            TOKEN.replace('/', "\\/"),
        ] {
            let text = format!("é%% before {form} after %4");
            assert_eq!(secrets().hide(&text), "é%% before *** after %4", "{form}");
        }
        let nothing = "lnk_7|a/secret, %41%zz";
        assert!(matches!(secrets().hide(nothing), Cow::Borrowed(same) if same == nothing));
    }

    #[test]
    fn found_22_a_token_is_hidden_in_base64_wherever_it_begins() {
        for before in ["", "a", "ab", "abc", "Bearer "] {
            for after in ["", "z", "yz", " and more"] {
                for engine in [&STANDARD_NO_PAD, &URL_SAFE_NO_PAD] {
                    let text = engine.encode(format!("{before}{TOKEN}{after}"));
                    let hidden = secrets().hide(&text).into_owned();
                    assert!(hidden.contains("***"), "{before:?}, {after:?}: {hidden}");
                    assert!(hidden.len() <= text.len() - TOKEN.len(), "{hidden}");
                }
            }
        }
    }

    #[test]
    fn a_secret_is_hidden_whole_although_its_prefix_is_a_secret_too() {
        let secrets = secrets();
        secrets.add_text("lnk_7|a/");
        secrets.add_text("short");
        assert_eq!(secrets.hide(&format!("{TOKEN} lnk_7|a/x short")), "*** ***x short");
        assert!(!format!("{secrets:?}").contains("lnk"));
    }
}
