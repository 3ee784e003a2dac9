//! The tools by which a model speaks with the loop and the human: done, a question, a list of what is to do.

mod completion;
mod followup;
mod todo;

pub use completion::AttemptCompletion;
pub use followup::AskFollowupQuestion;
pub use todo::{TodoItem, TodoList, TodoState, UpdateTodoList};

use windlass_protocol::{RawJson, ToolName, ToolSpec};

/// A spec whose name and schema are written in this program.
fn spec(name: &str, description: &str, schema: &str) -> ToolSpec {
    let name = ToolName::new(name).expect("the name is a constant and a test reads it");
    let schema: RawJson = schema.parse().expect("the schema is a constant and a test reads it");
    ToolSpec::function(name, description, schema)
}
