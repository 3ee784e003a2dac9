//! The approval requests that a record leaves open.

use windlass_hitl::ApprovalRequest;
use windlass_journal::{JournalError, Record};
use windlass_loop::Entry;

/// Returns the approval requests that wait for an answer, in the order in which they were recorded. The records are
/// those of one run: [`FileJournal::read`](windlass_journal::FileJournal::read) returns them, also while another process
/// works on the run. A deferred call of a sub-agent has its own record with its own requests.
///
/// [`StoredAnswers`](crate::StoredAnswers) takes the answers when the run is resumed.
///
/// ```
/// use windlass_agent::open_approvals;
///
/// assert!(open_approvals(&[])?.is_empty());
/// # Ok::<(), windlass_journal::JournalError>(())
/// ```
///
/// # Errors
/// Returns an error if a record is not an entry of a run.
pub fn open_approvals(records: &[Record]) -> Result<Vec<ApprovalRequest>, JournalError> {
    let mut open: Vec<ApprovalRequest> = Vec::new();
    for record in records {
        match record.read::<Entry>()? {
            // The next answer of the model closes the questions about the calls of the last one.
            Entry::Answered { .. } => open.clear(),
            Entry::Asked { request } => {
                // A question that is repeated after a change replaces the first one.
                open.retain(|earlier| earlier.call.id != request.call.id);
                open.push(*request);
            }
            Entry::Approval { call, .. } => open.retain(|request| request.call.id != call),
            Entry::Result { result } => open.retain(|request| request.call.id != result.call),
            _ => {}
        }
    }
    Ok(open)
}
