//! Validation of a definition, and its conversion into an executable plan.

mod cycle;
mod kind;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::plan::{DependencyKind, Kind, Need, Node, Tries};
use crate::template::{Filling, Path};
use crate::{Definition, FailurePolicy, PathError, StepDefinition, WorkflowError};

/// Maximum number of steps of one workflow, including nested steps.
const MAX_STEPS: usize = 500;
/// Maximum nesting depth of steps.
const MAX_DEPTH: usize = 8;
/// Maximum backoff between two attempts, in milliseconds.
pub(crate) const MAX_BACKOFF_MS: u64 = 600_000;
/// Maximum retries of one call.
const MAX_RETRIES: u32 = 20;

/// The context of the steps of one level.
#[derive(Clone, Copy)]
struct LevelContext<'a> {
    definition: &'a Definition,
    outer: Option<&'a Level<'a>>,
    /// True if the steps run for each element of a list.
    has_item: bool,
    depth: usize,
}

/// The step names of one level, and of the levels around it.
struct Level<'a> {
    names: BTreeSet<&'a str>,
    outer: Option<&'a Self>,
}

impl Level<'_> {
    fn has(&self, name: &str) -> bool {
        self.names.contains(name) || self.outer.is_some_and(|outer| outer.has(name))
    }
}

/// The validated steps of one level, and the paths that they read from the levels around it.
struct CheckedSteps {
    nodes: Vec<Arc<Node>>,
    reads: Vec<Path>,
}

/// Validates all steps of a definition.
pub(crate) fn nodes(definition: &Definition) -> Result<Vec<Arc<Node>>, WorkflowError> {
    name(&definition.name)?;
    for input in definition.input.keys() {
        name(input)?;
    }
    let count = count(&definition.steps);
    if count > MAX_STEPS {
        return Err(WorkflowError::TooMany { what: "steps", count, most: MAX_STEPS });
    }
    let around = LevelContext { definition, outer: None, has_item: false, depth: 0 };
    level(&definition.steps, around).map(|checked| checked.nodes)
}

/// Validates the output of the workflow, if it is defined.
pub(crate) fn output(definition: &Definition) -> Result<Option<Filling>, WorkflowError> {
    const WHERE: &str = "output";
    let Some(output) = &definition.output else { return Ok(None) };
    let filling =
        Filling::parse(output).map_err(|problem| WorkflowError::Path { step: WHERE.to_owned(), problem })?;
    let names = definition.steps.iter().map(|step| step.name.as_str()).collect();
    let level = Level { names, outer: None };
    let around = LevelContext { definition, outer: None, has_item: false, depth: 0 };
    for path in paths(|tell| filling.each_path(tell)) {
        check_path(WHERE, &path, &level, around)?;
    }
    Ok(Some(filling))
}

fn count(steps: &[StepDefinition]) -> usize {
    let inner = |step: &StepDefinition| count(&step.parallel).saturating_add(count(&step.body));
    steps.iter().map(inner).fold(steps.len(), usize::saturating_add)
}

fn name(name: &str) -> Result<(), WorkflowError> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if (1..=64).contains(&name.len()) && name.chars().all(is_plain) {
        return Ok(());
    }
    Err(WorkflowError::Name { name: name.to_owned() })
}

fn level(steps: &[StepDefinition], around: LevelContext<'_>) -> Result<CheckedSteps, WorkflowError> {
    if around.depth > MAX_DEPTH {
        return Err(WorkflowError::TooMany { what: "levels", count: around.depth, most: MAX_DEPTH });
    }
    let mut names = BTreeSet::new();
    for step in steps {
        name(&step.name)?;
        if !names.insert(step.name.as_str()) {
            return Err(WorkflowError::Twice { step: step.name.clone() });
        }
    }
    let level = Level { names, outer: around.outer };
    let gates = gates(steps, &level)?;
    let (mut nodes, mut reads) = (Vec::new(), Vec::new());
    for step in steps {
        let gates = gates.get(step.name.as_str()).cloned().unwrap_or_default();
        let (node, outside) = node(step, gates, &level, around)?;
        nodes.push(Arc::new(node));
        reads.extend(outside);
    }
    cycle::refuse(&nodes)?;
    Ok(CheckedSteps { nodes, reads })
}

