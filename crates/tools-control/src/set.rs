//! The sets of this crate's tools.

use std::fmt;
use std::sync::Arc;

use windlass_sandbox::Workspace;
use windlass_tool::Tool;
use windlass_toolbox::WorkModes;

use crate::{
    AskFollowupQuestion, AttemptCompletion, NewTask, RequestUserInput, SwitchMode, Tasks, TodoList,
    UpdatePlan, UpdateTodoList, ViewImage,
};

/// Returns the tools that need nothing but a to-do list: the list itself, questions to the human, and the end
/// of the task.
///
/// `update_plan` writes the same list as `update_todo_list`; a preset offers one of the two.
pub fn tools(todos: &TodoList) -> Vec<Arc<dyn Tool>> {
    vec![
        Arc::new(UpdateTodoList::new(todos.clone())),
        Arc::new(AskFollowupQuestion::default()),
        Arc::new(AttemptCompletion::default()),
        Arc::new(UpdatePlan::new(todos.clone())),
        Arc::new(RequestUserInput::default()),
    ]
}

/// The resources for the tools of this crate. A tool is included only if its resource is set.
#[derive(Clone, Default)]
#[non_exhaustive]
pub struct ControlResources {
    todos: TodoList,
    workspace: Option<Arc<Workspace>>,
    modes: WorkModes,
    tasks: Option<Arc<dyn Tasks>>,
}

impl ControlResources {
    /// Sets the to-do list.
    pub fn with_todos(mut self, todos: TodoList) -> Self {
        self.todos = todos;
        self
    }

    /// Sets the workspace, for `view_image`.
    pub fn with_workspace(mut self, workspace: Arc<Workspace>) -> Self {
        self.workspace = Some(workspace);
        self
    }

    /// Sets the modes, for `switch_mode`, which is included if there is at least one.
    pub fn with_modes(mut self, modes: WorkModes) -> Self {
        self.modes = modes;
        self
    }

    /// Sets the performer of delegated tasks, for `new_task`.
    pub fn with_tasks(mut self, tasks: Arc<dyn Tasks>) -> Self {
        self.tasks = Some(tasks);
        self
    }
}

impl fmt::Debug for ControlResources {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ControlResources")
            .field("workspace", &self.workspace.is_some())
            .field("tasks", &self.tasks.is_some())
            .finish_non_exhaustive()
    }
}

/// Returns all tools of this crate whose resources are set.
///
/// ```
/// use std::sync::Arc;
/// use windlass_sandbox::Workspace;
/// use windlass_tools_control::{ControlResources, tools_with};
///
/// let folder = tempfile::tempdir()?;
/// let workspace = Arc::new(Workspace::open(folder.path())?);
/// let tools = tools_with(&ControlResources::default().with_workspace(workspace));
/// let names: Vec<_> = tools.iter().map(|tool| tool.spec().name().as_str()).collect();
/// assert!(names.contains(&"view_image") && !names.contains(&"switch_mode"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn tools_with(resources: &ControlResources) -> Vec<Arc<dyn Tool>> {
    let mut all = tools(&resources.todos);
    if let Some(workspace) = &resources.workspace {
        all.push(Arc::new(ViewImage::new(Arc::clone(workspace))));
    }
    if !resources.modes.is_empty() {
        all.push(Arc::new(SwitchMode::new(resources.modes.clone())));
    }
    if let Some(tasks) = &resources.tasks {
        all.push(Arc::new(NewTask::new(Arc::clone(tasks))));
    }
    all
}
