//! Crates of other authors whose types are in public signatures, in the versions that Windlass uses: a program names such
//! a type without a dependency of its own.
//!
//! ```
//! use windlass::external::serde_json::json;
//!
//! let arguments = json!({"path": "a.txt"});
//! assert_eq!(arguments["path"], "a.txt");
//! ```
//!
//! A major version of one of these crates is a major version of this module.

pub use {bytes, futures_core, serde_json};

#[cfg(feature = "agent")]
pub use {globset, regex, toml};

#[cfg(any(feature = "agent", feature = "client", feature = "gateway"))]
pub use tokio;

#[cfg(feature = "gateway")]
pub use {getrandom, rustls};

#[cfg(any(feature = "mcp", feature = "mcp-server"))]
pub use url;

#[cfg(feature = "metrics")]
pub use opentelemetry;
#[cfg(feature = "telemetry")]
pub use tracing;
