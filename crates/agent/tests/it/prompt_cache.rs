//! The bytes of a run's requests that a provider reads from its prompt cache.
#![expect(clippy::print_stdout, reason = "a measurement prints its figures")]

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use windlass_agent::{
    Agent, AgentBuilder, ApproveAll, CompactionMode, ContextLimits, Event, RunOptions, Session,
};
use windlass_journal::{Durability, Journal, MemoryJournal};
use windlass_mock::{Script, ScriptedModel};
use windlass_protocol::{
    Effect, Hints, Payload, PromptCache, Refusal, Request, RequestOptions, ToolName, ToolSpec,
};
use windlass_stream::{Model, ModelFuture};
use windlass_tool::{Output, Tool};
use windlass_toolbox::{CallbackTool, Preset, ToolConfig, Toolbox, WorkModes};
use windlass_tools_control::{AttemptCompletion, SwitchMode};
use windlass_vendors::{RequestEncoder, Vendors, WireFormat};
use windlass_wire::EncodedHistory;

use crate::scene::{Shared, events};

/// The number of requests of a run.
const TURNS: usize = 40;
/// The number of blocks before a marker in which the provider looks for an earlier entry of its cache.
const LOOK_BACK: usize = 20;

/// A scripted model that records each request as a vendor's client sends it.
struct Recording {
    model: ScriptedModel,
    encoder: RequestEncoder,
    sent: Mutex<(EncodedHistory, Vec<Vec<u8>>)>,
}

impl Recording {
    fn new(vendor: &str, turns: &[Value]) -> Arc<Self> {
        let encoder = RequestEncoder::for_vendor(Vendors::builtin().get(vendor).unwrap().clone()).unwrap();
        let script = Script::parse(&json!({ "turns": turns, "fallback": "Done." }).to_string()).unwrap();
        let model = ScriptedModel::new(script, encoder.wire().clone());
        Arc::new(Self { model, encoder, sent: Mutex::new((EncodedHistory::new(), Vec::new())) })
    }

    fn bodies(&self) -> Vec<Vec<u8>> {
        self.sent.lock().unwrap().1.clone()
    }
}

impl Model for Recording {
    fn stream<'a>(&'a self, request: &'a Request) -> ModelFuture<'a> {
        let mut sent = self.sent.lock().unwrap();
        let (memory, bodies) = &mut *sent;
        let prepared = self.encoder.prepare(request, &[]);
        bodies.push(self.encoder.encode(&prepared, &[], memory).unwrap().http.body.to_vec());
        drop(sent);
        self.model.stream(request)
    }

    fn check(&self, request: &Request) -> Vec<Refusal> {
        self.model.check(request)
    }
}

/// Returns a tool that returns two kilobytes.
fn reader(name: &str) -> CallbackTool {
    let schema = r#"{"type":"object","properties":{"path":{"type":"string","description":"A file of the workspace."}}}"#;
    let words = "Reads a file of the workspace and returns its lines with their numbers. ".repeat(6);
    let spec = ToolSpec::function(ToolName::new(name).unwrap(), words, schema.parse().unwrap());
    let tool = CallbackTool::new(spec, |_, payload: Payload| async move {
        let path = payload.as_arguments().get("path").unwrap().to_string();
        Ok(Output::text(format!("{path}: a line of the file\n").repeat(60)))
    });
    tool.with_hints(Hints::read_only()).with_effects(|_| vec![Effect::Read { path: "a".into() }])
}

fn builder(model: &Arc<Recording>) -> AgentBuilder {
    builder_for(model, "claude-sonnet-4-5", &[])
}

/// An agent for a model, with further tools.
fn builder_for(model: &Arc<Recording>, name: &str, more: &[&str]) -> AgentBuilder {
    let names = ["read_file", "list_files", "search_files", "list_code_definition_names"];
    let mut tools: Vec<Arc<dyn Tool>> = Vec::new();
    tools.extend(names.map(|name| Arc::new(reader(name)) as Arc<dyn Tool>));
    tools.extend(more.iter().map(|name| Arc::new(reader(name)) as Arc<dyn Tool>));
    tools.push(Arc::new(SwitchMode::new(WorkModes::builtin())));
    tools.push(Arc::new(AttemptCompletion::default()));
    let toolbox = Toolbox::builder().tools(tools).modes(WorkModes::builtin());
    let toolbox = toolbox.config(ToolConfig::new(Preset::Full)).build().unwrap();
    let system = "You are a careful engineer. Read before you write, and say what you found. ".repeat(50);
    let builder = Agent::builder().model(model.clone(), name).toolbox(toolbox).system(system);
    builder.approver(ApproveAll)
}

