//! Tools that the provider runs.

mod computer_use;
mod mcp_server;
mod programmatic_calling;
mod tool_search;
mod web_search;

use std::fmt;

use serde::{Deserialize, Serialize};

pub use self::computer_use::{ComputerEnvironment, ComputerUse};
pub use self::mcp_server::{Authorization, McpServer};
pub use self::programmatic_calling::ProgrammaticCalling;
pub use self::tool_search::{ToolMatching, ToolSearch};
pub use self::web_search::{UserLocation, WebFetch, WebSearch};
use crate::Unknown;

/// A tool that the provider runs itself: the model calls it, and the answer contains the result.
///
/// Each wire format maps a tool to its own definition. A format that does not have the tool, or one of its settings,
/// refuses the request with an error that names it. `docs/REQUESTS.md` has the table.
///
/// ```
/// use windlass_protocol::{CodeExecution, HostedTool, Message, Request, WebSearch};
///
/// let search = WebSearch::default().with_allowed_domains(["docs.rs"]).with_max_uses(3);
/// let request = Request::new("claude-sonnet-4-6", vec![Message::user("Which MSRV has serde?")])
///     .with_hosted_tools([HostedTool::from(search), CodeExecution::default().into()]);
/// assert_eq!(request.options.hosted_tools[0].kind(), "web_search");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum HostedTool {
    /// A search in the web.
    WebSearch(WebSearch),
    /// The retrieval of pages by their URLs.
    WebFetch(WebFetch),
    /// The execution of code in a container of the provider.
    CodeExecution(CodeExecution),
    /// A search in documents that are stored at the provider.
    FileSearch(FileSearch),
    /// The control of a computer. The provider defines the tool, but the caller performs the actions.
    ComputerUse(ComputerUse),
    /// The tools of a remote MCP server, which the provider calls.
    Mcp(McpServer),
    /// A search among the tools of the request.
    ToolSearch(ToolSearch),
    /// The generation of pictures.
    ImageGeneration(ImageGeneration),
    /// Programs of the model that call functions of the request.
    ProgrammaticCalling(ProgrammaticCalling),
    /// A definition in the form of one wire format. Other formats cannot express it.
    #[serde(untagged)]
    Native(Unknown),
}

/// The execution of code in a container of the provider.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct CodeExecution {
    /// The ids of uploads that the code can read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
}

/// A search in documents that are stored at the provider.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct FileSearch {
    /// The ids of the stores: vector stores of OpenAI, file search stores of Gemini.
    pub stores: Vec<String>,
    /// The maximum number of results of one search.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_results: Option<u32>,
}

/// The generation of pictures.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ImageGeneration {
    /// The size in pixels in the form of the provider, such as `1024x1024`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<String>,
    /// The provider's word for the quality.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quality: Option<String>,
    /// The format of the file, such as `png`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
}

impl HostedTool {
    /// Creates a definition in the form of one wire format.
    pub fn native(wire: impl Into<String>, definition: serde_json::Value) -> Self {
        Self::Native(Unknown::new(wire, definition))
    }

    /// Returns the name of the kind of tool, as the serialised form and errors write it.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::WebSearch(_) => "web_search",
            Self::WebFetch(_) => "web_fetch",
            Self::CodeExecution(_) => "code_execution",
            Self::FileSearch(_) => "file_search",
            Self::ComputerUse(_) => "computer_use",
            Self::Mcp(_) => "mcp",
            Self::ToolSearch(_) => "tool_search",
            Self::ImageGeneration(_) => "image_generation",
            Self::ProgrammaticCalling(_) => "programmatic_calling",
            Self::Native(_) => "native",
        }
    }

    /// Returns the definition if it is in the form of this wire format.
    pub fn native_for(&self, wire: &str) -> Option<&serde_json::Value> {
        match self {
            Self::Native(definition) if definition.wire == wire => Some(&definition.value),
            _ => None,
        }
    }

    /// Returns true if the caller performs the calls of the tool, although the provider defines it.
    pub fn is_run_by_caller(&self) -> bool {
        matches!(self, Self::ComputerUse(_))
    }
}

/// Writes the kind of tool, or for a native definition its wire format and type.
impl fmt::Display for HostedTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self::Native(definition) = self else { return write!(f, "`{}`", self.kind()) };
        let field = |name| definition.value.get(name).and_then(serde_json::Value::as_str);
        match field("type").or_else(|| field("name")) {
            Some(kind) => write!(f, "`{kind}` of {}", definition.wire),
            None => write!(f, "of {}", definition.wire),
        }
    }
}

impl CodeExecution {
    /// Sets the ids of uploads that the code can read.
    pub fn with_files<S: Into<String>>(mut self, ids: impl IntoIterator<Item = S>) -> Self {
        self.files = ids.into_iter().map(Into::into).collect();
        self
    }
}

impl FileSearch {
    /// Creates a search in these stores.
    pub fn new<S: Into<String>>(stores: impl IntoIterator<Item = S>) -> Self {
        Self { stores: stores.into_iter().map(Into::into).collect(), max_results: None }
    }

    /// Sets the maximum number of results of one search.
    pub fn with_max_results(mut self, results: u32) -> Self {
        self.max_results = Some(results);
        self
    }
}

impl ImageGeneration {
    /// Sets the size in the form of the provider, such as `1024x1024`.
    pub fn with_size(mut self, size: impl Into<String>) -> Self {
        self.size = Some(size.into());
        self
    }

    /// Sets the provider's word for the quality.
    pub fn with_quality(mut self, quality: impl Into<String>) -> Self {
        self.quality = Some(quality.into());
        self
    }

    /// Sets the format of the file, such as `png`.
    pub fn with_format(mut self, format: impl Into<String>) -> Self {
        self.format = Some(format.into());
        self
    }
}

impl From<WebSearch> for HostedTool {
    fn from(tool: WebSearch) -> Self {
        Self::WebSearch(tool)
    }
}

impl From<WebFetch> for HostedTool {
    fn from(tool: WebFetch) -> Self {
        Self::WebFetch(tool)
    }
}

impl From<CodeExecution> for HostedTool {
    fn from(tool: CodeExecution) -> Self {
        Self::CodeExecution(tool)
    }
}

impl From<FileSearch> for HostedTool {
    fn from(tool: FileSearch) -> Self {
        Self::FileSearch(tool)
    }
}

impl From<ComputerUse> for HostedTool {
    fn from(tool: ComputerUse) -> Self {
        Self::ComputerUse(tool)
    }
}

impl From<McpServer> for HostedTool {
    fn from(tool: McpServer) -> Self {
        Self::Mcp(tool)
    }
}

impl From<ToolSearch> for HostedTool {
    fn from(tool: ToolSearch) -> Self {
        Self::ToolSearch(tool)
    }
}

impl From<ImageGeneration> for HostedTool {
    fn from(tool: ImageGeneration) -> Self {
        Self::ImageGeneration(tool)
    }
}

impl From<ProgrammaticCalling> for HostedTool {
    fn from(tool: ProgrammaticCalling) -> Self {
        Self::ProgrammaticCalling(tool)
    }
}

impl From<Unknown> for HostedTool {
    fn from(definition: Unknown) -> Self {
        Self::Native(definition)
    }
}
