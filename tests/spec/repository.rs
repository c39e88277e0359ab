//! The text files of the repository.

use std::fs;
use std::path::{Path, PathBuf};

/// A file below the root of the repository.
pub(crate) struct TextFile {
    /// Path below the root, with `/` between its parts.
    pub(crate) path: String,
    pub(crate) text: String,
}

/// Returns the root of the repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// Returns the text of one file.
pub(crate) fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Returns every file with one of these extensions, sorted by path; build output and hidden directories are left out.
pub(crate) fn files(extensions: &[&str]) -> Vec<TextFile> {
    let mut found = Vec::new();
    collect(&root(), "", extensions, &mut found);
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found
}

fn collect(directory: &Path, prefix: &str, extensions: &[&str], found: &mut Vec<TextFile>) {
    for entry in fs::read_dir(directory).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        let (kind, path) = (entry.file_type().unwrap(), format!("{prefix}{name}"));
        if kind.is_dir() && name != "target" && !name.starts_with('.') {
            collect(&entry.path(), &format!("{path}/"), extensions, found);
        } else if kind.is_file() && extensions.iter().any(|it| name.ends_with(&format!(".{it}"))) {
            found.push(TextFile { text: read(&path), path });
        }
    }
}

/// Returns the cells of the rows of the tables in a part of a markdown file; headings and rules of tables are left out.
pub(crate) fn table_rows(markdown: &str) -> Vec<Vec<String>> {
    let lines: Vec<&str> = markdown.lines().collect();
    let is_rule =
        |line: &str| line.starts_with('|') && line.trim_matches(['|', '-', ' ']).is_empty();
    let mut rows = Vec::new();
    for (number, line) in lines.iter().enumerate() {
        let is_heading = lines.get(number + 1).is_some_and(|next| is_rule(next));
        if line.starts_with('|') && !is_rule(line) && !is_heading {
            let cells = line.trim().trim_start_matches('|').trim_end_matches('|').split('|');
            rows.push(cells.map(|cell| cell.trim().to_owned()).collect());
        }
    }
    rows
}
