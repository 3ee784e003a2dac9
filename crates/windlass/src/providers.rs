//! Model providers: the HTTP client, the wire formats, and [`from_env`], which connects to a provider by its
//! name.

#[cfg(feature = "client")]
mod environment;
#[cfg(feature = "client")]
pub(crate) mod provider_model;

pub use windlass_wire as wire;
#[cfg(feature = "anthropic")]
pub use windlass_wire_anthropic as anthropic;
#[cfg(feature = "gemini")]
pub use windlass_wire_gemini as gemini;
#[cfg(feature = "openai")]
pub use windlass_wire_openai_chat as openai_chat;
#[cfg(feature = "openai")]
pub use windlass_wire_openai_responses as openai_responses;

#[cfg(feature = "client")]
pub use environment::{FromEnvError, from_env};
#[cfg(feature = "client")]
pub use provider_model::ProviderModel;
#[cfg(feature = "client")]
pub use windlass_client as client;
#[cfg(feature = "client")]
pub use windlass_client::{
    Client, ClientBuilder, ClientError, Endpoint, Options, SecretString, Vendor, Vendors,
};
#[cfg(feature = "client")]
pub use windlass_vendors as vendors;
