//! Text that arrives in pieces, wrapped between words for a terminal.

use windlass_screen::text_width;

/// Wraps a text that arrives in pieces between words. The last word is held back, because the next piece can continue it.
#[derive(Debug, Default)]
pub(super) struct Flow {
    /// Columns before the cursor.
    column: usize,
    /// Spaces before the held word.
    spaces: usize,
    /// The held word.
    word: String,
}

impl Flow {
    /// Appends a text, and returns the part that can be printed.
    pub(super) fn push(&mut self, text: &str, columns: usize) -> String {
        let mut printed = String::new();
        for piece in text.split_inclusive([' ', '\n']) {
            let word = piece.trim_end_matches([' ', '\n']);
            self.word.push_str(word);
            match piece.get(word.len()..) {
                Some(" ") => {
                    self.place_word(columns, &mut printed);
                    self.spaces = self.spaces.saturating_add(1);
                }
                Some("\n") => {
                    self.place_word(columns, &mut printed);
                    printed.push('\n');
                    (self.column, self.spaces) = (0, 0);
                }
                // A text without spaces, such as Chinese, is printed row by row.
                _ if text_width(&self.word) >= columns => self.place_word(columns, &mut printed),
                _ => {}
            }
        }
        printed
    }

    /// Ends the text, and returns its last word. The next text begins a line.
    pub(super) fn finish(&mut self, columns: usize) -> String {
        let mut printed = String::new();
        self.place_word(columns, &mut printed);
        *self = Self::default();
        printed
    }

    fn place_word(&mut self, columns: usize, printed: &mut String) {
        if self.word.is_empty() {
            return;
        }
        let width = text_width(&self.word);
        let end = self.column.saturating_add(self.spaces).saturating_add(width);
        // Without spaces the piece continues a word that is longer than a row.
        if self.spaces > 0 && self.column > 0 && end > columns {
            printed.push('\n');
            self.column = width;
        } else {
            printed.extend(std::iter::repeat_n(' ', self.spaces));
            self.column = end;
        }
        self.spaces = 0;
        printed.push_str(&std::mem::take(&mut self.word));
    }
}

#[cfg(test)]
mod tests {
    use super::Flow;

    #[test]
    fn a_text_is_wrapped_between_words_in_any_division() {
        let text = "one two three\n  four  five sixteen seventeenhundred end";
        let expected = "one two\nthree\n  four\nfive\nsixteen\nseventeenhundred\nend";
        let characters: Vec<String> = text.chars().map(String::from).collect();
        for pieces in [vec![text.to_owned()], characters] {
            let mut flow = Flow::default();
            let mut printed: String = pieces.iter().map(|piece| flow.push(piece, 9)).collect();
            printed.push_str(&flow.finish(9));
            assert_eq!(printed, expected);
        }
    }

    #[test]
    fn a_word_is_printed_when_it_ends() {
        let mut flow = Flow::default();
        assert_eq!(flow.push("thin", 20), "");
        assert_eq!(flow.push("king ab", 20), "thinking");
        assert_eq!(flow.push("out", 20), "");
        assert_eq!(flow.finish(20), " about");
    }
}
