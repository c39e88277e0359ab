//! Images of pages, downloaded into a directory beside the page file.

use std::fs;

use links_sdk::ImageType;

use super::file_name::stem;
use crate::context::prelude::*;
use links_pages::page_file::local_image::hash_of;

/// Directory of the images, beside the page file.
pub(super) const IMAGES: &str = "images";

/// Downloads an image, once for each directory. Returns the path of its file from the directory of the page file, as `$upload` takes it. `Err`
/// within the result is the reason why it cannot be had at all.
pub(super) async fn save(
    known: &mut BTreeMap<(PathBuf, String), String>,
    client: &Client,
    (directory, path): (&Path, &str),
    url: &str,
) -> Result<Result<String, String>> {
    let key = (directory.to_owned(), path.to_owned());
    if let Some(image) = known.get(&key) {
        return Ok(Ok(image.clone()));
    }
    let bytes = match client.files().download(url).await {
        Ok(bytes) => bytes,
        Err(error) if error.is_network() || error.is_timeout() || error.is_server_error() => {
            let failure = CommandError::from(error);
            let message =
                format!("cannot download the image {path}: {failure}; the page was not written");
            return Err(CommandError::new(failure.exit(), message)
                .with_hint("run the same command again, or leave out --images"));
        }
        Err(error) => return Ok(Err(error.to_string())),
    };
    let image = write(directory, path, &bytes).map_err(|error| {
        let images = directory.join(IMAGES);
        let images = images.display();
        let what = format!("the page was not written: cannot write its image {path} to {images}");
        file_error(&what, &error)
    })?;
    known.insert(key, image.clone());
    Ok(Ok(image))
}

/// Writes an image under a name that no other image has.
fn write(directory: &Path, path: &str, bytes: &[u8]) -> io::Result<String> {
    let hash = hash_of(bytes);
    let last = path.rsplit(['/', '\\']).next().unwrap_or_default();
    let last = last.rsplit_once('.').map_or(last, |(stem, _)| stem);
    let (stem, ending) = (stem(last, "image"), ending(bytes));
    let images = directory.join(IMAGES);
    fs::create_dir_all(named::resolve(&images)?)?;
    let names = [format!("{stem}.{ending}"), format!("{stem}-{}.{ending}", &hash[..12])];
    for name in &names {
        let path = images.join(name);
        let is_saved = match atomic::write(&path, bytes, false) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                let found = named::read_most(&path, bytes.len() as u64);
                found.is_ok_and(|(_, found)| found == bytes)
            }
            written => written.map(|()| true)?,
        };
        if is_saved {
            return Ok(format!("{IMAGES}/{name}"));
        }
    }
    Err(io::Error::new(
        io::ErrorKind::AlreadyExists,
        format!("{} already exists with other content", names[1]),
    ))
}

fn ending(bytes: &[u8]) -> &'static str {
    match ImageType::of(bytes) {
        Some(ImageType::Jpeg) => "jpg",
        Some(ImageType::Png) => "png",
        Some(ImageType::Webp) => "webp",
        Some(ImageType::Gif) | None => "gif",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_stays_beneath_its_directory_and_replaces_no_other_file() {
        let directory = tempfile::tempdir().unwrap();
        let at = directory.path();
        let name = |path: &str, bytes: &[u8]| write(at, path, bytes).unwrap();
        assert_eq!(name("uploads/7/logo.png", b"GIF89a-one"), "images/logo.gif");
        assert_eq!(name("uploads/8/logo.png", b"GIF89a-one"), "images/logo.gif");
        let other = name("uploads/9/logo.png", b"GIF89a-two");
        assert!(
            other.starts_with("images/logo-") && other.len() == "images/logo-.gif".len() + 12,
            "{other}"
        );
        assert_eq!(fs::read(at.join("images/logo.gif")).unwrap(), b"GIF89a-one");
        for path in ["../../../etc/passwd", "..\\..\\x", "..", "", ".ssh/.config", "a\0b"] {
            let name = name(path, b"\xff\xd8\xff");
            let file = name.strip_prefix("images/").unwrap();
            assert!(!file.contains(['/', '\\', '\0']) && !file.starts_with('.'), "{name}");
            assert!(at.join("images").join(file).is_file(), "{name}");
        }
    }
}
