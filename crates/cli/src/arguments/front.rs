//! The options of the endpoints around the gateway.

use std::path::PathBuf;

use clap::Args;

/// The endpoints around the gateway: aliases, keys of clients, pages, limits and the log.
#[derive(Debug, Args)]
pub(crate) struct Front {
    /// Name under which clients can request a model; can be repeated.
    #[arg(long, value_name = "NAME=MODEL", value_parser = parse_alias, conflicts_with = "model")]
    pub(crate) alias: Vec<(String, String)>,
    /// File with the keys of clients, as hashes. Without it, clients need no key.
    #[arg(long, value_name = "FILE")]
    pub(crate) client_keys: Option<PathBuf>,
    /// Create a key for a client in the file of --client-keys, print the key, which is not stored, and end.
    #[arg(long, value_name = "NAME", requires = "client_keys")]
    pub(crate) add_client: Option<String>,
    /// Model that the added client may use; can be repeated. Without it, all models.
    #[arg(long, value_name = "MODEL", requires = "add_client")]
    pub(crate) allow_model: Vec<String>,
    /// Remove a client and its key from the file of --client-keys, and end.
    #[arg(long, value_name = "NAME", requires = "client_keys", conflicts_with = "add_client")]
    pub(crate) remove_client: Option<String>,
    /// Origin of web pages that may call the server, such as `https://app.example`; can be repeated.
    #[arg(long, value_name = "ORIGIN")]
    pub(crate) allow_origin: Vec<String>,
    /// Public name of this server, such as `gateway.example.com`, under which clients without a key are answered; can be
    /// repeated. IP addresses, names without a dot, `*.localhost`, `*.local` and `*.internal` are always permitted, and with
    /// --client-keys every name is.
    #[arg(long, value_name = "NAME")]
    pub(crate) allow_host: Vec<String>,
    /// Maximum number of concurrent requests; the server answers further ones with status 503.
    #[arg(long, value_name = "NUMBER", default_value_t = 1024)]
    pub(crate) max_requests: usize,
    /// Append a line of JSON for each request to this file. It contains no content and no keys.
    #[arg(long, value_name = "FILE")]
    pub(crate) request_log: Option<PathBuf>,
    /// Refuse a request for each part that another format cannot express and that is not known to leave the answer as it is,
    /// such as a field that the gateway does not know. Otherwise such a part is left out and named in the header
    /// `x-windlass-lost`.
    #[arg(long)]
    pub(crate) strict: bool,
    /// Leave out options that another format cannot express and that change the way in which an answer is drawn, such as a
    /// seed, and name them in the header `x-windlass-lost`. Otherwise the request is refused.
    #[arg(long, conflicts_with = "strict")]
    pub(crate) lenient: bool,
    /// Store no responses for clients of the Responses API. Otherwise they are held in memory, for at most a day without
    /// use, if the provider has another format.
    #[arg(long)]
    pub(crate) no_store: bool,
}

fn parse_alias(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, model)) if !name.is_empty() && !model.is_empty() => {
            Ok((name.to_owned(), model.to_owned()))
        }
        _ => Err("expected NAME=MODEL".to_owned()),
    }
}
