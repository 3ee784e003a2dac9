//! The end of a browser leaves neither a process nor a file.

use std::collections::HashSet;
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::json;
use tempfile::TempDir;
use tokio::io::AsyncBufReadExt;
use windlass_protocol::Effect;
use windlass_testkit::{Need, require};
use windlass_tool::Tool;
use windlass_tools_browser::{Browser, BrowserAction, BrowserLimits};

use crate::fake::{BrowseWeb as _, FakeWeb, act, payload};
use crate::site::Site;

/// A process of this machine: its group, its arguments and its environment.
struct Process {
    id: u32,
    group: u32,
    told: String,
}

fn processes() -> Vec<Process> {
    let of = |folder: PathBuf| {
        let id = folder.file_name()?.to_str()?.parse().ok()?;
        let mut told = std::fs::read(folder.join("cmdline")).ok()?;
        told.extend(std::fs::read(folder.join("environ")).unwrap_or_default());
        let told = String::from_utf8_lossy(&told).replace('\0', " ");
        // A process that has ended and was not reaped yet has state Z.
        let line = std::fs::read_to_string(folder.join("stat")).ok()?;
        let mut fields = line.rsplit_once(") ")?.1.split(' ');
        let state = fields.next()?;
        let group = fields.nth(1)?.parse().ok()?;
        (state != "Z").then_some(Process { id, group, told })
    };
    std::fs::read_dir("/proc").unwrap().filter_map(|entry| of(entry.unwrap().path())).collect()
}

/// Returns the processes of a process group, and those that were started for a profile.
fn everybody(group: u32, profile: &Path) -> Vec<u32> {
    let profile = profile.to_str().unwrap();
    let belongs = |process: &Process| process.group == group || process.told.contains(profile);
    processes().into_iter().filter(belongs).map(|process| process.id).collect()
}

/// A browser that reports its process, so that its processes are distinguished from those of the other tests.
pub(crate) struct Marked {
    pub(crate) browser: Browser,
    folder: TempDir,
}

impl Marked {
    pub(crate) fn new(browser: &Browser, web: &FakeWeb) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("chromium");
        let (id, real) = (folder.path().join("id"), browser.program());
        let script = format!("#!/bin/sh\necho $$ > '{}'\nexec '{}' \"$@\"\n", id.display(), real.display());
        std::fs::write(&program, script).unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o700)).unwrap();
        let browser = Browser::at(program).with_resolver(web.clone()).with_dialer(web.clone());
        Self { browser, folder }
    }

    /// Returns the address at which the browser's proxy listens.
    pub(crate) fn proxy(&self) -> String {
        self.switch("--proxy-server=http://")
    }

    /// Returns the remote addresses of the connections of the browser's processes, and the local addresses of
    /// unconnected sockets.
    pub(crate) fn sockets(&self) -> Vec<SocketAddr> {
        let (group, profile) = self.traces();
        let everybody = everybody(group, &profile);
        let mut held = HashSet::new();
        for id in &everybody {
            let Ok(files) = std::fs::read_dir(format!("/proc/{id}/fd")) else { continue };
            let links = files.filter_map(|file| std::fs::read_link(file.ok()?.path()).ok());
            held.extend(links.filter_map(|link| {
                Some(link.to_str()?.strip_prefix("socket:[")?.strip_suffix(']')?.to_owned())
            }));
        }
        ["tcp", "tcp6", "udp", "udp6"].iter().flat_map(|table| of_table(table, &held)).collect()
    }

    /// Returns the process group and the profile of the browser.
    fn traces(&self) -> (u32, PathBuf) {
        (self.id(), self.switch("--user-data-dir=").into())
    }

    fn id(&self) -> u32 {
        std::fs::read_to_string(self.folder.path().join("id")).unwrap().trim().parse().unwrap()
    }

    fn switch(&self, name: &str) -> String {
        let id = self.id();
        let leader = processes().into_iter().find(|process| process.id == id).unwrap();
        assert_eq!(leader.group, id, "it leads a group of its own");
        let (_, rest) = leader.told.split_once(name).unwrap();
        rest.split(' ').next().unwrap().to_owned()
    }
}

