//! The texts of calls whose name does not lead to an offered tool.

use windlass_protocol::ResultStatus;

use super::Toolbox;
use crate::refusal::CallRefusal;

impl Toolbox {
    /// Returns the refusal of a name that does not lead to an offered tool.
    pub(crate) fn explain_refusal(&self, name: &str) -> CallRefusal {
        let Some(entry) = self.entry(name) else {
            let refusal = CallRefusal::new(ResultStatus::UnknownTool, format!("unknown tool {name}."));
            return refusal.with_advice(self.list_offered());
        };
        let availability = self.availability_of(entry);
        let CallRefusal { status, text, advice } = self.explain_hidden(entry, &availability);
        let advice = if status == ResultStatus::UnknownTool {
            Some(format!("{}{}", advice.map(|it| it + " ").unwrap_or_default(), self.list_offered()))
        } else {
            advice
        };
        CallRefusal { status, text, advice }
    }

    fn list_offered(&self) -> String {
        let names: Vec<_> = self.iter_offered().map(|entry| entry.shown.as_str()).collect();
        format!("The tools are: {}", names.join(", "))
    }
}
