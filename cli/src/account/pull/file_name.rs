//! Names of files made from texts of the service: a name stays within its directory and is usable on every system.

/// Names that Windows keeps for devices, with any extension.
const DEVICES: [&str; 4] = ["con", "prn", "aux", "nul"];
const NUMBERED_DEVICES: [&str; 2] = ["com", "lpt"];

/// Maximum length of a stem in bytes; a login has at most 60.
const MAX_STEM: usize = 100;

/// Maximum length of a local name in characters, without a number after it.
const MAX_NAME: usize = 48;

/// Returns the text as the stem of a file name: letters, digits, `.`, `_` and `-`, not hidden, and no name of a device.
pub(crate) fn stem(text: &str, otherwise: &str) -> String {
    let is_kept = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-');
    let kept = text.chars().map(|c| if is_kept(c) { c } else { '_' });
    let mut length = 0;
    let fits = |c: &char| {
        length += c.len_utf8();
        length <= MAX_STEM
    };
    let kept: String = kept.take_while(fits).collect();
    let kept = kept.trim_matches(['.', '-']);
    if !kept.contains(char::is_alphanumeric) {
        return otherwise.to_owned();
    }
    if is_device(kept) { format!("_{kept}") } else { kept.to_owned() }
}

/// Returns the local name of a form with this title: words in small letters, joined by `-`.
pub(super) fn local_name(title: &str) -> String {
    let words = title.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let name = words.collect::<Vec<_>>().join("-").to_lowercase();
    // Lower case may add marks that are no letters.
    let is_kept = |c: &char| c.is_alphanumeric() || *c == '-';
    let name: String = name.chars().filter(is_kept).take(MAX_NAME).collect();
    let name = name.trim_matches('-');
    if name.is_empty() { "form".to_owned() } else { name.to_owned() }
}

fn is_device(stem: &str) -> bool {
    let name = stem.split('.').next().unwrap_or_default().to_ascii_lowercase();
    let numbered = name.strip_suffix(|c: char| matches!(c, '1'..='9'));
    DEVICES.contains(&&*name) || numbered.is_some_and(|it| NUMBERED_DEVICES.contains(&it))
}

#[cfg(test)]
mod tests {
    use std::path::{Component, Path};

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_login_is_its_own_name_and_a_hostile_one_stays_within_the_directory() {
        let cases = [
            ("cafe", "cafe"),
            ("qara.weddings", "qara.weddings"),
            ("a_b", "a_b"),
            ("../../etc/passwd", "_.._etc_passwd"),
            ("/etc/passwd", "_etc_passwd"),
            ("C:\\x", "C__x"),
            (".git", "git"),
            ("..", "page"),
            ("", "page"),
            ("a\0b\nc", "a_b_c"),
            ("COM1", "_COM1"),
            ("nul.txt", "_nul.txt"),
            ("comet", "comet"),
            ("кафе", "кафе"),
        ];
        for (login, name) in cases {
            assert_eq!(stem(login, "page"), name, "{login}");
        }
        assert_eq!(local_name("Book a table!"), "book-a-table");
        assert_eq!(local_name("../../Запись №1"), "запись-1");
        assert_eq!((local_name("???"), local_name("")), ("form".into(), "form".into()));
    }

    proptest! {
        #[test]
        fn every_name_is_one_visible_component(text in any::<String>()) {
            for name in [stem(&text, "page"), stem(&local_name(&text), "form")] {
                let file = format!("{name}.yaml");
                let parts: Vec<_> = Path::new(&file).components().collect();
                prop_assert!(matches!(parts[..], [Component::Normal(_)]), "{file}");
                prop_assert!(!file.starts_with('.') && !file.contains(['/', '\\', ':', '\0']), "{file}");
                prop_assert!(file.len() < 255, "{file}");
            }
            let name = local_name(&text);
            prop_assert!(name.starts_with(char::is_alphanumeric) && name.chars().count() <= 64, "{name}");
        }
    }
}
