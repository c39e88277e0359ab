//! Key under which credentials are encrypted outside of this machine.

use std::fmt;

use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::hmac;
use ring::rand::{SecureRandom, SystemRandom};
use zeroize::Zeroizing;

const BYTES: usize = 32;

/// Secret key of a [`RedisCredentialStore`](super::RedisCredentialStore). It belongs to the program's own secrets; all machines have the same.
#[derive(Clone)]
pub struct StoreKey(Zeroizing<[u8; BYTES]>);

/// Reason why a text is no [`StoreKey`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a store key has 64 hexadecimal digits")]
pub struct InvalidStoreKey;

impl StoreKey {
    /// Returns a key of random bytes.
    pub fn new(bytes: [u8; BYTES]) -> Self {
        Self(Zeroizing::new(bytes))
    }

    /// Reads a key, such as `openssl rand -hex 32` prints.
    ///
    /// # Errors
    ///
    /// When the text does not have 64 hexadecimal digits.
    pub fn from_hex(text: &str) -> Result<Self, InvalidStoreKey> {
        let mut bytes = Zeroizing::new([0; BYTES]);
        hex::decode_to_slice(text.trim(), &mut *bytes).map_err(|_| InvalidStoreKey)?;
        Ok(Self(bytes))
    }

    /// Encrypts a text that can be decrypted only under the same name.
    pub(super) fn encrypt(&self, name: &str, text: &[u8]) -> Option<Vec<u8>> {
        let mut nonce = [0; NONCE_LEN];
        SystemRandom::new().fill(&mut nonce).ok()?;
        let mut sealed = text.to_vec();
        let unique = Nonce::assume_unique_for_key(nonce);
        self.cipher()?.seal_in_place_append_tag(unique, Aad::from(name), &mut sealed).ok()?;
        Some([&nonce[..], &sealed].concat())
    }

    /// Decrypts what was encrypted under this name with this key.
    pub(super) fn decrypt(&self, name: &str, sealed: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
        let (nonce, sealed) = sealed.split_at_checked(NONCE_LEN)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).ok()?;
        let mut text = Zeroizing::new(sealed.to_vec());
        let length = self.cipher()?.open_in_place(nonce, Aad::from(name), &mut text).ok()?.len();
        text.truncate(length);
        Some(text)
    }

    /// Returns a digest of a name, from which it can be recovered only with the key.
    pub(super) fn digest(&self, name: &str) -> String {
        let key = hmac::Key::new(hmac::HMAC_SHA256, &*self.0);
        hex::encode(&hmac::sign(&key, name.as_bytes()).as_ref()[..16])
    }

    fn cipher(&self) -> Option<LessSafeKey> {
        UnboundKey::new(&CHACHA20_POLY1305, &*self.0).ok().map(LessSafeKey::new)
    }
}

impl fmt::Debug for StoreKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StoreKey(***)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_decrypted_with_its_key_under_its_name_only() {
        let key = StoreKey::new([7; BYTES]);
        let sealed = key.encrypt("one", b"canary").unwrap();
        assert!(!sealed.windows(6).any(|it| it == b"canary"));
        assert_ne!(sealed, key.encrypt("one", b"canary").unwrap(), "each with a nonce of its own");
        let text =
            |key: &StoreKey, name, sealed: &[u8]| key.decrypt(name, sealed).map(|it| it.to_vec());
        assert_eq!(text(&key, "one", &sealed), Some(b"canary".to_vec()));
        assert_eq!(text(&key, "other", &sealed), None);
        assert_eq!(text(&StoreKey::new([8; BYTES]), "one", &sealed), None);
        for end in 0..sealed.len() {
            assert_eq!(text(&key, "one", &sealed[..end]), None);
        }
    }

    #[test]
    fn a_key_is_read_from_hexadecimal_digits_and_never_shown() {
        let key = StoreKey::from_hex(&format!("{}\n", "07".repeat(32))).unwrap();
        assert_eq!(key.digest("one"), StoreKey::new([7; BYTES]).digest("one"));
        assert_eq!(format!("{key:?}"), "StoreKey(***)");
        for text in ["", "07", &"0g".repeat(32), &"07".repeat(33)] {
            assert_eq!(StoreKey::from_hex(text).unwrap_err(), InvalidStoreKey);
        }
    }
}
