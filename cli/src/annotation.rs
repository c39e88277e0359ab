//! What is wrong with a file, as the commands with which a GitHub workflow shows annotations.

use std::fmt::Write;

/// `::error file=page.yaml,line=17,col=11::message`, one line for each.
pub(crate) fn github(file: &str, line: usize, column: usize, message: &str) -> String {
    let mut text = String::from("::error file=");
    escaped(file, &mut text, true);
    let _ = write!(text, ",line={line},col={column}::");
    escaped(message, &mut text, false);
    text
}

/// The same for what has no place in a file.
pub(crate) fn github_anywhere(message: &str) -> String {
    let mut text = String::from("::error::");
    escaped(message, &mut text, false);
    text
}

fn escaped(it: &str, text: &mut String, property: bool) {
    for c in it.chars() {
        match c {
            '%' => text.push_str("%25"),
            '\r' => text.push_str("%0D"),
            '\n' => text.push_str("%0A"),
            ':' if property => text.push_str("%3A"),
            ',' if property => text.push_str("%2C"),
            c => text.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_message_can_be_taken_for_a_command() {
        assert_eq!(
            github("a,b:c%.yaml", 17, 11, "100 %\r\n::error::x"),
            "::error file=a%2Cb%3Ac%25.yaml,line=17,col=11::100 %25%0D%0A::error::x"
        );
        assert_eq!(github_anywhere("a\nb"), "::error::a%0Ab");
    }
}
