//! How Chromium is started: what it may do, and above all what it may not.

use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::Path;

use crate::keys::Size;

/// Whether Chromium confines its own processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Confinement {
    /// By its own sandbox.
    Own,
    /// Not at all: it refuses to start its sandbox for root.
    None,
}

/// Nothing is asked of the network beside the page, nothing is asked of a person, nothing is left on the disk.
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
    // What it would ask of its maker all the same is asked of names that lead nowhere (RFC 6761).
    "--gaia-url=https://maker.invalid",
    "--google-url=https://maker.invalid",
    "--google-apis-url=https://maker.invalid",
    "--lso-url=https://maker.invalid",
    // The ways around a proxy: QUIC, WebRTC, names that Chromium would resolve itself.
    "--disable-quic",
    // Two names of one switch: Chromium 156 knows only the second one, older ones the first.
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--dns-prefetch-disable",
    "--dns-over-https-mode=off",
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
    // Loopback is reached without a proxy unless this is said.
    "--proxy-bypass-list=<-loopback>",
    // Casting looks for devices in the local network; a page that is made before it is asked for has no guard yet.
    "--disable-features=DnsOverHttps,DnsOverHttpsUpgrade,AsyncDns,MediaRouter,DialMediaRouteProvider,\
     CastMediaRouteProvider,OptimizationHints,Translate,AutofillServerCommunication,\
     CertificateTransparencyComponentUpdater,BackForwardCache,Prerender2,GlobalMediaControls,WebUSB,WebBluetooth,WebRtcHideLocalIpsWithMdns",
    "about:blank",
];

/// All arguments.
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

/// Chromium refuses to sandbox itself for root, and asks for this switch; for anybody else it stays as it is.
pub(crate) fn confinement() -> Confinement {
    if rustix::process::geteuid().is_root() { Confinement::None } else { Confinement::Own }
}
