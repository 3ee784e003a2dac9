//! Signing in to a server whose authority is scripted (SECURITY "MCP": https or this machine, no shell, tokens kept).

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use url::Url;
use windlass_mcp::{
    ClientOptions, FileTokens, LoginError, LoginOptions, McpClient, McpServer, OpenUrl, SignIn, StartError,
};

use crate::calls::{call, text};
use crate::web::{Heard, Reply, WebServer, json_of, polite, status};

/// The metadata of the authority, and the lifetime of its tokens.
#[derive(Clone)]
pub(crate) struct Authority {
    authorize: Option<String>,
    expires: u64,
}

impl Default for Authority {
    fn default() -> Self {
        Self { authorize: None, expires: 3_600 }
    }
}

/// A server and its authority at one address: it lets in who has the newest token.
pub(crate) async fn guarded(authority: Authority) -> WebServer {
    let base: Arc<Mutex<String>> = Arc::default();
    let known = base.clone();
    let mut tokens = 0;
    let web = WebServer::start(move |heard| {
        let base = known.lock().unwrap().clone();
        let path = heard.target.split('?').next().unwrap_or_default().to_owned();
        match path.as_str() {
            "/.well-known/oauth-protected-resource/mcp" | "/.well-known/oauth-protected-resource" => {
                json_of(&json!({"resource": format!("{base}/mcp"), "authorization_servers": [base]}))
            }
            "/.well-known/oauth-authorization-server" => json_of(&json!({
                "issuer": base,
                "authorization_endpoint":
                    authority.authorize.clone().unwrap_or_else(|| format!("{base}/authorize")),
                "token_endpoint": format!("{base}/token"),
                "registration_endpoint": format!("{base}/register"),
                "response_types_supported": ["code"],
                "code_challenge_methods_supported": ["S256"],
                "scopes_supported": ["tools"],
            })),
            "/register" => json_of(&json!({"client_id": "client-1", "redirect_uris": []})),
            "/token" => {
                tokens += 1;
                json_of(&json!({"access_token": format!("token-{tokens}"), "token_type": "Bearer",
                    "expires_in": authority.expires, "refresh_token": "again"}))
            }
            "/mcp" if tokens > 0 && heard.header("authorization") == format!("Bearer token-{tokens}") => {
                polite(heard, "s")
            }
            "/mcp" => Reply::Whole {
                status: 401,
                headers: vec![(
                    "www-authenticate",
                    format!("Bearer resource_metadata=\"{base}/.well-known/oauth-protected-resource/mcp\""),
                )],
                body: String::new(),
            },
            _ => status(404),
        }
    })
    .await;
    web.url.trim_end_matches("/mcp").clone_into(&mut base.lock().unwrap());
    web
}

fn server(web: &WebServer, folder: &tempfile::TempDir) -> McpServer {
    let tokens = Arc::new(FileTokens::new(folder.path().join("tokens")));
    McpServer::http("guarded", &web.url).unwrap().with_sign_in(SignIn::new(tokens))
}

fn word(url: &OpenUrl, name: &str) -> String {
    let url = Url::parse(url.as_argument()).unwrap();
    let found = url.query_pairs().find(|(key, _)| key == name);
    found.map(|(_, value)| value.into_owned()).unwrap_or_default()
}

/// Requests the URL to which the authority would redirect a browser, and returns the first line of the response.
async fn come_back(url: OpenUrl, query: String) -> String {
    let back = Url::parse(&word(&url, "redirect_uri")).unwrap();
    let mut stream = TcpStream::connect(("127.0.0.1", back.port().unwrap())).await.unwrap();
    let request = format!("GET {}?{query} HTTP/1.1\r\nhost: x\r\n\r\n", back.path());
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    answer.lines().next().unwrap_or_default().to_owned()
}

/// Signs in as a human who agrees.
async fn login(server: &McpServer) -> Result<OpenUrl, LoginError> {
    login_with(server, LoginOptions::default()).await
}

async fn login_with(server: &McpServer, options: LoginOptions) -> Result<OpenUrl, LoginError> {
    let seen: Arc<Mutex<Option<OpenUrl>>> = Arc::default();
    let record = seen.clone();
    server
        .login(options, move |url| {
            *record.lock().unwrap() = Some(url.clone());
            let state = word(url, "state");
            tokio::spawn(come_back(url.clone(), format!("code=c-1&state={state}")));
        })
        .await?;
    Ok(seen.lock().unwrap().clone().unwrap())
}

