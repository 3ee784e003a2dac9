//! Completion of slash commands and of `@file`.

/// Slash commands with their arguments and their purpose.
pub(crate) const COMMANDS: [(&str, &str, &str); 20] = [
    ("help", "", "list the commands and the keys"),
    ("model", "NAME", "use another model from the next task on"),
    ("mode", "SLUG", "change the work mode from the next task on"),
    ("autonomy", "LEVEL", "ask, read-only, auto-edit or headless"),
    ("effort", "LEVEL", "off, minimal, low, medium, high, max or a number of tokens"),
    ("diff", "[run]", "show the changes since the session began, or those of the newest run"),
    ("restore", "[TURN]", "restore the files to the state before the run or before a turn"),
    ("fork", "[TURN]", "let the next task begin a new session with this conversation"),
    ("compact", "", "summarize the conversation now, or before the next request of the run"),
    ("stop", "[CALL]", "stop the newest call, or the one with this id or tool, and let the run continue"),
    ("agents", "", "show the sub-agents of this session"),
    ("mcp", "", "show the MCP servers"),
    ("policy", "[revoke ID]", "show the policy and the learned permissions, or end one"),
    ("sessions", "", "choose another session"),
    ("new", "", "begin a new session"),
    ("export", "[FILE]", "write the conversation as Markdown"),
    ("copy", "", "copy the last answer to the clipboard"),
    ("questions", "", "show the open questions of a suspended session"),
    ("cost", "", "show tokens and cost"),
    ("quit", "", "end the program"),
];

/// Maximum number of offered completions.
const OFFERS: usize = 6;

/// Completion of the word before the caret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Offer {
    /// The text that replaces the word.
    pub(crate) text: String,
    /// Words beside it.
    pub(crate) hint: String,
}

/// Word before the caret that can be completed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Word<'a> {
    /// The name of a command.
    Command(&'a str),
    /// A part of a path.
    File(&'a str),
}

/// Finds the word before the caret that can be completed.
pub(crate) fn find_word(before: &str) -> Option<Word<'_>> {
    if let Some(name) = before.strip_prefix('/')
        && !name.contains(|character: char| character.is_whitespace() || character == '/')
    {
        return Some(Word::Command(name));
    }
    let start = before.rfind(char::is_whitespace).map_or(0, |at| at.saturating_add(1));
    let word = before.get(before.ceil_char_boundary(start)..).unwrap_or_default();
    word.strip_prefix('@').map(Word::File)
}

/// Returns the completions of a command's name.
pub(crate) fn complete_command(name: &str) -> Vec<Offer> {
    let fits = COMMANDS.iter().filter(|(command, ..)| command.starts_with(name));
    let offer = |(command, arguments, purpose): &(&str, &str, &str)| {
        let space = if arguments.is_empty() { "" } else { " " };
        Offer { text: format!("/{command}{space}"), hint: format!("{arguments}{space}{purpose}") }
    };
    fits.map(offer).take(OFFERS).collect()
}

/// Returns the files that fit best.
pub(crate) fn complete_file(word: &str, files: &[String]) -> Vec<Offer> {
    let mut scored: Vec<(i64, &String)> =
        files.iter().filter_map(|file| Some((score(word, file)?, file))).collect();
    scored.sort_by(|(a, first), (b, second)| b.cmp(a).then_with(|| first.cmp(second)));
    let offer = |(_, file): (i64, &String)| Offer { text: format!("@{file} "), hint: String::new() };
    scored.into_iter().take(OFFERS).map(offer).collect()
}

/// Rates a path by a pattern whose characters must occur in order: runs, beginnings of words and the file's name count
/// more, long paths less. `None` if the path does not fit.
fn score(pattern: &str, path: &str) -> Option<i64> {
    let name_start = path.rfind('/').map_or(0, |at| at.saturating_add(1));
    let mut wanted = pattern.chars().flat_map(char::to_lowercase).peekable();
    let (mut total, mut is_run, mut previous) = (0_i64, false, '/');
    for (at, character) in path.char_indices() {
        let Some(next) = wanted.peek() else { break };
        if character.to_lowercase().eq(std::iter::once(*next)) {
            wanted.next();
            let is_start =
                !previous.is_alphanumeric() || (previous.is_lowercase() && character.is_uppercase());
            total = total.saturating_add(1 + 4 * i64::from(is_run) + 6 * i64::from(is_start));
            total = total.saturating_add(3 * i64::from(at >= name_start));
            is_run = true;
        } else {
            is_run = false;
        }
        previous = character;
    }
    let length = i64::try_from(path.len()).unwrap_or(i64::MAX);
    wanted.peek().is_none().then(|| total.saturating_mul(100).saturating_sub(length))
}

#[cfg(test)]
mod tests {
    use super::{Word, complete_command, complete_file, find_word};

    #[test]
    fn the_levels_of_autonomy_are_offered() {
        let [offer] = &complete_command("autonomy")[..] else { panic!("one command") };
        let levels = windlass_app::Autonomy::NAMES.join(", ");
        assert_eq!(offer.hint.replace(" or ", ", "), format!("LEVEL {levels}"));
    }

    #[test]
    fn commands_and_files_are_found_before_the_caret() {
        assert_eq!(find_word("/mo"), Some(Word::Command("mo")));
        assert_eq!(find_word("/usr/bin"), None);
        assert_eq!(find_word("look at @src/l"), Some(Word::File("src/l")));
        assert_eq!(find_word("mail a@b"), None);
        assert_eq!(find_word("日本\u{3000}@x"), Some(Word::File("x")));
    }

    #[test]
    fn the_best_file_is_first() {
        let files = ["crates/app/src/lib.rs", "docs/library.md", "src/main.rs", "lib.rs"].map(str::to_owned);
        let offers: Vec<String> = complete_file("lib", &files).into_iter().map(|offer| offer.text).collect();
        assert_eq!(offers, ["@lib.rs ", "@docs/library.md ", "@crates/app/src/lib.rs "]);
        assert_eq!(complete_file("zzz", &files), []);
        assert_eq!(complete_command("mod").len(), 2);
    }
}
