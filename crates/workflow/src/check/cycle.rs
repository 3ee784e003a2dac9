//! Detection of dependency cycles before a workflow runs.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::WorkflowError;
use crate::plan::Node;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    OnTheWay,
    Seen,
}

/// Returns an error if a step of one level depends on itself.
pub(super) fn refuse(nodes: &[Arc<Node>]) -> Result<(), WorkflowError> {
    let by_name: BTreeMap<&str, &Node> = nodes.iter().map(|node| (node.name.as_str(), &**node)).collect();
    let mut marks = BTreeMap::new();
    for node in nodes {
        let mut way = Vec::new();
        visit(node, &by_name, &mut marks, &mut way)?;
    }
    Ok(())
}

/// Depth-first search. The recursion depth is bounded by the maximum number of steps.
fn visit<'a>(
    node: &'a Node,
    by_name: &BTreeMap<&'a str, &'a Node>,
    marks: &mut BTreeMap<&'a str, Mark>,
    way: &mut Vec<&'a str>,
) -> Result<(), WorkflowError> {
    match marks.get(node.name.as_str()) {
        Some(Mark::Seen) => return Ok(()),
        Some(Mark::OnTheWay) => {
            let from = way.iter().position(|name| *name == node.name).unwrap_or_default();
            let mut steps: Vec<String> = way.iter().skip(from).map(|name| (*name).to_owned()).collect();
            steps.push(node.name.clone());
            // The search follows dependencies backwards; reverse the path into execution order.
            steps.reverse();
            return Err(WorkflowError::Cycle { steps });
        }
        None => {}
    }
    marks.insert(&node.name, Mark::OnTheWay);
    way.push(&node.name);
    for before in iter_needs(node).filter_map(|name| by_name.get(name)) {
        visit(before, by_name, marks, way)?;
    }
    way.pop();
    marks.insert(&node.name, Mark::Seen);
    Ok(())
}

fn iter_needs(node: &Node) -> impl Iterator<Item = &str> {
    node.needs.iter().map(|need| need.step.as_str()).chain(node.gates.iter().map(String::as_str))
}