/// Returns the held sockets of a table of the kernel: their remote address, or their local address if they are not
/// connected.
fn of_table(table: &str, held: &HashSet<String>) -> Vec<SocketAddr> {
    let text = std::fs::read_to_string(format!("/proc/net/{table}")).unwrap();
    let of = |line: &str| {
        let fields: Vec<_> = line.split_whitespace().collect();
        held.contains(*fields.get(9)?).then_some(())?;
        let [local, remote] = [fields.get(1)?, fields.get(2)?].map(|field| address(field).unwrap());
        Some(if remote.port() == 0 { local } else { remote })
    };
    text.lines().skip(1).filter_map(of).collect()
}

/// An address as the kernel writes it: words of four bytes in the machine's order, then the port.
fn address(field: &str) -> Option<SocketAddr> {
    let (address, port) = field.split_once(':')?;
    let word = |at: usize| Some(u32::from_str_radix(address.get(at..at + 8)?, 16).ok()?.to_ne_bytes());
    let port = u16::from_str_radix(port, 16).ok()?;
    if address.len() == 8 {
        return Some(SocketAddr::from((word(0)?, port)));
    }
    let bytes = [word(0)?, word(8)?, word(16)?, word(24)?].concat();
    Some(SocketAddr::from((<[u8; 16]>::try_from(bytes).ok()?, port)))
}

/// Waits until no process and no file is left.
async fn check_gone((group, profile): (u32, PathBuf)) {
    let mut look = tokio::time::interval(Duration::from_millis(20));
    for _ in 0..1_500 {
        look.tick().await;
        if everybody(group, &profile).is_empty() && !profile.exists() {
            return;
        }
    }
    panic!("left: {:?}, folder: {}", everybody(group, &profile), profile.exists());
}

// M5, Q1
#[tokio::test]
async fn close_leaves_no_process_and_no_profile() {
    let web = FakeWeb::default();
    let browser = require!(Need::Browser, web.browser());
    let site = Site::start(&[("/", "<title>here</title>")]).await;
    let marked = Marked::new(&browser, &web);
    let browser = marked.browser.clone().with_reachable("127.0.0.1", site.address.port()).unwrap();
    let tool = BrowserAction::new(browser);
    act(&tool, json!({"action": "launch", "url": site.url("/")})).await.unwrap();
    let (group, profile) = marked.traces();
    assert!(everybody(group, &profile).len() > 1 && profile.exists());
    // Further actions use the same browser and its profile.
    act(&tool, json!({"action": "launch", "url": site.url("/")})).await.unwrap();
    assert_eq!(marked.traces(), (group, profile.clone()));
    act(&tool, json!({"action": "close"})).await.unwrap();
    assert!(everybody(group, &profile).is_empty(), "{:?}", everybody(group, &profile));
    assert!(!profile.exists());
    let click = json!({"action": "click", "coordinate": "1,1"});
    assert_eq!(tool.effects(&payload(&click)), [Effect::Unknown]);
    assert!(act(&tool, click).await.err().unwrap().contains("action launch first"));
}

#[tokio::test]
async fn a_launch_at_another_host_starts_a_fresh_browser() {
    let web = FakeWeb::default();
    let browser = require!(Need::Browser, web.browser());
    let site = Site::start(&[("/", "<title>here</title>")]).await;
    let web = web.with_server("a.test", "93.184.216.34", site.address).with_server(
        "b.test",
        "93.184.216.35",
        site.address,
    );
    let marked = Marked::new(&browser, &web);
    let tool = BrowserAction::new(marked.browser.clone());
    act(&tool, json!({"action": "launch", "url": "http://a.test/"})).await.unwrap();
    let before = marked.traces();
    act(&tool, json!({"action": "launch", "url": "http://b.test/"})).await.unwrap();
    assert_ne!(marked.traces(), before);
    check_gone(before).await;
    let after = marked.traces();
    drop(tool);
    check_gone(after).await;
}

#[tokio::test]
async fn a_hanging_page_ends_the_browser_with_an_error() {
    let web = FakeWeb::default();
    let browser = require!(Need::Browser, web.browser());
    let page = "<title>here</title><body onclick='for(;;);' style='height:600px'>";
    let site = Site::start(&[("/", page)]).await;
    let web = web.with_server("a.test", "93.184.216.34", site.address);
    let marked = Marked::new(&browser, &web);
    let limits = BrowserLimits::default().with_answer(Duration::from_secs(8));
    let tool = BrowserAction::new(marked.browser.clone().with_limits(limits));
    act(&tool, json!({"action": "launch", "url": "http://a.test/"})).await.unwrap();
    let traces = marked.traces();
    let told = act(&tool, json!({"action": "click", "coordinate": "100,100"})).await.err().unwrap();
    assert!(told.contains("within 8s, and the browser was ended"), "{told}");
    assert!(everybody(traces.0, &traces.1).is_empty() && !traces.1.exists());
}

