//! `OperationToolsBuilder`: selects the operations, and sets the address, the credentials and the limits.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use secrecy::SecretString;
use windlass_tool::Tool;
use windlass_web_reach::{CheckedClient, Reach, Scope};

use crate::client::HttpClient;
use crate::credentials::{CredentialSource, Keyring, parts};
use crate::naming::{ToolNames, words};
use crate::operation::{Shared, convert};
use crate::selection::Selection;
use crate::servers::ServerChoice;
use crate::tool::OperationTool;
use crate::{
    Dialer, Method, OpenApi, OpenApiError, OpenApiLimits, OperationTools, RefusedOperation, Resolver,
    SystemResolver, TcpDialer, WebUrl,
};

const WRITES: [Method; 4] = [Method::Post, Method::Put, Method::Patch, Method::Delete];

/// Builder of [`OperationTools`].
///
/// Without a selection, all operations that only read (GET, HEAD) become tools, at most 64.
#[must_use]
pub struct OperationToolsBuilder<'a> {
    api: &'a OpenApi,
    selection: Selection,
    servers: ServerChoice,
    keyring: Keyring,
    limits: OpenApiLimits,
    prefix: String,
    reach: Vec<(String, u16, Scope)>,
    root_certificates: Vec<Vec<u8>>,
    resolver: Arc<dyn Resolver>,
    dialer: Arc<dyn Dialer>,
    skips_refused: bool,
}

impl<'a> OperationToolsBuilder<'a> {
    pub(crate) fn new(api: &'a OpenApi) -> Self {
        Self {
            api,
            selection: Selection::default(),
            servers: ServerChoice::default(),
            keyring: Keyring::default(),
            limits: OpenApiLimits::default(),
            prefix: String::new(),
            reach: Vec::new(),
            root_certificates: Vec::new(),
            resolver: Arc::new(SystemResolver),
            dialer: Arc::new(TcpDialer),
            skips_refused: false,
        }
    }

    /// Selects operations by their `operationId`.
    pub fn operations<S: Into<String>>(mut self, ids: impl IntoIterator<Item = S>) -> Self {
        self.selection.ids.extend(ids.into_iter().map(Into::into));
        self
    }

    /// Selects operations with a tag. Several calls select the operations with any of the tags.
    pub fn tag(mut self, tag: impl Into<String>) -> Self {
        self.selection.tags.insert(tag.into());
        self
    }

    /// Selects operations by a glob over their paths: `*` matches inside of a segment, `**` any number of segments.
    /// Several calls select the operations that match any of the globs.
    pub fn path(mut self, glob: impl Into<String>) -> Self {
        self.selection.paths.push(glob.into());
        self
    }

    /// Replaces the selected methods, which are GET and HEAD by default.
    pub fn methods(mut self, methods: impl IntoIterator<Item = Method>) -> Self {
        self.selection.methods = methods.into_iter().collect();
        self
    }

    /// Adds or removes the methods that write: POST, PUT, PATCH and DELETE.
    pub fn writes(mut self, writes: bool) -> Self {
        if writes {
            self.selection.methods.extend(WRITES);
        } else {
            self.selection.methods.retain(|method| method.is_safe());
        }
        self
    }

    /// Sets the maximum number of operations: 64. A model chooses worse among more tools.
    pub fn max_operations(mut self, max: usize) -> Self {
        self.selection.max = max;
        self
    }

    /// Leaves out operations that cannot become tools, instead of failing. [`OperationTools::refusals`] lists them.
    pub fn skip_refused(mut self, skip: bool) -> Self {
        self.skips_refused = skip;
        self
    }

    /// Sets a prefix of all names, for documents of several services: `crm` makes `crm_listPets` of `listPets`.
    pub fn prefix(mut self, prefix: &str) -> Self {
        self.prefix = words(prefix);
        self
    }

    /// Sets the base URL, in place of the document's servers.
    pub fn base_url(mut self, url: impl Into<String>) -> Self {
        self.servers.base = Some(url.into());
        self
    }

    /// Sets a variable in the URLs of the document's servers.
    pub fn server_variable(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.servers.variables.insert(name.into(), value.into());
        self
    }

    /// Sets the credential of a security scheme, by its name in the document: a key, a token, or `NAME:PASSWORD`.
    pub fn credential(mut self, scheme: impl Into<String>, secret: impl Into<SecretString>) -> Self {
        self.keyring.fixed.insert(scheme.into(), secret.into());
        self
    }

    /// Sets a source of credentials, which is asked at build time and before each request. Those of
    /// [`credential`](Self::credential) come first.
    pub fn credentials(mut self, source: impl CredentialSource + 'static) -> Self {
        self.keyring.source = Some(Arc::new(source));
        self
    }

