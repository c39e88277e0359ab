//! Recognition of files that are neither page files nor form files, so that the user is told what they are instead of where they cannot
//! be parsed.

use links_sdk::ImageType;

/// Number of bytes at the beginning of a file that decide.
const HEAD: usize = 8 * 1024;

/// Keys that begin a page file or a form file: a file with one of them is shown with its problems.
const OWN_KEYS: &[&str] = &["profile:", "form:", "slots:", "\"profile\"", "\"form\"", "\"slots\""];

/// First bytes of other binary files.
const STARTS: [(&[u8], &str); 3] = [
    (b"%PDF-", "a PDF document"),
    (b"PK\x03\x04", "a ZIP archive, or a document of an office program"),
    (b"\x1f\x8b", "a gzip archive"),
];

/// File of another type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ForeignFile {
    /// Image that can be uploaded.
    #[error("an image ({})", .0.media_type())]
    Image(ImageType),
    /// Other binary file, or text in another format.
    #[error("{0}")]
    Other(&'static str),
}

impl ForeignFile {
    /// Returns the type of a file by its first bytes if it is binary, whatever its name.
    pub fn binary(bytes: &[u8]) -> Option<Self> {
        if let Some(image) = ImageType::of(bytes) {
            return Some(Self::Image(image));
        }
        let known = STARTS.iter().find(|(start, _)| bytes.starts_with(start));
        if let Some((_, what)) = known {
            return Some(Self::Other(what));
        }
        let head = &bytes[..bytes.len().min(HEAD)];
        let is_utf16 = bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff");
        let is_own = has_own_key(&String::from_utf8_lossy(head));
        (head.contains(&0) && !is_utf16 && !is_own).then_some(Self::Other("a binary file"))
    }

    /// Returns the type of a text that is no page file: one that cannot be parsed, or is a document of another kind. `None` for what looks
    /// like a page file or form file with a mistake.
    pub fn text(name: &str, bytes: &[u8]) -> Option<Self> {
        let head = String::from_utf8_lossy(&bytes[..bytes.len().min(HEAD)]);
        if has_own_key(&head) {
            return None;
        }
        let mut lines = head.lines().map(str::trim).filter(|line| !line.is_empty());
        let first = lines.next().unwrap_or_default().to_ascii_lowercase();
        let is_heading =
            first.starts_with("# ") && lines.next().is_some_and(|it| !it.contains(':'));
        let begins = |starts: &[&str]| starts.iter().any(|it| first.starts_with(it));
        let extension = name.rsplit_once('.').map(|(_, it)| it.to_ascii_lowercase());
        let is_named = |one, other| extension.as_deref().is_some_and(|it| it == one || it == other);
        let kinds = [
            (begins(&["<!doctype", "<html", "<head", "<body", "<!--"]), "an HTML page"),
            (begins(&["<?xml", "<svg"]), "an XML document"),
            (is_named("csv", "tsv") || is_delimited(&head), "a table (CSV)"),
            (is_named("md", "markdown") || is_heading, "a Markdown document"),
        ];
        kinds.into_iter().find(|(is_it, _)| *is_it).map(|(_, what)| Self::Other(what))
    }

    /// Hint for the user.
    pub fn hint(self) -> &'static str {
        match self {
            Self::Image(_) => {
                "`links files upload FILE` uploads an image; in a page file it is `image: {$upload: FILE}`"
            }
            Self::Other(_) => {
                "a page file is YAML or JSON: `links pull KEY` writes one, `links schema page` describes it"
            }
        }
    }
}

/// Tells whether a line of a text begins with a key of a page file or form file.
fn has_own_key(head: &str) -> bool {
    head.lines().any(|line| OWN_KEYS.iter().any(|key| line.trim_start().starts_with(key)))
}

/// Tells whether the first lines of a text have the same number of delimiters, outside of quotes.
fn is_delimited(head: &str) -> bool {
    let lines: Vec<&str> = head.lines().take(3).filter(|line| !line.trim().is_empty()).collect();
    let count = |line: &str, delimiter: char| {
        let mut quoted = false;
        let outside = |c: &char| {
            quoted ^= *c == '"';
            !quoted && *c == delimiter
        };
        line.chars().filter(outside).count()
    };
    lines.len() > 1
        && lines.iter().all(|line| !line.contains(": ") && !line.starts_with(['-', '{', '[', '#']))
        && [',', ';', '\t'].into_iter().any(|delimiter| {
            let first = count(lines[0], delimiter);
            first > 0 && lines.iter().all(|line| count(line, delimiter) == first)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn binary_files_are_told_by_their_first_bytes() {
        for (bytes, expected) in [
            (&b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"[..], Some(ForeignFile::Image(ImageType::Png))),
            (b"GIF89a\x01\0", Some(ForeignFile::Image(ImageType::Gif))),
            (b"%PDF-1.7\n", Some(ForeignFile::Other("a PDF document"))),
            (b"\x7fELF\x02\x01\0\0", Some(ForeignFile::Other("a binary file"))),
            (b"profile: cafe\n", None),
            (b"profile: cafe\ntitle: a\0b\n", None),
            (b"\xff\xfep\0r\0o\0f\0i\0l\0e\0", None),
            (b"", None),
        ] {
            assert_eq!(ForeignFile::binary(bytes), expected, "{bytes:?}");
        }
        assert!(ForeignFile::binary(b"PK\x03\x04\x14\0").is_some());
    }

    #[test]
    fn texts_of_other_formats_are_told_and_page_files_with_a_mistake_are_not() {
        for (name, text, expected) in [
            ("a.html", "<!DOCTYPE html>\n<html>", Some("an HTML page")),
            ("page", "  <html><body>", Some("an HTML page")),
            ("a.xml", "<?xml version=\"1.0\"?>", Some("an XML document")),
            ("a.csv", "name", Some("a table (CSV)")),
            ("rows.txt", "name,url\n\"Menu, new\",https://x\n", Some("a table (CSV)")),
            ("rows.txt", "a;b;c\n1;2;3\n4;5;6\n", Some("a table (CSV)")),
            ("README.md", "anything", Some("a Markdown document")),
            ("notes", "# Title\n\nSome text.\n", Some("a Markdown document")),
            ("page.yaml", "# My page\nprofile cafe\nslots: []\n", None),
            ("page.yaml", "profile: cafe\nslots: [\n", None),
            ("page.md", "profile: cafe\nslots: [\n", None),
            ("page.json", "{\"profile\": \"cafe\", \"slots\": [}", None),
            ("page.yaml", "title: a, b\ntext: c, d\n", None),
            ("page.yaml", "- a, b\n- c, d\n", None),
            ("page.yaml", "", None),
        ] {
            let found = ForeignFile::text(name, text.as_bytes()).map(|it| it.to_string());
            assert_eq!(found.as_deref(), expected, "{name}: {text:?}");
        }
    }
}