#[tokio::test]
async fn an_idle_browser_ends() {
    let web = FakeWeb::default();
    let browser = require!(Need::Browser, web.browser());
    let site = Site::start(&[("/", "<title>here</title>")]).await;
    let web = web.with_server("a.test", "93.184.216.34", site.address);
    let marked = Marked::new(&browser, &web);
    let limits = BrowserLimits::default().with_idle(Duration::from_secs(10));
    let tool = BrowserAction::new(marked.browser.clone().with_limits(limits));
    act(&tool, json!({"action": "launch", "url": "http://a.test/"})).await.unwrap();
    check_gone(marked.traces()).await;
    let told = act(&tool, json!({"action": "screenshot"})).await.err().unwrap();
    assert!(told.contains("action launch first"), "{told}");
}

#[tokio::test]
async fn a_start_that_takes_longer_than_the_idle_time_ends_well() {
    let web = FakeWeb::default();
    let browser = require!(Need::Browser, web.browser());
    let site = Site::start(&[("/", "<title>here</title>")]).await;
    let web = web.with_server("a.test", "93.184.216.34", site.address);
    let marked = Marked::new(&browser, &web);
    let limits = BrowserLimits::default().with_idle(Duration::from_millis(1));
    let tool = BrowserAction::new(marked.browser.clone().with_limits(limits));
    act(&tool, json!({"action": "launch", "url": "http://a.test/"})).await.unwrap();
}

#[test]
fn a_runtime_that_ends_takes_the_browser_with_it() {
    let web = FakeWeb::default();
    let browser = require!(Need::Browser, web.browser());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let marked = Marked::new(&browser, &web);
    let tool = BrowserAction::new(marked.browser.clone());
    let traces = runtime.block_on(async {
        let site = Site::start(&[("/", "<title>here</title>")]).await;
        let _web = web.clone().with_server("a.test", "93.184.216.34", site.address);
        act(&tool, json!({"action": "launch", "url": "http://a.test/"})).await.unwrap();
        marked.traces()
    });
    drop(runtime);
    assert!(!traces.1.exists());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(check_gone(traces));
}

const HOST: &str = "WINDLASS_TEST_BROWSER";

/// This test starts itself as the host in another process, which is killed: no code can clean up then, and the
/// browser ends because its pipe does.
#[tokio::test]
async fn a_host_that_is_killed_leaves_no_browser() {
    let web = FakeWeb::default();
    if let Some(program) = std::env::var_os(HOST) {
        let site = Site::start(&[("/", "<title>here</title>")]).await;
        let web = web.with_server("a.test", "93.184.216.34", site.address);
        let tool = BrowserAction::new(Browser::at(program).with_resolver(web.clone()).with_dialer(web));
        act(&tool, json!({"action": "launch", "url": "http://a.test/"})).await.unwrap();
        eprintln!("the browser stands");
        return std::future::pending().await;
    }
    let browser = require!(Need::Browser, web.browser());
    let marked = Marked::new(&browser, &web);
    let mut host = tokio::process::Command::new(std::env::current_exe().unwrap())
        .args(["ends::a_host_that_is_killed_leaves_no_browser", "--exact", "--nocapture"])
        .env(HOST, marked.browser.program())
        .stderr(std::process::Stdio::piped())
        .stdout(std::process::Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut lines = tokio::io::BufReader::new(host.stderr.take().unwrap()).lines();
    while lines.next_line().await.unwrap().unwrap() != "the browser stands" {}
    let (group, profile) = marked.traces();
    assert!(everybody(group, &profile).len() > 1);
    host.kill().await.unwrap();
    let mut look = tokio::time::interval(Duration::from_millis(20));
    for _ in 0..500 {
        look.tick().await;
        if everybody(group, &profile).is_empty() {
            break;
        }
    }
    assert!(everybody(group, &profile).is_empty(), "{:?}", everybody(group, &profile));
    // The start of another browser may have removed it already.
    drop(std::fs::remove_dir_all(profile));
}
