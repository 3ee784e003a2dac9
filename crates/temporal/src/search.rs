//! Search attributes: the session, the state and the open questions of a run, for lists of runs.

use temporalio_client::Client;
use temporalio_common::protos::temporal::api::enums::v1::IndexedValueType;
use temporalio_common::protos::temporal::api::operatorservice::v1::AddSearchAttributesRequest;
use temporalio_common::search_attributes::SearchAttributeKey;
use temporalio_sdk::WorkflowContext;

use crate::{EngineError, OpenRequests, RunSettings};

const SESSION: SearchAttributeKey<String> = SearchAttributeKey::keyword("WindlassSession");
const STATE: SearchAttributeKey<String> = SearchAttributeKey::keyword("WindlassState");
const WAITING_FOR: SearchAttributeKey<Vec<String>> = SearchAttributeKey::keyword_list("WindlassWaitingFor");

/// The attributes that the workflow set last.
#[derive(Default)]
pub(crate) struct SearchState {
    last: Option<(&'static str, Vec<String>)>,
}

impl SearchState {
    /// Sets the attributes if they have changed and the run sets attributes.
    pub(crate) fn update<W>(
        &mut self,
        ctx: &WorkflowContext<W>,
        settings: &RunSettings,
        waits: &OpenRequests,
        is_done: bool,
    ) {
        if !settings.sets_search_attributes {
            return;
        }
        let mut kinds = Vec::new();
        if !waits.approvals.is_empty() {
            kinds.push("approval".to_owned());
        }
        if waits.question.is_some() {
            kinds.push("question".to_owned());
        }
        if !waits.results.is_empty() {
            kinds.push("result".to_owned());
        }
        let state = match (is_done, waits.is_idle) {
            (true, _) => "done",
            (false, true) => "waiting",
            (false, false) => "running",
        };
        let attributes = (state, kinds);
        if self.last.as_ref() == Some(&attributes) {
            return;
        }
        let mut updates =
            vec![STATE.value_set(attributes.0.to_owned()), WAITING_FOR.value_set(attributes.1.clone())];
        updates.extend(settings.session.clone().map(|session| SESSION.value_set(session)));
        ctx.upsert_search_attributes(updates);
        self.last = Some(attributes);
    }
}

/// Adds the search attributes to the namespace. Adding them again has no effect. A run sets them if its
/// settings say so.
///
/// # Errors
/// Returns an error if the server refuses the attributes.
pub(crate) async fn register(client: &Client) -> Result<(), EngineError> {
    let keyword = IndexedValueType::Keyword.into();
    let request = AddSearchAttributesRequest {
        search_attributes: [
            (SESSION.name().to_owned(), keyword),
            (STATE.name().to_owned(), keyword),
            (WAITING_FOR.name().to_owned(), IndexedValueType::KeywordList.into()),
        ]
        .into(),
        namespace: client.options().namespace.clone(),
    };
    match client.connection().operator_service().add_search_attributes(tonic::Request::new(request)).await {
        Ok(_) => Ok(()),
        Err(status) if status.code() == tonic::Code::AlreadyExists => Ok(()),
        Err(status) => Err(EngineError::from_refusal("add search attributes", &status)),
    }
}
