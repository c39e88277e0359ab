//! Tests of the login at the connector: against the contract server, and against misbehaving servers.

use links_fixtures::{Choices, Consent, ContractServer, World};
use links_sdk::oauth::{Connector, Credentials, Login, LoginError};
use links_sdk::{BaseUrl, Client, ConnectionOptions, Token};
use serde_json::{Value, json};

use links_test_support::misbehaving_servers::{PathServer, misbehaving_connector};

const REDIRECT: &str = "http://127.0.0.1:49152/callback";
const NAME: &str = "A test";

async fn server(choices: Choices) -> ContractServer {
    let builder = ContractServer::builder(World::cafe()).no_limits().choices(choices);
    builder.start().await.unwrap()
}

/// Returns the URL at which a browser ends that opens this URL.
pub(crate) async fn browse(address: &str) -> String {
    let browser = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none());
    let browser = browser.no_proxy().tls_certs_only([]).build().unwrap();
    let answer = browser.get(address).send().await.unwrap();
    let location = answer.headers().get("location");
    location.unwrap_or_else(|| panic!("{}", answer.status())).to_str().unwrap().to_owned()
}

async fn begin(mcp_url: &str, client_id: Option<&str>) -> Login {
    let connector = Connector::discover(mcp_url, &ConnectionOptions::default()).await.unwrap();
    connector.begin(REDIRECT, NAME, client_id).await.unwrap()
}

/// Returns the credentials of a complete login that the user approves.
pub(crate) async fn connect(server: &ContractServer) -> Credentials {
    let login = begin(&server.mcp_url(), None).await;
    let redirect = browse(login.url()).await;
    login.finish(&redirect).await.unwrap()
}

fn asked(server: &ContractServer, path: &str) -> usize {
    server.requests().iter().filter(|it| it.path == path).count()
}

#[tokio::test]
async fn a_login_gives_a_token_that_works_on_rest() {
    let server = server(Choices::default()).await;
    let credentials = connect(&server).await;
    let token = Token::new(&credentials.access_token).unwrap();
    let client = Client::builder(server.base_url()).token(token).build().unwrap();
    assert!(client.me().await.unwrap().can_write);
    assert!(credentials.refresh_token.is_some() && credentials.expires_at.is_some());
    assert_eq!(credentials.resource, server.mcp_url());

    let text = serde_json::to_string(&credentials).unwrap();
    assert_eq!(serde_json::from_str::<Credentials>(&text).unwrap(), credentials);
    let shown = format!("{credentials:?}");
    assert!(!shown.contains(credentials.access_token.as_str()), "{shown}");

    credentials.revoke(&ConnectionOptions::default()).await.unwrap();
    assert!(client.me().await.unwrap_err().is_not_authenticated());
}

#[tokio::test]
async fn what_is_sent_to_the_authorization_server_is_complete() {
    let server = server(Choices::default()).await;
    let login = begin(&server.mcp_url(), None).await;
    let address = url::Url::parse(login.url()).unwrap();
    let get = |name: &str| {
        let found = address.query_pairs().find(|(known, _)| known == name);
        found.map(|(_, value)| value.into_owned()).unwrap_or_default()
    };
    assert_eq!(
        (get("response_type"), get("code_challenge_method")),
        ("code".into(), "S256".into())
    );
    assert_eq!((get("redirect_uri"), get("resource")), (REDIRECT.into(), server.mcp_url()));
    assert_eq!((get("client_id"), get("code_challenge").len()), (login.client_id().into(), 43));
    assert!(get("state").len() >= 20, "{address}");
    let other = begin(&server.mcp_url(), None).await;
    assert_ne!(other.url(), login.url());

    let registered = server.requests().into_iter().find(|it| it.path == "/oauth/register").unwrap();
    let registered: Value = serde_json::from_slice(&registered.body).unwrap();
    assert_eq!(registered["token_endpoint_auth_method"], "none");
    assert_eq!(
        (&registered["client_name"], &registered["redirect_uris"]),
        (&json!(NAME), &json!([REDIRECT]))
    );
}

#[tokio::test]
async fn the_metadata_may_be_named_in_the_refusal_only() {
    let server = server(Choices { oauth_by_header: true, ..Choices::default() }).await;
    let credentials = connect(&server).await;
    assert!(credentials.issuer.ends_with("/connect"));
}

#[tokio::test]
async fn the_service_names_its_connector() {
    for oauth_by_header in [false, true] {
        let server = server(Choices { oauth_by_header, ..Choices::default() }).await;
        let base = BaseUrl::new(server.base_url()).unwrap();
        assert_eq!(
            Connector::url_of(&base, &ConnectionOptions::default()).await.unwrap(),
            server.mcp_url()
        );
    }
}

