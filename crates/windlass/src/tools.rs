//! Ready tools, one module for each crate. Each module needs the feature of its name; `fs`, `edit`, `shell` and
//! `search` need `sandbox-tools`.

#[cfg(feature = "mcp-server")]
pub mod mcp_server;

#[cfg(feature = "mcp")]
pub use windlass_mcp as mcp;
#[cfg(feature = "browser")]
pub use windlass_tools_browser as browser;
#[cfg(feature = "control")]
pub use windlass_tools_control as control;
#[cfg(feature = "dynamic")]
pub use windlass_tools_dynamic as dynamic;
#[cfg(feature = "sandbox-tools")]
pub use windlass_tools_edit as edit;
#[cfg(feature = "sandbox-tools")]
pub use windlass_tools_fs as fs;
#[cfg(feature = "index")]
pub use windlass_tools_index as index;
#[cfg(feature = "openapi")]
pub use windlass_tools_openapi as openapi;
#[cfg(feature = "sandbox-tools")]
pub use windlass_tools_search as search;
#[cfg(feature = "sandbox-tools")]
pub use windlass_tools_shell as shell;
#[cfg(feature = "skills")]
pub use windlass_tools_skills as skills;
#[cfg(feature = "web")]
pub use windlass_tools_web as web;
