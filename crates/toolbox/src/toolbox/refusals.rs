//! The texts of calls whose name does not lead to an offered tool.

use windlass_protocol::ResultStatus;

use super::Toolbox;
use crate::Availability;

impl Toolbox {
    /// Returns the status and the text for a name that does not lead to an offered tool.
    pub(crate) fn explain_refusal(&self, name: &str) -> (ResultStatus, String) {
        let Some(entry) = self.entry(name) else {
            return (ResultStatus::UnknownTool, self.explain_unknown(name));
        };
        let availability = self.availability_of(entry);
        let text = self.explain_hidden(entry, &availability);
        match availability {
            Availability::NotInMode | Availability::NotForAgent => (ResultStatus::Denied, text),
            _ => (ResultStatus::UnknownTool, format!("{text} {}", self.list_offered())),
        }
    }

    fn explain_unknown(&self, name: &str) -> String {
        format!("unknown tool {name}. {}", self.list_offered())
    }

    fn list_offered(&self) -> String {
        let names: Vec<_> = self.iter_offered().map(|entry| entry.shown.as_str()).collect();
        format!("The tools are: {}", names.join(", "))
    }
}
