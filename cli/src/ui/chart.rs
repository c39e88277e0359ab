//! Charts made of block characters.

/// Characters for zero to eight eighths of a cell.
const LEVELS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Row of bars, one per number; the highest fills its cell. A positive number is never shown as empty.
pub(crate) fn sparkline(numbers: &[f64]) -> String {
    let most = most(numbers);
    numbers.iter().map(|it| LEVELS[level(*it, most, 8)]).collect()
}

/// Bar of at most `width` cells, for a number of at most `most`.
pub(crate) fn bar(number: f64, most: f64, width: usize) -> String {
    "▇".repeat(level(number, most, width))
}

/// Vertical bars in `height` lines; the highest bar takes all lines.
pub(crate) fn columns(numbers: &[f64], height: usize) -> Vec<String> {
    let most = most(numbers);
    let line = |row: usize| {
        let of = |it: &f64| LEVELS[level(*it, most, height * 8).saturating_sub(row * 8).min(8)];
        numbers.iter().map(of).collect::<String>().trim_end().to_owned()
    };
    (0..height).rev().map(line).collect()
}

/// Sums of neighbouring numbers in at most `width` parts, and the number of neighbours per part.
pub(crate) fn gathered(numbers: &[f64], width: usize) -> (Vec<f64>, usize) {
    let each = numbers.len().div_ceil(width.max(1)).max(1);
    (numbers.chunks(each).map(|part| part.iter().sum()).collect(), each)
}

fn most(numbers: &[f64]) -> f64 {
    numbers.iter().copied().filter(|it| it.is_finite()).fold(0.0, f64::max)
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "a level is a small whole number from 0 to `full`, whatever the number"
)]
fn level(number: f64, most: f64, full: usize) -> usize {
    if number <= 0.0 || most <= 0.0 || !number.is_finite() {
        return 0;
    }
    ((number / most * full as f64).round() as usize).clamp(1, full)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_highest_number_fills_its_cell_and_small_ones_are_not_empty() {
        assert_eq!(sparkline(&[0.0, 1.0, 50.0, 100.0]), " ▁▄█");
        assert_eq!(sparkline(&[0.0, 0.0]), "  ");
        assert_eq!(sparkline(&[-3.0, f64::NAN, 5.0]), "  █");
        assert_eq!(sparkline(&[]), "");
    }

    #[test]
    fn columns_and_bars_are_scaled_to_their_size() {
        assert_eq!(columns(&[4.0, 8.0, 0.0, 1.0], 2), [" █", "██ ▂"]);
        assert_eq!(columns(&[], 2), ["", ""]);
        assert_eq!(bar(5.0, 10.0, 6), "▇▇▇");
    }

    #[test]
    fn adjacent_numbers_are_summed_to_fit_the_width() {
        assert_eq!(gathered(&[1.0, 2.0, 3.0], 10), (vec![1.0, 2.0, 3.0], 1));
        assert_eq!(gathered(&[1.0, 2.0, 3.0], 2), (vec![3.0, 3.0], 2));
        assert_eq!(gathered(&[], 0), (vec![], 1));
    }
}
