//! Approvals with changed arguments: the changed call is decided again and bound by a digest of its own.

use windlass_hitl::{ApprovalDecision, ApprovalOutcome, ApprovalRequest};
use windlass_protocol::{Arguments, CallId, Content, ResultStatus, ToolResult};

use super::Executing;
use crate::core::Core;
use crate::edit::Edit;
use crate::transition::Transition;
use crate::{Command, Entry, Event, HookAction, HookPoint, HookReport, words};

/// The number of changes of one call after which a further change is refused, so that a program that answers
/// cannot keep a call open for ever.
const MAX_EDITS: u32 = 8;

impl Executing {
    /// Returns how often the human changed the arguments of a call.
    pub(crate) fn count_edits(&self, id: &CallId) -> u32 {
        self.edits.get(id).map_or(0, |edit| edit.count)
    }

    /// Applies an approval. With changed arguments the call is decided again, because neither the schema nor
    /// policy has seen them.
    pub(super) fn approve(
        &mut self,
        core: &mut Core,
        asked: Box<ApprovalRequest>,
        arguments: Option<&Arguments>,
    ) -> Option<Transition> {
        let id = asked.call.id.clone();
        let earlier = self.edits.get(&id).map_or(0, |edit| edit.count);
        let Some(edit) = arguments
            .map(|arguments| Edit::new(asked, arguments.clone(), earlier))
            .filter(|edit| !edit.is_idle())
        else {
            self.run(core, &id);
            return None;
        };
        let call = self.find(&id)?;
        let text = match edit.apply(call.call()) {
            Some(changed) if edit.count <= MAX_EDITS => {
                call.revise(changed.clone()).ok()?;
                self.edits.insert(id, edit);
                core.show(Event::CallEdited { call: changed.clone() });
                core.emit(Command::Decide(changed));
                return None;
            }
            Some(_) => words::TOO_MANY_EDITS,
            None => words::EDIT_WITHOUT_ARGUMENTS,
        };
        self.end_call(core, text.to_result(id, ResultStatus::Denied));
        self.advance(core)
    }

    /// Restores the recorded change of a call that has not been decided again.
    pub(super) fn restore_edit(&mut self, core: &mut Core, id: &CallId, edit: Edit) {
        let Some(call) = self.find(id) else { return };
        let Some(changed) = edit.apply(call.call()) else { return };
        if call.revise(changed.clone()).is_ok() {
            self.edits.insert(id.clone(), edit);
            core.show(Event::CallEdited { call: changed });
        }
    }

    /// Approves a changed call without a further question if the human's answer covers it. Records the new request
    /// with its digest, and its approval.
    pub(super) fn is_covered(&self, core: &mut Core, request: &ApprovalRequest) -> bool {
        let id = &request.call.id;
        let Some(edit) = self.edits.get(id) else { return false };
        if !edit.asked.covers_edit(request, &edit.arguments) {
            return false;
        }
        let outcome = ApprovalOutcome::Answered(ApprovalDecision::approve(request.request_id.as_str()));
        core.record(Entry::Asked { request: Box::new(request.clone()) });
        core.record(Entry::Approval { call: id.clone(), outcome });
        true
    }

    /// Keeps the note for the result of a call whose arguments a hook changed.
    pub(crate) fn note_rewrite(&mut self, report: &HookReport) {
        if let (HookPoint::Call, HookAction::Rewrite, Some(call)) =
            (report.point, report.action, report.call.as_ref())
        {
            self.rewrites.insert(call.clone(), words::rewrite_note(&report.hook, &report.text));
        }
    }

    /// Adds to the result of a changed call that the human or a hook changed it.
    pub(super) fn mark_edit(&self, mut result: ToolResult) -> ToolResult {
        if let Some(note) = self.rewrites.get(&result.call) {
            result.content.insert(0, Content::text(note.as_str()));
        }
        if let Some(edit) = self.edits.get(&result.call) {
            let shown = edit.is_clean.then(|| edit.arguments.as_str());
            result.content.insert(0, Content::text(words::edit_note(shown)));
        }
        result
    }
}