/// The turns of a run: a text and a call each, and the completion. The call of the turn `switch` changes the mode.
fn turns(switch: Option<usize>) -> Vec<Value> {
    let turn = |number: usize| {
        let call = if switch == Some(number) {
            json!({"name": "switch_mode", "arguments": {"mode_slug": "architect"}})
        } else if number + 1 == TURNS {
            json!({"name": "attempt_completion", "arguments": {"result": "done"}})
        } else {
            json!({"name": "read_file", "arguments": {"path": format!("src/part_{number}.rs")}})
        };
        json!({"steps": [{"text": format!("I read part {number} to see who calls it.")}, {"call": call}]})
    };
    (0..TURNS).map(turn).collect()
}

/// The blocks of an Anthropic request in the order of the cache: tools, system, messages. Returns for each block its
/// bytes without the cache marker, and true if the block has a marker.
fn blocks(body: &[u8]) -> Vec<(String, bool)> {
    let body: Value = serde_json::from_slice(body).unwrap();
    let mut blocks = Vec::new();
    let mut add = |role: &str, block: &Value| {
        let mut block = block.clone();
        let marker = block.as_object_mut().and_then(|fields| fields.remove("cache_control"));
        blocks.push((format!("{role}{block}"), marker.is_some()));
    };
    for field in ["tools", "system"] {
        match &body[field] {
            Value::Array(all) => all.iter().for_each(|block| add("", block)),
            // Without a marker, the system prompt is a text.
            text => add("", text),
        }
    }
    for message in body["messages"].as_array().unwrap() {
        let role = message["role"].as_str().unwrap();
        message["content"].as_array().unwrap().iter().for_each(|block| add(role, block));
    }
    if body.get("cache_control").is_some()
        && let Some((_, is_marked)) = blocks.last_mut()
    {
        *is_marked = true;
    }
    blocks
}

/// A prompt cache with Anthropic's rules: a request writes the prefix up to each marker, and reads the longest written
/// prefix that ends at most 20 blocks before one of its markers.
#[derive(Default)]
struct Cache {
    written: HashSet<u64>,
}

impl Cache {
    /// Returns the bytes that a request reads from the cache, and all of its bytes.
    fn read(&mut self, body: &[u8]) -> (usize, usize) {
        let blocks = blocks(body);
        let (mut hasher, mut bytes, mut prefixes) = (DefaultHasher::new(), 0, Vec::new());
        for (block, _) in &blocks {
            block.hash(&mut hasher);
            bytes += block.len();
            prefixes.push((hasher.finish(), bytes));
        }
        let marked: Vec<usize> =
            blocks.iter().enumerate().filter(|(_, (_, is_marked))| *is_marked).map(|(at, _)| at).collect();
        let mut read = 0;
        for at in &marked {
            let near = &prefixes[at.saturating_sub(LOOK_BACK)..=*at];
            let longest = near.iter().rev().find(|(prefix, _)| self.written.contains(prefix));
            read = read.max(longest.map_or(0, |(_, bytes)| *bytes));
        }
        self.written.extend(marked.iter().map(|at| prefixes[*at].0));
        (read, bytes)
    }
}

/// The shares of the bytes of requests that a cache reads, in tenths of a percent.
struct Shares {
    /// The sum over all requests.
    whole: usize,
    /// The values of each request.
    each: Vec<usize>,
}

fn shares(name: &str, bodies: &[Vec<u8>]) -> Shares {
    let mut cache = Cache::default();
    let counts: Vec<_> = bodies.iter().map(|body| cache.read(body)).collect();
    let (read, all) = counts.iter().fold((0, 0), |(read, all), (r, a)| (read + r, all + a));
    let shares = Shares {
        whole: read * 1000 / all,
        each: counts.iter().map(|(read, all)| read * 1000 / all).collect(),
    };
    let lowest = shares.each.iter().skip(1).min().unwrap();
    println!(
        "{name}: {} requests, {all} bytes, {}.{} % read from the cache; lowest request after the first {}.{} %",
        bodies.len(),
        shares.whole / 10,
        shares.whole % 10,
        lowest / 10,
        lowest % 10
    );
    shares
}

async fn run(agent: &Agent, options: RunOptions) -> Vec<Event> {
    events(agent.stream_with("Find the callers of the function.", options)).await
}