// SEP-2350
#[tokio::test]
async fn a_challenge_for_a_further_scope_keeps_the_earlier_ones() {
    let web = guarded(Authority::default()).await;
    let folder = tempfile::tempdir().unwrap();
    let server = server(&web, &folder);
    let origin = web.url.trim_end_matches("/mcp").to_owned();
    let challenged = |scope: &str| {
        let metadata = format!("resource_metadata=\"{origin}/.well-known/oauth-protected-resource/mcp\"");
        LoginOptions::default().with_challenge(format!("Bearer scope=\"{scope}\", {metadata}"))
    };
    let scopes = |url: &OpenUrl| {
        let text = word(url, "scope");
        text.split(' ').map(str::to_owned).collect::<Vec<_>>()
    };
    let first = login_with(&server, challenged("read list")).await.unwrap();
    assert_eq!(scopes(&first), ["read", "list"]);
    let second = login_with(&server, challenged("write read")).await.unwrap();
    assert_eq!(scopes(&second), ["read", "list", "write"]);
    // Scopes of the configuration are requested as they are.
    let tokens = Arc::new(FileTokens::new(folder.path().join("tokens")));
    let fixed = McpServer::http("guarded", &web.url).unwrap();
    let fixed = fixed.with_sign_in(SignIn::new(tokens).with_scopes(["only"]));
    assert_eq!(scopes(&login_with(&fixed, challenged("write")).await.unwrap()), ["only"]);
    // After a sign-out nothing is kept.
    server.logout().unwrap();
    assert_eq!(scopes(&login_with(&server, challenged("write")).await.unwrap()), ["write"]);
}

pub(crate) fn asked(web: &WebServer, path: &str) -> Vec<Heard> {
    web.heard().into_iter().filter(|heard| heard.target.starts_with(path)).collect()
}

#[tokio::test]
async fn a_sign_in_grants_access_and_lasts() {
    let web = guarded(Authority::default()).await;
    let folder = tempfile::tempdir().unwrap();
    let server = server(&web, &folder);
    let error = McpClient::start(server.clone(), ClientOptions::default()).await.unwrap_err();
    assert!(matches!(error, StartError::SignIn { .. }), "{error}");
    assert!(!server.is_signed_in());
    let url = login(&server).await.unwrap();
    assert_eq!(
        (word(&url, "code_challenge_method"), word(&url, "client_id")),
        ("S256".into(), "client-1".into())
    );
    assert!(word(&url, "redirect_uri").starts_with("http://127.0.0.1:"), "{url}");
    let exchange = &asked(&web, "/token")[0].text;
    assert!(exchange.contains("code_verifier=") && exchange.contains("resource="), "{exchange}");
    assert!(server.is_signed_in());
    let client = McpClient::start(server.clone(), ClientOptions::default()).await.unwrap();
    assert!(text(&call(&client).await.unwrap()).contains("called"));
    assert_eq!(asked(&web, "/token").len(), 1);
    server.logout().unwrap();
    assert!(!server.is_signed_in());
}

#[tokio::test]
#[cfg(unix)]
async fn tokens_are_for_the_user_alone_and_shown_nowhere() {
    use std::os::unix::fs::PermissionsExt as _;
    let web = guarded(Authority::default()).await;
    let folder = tempfile::tempdir().unwrap();
    let server = server(&web, &folder);
    login(&server).await.unwrap();
    let kept = folder.path().join("tokens");
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&kept), 0o700);
    let files: Vec<_> = std::fs::read_dir(&kept).unwrap().map(|file| file.unwrap().path()).collect();
    assert_eq!((files.len(), mode(&files[0])), (1, 0o600));
    assert!(std::fs::read_to_string(&files[0]).unwrap().contains("token-1"));
    assert!(!format!("{server:?}").contains("token-1"));
    // An unreadable file has the same effect as no login.
    std::fs::write(&files[0], "{").unwrap();
    let error = McpClient::start(server, ClientOptions::default()).await.unwrap_err();
    assert!(matches!(error, StartError::SignIn { .. }), "{error}");
}

#[tokio::test]
async fn a_token_that_is_over_is_made_new_without_a_human() {
    let web = guarded(Authority { expires: 0, ..Authority::default() }).await;
    let folder = tempfile::tempdir().unwrap();
    let server = server(&web, &folder);
    login(&server).await.unwrap();
    let client = McpClient::start(server, ClientOptions::default()).await.unwrap();
    assert!(text(&call(&client).await.unwrap()).contains("called"));
    let exchanges = asked(&web, "/token");
    assert!(exchanges.len() > 1 && exchanges[1].text.contains("grant_type=refresh_token"));
}

