//! Calls that a program of the model makes.

use serde::{Deserialize, Serialize};

use crate::ToolName;

/// The permission for programs of the model to call functions of the request. The model writes a program, the provider
/// runs it, and the program waits for each result. Only the output of the program reaches the model.
///
/// A function that a program calls arrives as a call of the answer like any other, so an agent's policy and approver decide
/// about it, and [`ToolCall::program_id`](crate::ToolCall::program_id) names the program. The program itself is shown as a
/// call that the provider ran.
///
/// A function of the list that the request does not offer has no effect, because a mode can offer fewer functions.
///
/// ```
/// use windlass_protocol::{HostedTool, ProgrammaticCalling, RequestOptions, ToolName};
/// let look = ToolName::new("look_up")?;
/// let options = RequestOptions::default().with_hosted_tool(ProgrammaticCalling::new([look.clone()]));
/// assert_eq!(options.hosted_tools[0].kind(), "programmatic_calling");
/// assert!(options.programmatic_calling(&look).is_some());
/// # Ok::<(), windlass_protocol::NameError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ProgrammaticCalling {
    /// The functions that programs can call.
    pub functions: Vec<ToolName>,
    /// True if the model can also call these functions itself.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub direct_calls: bool,
}

impl ProgrammaticCalling {
    /// Creates the permission for these functions, which the model then calls only from programs.
    pub fn new(functions: impl IntoIterator<Item = ToolName>) -> Self {
        Self { functions: functions.into_iter().collect(), direct_calls: false }
    }

    /// Lets the model also call the functions itself.
    pub fn with_direct_calls(mut self) -> Self {
        self.direct_calls = true;
        self
    }
}