// The figures are in the README of `windlass-wire-anthropic`.
#[tokio::test]
async fn a_run_of_forty_turns_reads_most_bytes_from_the_cache() {
    let model = Recording::new("anthropic", &turns(None));
    run(&builder(&model).build().unwrap(), RunOptions::default()).await;
    let bodies = model.bodies();
    assert_eq!(bodies.len(), TURNS);
    let shares = shares("default", &bodies);
    assert!(shares.whole >= 940, "{}", shares.whole);
    assert!(shares.each[1..].iter().all(|share| *share >= 700), "{:?}", shares.each);

    let model = Recording::new("anthropic", &turns(None));
    let off = RequestOptions::default().with_prompt_cache(PromptCache::Off);
    run(&builder(&model).request_options(off).build().unwrap(), RunOptions::default()).await;
    let off = self::shares("off", &model.bodies());
    assert_eq!(off.whole, 0);
}

#[tokio::test]
async fn a_change_of_the_mode_costs_one_request() {
    let model = Recording::new("anthropic", &turns(Some(19)));
    run(&builder(&model).work_mode("code").build().unwrap(), RunOptions::default()).await;
    let bodies = model.bodies();
    assert_eq!(bodies.len(), TURNS);
    let shares = shares("mode change", &bodies);
    assert!(shares.each[20] < 300, "the system prompt changes: {}", shares.each[20]);
    assert!(shares.each[21..].iter().all(|share| *share >= 900), "{:?}", shares.each);
    assert!(shares.whole >= 900, "{}", shares.whole);
}

