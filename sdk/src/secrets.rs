//! Secrets that no message may repeat: a server may send back what it was sent.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::sync::{Arc, Mutex, Weak};

use base64::Engine;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use zeroize::Zeroizing;

use crate::blocking::locked;
use crate::token::{Hidden, Token};

/// Tokens to remove from texts, in each form in which they can occur: unchanged, percent-encoded, in base64, in hexadecimal, or escaped as
/// in JSON. Cloning is cheap, and clones share the same tokens.
///
/// A [`Client`](crate::Client) adds each token that it sends, including renewed ones, and removes its own tokens from the texts of its
/// errors. To remove the tokens of all your clients from your program's output, pass your collection to
/// [`ClientBuilder::secrets`](crate::ClientBuilder::secrets).
///
/// A token is kept for as long as a clone of it exists, as in a [`TokenSource`](crate::TokenSource). Of the other tokens, the last 64 are
/// kept, so a collection doesn't grow with each renewal.
///
/// ```
/// use links_sdk::{Secrets, Token};
///
/// let secrets = Secrets::default();
/// secrets.add(&Token::new("lnk_secret")?);
/// assert_eq!(secrets.hide("Authorization: Bearer lnk_secret"), "Authorization: Bearer ***");
/// # Ok::<(), links_sdk::InvalidValue>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Secrets(Hidden<Arc<Mutex<Vec<Secret>>>>);

/// One secret of a list, in which the one that was added last is the first.
#[derive(Clone)]
struct Secret {
    text: Zeroizing<String>,
    /// Other spellings of the secret.
    forms: Vec<Zeroizing<String>>,
    /// Text of the token, if it is one and still exists.
    owner: Weak<Zeroizing<String>>,
}

/// Minimum length of a secret: shorter texts occur everywhere.
const FEWEST_LETTERS: usize = 8;
/// Maximum number of secrets that are kept without an owner.
const MOST_RECENT: usize = 64;
/// Placeholder for a secret.
const HIDDEN: &str = "***";
/// Characters with which an encoded one begins.
const ENCODING: [char; 2] = ['%', '\\'];

impl Secrets {
    /// Adds a token.
    pub fn add(&self, token: &Token) {
        self.add_owned(token.secret(), token.owner());
    }

    /// Returns the text without the tokens.
    pub fn hide<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut text = Cow::Borrowed(text);
        let known = locked(&self.0);
        // One that begins another one must not hide only a part of it.
        let mut secrets: Vec<&Secret> = known.iter().collect();
        secrets.sort_by_key(|secret| Reverse(secret.text.len()));
        let is_encoded = text.contains(ENCODING);
        // Decoded once for all secrets, until one of them is found.
        let mut meant = None;
        for secret in secrets {
            for form in std::iter::once(&secret.text).chain(&secret.forms) {
                if text.contains(form.as_str()) {
                    text = text.replace(form.as_str(), HIDDEN).into();
                    meant = None;
                }
            }
            if !is_encoded && !secret.text.contains(ENCODING) {
                continue;
            }
            let (bytes, starts) = meant.get_or_insert_with(|| decoded(text.as_bytes()));
            if let Some(hidden) = without_encoded(&text, bytes, starts, &secret.text) {
                text = hidden.into();
                meant = None;
            }
        }
        text
    }

    /// Returns a copy with further secrets, which are not added to this collection.
    pub(crate) fn with(&self, texts: impl IntoIterator<Item = impl AsRef<str>>) -> Self {
        let copy = Self(Hidden(Arc::new(Mutex::new(locked(&self.0).clone()))));
        texts.into_iter().for_each(|text| copy.add_text(text.as_ref()));
        copy
    }

    /// Adds a secret without an owner.
    pub(crate) fn add_text(&self, secret: &str) {
        self.add_owned(secret, Weak::new());
    }

    fn add_owned(&self, secret: &str, owner: Weak<Zeroizing<String>>) {
        if secret.len() < FEWEST_LETTERS {
            return;
        }
        let is_known = |known: &Secret| {
            *known.text == secret && known.owner.strong_count() > 0 && known.owner.ptr_eq(&owner)
        };
        let mut list = locked(&self.0);
        if list.iter().any(is_known) {
            return;
        }
        let known = list.iter().position(|it| *it.text == secret).map(|at| list.remove(at));
        let added = match known {
            Some(known) if owner.strong_count() == 0 => known,
            Some(known) => Secret { owner, ..known },
            None => {
                let text = Zeroizing::new(secret.to_owned());
                Secret { forms: forms(secret), text, owner }
            }
        };
        list.insert(0, added);
        // Of those without an owner few are kept.
        let mut ownerless = 0;
        list.retain(|secret| {
            let is_owned = secret.owner.strong_count() > 0;
            ownerless += usize::from(!is_owned);
            is_owned || ownerless <= MOST_RECENT
        });
    }
}

/// Returns the forms of a secret in base64, at each offset in the encoded data, and in hexadecimal.
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
    forms.extend([hex::encode(secret), hex::encode_upper(secret)].map(Zeroizing::new));
    forms
}

/// Returns the text without a secret of which some characters, or all, are encoded as `%41`, `\x41`, `\u0041` or `\/`, or are so only in the secret;
/// `None` if the text does not hold it. `meant` and `starts` are the text [decoded].
fn without_encoded(text: &str, meant: &[u8], starts: &[usize], secret: &str) -> Option<String> {
    let secret = Zeroizing::new(decoded(secret.as_bytes()).0);
    // Of bytes, because a secret that is encoded can begin within a letter.
    let mut hidden = Vec::new();
    let (mut kept_to, mut first) = (0, 0);
    while first + secret.len() <= meant.len() {
        let end = first + secret.len();
        if meant[first..end] == **secret {
            hidden.extend_from_slice(&text.as_bytes()[kept_to..starts[first]]);
            hidden.extend_from_slice(HIDDEN.as_bytes());
            kept_to = starts[end];
            first = end;
        } else {
            first += 1;
        }
    }
    hidden.extend_from_slice(&text.as_bytes()[kept_to..]);
    (kept_to > 0).then(|| String::from_utf8_lossy(&hidden).into_owned())
}

