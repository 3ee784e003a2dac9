//! Clients of Chat Completions that send requests, check every answer, and measure.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper::{Request, Response, body::Incoming};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpStream;
use tokio::task::JoinSet;

use crate::processes::Usage;
use crate::traffic::{Fate, Traffic};

/// A load: this many requests, or requests for this long, by so many clients at once.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct Load {
    pub(crate) traffic: Traffic,
    pub(crate) clients: usize,
    pub(crate) requests: usize,
    /// The time after which the clients send no further request.
    pub(crate) seconds: u64,
}

/// The measurements of a load.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub(crate) struct Figures {
    pub(crate) answers: usize,
    /// Answers that differ from those of the upstream, with the reason of the first.
    pub(crate) wrong: usize,
    pub(crate) reason: String,
    pub(crate) per_second: f64,
    /// Milliseconds until the first bytes of the body, and until the end: median and 95th percentile.
    pub(crate) first: [f64; 2],
    pub(crate) whole: [f64; 2],
    /// Milliseconds between two pieces of a body: the 95th percentile.
    pub(crate) gap: f64,
    /// The processor time of the clients.
    pub(crate) processor_seconds: f64,
}

/// The parts that all clients share.
struct Plan {
    address: String,
    load: Load,
    bodies: Vec<(Fate, Bytes)>,
    text: String,
    next: AtomicUsize,
    until: Instant,
}

/// The measurements of one client.
#[derive(Default)]
struct Samples {
    first: Vec<f64>,
    whole: Vec<f64>,
    gaps: Vec<f64>,
    answers: usize,
    wrong: Vec<String>,
}

/// Sends a load to a server and returns the measurements.
pub(crate) async fn run(url: &str, load: &Load) -> Result<Figures> {
    let fates = [Fate::Answered, Fate::Cut, Fate::Refused, Fate::Abandoned];
    let plan = Arc::new(Plan {
        address: url.strip_prefix("http://").context("the address is not http")?.to_owned(),
        load: *load,
        bodies: fates.map(|fate| (fate, load.traffic.body(fate).into())).to_vec(),
        text: load.traffic.text(),
        next: AtomicUsize::new(0),
        until: Instant::now() + Duration::from_secs(load.seconds),
    });
    let started = Instant::now();
    let mut clients = JoinSet::new();
    for _ in 0..load.clients {
        clients.spawn(converse(plan.clone()));
    }
    let mut all = Samples::default();
    while let Some(samples) = clients.join_next().await {
        let samples = samples?;
        all.first.extend(samples.first);
        all.whole.extend(samples.whole);
        all.gaps.extend(samples.gaps);
        all.wrong.extend(samples.wrong);
        all.answers = all.answers.saturating_add(samples.answers);
    }
    let seconds = started.elapsed().as_secs_f64();
    let processor_seconds = Usage::read("self")?.processor_seconds;
    Ok(Figures { processor_seconds, ..all.summarize(seconds) })
}

/// Sends requests one after the other, over one connection as long as it lasts.
async fn converse(plan: Arc<Plan>) -> Samples {
    let mut samples = Samples::default();
    let mut connection = None;
    loop {
        let number = plan.next.fetch_add(1, Ordering::Relaxed);
        if number >= plan.load.requests || Instant::now() >= plan.until {
            return samples;
        }
        let fate = plan.load.traffic.fate(number);
        if let Err(error) = exchange(&plan, fate, &mut connection, &mut samples).await {
            connection = None;
            samples.wrong.push(format!("{fate:?}: {error:#}"));
        }
        samples.answers = samples.answers.saturating_add(1);
    }
}

type Connection = SendRequest<Full<Bytes>>;

