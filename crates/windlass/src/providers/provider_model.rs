//! One model of a provider, in one expression.

use windlass_client::{Client, Endpoint, Vendor};

use super::{FromEnvError, from_env};

/// A model of a provider: its client, and the name of the model.
///
/// [`openai`], [`anthropic`], [`gemini`], [`openrouter`], [`ollama`] and [`provider`] take the key from the
/// environment, [`compatible`] takes it as an argument. Cheap to clone; clones share the connections and the facts
/// about the model.
///
/// ```no_run
/// let model = windlass::anthropic("claude-sonnet-4-6")?;
/// println!("{} of {}", model.name(), model.client().endpoint().host());
/// # Ok::<(), windlass::providers::FromEnvError>(())
/// ```
#[derive(Clone, Debug)]
pub struct ProviderModel {
    client: Client,
    name: String,
}

impl ProviderModel {
    /// Creates the model of this name from a client.
    pub fn new(client: Client, name: impl Into<String>) -> Self {
        Self { client, name: name.into() }
    }

    /// Returns the client.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// Returns the name under which the provider knows the model.
    pub fn name(&self) -> &str {
        &self.name
    }
}

#[cfg(feature = "agent")]
mod answers {
    use windlass_agent::{Agent, AgentBuilder, AgentError, TypedStream};
    use windlass_protocol::Message;
    use windlass_tool_args::schemars::JsonSchema;
    use windlass_tool_args::serde::de::DeserializeOwned;

    use super::ProviderModel;

    impl ProviderModel {
        /// Returns the builder of an agent with this model. The agent takes the capabilities and the context window
        /// from the client.
        pub fn agent(&self) -> AgentBuilder {
            Agent::builder().model(self.client.clone(), self.name.clone())
        }

        /// Returns the model's answer to a task, without tools. A task is a text, or a message with pictures and
        /// files.
        ///
        /// ```no_run
        /// # #[tokio::main(flavor = "current_thread")]
        /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
        /// println!("{}", windlass::ollama("qwen3")?.answer("Name a prime above 100.").await?);
        /// # Ok(())
        /// # }
        /// ```
        ///
        /// Cancel-safe: dropping the future cancels the request.
        ///
        /// # Errors
        /// Returns [`AgentError::Failed`] with the provider's message if the provider refuses the request or does
        /// not answer.
        pub async fn answer(&self, task: impl Into<Message>) -> Result<String, AgentError> {
            self.agent().build()?.run(task).await?.into_text()
        }

        /// Returns the answer to a task as a value of a Rust type. The provider enforces the schema of the type
        /// where it can, and the model corrects an answer that does not fit, at most twice.
        ///
        /// ```no_run
        /// use windlass::tool::{schemars, serde};
        ///
        /// #[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
        /// struct Invoice {
        ///     number: String,
        ///     cents: u64,
        /// }
        ///
        /// # #[tokio::main(flavor = "current_thread")]
        /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
        /// let text = "Invoice 2026-117: 99.00 EUR";
        /// let invoice: Invoice = windlass::openai("gpt-5.1")?.extract(text).await?;
        /// println!("{invoice:?}");
        /// # Ok(())
        /// # }
        /// ```
        ///
        /// Cancel-safe: dropping the future cancels the request.
        ///
        /// # Errors
        /// Returns an error if the request fails, or if the answer still does not fit after the corrections.
        pub async fn extract<T>(&self, task: impl Into<Message>) -> Result<T, AgentError>
        where
            T: DeserializeOwned + JsonSchema + 'static,
        {
            Ok(self.agent().build()?.run_as::<T>(task).await?.answer)
        }

        /// Like [`extract`](Self::extract), but returns the answer while it arrives. Dropping the stream cancels the
        /// request.
        ///
        /// ```no_run
        /// use futures_util::StreamExt;
        /// use windlass::prelude::*;
        ///
        /// # #[tokio::main(flavor = "current_thread")]
        /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
        /// let mut titles = windlass::openai("gpt-5.1")?.extract_stream::<Vec<String>>("Ten titles of novels.")?;
        /// while let Some(event) = titles.next().await {
        ///     if let TypedEvent::Partial = event? {
        ///         println!("{:?}", titles.partial());
        ///     }
        /// }
        /// # Ok(())
        /// # }
        /// ```
        ///
        /// # Errors
        /// Returns an error if the agent of the model cannot be built.
        pub fn extract_stream<T>(
            &self,
            task: impl Into<Message>,
        ) -> Result<TypedStream<'static, T>, AgentError>
        where
            T: DeserializeOwned + JsonSchema + 'static,
        {
            Ok(self.agent().build()?.stream_as::<T>(task))
        }
    }
}

/// Returns a model of OpenAI. The key is in `OPENAI_API_KEY`.
///
/// # Errors
/// Returns an error that names the variable if the key is missing, or if the address in `OPENAI_BASE_URL` is invalid.
pub fn openai(model: impl Into<String>) -> Result<ProviderModel, FromEnvError> {
    provider("openai", model)
}

/// Returns a model of Anthropic. The key is in `ANTHROPIC_API_KEY`.
///
/// # Errors
/// Returns an error that names the variable if the key is missing, or if the address in `ANTHROPIC_BASE_URL` is
/// invalid.
pub fn anthropic(model: impl Into<String>) -> Result<ProviderModel, FromEnvError> {
    provider("anthropic", model)
}

/// Returns a model of Google. The key is in `GEMINI_API_KEY`.
///
/// # Errors
/// Returns an error that names the variable if the key is missing.
pub fn gemini(model: impl Into<String>) -> Result<ProviderModel, FromEnvError> {
    provider("gemini", model)
}

/// Returns a model of OpenRouter. The key is in `OPENROUTER_API_KEY`.
///
/// # Errors
/// Returns an error that names the variable if the key is missing.
pub fn openrouter(model: impl Into<String>) -> Result<ProviderModel, FromEnvError> {
    provider("openrouter", model)
}

/// Returns a model of a local Ollama, which needs no key.
///
/// # Errors
/// Returns an error if the client cannot be created.
pub fn ollama(model: impl Into<String>) -> Result<ProviderModel, FromEnvError> {
    provider("ollama", model)
}

/// Returns a model of a built-in vendor by the vendor's name, such as `groq` or `mistral`.
/// [`Endpoint::names`](crate::providers::Endpoint::names) lists the vendors.
///
/// # Errors
/// If the name is unknown, a required key is missing, or the address in the environment is invalid.
pub fn provider(vendor: &str, model: impl Into<String>) -> Result<ProviderModel, FromEnvError> {
    Ok(ProviderModel::new(from_env(vendor)?, model))
}

/// Returns a model of a server that speaks OpenAI's Chat Completions, such as vLLM, llama.cpp or a gateway. It reads
/// no environment variable. `base_url` is the address before `/chat/completions`.
///
/// ```
/// let model = windlass::compatible("http://localhost:8080/v1", None, "qwen3")?;
/// assert_eq!(model.name(), "qwen3");
/// # Ok::<(), windlass::providers::FromEnvError>(())
/// ```
///
/// # Errors
/// If the address is invalid.
pub fn compatible(
    base_url: impl Into<String>,
    key: Option<&str>,
    model: impl Into<String>,
) -> Result<ProviderModel, FromEnvError> {
    let vendor = Vendor::plain(Endpoint::custom(base_url, "openai-chat"));
    let client = Client::vendor(vendor).key(key.map(Into::into)).build().map_err(FromEnvError::Client)?;
    Ok(ProviderModel::new(client, model))
}
