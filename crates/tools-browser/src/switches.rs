//! Command line of Chromium: the features that are enabled, and above all those that are disabled.

use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::Path;

use crate::keys::Size;

/// The confinement of Chromium's own processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Confinement {
    /// Chromium's own sandbox.
    Own,
    /// No sandbox: Chromium refuses to start its sandbox for root.
    None,
}

/// Switches that prevent background traffic, questions to a user, and lasting files.
const FIXED: [&str; 39] = [
    "--headless",
    "--remote-debugging-pipe",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-component-extensions-with-background-pages",
    "--disable-default-apps",
    "--disable-extensions",
    "--disable-sync",
    "--disable-domain-reliability",
    "--disable-client-side-phishing-detection",
    "--disable-search-engine-choice-screen",
    "--disable-breakpad",
    "--disable-crash-reporter",
    "--no-pings",
    "--metrics-recording-only",
    "--password-store=basic",
    "--use-mock-keychain",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-print-preview",
    "--mute-audio",
    "--hide-scrollbars",
    "--deny-permission-prompts",
    "--force-color-profile=srgb",
    // Remaining requests to the vendor go to names that never resolve (RFC 6761).
    "--gaia-url=https://maker.invalid",
    "--google-url=https://maker.invalid",
    "--google-apis-url=https://maker.invalid",
    "--lso-url=https://maker.invalid",
    // Network paths that would bypass the proxy: QUIC, WebRTC, and Chromium's own resolver.
    "--disable-quic",
    // One switch under two names: Chromium 156 supports only the second one, older versions only the first.
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--dns-prefetch-disable",
    "--dns-over-https-mode=off",
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
    // Without this, Chromium connects to loopback without the proxy.
    "--proxy-bypass-list=<-loopback>",
    // Casting searches the local network for devices, and a prerendered page would exist before it is
    // guarded.
    "--disable-features=DnsOverHttps,DnsOverHttpsUpgrade,AsyncDns,MediaRouter,DialMediaRouteProvider,\
     CastMediaRouteProvider,OptimizationHints,Translate,AutofillServerCommunication,\
     CertificateTransparencyComponentUpdater,BackForwardCache,Prerender2,GlobalMediaControls,WebUSB,WebBluetooth,WebRtcHideLocalIpsWithMdns",
    "about:blank",
];

/// Returns all arguments.
pub(crate) fn arguments(
    profile: &Path,
    proxy: SocketAddr,
    size: Size,
    confinement: Confinement,
) -> Vec<OsString> {
    let mut folder = OsString::from("--user-data-dir=");
    folder.push(profile);
    let mut arguments = vec![
        folder,
        format!("--proxy-server=http://{proxy}").into(),
        format!("--window-size={},{}", size.width, size.height).into(),
    ];
    if confinement == Confinement::None {
        arguments.push("--no-sandbox".into());
    }
    arguments.extend(FIXED.iter().map(OsString::from));
    arguments
}

/// Returns the confinement for the current user. Chromium cannot run its sandbox for root; for other users
/// the sandbox stays enabled.
pub(crate) fn confinement() -> Confinement {
    if rustix::process::geteuid().is_root() { Confinement::None } else { Confinement::Own }
}
