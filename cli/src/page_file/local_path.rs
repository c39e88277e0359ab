//! Strings that are evidently paths of this machine, where the path of an uploaded image belongs.

/// Directories in which users and CI services keep files. A path of the service may begin with `/` too, but not with one of these.
const LOCAL_ROOTS: [&str; 9] = [
    "/home/",
    "/Users/",
    "/root/",
    "/tmp/",
    "/private/",
    "/mnt/",
    "/Volumes/",
    "/workspace/",
    "/builds/",
];

/// Pattern of the texts for which [`is_local`] holds, for JSON Schemas.
pub(crate) const LOCAL_PATTERN: &str = r"^(\.{0,2}\\|\.{1,2}/|~|[a-zA-Z]:[/\\]|/(home|Users|root|tmp|private|mnt|Volumes|workspace|builds)/)";

const IMAGE_ENDINGS: [&str; 10] =
    ["jpg", "jpeg", "png", "webp", "gif", "svg", "heic", "avif", "bmp", "tiff"];

/// Tells by the text alone whether it looks like a path of this machine: `./a`, `../a`, `~/a`, `/a`, `C:\a`, `\\server\a`.
pub(crate) fn looks_local(text: &str) -> bool {
    text.starts_with('/') || is_local(text)
}

/// Tells by the text alone whether it is surely a path of this machine, even where paths of the service begin with `/`.
pub(crate) fn is_local(text: &str) -> bool {
    let drive = || {
        let mut chars = text.chars();
        chars.next().is_some_and(|c| c.is_ascii_alphabetic())
            && chars.next() == Some(':')
            && matches!(chars.next(), Some('/' | '\\'))
    };
    let starts = ["./", "../", "~", ".\\", "..\\", "\\"];
    starts.iter().chain(&LOCAL_ROOTS).any(|start| text.starts_with(start)) || drive()
}

/// Tells whether the text ends like the name of an image file.
pub(crate) fn has_image_ending(text: &str) -> bool {
    text.rsplit_once('.')
        .is_some_and(|(_, ending)| IMAGE_ENDINGS.iter().any(|it| ending.eq_ignore_ascii_case(it)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn found_06_local_paths_and_image_extensions_are_recognised() {
        for text in ["./a.png", "../a.png", "~/a.png", "/home/a.png", "C:\\a.png", "\\\\x\\a.png"] {
            assert!(looks_local(text) && is_local(text) && has_image_ending(text), "{text}");
        }
        for text in ["uploads/1/a.png", "a.png", "", ".", "c:a.png", "https://x.example/a.png"] {
            assert!(!looks_local(text), "{text}");
        }
        assert!(!has_image_ending("/menu") && has_image_ending("./A.JPEG"));
        assert!(looks_local("/storage/a.png") && !is_local("/storage/a.png"));
    }
}