async fn exchange(
    plan: &Plan,
    fate: Fate,
    connection: &mut Option<Connection>,
    samples: &mut Samples,
) -> Result<()> {
    let body = plan.bodies.iter().find(|(of, _)| *of == fate).map(|(_, body)| body.clone());
    let started = Instant::now();
    let mut sender = match connection.take().filter(|sender| !sender.is_closed()) {
        Some(sender) => sender,
        None => connect(&plan.address).await?,
    };
    let request = Request::post("/v1/chat/completions")
        .header("host", &plan.address)
        .header("content-type", "application/json")
        .body(Full::new(body.unwrap_or_default()))?;
    let response = sender.send_request(request).await?;
    if fate == Fate::Refused {
        let status = response.status();
        let bytes = response.into_body().collect().await?.to_bytes();
        // While the upstream is silent for long, the gateway sends the head, and later the refusal in the stream.
        if status != 503 && !(status == 200 && parse(&bytes, plan.load.traffic)?.is_refused()) {
            bail!("status {status} instead of the upstream's 503");
        }
        *connection = Some(sender);
        return Ok(());
    }
    let bytes = match read(response, started, fate, samples).await {
        Ok(_) if fate == Fate::Abandoned => return Ok(()),
        Ok(bytes) => bytes,
        // A connection that breaks is how a cut reaches a client of the same format.
        Err(_) if fate == Fate::Cut => return Ok(()),
        Err(error) => return Err(error),
    };
    let answer = parse(&bytes, plan.load.traffic)?;
    if fate == Fate::Cut {
        if answer.is_finished {
            bail!("an answer that broke off looks finished");
        }
        return Ok(());
    }
    if !answer.is_finished || answer.text != plan.text {
        bail!("{} characters, finished: {}", answer.text.len(), answer.is_finished);
    }
    samples.whole.push(milliseconds(started));
    *connection = Some(sender);
    Ok(())
}

async fn connect(address: &str) -> Result<Connection> {
    let stream = TcpStream::connect(address).await?;
    stream.set_nodelay(true)?;
    let (sender, connection) = handshake(TokioIo::new(stream)).await?;
    tokio::spawn(connection);
    Ok(sender)
}

/// Reads a body, or its beginning if the client abandons it.
async fn read(
    response: Response<Incoming>,
    started: Instant,
    fate: Fate,
    samples: &mut Samples,
) -> Result<Vec<u8>> {
    let status = response.status();
    let mut body = response.into_body();
    let (mut bytes, mut last) = (Vec::new(), None::<Instant>);
    while let Some(frame) = body.frame().await {
        let Ok(data) = frame?.into_data() else { continue };
        match last.replace(Instant::now()) {
            None => samples.first.push(milliseconds(started)),
            Some(before) => samples.gaps.push(milliseconds(before)),
        }
        bytes.extend_from_slice(&data);
        if fate == Fate::Abandoned && bytes.len() > 1000 {
            break;
        }
    }
    if status != 200 {
        bail!("status {status}: {}", String::from_utf8_lossy(&bytes).chars().take(200).collect::<String>());
    }
    Ok(bytes)
}

/// The text of an answer, and whether it has its proper end.
#[derive(Default)]
struct ParsedAnswer {
    text: String,
    is_finished: bool,
    has_error: bool,
}

fn parse(bytes: &[u8], traffic: Traffic) -> Result<ParsedAnswer> {
    let mut answer = ParsedAnswer::default();
    if !matches!(traffic, Traffic::Paced | Traffic::Stream | Traffic::Faults) {
        answer.take(&serde_json::from_slice(bytes)?, "/choices/0/message/content");
        return Ok(answer);
    }
    let mut is_done = false;
    for data in std::str::from_utf8(bytes)?.lines().filter_map(|line| line.strip_prefix("data: ")) {
        if data == "[DONE]" {
            is_done = true;
        } else {
            answer.take(&serde_json::from_str(data)?, "/choices/0/delta/content");
        }
    }
    answer.is_finished &= is_done;
    Ok(answer)
}

impl ParsedAnswer {
    fn take(&mut self, chunk: &Value, content: &str) {
        self.text.push_str(chunk.pointer(content).and_then(Value::as_str).unwrap_or_default());
        self.has_error |= chunk.get("error").is_some();
        self.is_finished |= chunk.pointer("/choices/0/finish_reason").is_some_and(|reason| reason == "stop");
    }

    fn is_refused(&self) -> bool {
        self.has_error && self.text.is_empty() && !self.is_finished
    }
}

impl Samples {
    fn summarize(mut self, seconds: f64) -> Figures {
        let answers = u32::try_from(self.answers).unwrap_or(u32::MAX);
        Figures {
            answers: self.answers,
            wrong: self.wrong.len(),
            per_second: f64::from(answers) / seconds,
            first: [percentile(&mut self.first, 50), percentile(&mut self.first, 95)],
            whole: [percentile(&mut self.whole, 50), percentile(&mut self.whole, 95)],
            gap: percentile(&mut self.gaps, 95),
            reason: self.wrong.into_iter().next().unwrap_or_default(),
            processor_seconds: 0.0,
        }
    }
}

fn milliseconds(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1000.0
}

fn percentile(samples: &mut [f64], percent: usize) -> f64 {
    samples.sort_unstable_by(f64::total_cmp);
    let at = samples.len().saturating_mul(percent) / 100;
    samples.get(at.min(samples.len().saturating_sub(1))).copied().unwrap_or_default()
}
