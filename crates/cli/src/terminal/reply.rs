//! Interpretation of a line that a person entered at an approval question.

/// An entered line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) text: String,
    /// True if the line was pasted: it was marked by bracketed paste, or further lines followed at once.
    pub(super) is_pasted: bool,
}

/// An answer to an approval question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Reply {
    /// Approve this call.
    Yes,
    /// Approve this call and calls of its shape for the rest of the session.
    Always,
    /// Deny, with an optional comment for the model.
    No(Option<String>),
    /// No answer, with the reason.
    Unclear(&'static str),
}

/// First words that may mean yes. A longer line that begins with one is ambiguous, so it is asked again.
const MAYBE_YES: [&str; 20] = [
    "y", "yes", "yeah", "yep", "yup", "ok", "okay", "k", "sure", "fine", "go", "do", "a", "always", "allow",
    "approve", "approved", "accept", "please", "run",
];

const UNKNOWN: &str = "the answer is neither yes nor no";
const EMPTY: &str = "Enter alone is not an answer";
const PASTED: &str = "pasted text does not approve a call; type the answer";

/// Interprets a line. Only a typed `y` or `yes` approves, in any case.
pub(super) fn reply(line: &Line, can_remember: bool) -> Reply {
    let text = line.text.trim();
    let word = text.to_lowercase();
    let answer = match word.as_str() {
        "" => Reply::Unclear(EMPTY),
        "y" | "yes" => Reply::Yes,
        "a" if can_remember => Reply::Always,
        "n" | "no" => Reply::No(None),
        _ => comment(text, &word),
    };
    if line.is_pasted && matches!(answer, Reply::Yes | Reply::Always) {
        Reply::Unclear(PASTED)
    } else {
        answer
    }
}

/// Returns a denial with the line as its comment if the line has several words and does not begin like a yes.
/// A single word is ambiguous.
fn comment(text: &str, lowercase: &str) -> Reply {
    let mut words = lowercase.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    let first = words.next();
    if first.is_some_and(|first| MAYBE_YES.contains(&first)) || words.next().is_none() {
        return Reply::Unclear(UNKNOWN);
    }
    Reply::No(Some(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(text: &str) -> Line {
        Line { text: text.to_owned(), is_pasted: false }
    }

    // Regression test for the finding "command-line B19": the answer `ok` counted as a denial with a comment.
    #[test]
    fn only_a_plain_yes_approves_and_unclear_answers_are_repeated() {
        for text in ["y", "Y", "yes", "YES", "Yes", " yes \r"] {
            assert_eq!(reply(&typed(text), true), Reply::Yes, "{text:?}");
        }
        for text in ["n", "N", "no", "NO"] {
            assert_eq!(reply(&typed(text), true), Reply::No(None), "{text:?}");
        }
        assert_eq!(reply(&typed("A"), true), Reply::Always);
        for text in
            ["", " ", "ok", "sure", "?", "1", "always", "ok, do it", "yes please", "y n", "\u{1b}[A", "a"]
        {
            assert!(matches!(reply(&typed(text), false), Reply::Unclear(_)), "{text:?}");
        }
        for text in ["use a plus, please", "no, rather do this:", "not that one"] {
            assert_eq!(reply(&typed(text), true), Reply::No(Some(text.to_owned())));
        }
    }

    // security 5
    #[test]
    fn text_that_is_pasted_never_approves() {
        for text in ["y", "yes", "a"] {
            let line = Line { text: text.to_owned(), is_pasted: true };
            assert!(matches!(reply(&line, true), Reply::Unclear(_)), "{text}");
        }
        let line = Line { text: "not that\none".to_owned(), is_pasted: true };
        assert_eq!(reply(&line, true), Reply::No(Some("not that\none".to_owned())));
    }
}
