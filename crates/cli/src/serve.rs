//! `windlass serve` and `windlass devices`: the server of the user's sessions.

use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Context as _;
use serde_json::json;
use tokio::net::TcpListener;
use windlass_app::App;
use windlass_server::{Devices, Server, ServerOptions, WebPush};

use crate::arguments::{DeviceAction, DevicesCommand, Serve};
use crate::output;
use crate::service::ServedSessions;

/// Name of the device that the first start registers.
const FIRST_DEVICE: &str = "browser";

pub(crate) async fn serve(arguments: Serve, app: &App) -> anyhow::Result<ExitCode> {
    anyhow::ensure!(
        Server::is_local(arguments.listen) || arguments.allow_remote,
        "{} can be reached from other machines, and the connection is not encrypted; pass --allow-remote to permit this",
        arguments.listen
    );
    let mut sessions = ServedSessions::open(&arguments.run.0, app)?;
    let devices = open_devices(&sessions.app)?;
    let listener = TcpListener::bind(arguments.listen)
        .await
        .with_context(|| format!("{} cannot be bound", arguments.listen))?;
    let (address, template) = (listener.local_addr()?, sessions.template.clone());
    output::print(&format!("serving the sessions of {} on http://{address}\n", template.root.display()))?;
    let name = match &arguments.add_device {
        Some(name) => Some(name.as_str()),
        None => devices.list()?.is_empty().then_some(FIRST_DEVICE),
    };
    match name {
        Some(name) => {
            let (device, token) = devices.add(name, now_ms())?;
            output::print(&format!("open this link once on {name}: http://{address}/#token={token}\n"))?;
            output::print(&format!("revoke it with: windlass devices revoke {}\n", device.id))?;
        }
        None => output::print("registered devices reach it; a further one needs --add-device NAME\n")?,
    }
    let mut options = ServerOptions::default();
    options.host_names.clone_from(&arguments.host_name);
    let push = WebPush::new(sessions.app.state_folder()?.join("push.json"));
    let server = Server::new(sessions.host.clone(), template, devices, options).with_web_push(push);
    let mut code = 0;
    let stop = async { code = sessions.wait_for_end().await };
    server.serve_until(listener, stop).await.context("connections can no longer be accepted")?;
    sessions.stop("the page").await;
    Ok(ExitCode::from(code))
}

pub(crate) fn devices(arguments: &DevicesCommand, app: &App) -> anyhow::Result<ExitCode> {
    let devices = open_devices(app)?;
    match &arguments.command {
        DeviceAction::List { json: true } => {
            for device in devices.list()? {
                output::line(&json!({"id": device.id, "name": device.name, "added_ms": device.added_ms}))?;
            }
        }
        DeviceAction::List { json: false } => {
            let list = devices.list()?;
            if list.is_empty() {
                output::print("no devices are registered\n")?;
            }
            for device in list {
                output::print(&format!("{}  {}\n", device.id, device.name))?;
            }
        }
        DeviceAction::Add { name } => {
            let (device, token) = devices.add(name, now_ms())?;
            output::print(&format!("device {}; its token, which is shown once:\n{token}\n", device.id))?;
        }
        DeviceAction::Revoke { id } => {
            let device = devices.revoke(id)?;
            output::print(&format!("revoked {}\n", device.name))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn open_devices(app: &App) -> anyhow::Result<Devices> {
    Ok(Devices::new(app.state_folder()?.join("devices.json")))
}

fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