#[tokio::test]
async fn only_the_answer_to_this_sign_in_counts() {
    let web = guarded(Authority::default()).await;
    let folder = tempfile::tempdir().unwrap();
    let server = server(&web, &folder);
    let lines: Arc<Mutex<Vec<String>>> = Arc::default();
    let told = lines.clone();
    let visit = move |url: &OpenUrl| {
        let url = url.clone();
        tokio::spawn(async move {
            for query in ["code=stolen&state=other", "code=stolen"] {
                let line = come_back(url.clone(), query.to_owned()).await;
                told.lock().unwrap().push(line);
            }
            let state = word(&url, "state");
            come_back(url, format!("code=right&state={state}")).await;
        });
    };
    server.login(LoginOptions::default(), visit).await.unwrap();
    assert!(lines.lock().unwrap().iter().all(|line| line.contains("404")), "{lines:?}");
    let exchanges = asked(&web, "/token");
    assert!(exchanges.len() == 1 && exchanges[0].text.contains("code=right"), "{exchanges:?}");
}

#[tokio::test]
async fn a_refused_or_abandoned_sign_in_fails() {
    let web = guarded(Authority::default()).await;
    let folder = tempfile::tempdir().unwrap();
    let server = server(&web, &folder);
    let refuses = |url: &OpenUrl| {
        let state = word(url, "state");
        tokio::spawn(come_back(
            url.clone(),
            format!("error=access_denied&error_description=no%1b[2K&state={state}"),
        ));
    };
    let error = server.login(LoginOptions::default(), refuses).await.unwrap_err().to_string();
    assert!(error.contains("access_denied") && error.contains(r"\u{1b}[2K"), "{error}");
    let short = LoginOptions::default().with_time(Duration::from_millis(50));
    let error = server.login(short, |_| {}).await.unwrap_err();
    assert!(matches!(error, LoginError::TimedOut { .. }), "{error}");
    assert!(asked(&web, "/token").is_empty() && !server.is_signed_in());
    let plain = McpServer::http("plain", &web.url).unwrap();
    let error = plain.login(LoginOptions::default(), |_| {}).await.unwrap_err();
    assert!(matches!(error, LoginError::NotPossible { .. }), "{error}");
}

// MCP-023: an address of the authority is never opened if it does not belong to the web, or could be read on
// its way.
#[tokio::test]
async fn a_hostile_authority_opens_nothing() {
    for authorize in
        ["file:///etc/passwd", "javascript:alert(1)", "http://example.com/$(id)", "http://u:p@x/"]
    {
        let web = guarded(Authority { authorize: Some(authorize.into()), ..Authority::default() }).await;
        let folder = tempfile::tempdir().unwrap();
        let opened: Arc<Mutex<Vec<String>>> = Arc::default();
        let opens = opened.clone();
        let visit = move |url: &OpenUrl| opens.lock().unwrap().push(url.to_string());
        let short = LoginOptions::default().with_time(Duration::from_millis(50));
        let error = server(&web, &folder).login(short, visit).await.unwrap_err();
        assert!(opened.lock().unwrap().is_empty(), "{authorize}: {opened:?} {error}");
        assert!(asked(&web, "/token").is_empty());
    }
}

// Requests to an authority use https, or stay on this machine.
#[tokio::test]
async fn an_authority_without_encryption_is_not_asked() {
    let web = WebServer::start(|heard| match heard.target.as_str() {
        "/mcp" => status(401),
        path if path.starts_with("/.well-known/oauth-protected-resource") => json_of(&json!({
            "resource": format!("http://{}/mcp", heard.header("host")),
            "authorization_servers": ["http://authority.example"],
        })),
        _ => status(404),
    })
    .await;
    let folder = tempfile::tempdir().unwrap();
    let error = server(&web, &folder).login(LoginOptions::default(), |_| {}).await.unwrap_err();
    assert!(matches!(error, LoginError::Refused { .. }), "{error}");
    let value: Value = json!(web.heard().iter().map(|heard| heard.target.clone()).collect::<Vec<_>>());
    assert!(!value.to_string().contains("register"), "{value}");
}