/// Returns, for each step that must be opened, the names of the steps that can open it.
fn gates<'a>(
    steps: &'a [StepDefinition],
    level: &Level<'_>,
) -> Result<BTreeMap<&'a str, Vec<String>>, WorkflowError> {
    let mut gates: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for step in steps {
        let elsewhere = [&step.on_failure, &step.on_unknown].into_iter().filter_map(|policy| match policy {
            Some(FailurePolicy::Goto(target)) => Some(target),
            _ => None,
        });
        for target in step.then.iter().chain(&step.otherwise).chain(elsewhere) {
            if !level.names.contains(target.as_str()) {
                return Err(unknown(&step.name, target));
            }
            gates.entry(target).or_default().push(step.name.clone());
        }
    }
    Ok(gates)
}

fn unknown(step: &str, named: &str) -> WorkflowError {
    WorkflowError::UnknownStep { step: step.to_owned(), named: named.to_owned() }
}

/// Validates a step. Returns it with the paths that it reads from the levels around it.
fn node(
    step: &StepDefinition,
    gates: Vec<String>,
    level: &Level<'_>,
    around: LevelContext<'_>,
) -> Result<(Node, Vec<Path>), WorkflowError> {
    let wrong = |problem| WorkflowError::Path { step: step.name.clone(), problem };
    let kind::CheckedKind { kind, inner } = kind::check_kind(step, level, around)?;
    let mut reads = own_reads(&kind);
    for path in &reads {
        check_path(&step.name, path, level, around)?;
    }
    reads.extend(inner);
    let mut needs: BTreeMap<String, DependencyKind> = BTreeMap::new();
    let mut outside = Vec::new();
    let mut need = |step: &str, why: DependencyKind| {
        let known = needs.entry(step.to_owned()).or_insert(why);
        *known = why.max(*known);
    };
    for other in &step.after {
        if !level.names.contains(other.as_str()) {
            return Err(unknown(&step.name, other));
        }
        need(other, DependencyKind::Order);
    }
    for path in reads {
        let Some((other, rest)) = path.step() else { continue };
        let why = match rest.first().map(String::as_str) {
            Some("status" | "error") => DependencyKind::Status,
            Some("output") | None => DependencyKind::Data,
            Some(_) => return Err(wrong(PathError::NoPath { text: path.to_string() })),
        };
        if level.names.contains(other) {
            need(other, why);
        } else {
            outside.push(path);
        }
    }
    let needs = needs.into_iter().map(|(step, why)| Need { step, why }).collect();
    let on_failure = step.on_failure.clone().unwrap_or_default();
    let node = Node {
        name: step.name.clone(),
        kind,
        needs,
        gates,
        tries: Tries {
            retries: step.retries.min(MAX_RETRIES),
            backoff_ms: step.backoff_ms.unwrap_or(1_000).min(MAX_BACKOFF_MS),
            timeout_ms: step.timeout_ms,
            repeatable: step.repeatable,
        },
        on_unknown: step.on_unknown.clone().unwrap_or_else(|| on_failure.clone()),
        on_failure,
    };
    Ok((node, outside))
}

fn own_reads(kind: &Kind) -> Vec<Path> {
    paths(|tell| match kind {
        Kind::Call { arguments, .. } => arguments.each_path(tell),
        Kind::Condition { condition, .. } => condition.each_path(tell),
        Kind::Group(group) => group.over.iter().for_each(|over| over.each_path(tell)),
    })
}

fn paths(each: impl FnOnce(&mut dyn FnMut(&Path))) -> Vec<Path> {
    let mut found = Vec::new();
    each(&mut |path| found.push(path.clone()));
    found
}

fn check_path(
    step: &str,
    path: &Path,
    level: &Level<'_>,
    around: LevelContext<'_>,
) -> Result<(), WorkflowError> {
    if let Some((named, _)) = path.step() {
        return if level.has(named) { Ok(()) } else { Err(unknown(step, named)) };
    }
    match (path.root(), path.rest().first()) {
        ("input", Some(input)) if !around.definition.input.contains_key(input) => {
            Err(WorkflowError::UnknownInput { step: step.to_owned(), input: input.clone() })
        }
        ("item" | "index", _) if !around.has_item => Err(WorkflowError::Path {
            step: step.to_owned(),
            problem: PathError::Missing { path: path.to_string() },
        }),
        _ => Ok(()),
    }
}