    /// Sets the limits.
    pub fn limits(mut self, limits: OpenApiLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Allows a host and port at any address, private addresses included, and credentials without encryption there.
    ///
    /// The policy of an agent refuses private addresses too; see `Policy::with_reachable` of `windlass-hitl`.
    pub fn reachable(mut self, host: impl Into<String>, port: u16) -> Self {
        self.reach.push((host.into(), port, Scope::Any));
        self
    }

    /// Allows a port of a host besides 80 and 443, at public addresses only.
    pub fn port(mut self, host: impl Into<String>, port: u16) -> Self {
        self.reach.push((host.into(), port, Scope::Public));
        self
    }

    /// Adds the PEM certificates of an authority.
    pub fn root_certificate(mut self, pem: impl Into<Vec<u8>>) -> Self {
        self.root_certificates.push(pem.into());
        self
    }

    /// Sets the resolver.
    pub fn resolver(mut self, resolver: impl Resolver + 'static) -> Self {
        self.resolver = Arc::new(resolver);
        self
    }

    /// Sets the dialer.
    pub fn dialer(mut self, dialer: impl Dialer + 'static) -> Self {
        self.dialer = Arc::new(dialer);
        self
    }

    /// Builds the tools. Sends nothing.
    ///
    /// # Errors
    /// If the selection, the address or a certificate is not valid, or a selected operation cannot become a tool.
    pub fn build(self) -> Result<OperationTools, OpenApiError> {
        let entries = self.selection.select(self.api)?;
        let base = self.servers.base(self.api)?;
        let client = Arc::new(self.client()?);
        let scope = client.http.reach().scope(base.endpoint(), Some(Scope::Any));
        let scope = scope.map_err(|refusal| OpenApiError::BaseUrl { problem: refusal.to_string() })?;
        let shared = Shared {
            api: self.api,
            keyring: &self.keyring,
            servers: &self.servers,
            base: &base,
            max_body: self.limits.request_bytes,
        };
        let (mut operations, mut refused, mut names) = (Vec::new(), Vec::new(), ToolNames::default());
        for entry in entries {
            let name = names.add(&self.prefix, &entry);
            match convert(&shared, &entry, &name) {
                Ok(operation) => operations.push(operation),
                Err(reason) => refused.push(RefusedOperation { operation: entry.label(), reason }),
            }
        }
        if let Some(RefusedOperation { operation, reason }) = refused.first().filter(|_| !self.skips_refused)
        {
            return Err(OpenApiError::Refused { operation: operation.clone(), reason: reason.clone() });
        }
        let schemes: BTreeSet<_> = operations
            .iter()
            .flat_map(|operation| &operation.schemes)
            .map(|scheme| (scheme.name.clone(), scheme.placement == crate::security::Placement::Basic))
            .collect();
        if !schemes.is_empty() && scope == Scope::Public && !base.is_encrypted() {
            return Err(in_the_open(&base));
        }
        let secrets = schemes
            .iter()
            .filter_map(|(name, is_basic)| self.keyring.get(name).map(|secret| parts(*is_basic, &secret)));
        let secrets = secrets.flatten().collect();
        let keyring = Arc::new(self.keyring);
        let tools = operations.into_iter().map(|operation| {
            let (client, keyring) = (Arc::clone(&client), Arc::clone(&keyring));
            Arc::new(OperationTool { operation, client, keyring }) as Arc<dyn Tool>
        });
        Ok(OperationTools { tools: tools.collect(), refused, secrets })
    }

    fn client(&self) -> Result<HttpClient, OpenApiError> {
        let mut reach = Reach::default();
        for (host, port, scope) in &self.reach {
            reach = reach.with_host(host, *port, *scope)?;
        }
        let mut http = CheckedClient::default()
            .with_reach(reach)
            .with_resolver(Arc::clone(&self.resolver))
            .with_dialer(Arc::clone(&self.dialer));
        for pem in &self.root_certificates {
            http = http.with_root(pem)?;
        }
        Ok(HttpClient { http, limits: self.limits })
    }
}

fn in_the_open(base: &WebUrl) -> OpenApiError {
    let problem = format!(
        "credentials would be sent to {} without encryption; use https, or allow the host with `reachable`",
        base.host()
    );
    OpenApiError::BaseUrl { problem }
}

impl fmt::Debug for OperationToolsBuilder<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OperationToolsBuilder")
            .field("selection", &self.selection)
            .field("servers", &self.servers)
            .field("keyring", &self.keyring)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}
