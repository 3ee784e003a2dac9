//! The scopes of a sign-in after a challenge.

use rmcp::transport::auth::AuthorizationManager;

use super::SignIn;
use super::store::Credentials;

/// Returns the scopes to request after a server's challenge: those of the stored tokens and the challenged ones
/// (SEP-2350), so that a further permission does not replace the earlier ones. Scopes of the configuration are
/// requested as they are. The list is empty if nothing is configured and no tokens are stored.
pub(super) async fn select_scopes(
    manager: &AuthorizationManager,
    sign_in: &SignIn,
    key: String,
) -> Vec<String> {
    if !sign_in.scopes.is_empty() {
        return sign_in.scopes.clone();
    }
    let mut scopes = Credentials { store: sign_in.store.clone(), key }.granted_scopes();
    if !scopes.is_empty() {
        for scope in manager.select_initial_scopes(&[]).await {
            if !scopes.contains(&scope) {
                scopes.push(scope);
            }
        }
    }
    scopes
}
