//! The server: its routes, and its start.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::{from_fn, from_fn_with_state};
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, watch};
use windlass_app::RunSettings;
use windlass_app::sessions::SessionHost;

use crate::host_names::{HostNames, is_local};
use crate::state::Shared;
use crate::{Devices, ServerOptions, access, api, body, connections, guard, page};

/// A server of the sessions of one user: an HTTP API, feeds as server-sent events, and a web page.
///
/// It admits only clients with the token of a device ([`Devices`]), under its own names, and from its own page. Runs
/// continue when every client is gone. [`serve_until`](Self::serve_until) serves until a future completes; it does not
/// stop the runs, which is the work of [`SessionHost::stop_all`].
///
/// ```no_run
/// use windlass_app::sessions::SessionHost;
/// use windlass_app::{App, RunSettings};
/// use windlass_server::{Devices, Server, ServerOptions};
///
/// # async fn serve(app: App, template: RunSettings) -> Result<(), Box<dyn std::error::Error>> {
/// let host = SessionHost::new(&app)?;
/// let devices = Devices::new(app.state_folder()?.join("devices.json"));
/// let (_, token) = devices.add("my browser", 0)?;
/// let listener = tokio::net::TcpListener::bind("127.0.0.1:7373").await?;
/// println!("http://{}/#token={token}", listener.local_addr()?);
/// let server = Server::new(host, template, devices, ServerOptions::default());
/// server.serve_until(listener, std::future::pending()).await?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Server {
    host: SessionHost,
    template: RunSettings,
    devices: Devices,
    options: ServerOptions,
    #[cfg(feature = "web-push")]
    push: Option<Arc<crate::WebPush>>,
}

impl Server {
    /// Creates a server. `template` has the settings of the runs that clients start: its task is replaced.
    pub fn new(host: SessionHost, template: RunSettings, devices: Devices, options: ServerOptions) -> Self {
        Self {
            host,
            template,
            devices,
            options,
            #[cfg(feature = "web-push")]
            push: None,
        }
    }

    /// Announces questions to the browsers that subscribe, also when their pages are closed.
    #[cfg(feature = "web-push")]
    pub fn with_web_push(mut self, push: crate::WebPush) -> Self {
        self.push = Some(Arc::new(push));
        self
    }

    /// Returns whether only this machine can reach an address. Do not serve another address without TLS in front of it,
    /// because the token of a device is sent with each request.
    pub fn is_local(address: SocketAddr) -> bool {
        is_local(address.ip())
    }

    /// Serves until `stop` completes. Then the feeds end, and other open requests get the drain time of the options.
    ///
    /// Dropping the future closes all connections. The runs of the host continue in both cases.
    ///
    /// # Errors
    ///
    /// Fails if the listener has no address, or cannot accept connections any more.
    pub async fn serve_until(self, listener: TcpListener, stop: impl Future<Output = ()>) -> io::Result<()> {
        let (stopper, stopping) = watch::channel(false);
        let names = HostNames::new(listener.local_addr()?, &self.options.host_names);
        #[cfg_attr(not(feature = "web-push"), expect(unused_mut, reason = "web push is added below"))]
        let mut shared = Shared::new(self.host, self.template, self.devices, names, stopping.clone());
        #[cfg(feature = "web-push")]
        {
            shared.push = self.push;
        }
        let shared = Arc::new(shared);
        let router = router(Arc::clone(&shared), &self.options);
        let watching = access::watch_devices(Arc::clone(&shared));
        let announcing = announce(shared);
        let serving = connections::serve(listener, router, &self.options, stopping);
        let stop = async {
            stop.await;
            stopper.send_replace(true);
            std::future::pending::<()>().await;
        };
        tokio::select! {
            end = serving => end,
            () = stop => Ok(()),
            () = announcing => Ok(()),
            () = watching => Ok(()),
        }
    }
}

/// Announces questions with web push. Never completes.
async fn announce(shared: Arc<Shared>) {
    #[cfg(feature = "web-push")]
    crate::announcer::announce_questions(shared).await;
    #[cfg(not(feature = "web-push"))]
    drop(shared);
    std::future::pending::<()>().await;
}

fn router(shared: Arc<Shared>, options: &ServerOptions) -> Router {
    let (most, timeout) = (options.body_bytes, options.body_timeout);
    let buffered = from_fn(move |request, next| body::read_body(most, timeout, request, next));
    let (files, places) = (options.upload_bytes, Arc::new(Semaphore::new(body::UPLOADS)));
    let upload = move |request, next| body::read_upload(Arc::clone(&places), files, timeout, request, next);
    // axum has a limit of its own, which is smaller than that of uploads.
    let uploads = api::upload_router().layer(DefaultBodyLimit::disable()).layer(from_fn(upload));
    let protected = api::device_router()
        .layer(buffered.clone())
        .merge(uploads)
        .layer(from_fn_with_state(Arc::clone(&shared), guard::check_device));
    api::open_router()
        .layer(buffered)
        .merge(page::router())
        .merge(protected)
        .fallback(api::refuse_path)
        .method_not_allowed_fallback(api::refuse_method)
        .layer(from_fn_with_state(Arc::clone(&shared), guard::check_origin))
        .with_state(shared)
}