/// Returns the decoded bytes of a text, and where each of them begins in it, with the end of the text.
fn decoded(bytes: &[u8]) -> (Vec<u8>, Vec<usize>) {
    let (mut decoded, mut starts) = (Vec::with_capacity(bytes.len()), Vec::new());
    let mut at = 0;
    while at < bytes.len() {
        let (byte, length) = encoded(&bytes[at..]).unwrap_or((bytes[at], 1));
        decoded.push(byte);
        starts.push(at);
        at += length;
    }
    starts.push(at);
    (decoded, starts)
}

/// Returns the byte that begins here and its length in the text, if it is encoded.
fn encoded(bytes: &[u8]) -> Option<(u8, usize)> {
    let (high, low, length) = match *bytes {
        [b'\\', b'/', ..] => return Some((b'/', 2)),
        [b'%', high, low, ..] => (high, low, 3),
        [b'\\', b'x', high, low, ..] => (high, low, 4),
        [b'\\', b'u', b'0', b'0', high, low, ..] => (high, low, 6),
        _ => return None,
    };
    let mut byte = [0];
    hex::decode_to_slice([high, low], &mut byte).ok()?;
    Some((byte[0], length))
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
    fn a_token_is_hidden_in_every_form() {
        let all = |c: &u8| format!("%{c:02x}");
        let encoded: String = url::form_urlencoded::byte_serialize(TOKEN.as_bytes()).collect();
        for form in [
            TOKEN.to_owned(),
            encoded.clone(),
            encoded.to_lowercase(),
            TOKEN.as_bytes().iter().map(all).collect(),
            TOKEN.replace('/', "\\/"),
            TOKEN.bytes().map(|byte| format!("{byte:02x}")).collect(),
            TOKEN.bytes().map(|byte| format!("{byte:02X}")).collect(),
            TOKEN.bytes().map(|byte| format!("\\x{byte:02x}")).collect(),
            TOKEN.replace('|', "\\u007C").replace('/', "\\u002f"),
        ] {
            let text = format!("é%% before {form} after %4");
            assert_eq!(secrets().hide(&text), "é%% before *** after %4", "{form}");
        }
        let nothing = "lnk_7|a/secret, %41%zz";
        assert!(matches!(secrets().hide(nothing), Cow::Borrowed(same) if same == nothing));
    }

    #[test]
    fn a_token_is_hidden_in_base64_wherever_it_begins() {
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

    #[test]
    fn an_encoded_secret_is_hidden_where_it_is_decoded() {
        let secrets = Secrets::default().with(["a%2Fsecret%3d1"]);
        for form in
            ["a%2Fsecret%3d1", "a/secret=1", "a%2fsecret=1", "a\\u002Fsecret=1", "a\\/secret=1"]
        {
            assert_eq!(secrets.hide(&format!("/{form}!")), "/***!", "{form}");
        }
        assert_eq!(secrets.hide("a/secret"), "a/secret");
        let within = Secrets::default().with(["%A9%A9-secret"]);
        assert_eq!(within.hide("é\u{69}-secret, \u{e9}%A9-secret"), "éi-secret, \u{fffd}***");
    }

    #[test]
    fn a_copy_has_further_secrets_of_its_own() {
        let copy = secrets().with(["/uploads/1"]);
        assert_eq!(copy.hide(&format!("{TOKEN} /uploads/1")), "*** ***");
        assert_eq!(secrets().hide(&format!("{TOKEN} /uploads/1")), "*** /uploads/1");
    }

    fn count(secrets: &Secrets) -> usize {
        locked(&secrets.0).len()
    }

    #[test]
    fn tokens_that_nobody_has_any_more_leave_but_for_the_last_ones() {
        let secrets = Secrets::default();
        let live: Vec<Token> =
            (0..100).map(|n| Token::new(format!("live-token-{n}")).unwrap()).collect();
        for token in &live {
            secrets.add(token);
        }
        for n in 0..10_000 {
            secrets.add(&Token::new(format!("renewed-token-{n}")).unwrap());
            // A source that makes a new token of the same text for each request.
            secrets.add(&Token::new("read-again-each-time").unwrap());
            secrets.add_text(&format!("authorization-code-{n}"));
        }
        assert_eq!(count(&secrets), live.len() + MOST_RECENT);
        for hidden in ["live-token-0", "renewed-token-9999", "read-again-each-time"] {
            assert_eq!(secrets.hide(hidden), "***");
        }
        assert_eq!(secrets.hide("renewed-token-7"), "renewed-token-7");
        drop(live);
        secrets.add_text("one more secret");
        assert_eq!(count(&secrets), MOST_RECENT);
    }

    #[test]
    fn a_token_stays_for_its_newest_owner() {
        let secrets = Secrets::default();
        let first = Token::new("token-of-two").unwrap();
        let second = Token::new("token-of-two").unwrap();
        secrets.add(&first);
        secrets.add(&second);
        drop(first);
        (0..2 * MOST_RECENT).for_each(|n| secrets.add_text(&format!("secret number {n}")));
        assert_eq!(secrets.hide("token-of-two"), "***");
        assert_eq!(count(&secrets), MOST_RECENT + 1);
    }
}
