//! Compilation of `enum`.

use super::kinds::kind_of;
use super::words::Words;
use super::{Compiler, Place};
use crate::json::Json;
use crate::kind::Kind;
use crate::rules::Enums;

/// Number of values above which OpenAI limits the characters of one enum.
const LONG: usize = 250;

impl Compiler<'_> {
    /// Returns the values that the dialect accepts, or `None` if the keyword is left out.
    pub(super) fn enumeration(&mut self, value: &Json, place: &Place, words: &mut Words) -> Option<Json> {
        let values = value.as_array()?;
        let fits = |value: &Json| match (self.rules.enums, kind_of(value)) {
            (Enums::Kept, _) | (_, Kind::String) => true,
            (Enums::Scalars, kind) => !matches!(kind, Kind::Object | Kind::Array),
            // `nullable` represents null.
            (Enums::Strings, kind) => kind == Kind::Null,
        };
        if !values.iter().all(fits) {
            let said = words.value("one of", value);
            let what = if said { "is stated only in the description" } else { "is not sent" };
            self.lose(place, "enum", what);
            return None;
        }
        // Gemini refuses the whole request for an empty text: "enum[0]: cannot be empty".
        let is_empty = |value: &Json| self.rules.enums == Enums::Strings && value.as_str() == Some("");
        if values.iter().any(is_empty) {
            self.lose(place, "enum", "has the empty text, which cannot be sent as a value");
            words.value("or", &Json::text(""));
        }
        let is_sent = |value: &&Json| {
            self.rules.enums != Enums::Strings || kind_of(value) != Kind::Null && value.as_str() != Some("")
        };
        let sent: Vec<Json> = values.iter().filter(is_sent).cloned().collect();
        let characters: usize = sent.iter().filter_map(Json::as_str).map(str::len).sum();
        let limits = self.rules.limits;
        let total = self.tally.enum_values.saturating_add(sent.len());
        let all_characters = self.tally.characters.saturating_add(characters);
        let is_long = sent.len() > LONG && characters > limits.long_enum_characters;
        if total > limits.enum_values || all_characters > limits.characters || is_long {
            self.lose(place, "enum", "has more values than can be sent");
            return None;
        }
        self.tally.enum_values = total;
        self.tally.characters = all_characters;
        (!sent.is_empty()).then_some(Json::Array(sent))
    }
}