// Decision 161
#[tokio::test]
async fn a_change_of_the_mode_keeps_the_cache_where_the_model_takes_changes() {
    let model = Recording::new("anthropic", &turns(Some(19)));
    // The mode `architect` has no commands.
    let builder = builder_for(&model, "claude-opus-5", &["run_command"]);
    run(&builder.work_mode("code").build().unwrap(), RunOptions::default()).await;
    let bodies = model.bodies();
    assert_eq!(bodies.len(), TURNS);
    let shares = shares("mode change in blocks", &bodies);
    assert!(shares.each[1..].iter().all(|share| *share >= 700), "{:?}", shares.each);
    assert!(shares.each[20] >= 900, "{}", shares.each[20]);
    assert!(shares.whole >= 940, "{}", shares.whole);
    for pair in bodies.windows(2) {
        // The body ends with `]}`.
        assert!(pair[1].starts_with(&pair[0][..pair[0].len() - 2]), "the prefix stays byte-equal");
    }
    let (conversation, _) = parts(&bodies[20]);
    let change = conversation.last().unwrap();
    assert_eq!(change["role"], "system");
    let kinds: HashSet<&str> =
        change["content"].as_array().unwrap().iter().map(|block| block["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, HashSet::from(["text", "tool_removal"]), "the role of the mode and its tools");
}

#[tokio::test]
async fn a_compaction_costs_one_request() {
    let model = Recording::new("anthropic", &turns(None));
    let limits =
        ContextLimits { window: 16_000, condense: CompactionMode::LeaveOut, ..ContextLimits::default() };
    let agent = builder(&model).context(limits).build().unwrap();
    let events = run(&agent, RunOptions::default()).await;
    let compactions = events.iter().filter(|event| matches!(event, Event::ContextCompacted { .. })).count();
    assert!(compactions > 0, "the window is smaller than the run");
    let shares = shares(&format!("{compactions} compactions"), &model.bodies());
    let cold = shares.each[1..].iter().filter(|share| **share < 600).count();
    assert!(cold <= compactions, "{compactions}: {:?}", shares.each);
    assert!(shares.whole >= 800, "{}", shares.whole);
}

/// Runs to the given number of records of half a run, and resumes in another process: with a new model and memory.
async fn resumed(vendor: &str) -> (Vec<Vec<u8>>, usize) {
    let journal = Shared::default();
    let first = Recording::new(vendor, &turns(None));
    run(&builder(&first).build().unwrap(), RunOptions::default().with_journal(journal.clone())).await;
    let records = journal.records().unwrap();
    let mut cut = MemoryJournal::default();
    for record in &records[..records.len() / 2] {
        cut.append(record.body.clone(), record.at_ms, Durability::Buffered).unwrap();
    }
    let second = Recording::new(vendor, &turns(None));
    let agent = builder(&second).build().unwrap();
    let report = agent.resume(RunOptions::default().with_journal(cut)).unwrap().report().await.unwrap();
    assert_eq!(report.text(), Some("done"));
    let later = second.bodies();
    let before = TURNS - later.len();
    assert!((10..30).contains(&before), "{before}");
    let mut bodies = first.bodies()[..before].to_vec();
    bodies.extend(later);
    (bodies, before)
}

#[tokio::test]
async fn a_resumed_run_reads_what_the_first_process_wrote() {
    let (bodies, before) = resumed("anthropic").await;
    let shares = shares("resume", &bodies);
    assert!(shares.each[before] >= 900, "{:?}", shares.each);
    assert!(shares.whole >= 940, "{}", shares.whole);
}

/// The conversation of a body, and all other fields.
fn parts(body: &[u8]) -> (Vec<Value>, Value) {
    let mut body: Value = serde_json::from_slice(body).unwrap();
    let fields = body.as_object_mut().unwrap();
    let name = ["messages", "input", "contents"].into_iter().find(|name| fields.contains_key(*name)).unwrap();
    let conversation = fields.remove(name).unwrap();
    (conversation.as_array().unwrap().clone(), body)
}

/// Returns the number of neighbouring requests of which the second does not begin with the bytes of the first.
fn breaks(name: &str, bodies: &[Vec<u8>]) -> usize {
    let mut breaks = 0;
    let (mut same, mut all) = (0, 0);
    for pair in bodies.windows(2) {
        let ((before, frame), (after, next_frame)) = (parts(&pair[0]), parts(&pair[1]));
        let is_prefix = frame == next_frame && after.starts_with(&before);
        breaks += usize::from(!is_prefix);
        same += pair[0].iter().zip(&pair[1]).take_while(|(a, b)| a == b).count();
        all += pair[0].len();
    }
    let share = same * 1000 / all;
    println!(
        "{name}: {} requests, {breaks} breaks, {share} permille of the bytes are a common prefix",
        bodies.len()
    );
    assert!(share >= 900, "{name}: {share}");
    breaks
}

// Automatic caches of OpenAI and Gemini read the longest common prefix of the bytes.
#[tokio::test]
async fn each_request_begins_with_the_one_before_it_in_every_format() {
    for vendor in WireFormat::all().iter().map(WireFormat::name) {
        let model = Recording::new(vendor, &turns(None));
        run(&builder(&model).build().unwrap(), RunOptions::default()).await;
        assert_eq!(model.bodies().len(), TURNS, "{vendor}");
        assert_eq!(breaks(vendor, &model.bodies()), 0, "{vendor}");

        let (bodies, _) = resumed(vendor).await;
        assert_eq!(breaks(&format!("{vendor}, resume"), &bodies), 0, "{vendor}");

        let model = Recording::new(vendor, &turns(Some(19)));
        run(&builder(&model).work_mode("code").build().unwrap(), RunOptions::default()).await;
        assert_eq!(breaks(&format!("{vendor}, mode change"), &model.bodies()), 1, "{vendor}");

        let model = Recording::new(vendor, &turns(None));
        let limits =
            ContextLimits { window: 16_000, condense: CompactionMode::LeaveOut, ..ContextLimits::default() };
        let events = run(&builder(&model).context(limits).build().unwrap(), RunOptions::default()).await;
        let compactions =
            events.iter().filter(|event| matches!(event, Event::ContextCompacted { .. })).count();
        let found = breaks(&format!("{vendor}, {compactions} compactions"), &model.bodies());
        assert!(found > 0 && found <= compactions, "{vendor}: {found} of {compactions}");
    }
}

#[tokio::test]
async fn a_session_has_one_cache_key_also_after_resume_fork_and_reload() {
    for vendor in ["openai-chat", "openai-responses"] {
        let answers: Vec<Value> =
            (0..9).map(|n| json!({"steps": [{"text": format!("answer {n}")}]})).collect();
        let model = Recording::new(vendor, &answers);
        let agent = Agent::builder().model(model.clone(), "gpt-5.1").build().unwrap();
        let mut session = agent.session();
        session.send("Mend the test.").await.unwrap();
        session.send("Now the other one.").await.unwrap();
        let mut fork = session.fork();
        fork.send("In another way.").await.unwrap();
        let stored = serde_json::to_string(&session.save()).unwrap();
        let mut later = Session::from_saved(agent.clone(), serde_json::from_str(&stored).unwrap());
        later.send("And a third.").await.unwrap();
        let key = |body: &Vec<u8>| parts(body).1["prompt_cache_key"].as_str().unwrap().to_owned();
        let keys: HashSet<String> = model.bodies().iter().map(key).collect();
        assert_eq!((model.bodies().len(), keys.len()), (4, 1), "{vendor}");
        agent.run("Another task.").await.unwrap();
        assert!(!keys.contains(&key(model.bodies().last().unwrap())), "{vendor}");

        let (bodies, _) = resumed(vendor).await;
        let keys: HashSet<String> = bodies.iter().map(key).collect();
        assert_eq!((bodies.len(), keys.len()), (TURNS, 1), "{vendor}");
    }
}
