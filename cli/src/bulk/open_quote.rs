//! Quotes of a CSV file that never end: everything after such a quote would be one cell.

/// Part of a row that a byte is in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CellPart {
    /// At the beginning of a cell.
    Start,
    /// In a cell without quotes, or after the quotes of one.
    Plain,
    /// Between quotes.
    Quoted,
    /// After a quote between quotes, which ends them unless another one follows.
    Quote,
}

/// Tells whether rows end between quotes. Quotes within a cell that does not begin with one are characters of the cell.
pub(super) fn ends_in_quotes(rows: &[u8], delimiter: u8) -> bool {
    let next = |place, byte: &u8| match (place, *byte) {
        (CellPart::Start | CellPart::Quote, b'"') => CellPart::Quoted,
        (CellPart::Quoted, b'"') => CellPart::Quote,
        (CellPart::Quoted, _) => CellPart::Quoted,
        (_, b'\n' | b'\r') => CellPart::Start,
        (_, byte) if byte == delimiter => CellPart::Start,
        _ => CellPart::Plain,
    };
    rows.iter().fold(CellPart::Start, next) == CellPart::Quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_open_quote_at_the_beginning_of_a_cell_never_ends() {
        for (rows, expected) in [
            ("", false),
            ("a,b\n", false),
            ("\"a\",b\n", false),
            ("\"a\nb\",c", false),
            ("\"say \"\"x\"\"\",c", false),
            ("19\" screen,b\n", false),
            ("a,\"b\nc,d\n", true),
            ("\"a\"\"", true),
            ("\"", true),
            ("a\n\"\"\n\"x", true),
        ] {
            assert_eq!(ends_in_quotes(rows.as_bytes(), b','), expected, "{rows:?}");
        }
    }
}
