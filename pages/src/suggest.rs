//! Suggestions for mistyped words ("did you mean").

/// Minimum similarity of two words; a lower value suggests unrelated words.
const ALIKE: f64 = 0.8;

/// Tells whether one word may be a typo of the other: one wrong, missing, extra or transposed letter for each four letters. Words that
/// share only a prefix or a suffix are not similar: `active` is not `activeTill`, `clicks` not `links`.
fn is_slip(one: &str, other: &str) -> bool {
    let letters = one.chars().count().max(other.chars().count());
    strsim::damerau_levenshtein(one, other) <= (letters / 4).max(1)
}

/// Returns the most similar known word, if any is similar enough.
pub fn nearest<S: AsRef<str>>(word: &str, known: impl IntoIterator<Item = S>) -> Option<String> {
    let wanted = word.to_lowercase();
    let score = |known: S| {
        let known = known.as_ref().to_owned();
        let lower = known.to_lowercase();
        is_slip(&wanted, &lower).then(|| (strsim::jaro_winkler(&wanted, &lower), known))
    };
    let best = known.into_iter().filter_map(score).max_by(|a, b| a.0.total_cmp(&b.0))?;
    (best.0 >= ALIKE).then_some(best.1)
}

/// Returns "did you mean `title`?" if a word is similar.
pub fn did_you_mean<S: AsRef<str>>(
    word: &str,
    known: impl IntoIterator<Item = S>,
) -> Option<String> {
    nearest(word, known).map(|it| format!("did you mean `{it}`?"))
}

/// Returns "did you mean `title`?" if a word is similar, else a list of all known words.
pub fn suggest<'k>(word: &str, known: impl IntoIterator<Item = &'k str> + Clone) -> Option<String> {
    did_you_mean(word, known.clone()).or_else(|| {
        let all: Vec<_> = known.into_iter().map(|it| format!("`{it}`")).collect();
        (!all.is_empty()).then(|| format!("available: {}", all.join(", ")))
    })
}

#[cfg(test)]
mod tests {
    use super::{nearest, suggest};

    #[test]
    fn only_a_similar_name_is_suggested() {
        let known = ["title", "description", "computed.url"];
        assert_eq!(nearest("titel", known).as_deref(), Some("title"));
        assert_eq!(nearest("Title", known).as_deref(), Some("title"));
        assert_eq!(nearest("computed.ulr", known).as_deref(), Some("computed.url"));
        assert_eq!(nearest("slots", known), None);
        assert_eq!(nearest("clicks", ["links"]), None);
        assert_eq!(nearest("active", ["activeTill"]), None);
        assert_eq!(nearest("x", [""; 0]), None);
    }

    #[test]
    fn without_a_similar_name_all_names_are_listed() {
        assert_eq!(suggest("titel", ["link", "title"]).unwrap(), "did you mean `title`?");
        assert_eq!(suggest("x", ["link", "title"]).unwrap(), "available: `link`, `title`");
        assert_eq!(suggest("x", []), None);
    }
}
