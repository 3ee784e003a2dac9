//! Compilation of lists.

use super::{Compiler, Place};
use crate::json::{Json, Members};
use crate::rules::Types;

impl Compiler<'_> {
    /// Completes a list whose keywords are compiled.
    pub(super) fn list(&mut self, mut out: Members, place: &Place) -> Members {
        if !self.takes("prefixItems")
            && let Some(Json::Array(mut first)) = out.remove("prefixItems")
        {
            self.lose(place, "prefixItems", "is not sent: each item may be any of them");
            first.extend(out.remove("items"));
            let mut different: Vec<Json> = Vec::new();
            for item in first {
                if !different.contains(&item) {
                    different.push(item);
                }
            }
            let items = self.join_branches(Members::new(), different);
            out.set("items", items);
        }
        // OpenAI refuses a list without items, strict or not, and so does Gemini; no provider refuses a list
        // with items.
        if !out.has("items") {
            if self.rules.types != Types::Kept {
                self.lose(
                    place,
                    "items",
                    "is missing, and is required here: strings, numbers and booleans are accepted",
                );
            }
            let any = self.anything(Members::new());
            out.push("items", any);
        }
        out
    }
}
