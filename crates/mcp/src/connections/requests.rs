//! Requests for resources and prompts, by server id.

use serde_json::{Map, Value};

use super::McpConnections;
use crate::{McpClient, Prompt, PromptMessage, RequestError, Resource, ResourceContents, ResourceTemplate};

impl McpConnections {
    /// Lists the resources of a server, with the limits of [`McpClient::list_resources`].
    ///
    /// # Errors
    /// If the server is unknown, cannot be started or reached, or does not answer.
    pub async fn list_resources(&self, server: &str) -> Result<Vec<Resource>, RequestError> {
        self.find_client(server)?.list_resources().await
    }

    /// Lists the URI templates of a server.
    ///
    /// # Errors
    /// See [`list_resources`](Self::list_resources).
    pub async fn list_resource_templates(&self, server: &str) -> Result<Vec<ResourceTemplate>, RequestError> {
        self.find_client(server)?.list_resource_templates().await
    }

    /// Reads a resource of a server.
    ///
    /// # Errors
    /// See [`list_resources`](Self::list_resources).
    pub async fn read_resource(
        &self,
        server: &str,
        uri: &str,
    ) -> Result<Vec<ResourceContents>, RequestError> {
        self.find_client(server)?.read_resource(uri).await
    }

    /// Lists the prompts of a server.
    ///
    /// # Errors
    /// See [`list_resources`](Self::list_resources).
    pub async fn list_prompts(&self, server: &str) -> Result<Vec<Prompt>, RequestError> {
        self.find_client(server)?.list_prompts().await
    }

    /// Fills a prompt of a server in and returns its messages.
    ///
    /// # Errors
    /// See [`list_resources`](Self::list_resources).
    pub async fn get_prompt(
        &self,
        server: &str,
        name: &str,
        arguments: Map<String, Value>,
    ) -> Result<Vec<PromptMessage>, RequestError> {
        self.find_client(server)?.get_prompt(name, arguments).await
    }

    fn find_client(&self, server: &str) -> Result<&McpClient, RequestError> {
        self.0.clients.get(server).ok_or_else(|| RequestError::UnknownServer(server.to_owned()))
    }
}