/// A server that names its authority, or the addresses in its authority's metadata, as it likes.
async fn naming(authority: Option<String>, endpoints: Option<String>) -> WebServer {
    let base: Arc<Mutex<String>> = Arc::default();
    let known = base.clone();
    let web = WebServer::start(move |heard| {
        let base = known.lock().unwrap().clone();
        let at = endpoints.clone().unwrap_or_else(|| base.clone());
        match heard.target.as_str() {
            path if path.starts_with("/.well-known/oauth-protected-resource") => json_of(&json!({
                "resource": format!("{base}/mcp"),
                "authorization_servers": [authority.clone().unwrap_or_else(|| base.clone())],
            })),
            path if path.starts_with("/.well-known/") => json_of(&json!({
                "issuer": base, "authorization_endpoint": format!("{at}/authorize"),
                "token_endpoint": format!("{at}/token"), "registration_endpoint": format!("{at}/register"),
                "response_types_supported": ["code"], "code_challenge_methods_supported": ["S256"],
            })),
            "/register" => json_of(&json!({"client_id": "client-1", "redirect_uris": []})),
            _ => status(401),
        }
    })
    .await;
    web.url.trim_end_matches("/mcp").clone_into(&mut base.lock().unwrap());
    web
}

// security 17
#[tokio::test]
async fn a_server_does_not_lead_to_another_service_of_this_machine() {
    let other = guarded(Authority::default()).await;
    let origin = other.url.trim_end_matches("/mcp").to_owned();
    let metadata = format!("Bearer resource_metadata=\"{origin}/.well-known/oauth-protected-resource\"");
    for (authority, endpoints, challenge) in [
        (Some(origin.clone()), None, None),
        (None, Some(origin.clone()), None),
        (None, None, Some(metadata)),
        (Some("https://10.0.0.1".to_owned()), None, None),
        (Some("https://[::ffff:169.254.169.254]".to_owned()), None, None),
        (None, Some("https://localhost:8443".to_owned()), None),
    ] {
        let place = format!("{authority:?} {endpoints:?} {challenge:?}");
        let web = naming(authority, endpoints).await;
        let folder = tempfile::tempdir().unwrap();
        let options = LoginOptions::default().with_time(Duration::from_millis(50));
        let options = match &challenge {
            Some(challenge) => options.with_challenge(challenge),
            None => options,
        };
        let opened: Arc<Mutex<Vec<String>>> = Arc::default();
        let opens = opened.clone();
        let visit = move |url: &OpenUrl| opens.lock().unwrap().push(url.to_string());
        let error = server(&web, &folder).login(options, visit).await.unwrap_err();
        // The error states the name to configure; a literal private address cannot be one, because the engine
        // accepts none.
        let is_literal = place.contains("10.0.0.1") || place.contains("169.254");
        match &error {
            LoginError::AuthorityNotNamed { origin, .. } => {
                assert!(place.contains(origin.as_str()), "{place}: {error}");
                assert!(
                    error.to_string().contains(&format!("oauth_authorities = [\"{origin}\"]")),
                    "{error}"
                );
            }
            error => assert!(is_literal, "{place}: {error}"),
        }
        assert!(other.heard().is_empty(), "{place}: {:?}", other.heard());
        let elsewhere = |url: &String| !url.starts_with(web.url.trim_end_matches("/mcp"));
        assert!(!opened.lock().unwrap().iter().any(elsewhere), "{place}: {opened:?}");
    }
    // The user may configure the address.
    let web = naming(Some(origin.clone()), None).await;
    let folder = tempfile::tempdir().unwrap();
    let tokens = Arc::new(FileTokens::new(folder.path().join("tokens")));
    let sign_in = SignIn::new(tokens).with_authority(&origin).unwrap();
    let server = McpServer::http("guarded", &web.url).unwrap().with_sign_in(sign_in);
    let short = LoginOptions::default().with_time(Duration::from_millis(50));
    let _ = server.login(short, |_| {}).await;
    assert!(!other.heard().is_empty());
}

// correctness-2, suspicion: a silent connection of the browser delayed the sign-in by five seconds.
#[tokio::test]
async fn a_silent_connection_delays_no_sign_in() {
    let web = guarded(Authority::default()).await;
    let folder = tempfile::tempdir().unwrap();
    let visit = |url: &OpenUrl| {
        let url = url.clone();
        tokio::spawn(async move {
            let port = Url::parse(&word(&url, "redirect_uri")).unwrap().port().unwrap();
            let _silent = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
            tokio::time::sleep(Duration::from_millis(50)).await;
            let state = word(&url, "state");
            come_back(url, format!("code=c-1&state={state}")).await;
        });
    };
    let short = LoginOptions::default().with_time(Duration::from_secs(3));
    server(&web, &folder).login(short, visit).await.unwrap();
}
