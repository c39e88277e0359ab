//! Line diff of two texts.

use similar::TextDiff;

use super::{Style, StyledLine};
use crate::sanitize;

/// Number of unchanged lines around a change.
const CONTEXT: usize = 3;

/// Returns the unified diff of two texts, which is empty if they are equal.
pub(crate) fn unified(old: (&str, &str), new: (&str, &str)) -> String {
    let (old_name, new_name) = (sanitize::line(old.0), sanitize::line(new.0));
    let diff = TextDiff::from_lines(old.1, new.1);
    let mut unified = diff.unified_diff();
    unified.context_radius(CONTEXT).header(&old_name, &new_name).to_string()
}

/// Returns the lines of a diff with their styles.
pub(crate) fn diff_lines(diff: &str) -> Vec<StyledLine> {
    diff.lines().map(styled).collect()
}

fn styled(line: &str) -> StyledLine {
    let style = match line.as_bytes().first() {
        Some(b'+') => Style::Added,
        Some(b'-') => Style::Removed,
        Some(b'@') => Style::Faint,
        _ => Style::Plain,
    };
    StyledLine::new(style, line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_a_diff_has_the_style_of_its_sign() {
        let style = |line| styled(line).tone;
        assert_eq!((style("+a"), style("-a")), (Style::Added, Style::Removed));
        assert_eq!((style("@@ -1 +1 @@"), style(" a")), (Style::Faint, Style::Plain));
        assert_eq!(style(""), Style::Plain);
    }

    #[test]
    fn a_diff_names_both_texts_and_is_empty_for_equal_ones() {
        assert_eq!(unified(("a", "x\n"), ("b", "x\n")), "");
        let diff = unified(("now", "x\n"), ("cafe\n.yaml", "y\n"));
        assert_eq!(diff, "--- now\n+++ cafe .yaml\n@@ -1 +1 @@\n-x\n+y\n");
    }
}
