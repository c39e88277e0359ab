//! The paths of one uploaded image in a `links.lock`.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

/// Paths under which the service has one image: several, if it was uploaded several times. A string in the text of a lock, or a list of at
/// least two.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "PathOrPaths", into = "PathOrPaths")]
pub struct ImagePaths(pub BTreeSet<String>);

impl From<String> for ImagePaths {
    fn from(path: String) -> Self {
        Self([path].into())
    }
}

#[derive(Serialize, Deserialize)]
#[serde(untagged, expecting = "an image must have a path, or a list of paths")]
enum PathOrPaths {
    Path(String),
    Paths(BTreeSet<String>),
}

impl TryFrom<PathOrPaths> for ImagePaths {
    type Error = &'static str;

    fn try_from(read: PathOrPaths) -> Result<Self, Self::Error> {
        match read {
            PathOrPaths::Path(path) => Ok(path.into()),
            PathOrPaths::Paths(paths) if paths.len() > 1 => Ok(Self(paths)),
            PathOrPaths::Paths(_) => Err("a list of paths must have two or more"),
        }
    }
}

impl From<ImagePaths> for PathOrPaths {
    fn from(ImagePaths(mut paths): ImagePaths) -> Self {
        match paths.pop_first() {
            Some(only) if paths.is_empty() => Self::Path(only),
            first => {
                paths.extend(first);
                Self::Paths(paths)
            }
        }
    }
}