#[tokio::test]
async fn a_client_is_registered_once_and_again_when_it_was_forgotten() {
    let server = server(Choices::default()).await;
    let first = connect(&server).await;
    let login = begin(&server.mcp_url(), Some(&first.client_id)).await;
    assert_eq!((login.client_id(), asked(&server, "/oauth/register")), (&*first.client_id, 1));
    let redirect = browse(login.url()).await;
    login.finish(&redirect).await.unwrap();

    server.forget_clients();
    let login = begin(&server.mcp_url(), Some(&first.client_id)).await;
    assert_ne!(login.client_id(), first.client_id);
    assert_eq!(asked(&server, "/oauth/register"), 2);
    let redirect = browse(login.url()).await;
    server.forget_clients();
    let error = login.finish(&redirect).await.unwrap_err();
    assert!(error.is_unknown_client() && !error.is_unreachable(), "{error}");
}

#[tokio::test]
async fn the_user_may_refuse() {
    let server = server(Choices { oauth_consent: Consent::Deny, ..Choices::default() }).await;
    let login = begin(&server.mcp_url(), None).await;
    let redirect = browse(login.url()).await;
    let error = login.finish(&redirect).await.unwrap_err();
    assert!(error.is_denied() && error.to_string().contains("access_denied"), "{error}");
    assert_eq!(asked(&server, "/oauth/token"), 0);
}

#[tokio::test]
async fn an_error_from_another_issuer_is_not_trusted() {
    let server = server(Choices { oauth_consent: Consent::Deny, ..Choices::default() }).await;
    for (issuer, says) in [(Some("https://evil.example"), "iss"), (None, "iss")] {
        let login = begin(&server.mcp_url(), None).await;
        let mut redirect = url::Url::parse(&browse(login.url()).await).unwrap();
        let (_, state) = redirect.query_pairs().find(|(name, _)| name == "state").unwrap();
        let state = state.into_owned();
        redirect.query_pairs_mut().clear().append_pair("error", "access_denied");
        redirect
            .query_pairs_mut()
            .append_pair("state", &state)
            .extend_pairs(issuer.map(|it| ("iss", it)));
        let error = login.finish(redirect.as_str()).await.unwrap_err();
        assert!(!error.is_denied() && error.to_string().contains(says), "{issuer:?}: {error}");
    }
}

#[tokio::test]
async fn an_answer_that_is_not_to_this_login_gets_no_token() {
    let server = server(Choices::default()).await;
    let changed = |name: &'static str, value: Option<&'static str>| {
        let mcp_url = server.mcp_url();
        async move {
            let login = begin(&mcp_url, None).await;
            let mut redirect = url::Url::parse(&browse(login.url()).await).unwrap();
            let kept: Vec<(String, String)> = redirect
                .query_pairs()
                .filter(|(known, _)| known != name)
                .map(|(k, v)| (k.into(), v.into()))
                .collect();
            redirect.query_pairs_mut().clear().extend_pairs(kept);
            if let Some(value) = value {
                redirect.query_pairs_mut().append_pair(name, value);
            }
            let is_answer = login.is_answer(redirect.as_str());
            (is_answer, login.finish(redirect.as_str()).await.unwrap_err())
        }
    };
    for (name, value, is_answer) in [
        ("state", Some("of-somebody-else"), false),
        ("state", None, false),
        ("iss", Some("https://evil.example"), true),
        ("iss", None, true),
        ("code", None, false),
    ] {
        let (found, error) = changed(name, value).await;
        assert_eq!(found, is_answer, "{name} {value:?}");
        assert!(!error.is_denied() && !error.is_unreachable(), "{name} {value:?}: {error}");
    }
    assert_eq!(asked(&server, "/oauth/token"), 0, "no code goes to anybody");
    assert!(!begin(&server.mcp_url(), None).await.is_answer("no address"));
    let (_, error) = changed("code", Some("already-redeemed")).await;
    assert!(error.to_string().contains("invalid_grant"), "{error}");
}

async fn discover(pages: &PathServer) -> Result<Connector, LoginError> {
    Connector::discover(&pages.mcp_url(), &ConnectionOptions::default()).await
}

