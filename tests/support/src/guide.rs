//! Code that a guide shows.

/// Returns the parts of a text between two lines, without their indentation.
pub fn parts<'t>(text: &'t str, first: &str, last: &str) -> Vec<Vec<&'t str>> {
    let mut parts = Vec::new();
    let mut lines = text.lines();
    while let Some(head) = lines.find(|line| line.trim() == first) {
        let indent = head.len() - head.trim_start().len();
        let part = lines.by_ref().take_while(|line| line.trim() != last);
        parts.push(part.map(|line| line.get(indent..).unwrap_or_default()).collect());
    }
    parts
}
