//! `windlass encode`: prints the HTTP request of a conversation without sending it.

use std::process::ExitCode;

use anyhow::Context as _;
use serde::Serialize;
use windlass_protocol::{RawJson, Request};

use crate::arguments::Encode;
use crate::{input, output};

#[derive(Serialize)]
struct Http<'a> {
    method: &'static str,
    path: &'a str,
    headers: std::collections::BTreeMap<&'a str, &'a str>,
    body: RawJson,
}

pub(crate) fn encode(arguments: &Encode) -> anyhow::Result<ExitCode> {
    let text = input::text(&arguments.file)?;
    let request: Request = serde_json::from_str(&text)
        .context("the input is not a request; `windlass encode --help` shows the smallest one")?;
    let http = arguments.wire.wire().encode(&request)?;
    let body = String::from_utf8(http.body.into()).context("the body is not UTF-8")?;
    if arguments.json {
        output::line(&Http {
            method: "POST",
            path: &http.path,
            headers: http.headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect(),
            body: body.parse().context("the body is not JSON")?,
        })?;
    } else {
        let headers =
            http.headers.iter().fold(String::new(), |text, (name, value)| text + name + ": " + value + "\n");
        output::print(&format!("POST {}\n{headers}\n{body}\n", http.path))?;
    }
    Ok(ExitCode::SUCCESS)
}