#[tokio::test]
async fn contradicting_or_insecure_metadata_is_refused() {
    discover(&misbehaving_connector(|_, _| ())).await.unwrap();
    let set = |name: &'static str, value: Value| {
        move |_: &mut Value, server: &mut Value| server[name] = value
    };
    for (what, pages) in [
        ("issuer differs", misbehaving_connector(set("issuer", json!("https://other.example")))),
        ("no issuer", misbehaving_connector(set("issuer", Value::Null))),
        (
            "no S256",
            misbehaving_connector(set("code_challenge_methods_supported", json!(["plain"]))),
        ),
        ("no PKCE", misbehaving_connector(set("code_challenge_methods_supported", Value::Null))),
        (
            "token in the clear",
            misbehaving_connector(set("token_endpoint", json!("http://links.example/token"))),
        ),
        (
            "registration in the clear",
            misbehaving_connector(set("registration_endpoint", json!("http://links.example/r"))),
        ),
        (
            "a file to open",
            misbehaving_connector(set("authorization_endpoint", json!("file:///etc/passwd"))),
        ),
        (
            "a program to open",
            misbehaving_connector(set("authorization_endpoint", json!("calc.exe"))),
        ),
        ("a flag to open", misbehaving_connector(set("authorization_endpoint", json!("--flag")))),
        ("a shell to open", misbehaving_connector(set("authorization_endpoint", json!("$(id)")))),
        (
            "somebody's password",
            misbehaving_connector(set(
                "authorization_endpoint",
                json!("https://a:b@links.example/"),
            )),
        ),
        (
            "resource differs",
            misbehaving_connector(|resource, _| {
                resource["resource"] = json!("https://other.example/mcp");
            }),
        ),
        (
            "a server in the clear",
            misbehaving_connector(|resource, _| {
                resource["authorization_servers"] = json!(["http://links.example"]);
            }),
        ),
    ] {
        let error = discover(&pages).await.expect_err(what);
        assert!(!error.is_denied(), "{what}: {error}");
        let asked = pages.asked();
        assert!(
            asked.iter().all(|path| !path.contains("authorize") && !path.contains("token")),
            "{what}: {asked:?}"
        );
    }
}

#[tokio::test]
async fn large_answers_and_redirects_elsewhere_are_refused() {
    let elsewhere = misbehaving_connector(|_, _| ());
    let target = format!("Location: http://{}/resource\r\n", elsewhere.address());
    for (header, status, body) in
        [(target, 302, String::new()), (String::new(), 200, "x".repeat(65 * 1024))]
    {
        let pages = PathServer::start(move |path| match path {
            "/mcp" => {
                let header = "WWW-Authenticate: Bearer resource_metadata=\"{here}/resource\"\r\n";
                (401, header.to_owned(), String::new())
            }
            _ => (status, header.clone(), body.clone()),
        });
        let error = discover(&pages).await.unwrap_err();
        assert!(!error.is_denied(), "{error}");
    }
    assert!(elsewhere.asked().is_empty());

    // A redirect of the registration, which carries nothing yet, is not followed either.
    let pages =
        misbehaving_connector(|_, server| server["registration_endpoint"] = json!("{here}/moved"));
    let error = discover(&pages).await.unwrap().begin(REDIRECT, NAME, None).await.unwrap_err();
    assert!(!error.is_denied(), "{error}");
}

#[tokio::test]
async fn a_server_that_repeats_the_code_does_not_get_it_into_the_error() {
    let pages = misbehaving_connector(|_, _| ());
    let login = begin(&pages.mcp_url(), Some("a-client")).await;
    let address = url::Url::parse(login.url()).unwrap();
    let (_, state) = address.query_pairs().find(|(name, _)| name == "state").unwrap();
    let redirect = format!("{REDIRECT}?code=a%2Fsecret%2Fcode&state={state}");
    let error = login.finish(&redirect).await.unwrap_err().to_string();
    assert!(error.contains("invalid_request") && !error.contains("secret"), "{error}");
    for field in ["code=***", "code_verifier=***"] {
        assert!(error.contains(field), "{error}");
    }
}

#[tokio::test]
async fn a_connector_elsewhere_is_not_taken_from_the_service() {
    let pages = PathServer::start(|path| match path {
        "/api/v1/me" => {
            let header = "WWW-Authenticate: Bearer resource_metadata=\"{here}/resource\"\r\n";
            (401, header.to_owned(), String::new())
        }
        _ => (200, String::new(), json!({ "resource": "https://evil.example/mcp" }).to_string()),
    });
    let base = BaseUrl::new(format!("http://{}/api/v1", pages.address())).unwrap();
    let error = Connector::url_of(&base, &ConnectionOptions::default()).await.unwrap_err();
    assert!(error.to_string().contains("evil.example"), "{error}");
    let silent = PathServer::start(|_| (401, String::new(), String::new()));
    let base = BaseUrl::new(format!("http://{}/api/v1", silent.address())).unwrap();
    assert!(
        Connector::url_of(&base, &ConnectionOptions::default())
            .await
            .unwrap_err()
            .to_string()
            .contains("does not name")
    );
}

#[tokio::test]
async fn connector_metadata_is_found_at_the_well_known_url() {
    let at = |document: &'static str| {
        PathServer::start(move |path| match path {
            "/api/v1/me" => (401, "WWW-Authenticate: Bearer\r\n".to_owned(), String::new()),
            _ if path == document => {
                (200, String::new(), json!({ "resource": "{here}/mcp" }).to_string())
            }
            _ => (404, String::new(), "<html>".to_owned()),
        })
    };
    for document in
        ["/.well-known/oauth-protected-resource/api/v1", "/.well-known/oauth-protected-resource"]
    {
        let pages = at(document);
        let base = BaseUrl::new(format!("http://{}/api/v1", pages.address())).unwrap();
        assert_eq!(
            Connector::url_of(&base, &ConnectionOptions::default()).await.unwrap(),
            pages.mcp_url(),
            "{document}"
        );
    }
}
