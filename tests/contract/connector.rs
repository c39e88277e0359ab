//! A client of the connector: registration, authorization with PKCE, tokens (section 5.3).

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use reqwest::Method;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use url::Url;

use crate::support::{Answer, Api};

pub(crate) const VERIFIER: &str = "a-verifier-of-more-than-forty-three-characters-in-all";
const REDIRECT: &str = "http://127.0.0.1:49152/callback";

/// A client of the connector, with what it has learned on its way to a token.
pub(crate) struct Connector<'a> {
    api: &'a Api,
    pub(crate) metadata: Value,
    client_id: String,
}

impl<'a> Connector<'a> {
    /// Discovers the authorization server from the refusal at the connector, and registers there.
    pub(crate) async fn register(api: &'a Api) -> Self {
        let resource =
            api.ask(&Method::GET, &resource_metadata(api).await).anonymous().await.is(200);
        assert_eq!(resource.json["resource"], api.server.mcp_url());
        let issuer = resource.json["authorization_servers"][0]
            .as_str()
            .expect("an authorization server")
            .to_owned();
        let well_known = Url::parse(&issuer).expect("an address");
        let path = format!(
            "/.well-known/oauth-authorization-server{}",
            well_known.path().trim_end_matches('/')
        );
        let address = well_known.join(&path).expect("an address");
        let metadata = api.ask(&Method::GET, address.as_str()).anonymous().await.is(200).json;
        assert_eq!(
            metadata["issuer"].as_str().map(|issuer| issuer.trim_end_matches('/')),
            Some(issuer.trim_end_matches('/'))
        );

        let registration =
            metadata["registration_endpoint"].as_str().expect("dynamic registration").to_owned();
        let client = json!({
            "client_name": "A test",
            "redirect_uris": [REDIRECT],
            "grant_types": ["authorization_code", "refresh_token"],
            "response_types": ["code"],
            "token_endpoint_auth_method": "none",
        });
        let registered =
            api.ask(&Method::POST, &registration).anonymous().json(&client).await.is(201);
        let client_id = registered.json["client_id"].as_str().expect("a client id").to_owned();
        Self { api, metadata, client_id }
    }

    fn endpoint(&self, name: &str) -> &str {
        self.metadata[name].as_str().unwrap_or_else(|| panic!("no {name} in {}", self.metadata))
    }

    /// Requests authorization, with `changes` that replace or (when empty) remove parameters.
    pub(crate) async fn authorize(&self, changes: &[(&str, &str)]) -> Answer {
        self.api.ask(&Method::GET, self.authorization(changes).as_str()).anonymous().await
    }

    /// Presses a button of the page.
    pub(crate) async fn press(&self, button: &str) -> Answer {
        let ask = self.api.ask(&Method::POST, self.authorization(&[]).as_str()).anonymous();
        ask.body("application/x-www-form-urlencoded", format!("answer={button}")).await
    }

    fn authorization(&self, changes: &[(&str, &str)]) -> Url {
        let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(VERIFIER));
        let resource = self.api.server.mcp_url();
        let mut parameters = vec![
            ("response_type", "code"),
            ("client_id", &self.client_id),
            ("redirect_uri", REDIRECT),
            ("code_challenge", &challenge),
            ("code_challenge_method", "S256"),
            ("state", "of-the-test"),
            ("resource", &resource),
            ("scope", "profile:read profile:write"),
        ];
        for (name, value) in changes {
            parameters.retain(|(known, _)| known != name);
            parameters.push((name, value));
        }
        parameters.retain(|(_, value)| !value.is_empty());
        Url::parse_with_params(self.endpoint("authorization_endpoint"), parameters)
            .expect("an address")
    }

    /// Returns the code that the browser is sent back with.
    pub(crate) async fn code(&self) -> String {
        let redirect = redirected(&self.authorize(&[]).await);
        assert_eq!(parameter(&redirect, "state").as_deref(), Some("of-the-test"));
        parameter(&redirect, "code").unwrap_or_else(|| panic!("no code in {redirect}"))
    }

    pub(crate) async fn token(&self, parameters: &[(&str, &str)]) -> Answer {
        let mut form = url::form_urlencoded::Serializer::new(String::new());
        form.append_pair("client_id", &self.client_id).extend_pairs(parameters);
        self.api
            .ask(&Method::POST, self.endpoint("token_endpoint"))
            .anonymous()
            .body("application/x-www-form-urlencoded", form.finish())
            .await
    }

    pub(crate) async fn exchange(&self, code: &str, verifier: &str) -> Answer {
        self.token(&[
            ("grant_type", "authorization_code"),
            ("code", code),
            ("redirect_uri", REDIRECT),
            ("code_verifier", verifier),
        ])
        .await
    }

    pub(crate) async fn refresh(&self, refresh_token: &str) -> Answer {
        self.token(&[("grant_type", "refresh_token"), ("refresh_token", refresh_token)]).await
    }

    /// Returns the answer of the token endpoint to an approved request.
    pub(crate) async fn connect(&self) -> Value {
        let code = self.code().await;
        self.exchange(&code, VERIFIER).await.is(200).json
    }
}

/// Returns the URL of the protected resource's metadata, from the challenge at the connector.
pub(crate) async fn resource_metadata(api: &Api) -> String {
    let challenge =
        api.ask(&Method::POST, &api.server.mcp_url()).anonymous().json(&json!({})).await.is(401);
    let header = challenge.header("www-authenticate").expect("a challenge");
    assert!(header.starts_with("Bearer"), "{header}");
    let (_, rest) = header
        .split_once("resource_metadata=\"")
        .unwrap_or_else(|| panic!("no metadata in {header}"));
    rest.split('"').next().expect("a start").to_owned()
}

#[track_caller]
pub(crate) fn redirected(answer: &Answer) -> Url {
    assert!(
        matches!(answer.status, 302 | 303),
        "{} answered {}: {}",
        answer.asked,
        answer.status,
        answer.text
    );
    let location = answer.header("location").expect("a location");
    assert!(location.starts_with(REDIRECT), "{location}");
    Url::parse(location).expect("an address")
}

pub(crate) fn parameter(address: &Url, name: &str) -> Option<String> {
    address.query_pairs().find(|(known, _)| known == name).map(|(_, value)| value.into_owned())
}

pub(crate) fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}"))
}
