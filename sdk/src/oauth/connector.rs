//! Login at the connector: discovery, registration, the browser, and the exchange of the code for credentials.

use std::fmt;
use std::sync::Arc;
use std::time::SystemTime;

use rmcp::transport::auth::{
    AuthError, AuthorizationManager, AuthorizationRequest, AuthorizationSession,
    OAuthHttpClient as RmcpHttpClient, WWWAuthenticateParams,
};
use serde_json::Value;
use url::Url;

use super::credentials::{Credentials, since_1970};
use super::http::{OAuthErrorResponse, OAuthHttpClient, check_endpoint, connector_url};
use crate::base_url::BaseUrl;
use crate::oauth::{LoginError, LoginErrorKind};
use crate::transport::clock::{Clock, SystemClock};
use crate::transport::connection_options::ConnectionOptions;

/// A connector whose authorization server is known.
pub struct Connector {
    http: Arc<OAuthHttpClient>,
    manager: AuthorizationManager,
    /// Credentials without the tokens, of no client yet, with what the authorization server says of itself, checked.
    credentials: Credentials,
    /// Set if the authorization server names itself in its answers through the browser (RFC 9207).
    names_itself: bool,
}

/// A login that waits for the user.
pub struct Login {
    http: Arc<OAuthHttpClient>,
    session: AuthorizationSession,
    state: String,
    names_itself: bool,
    /// Credentials without the tokens.
    credentials: Credentials,
}

impl Connector {
    /// Discovers the authorization server of the connector at this URL (RFC 9728), and its capabilities (RFC 8414). All requests of the
    /// login use these options. A client certificate is shown only to the connector.
    ///
    /// ```no_run
    /// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
    /// use links_sdk::ConnectionOptions;
    /// use links_sdk::oauth::Connector;
    ///
    /// let options = ConnectionOptions::default();
    /// let connector = Connector::discover("https://links.example/mcp", &options).await?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// When the connector or its authorization server cannot be reached, when their metadata contradict each other, or when they name URLs
    /// that are not allowed. Also when programs cannot register, or PKCE with SHA-256 is not supported.
    pub async fn discover(
        mcp_url: impl AsRef<str>,
        options: &ConnectionOptions,
    ) -> Result<Self, LoginError> {
        let url = connector_url(mcp_url.as_ref()).map_err(LoginError::refused)?;
        let http = OAuthHttpClient::new(&url, options)?;
        let http = Arc::new(http);
        let client: Arc<dyn RmcpHttpClient> = http.clone();
        let manager = AuthorizationManager::new_with_oauth_http_client(url.as_str(), client).await;
        let mut manager = manager.map_err(LoginError::refused)?;
        let resolved = manager.resolve_metadata().await.map_err(|error| match error {
            AuthError::DiscoveryRequestFailed { source, .. } => LoginError::unreachable(source),
            other => LoginError::refused(other),
        })?;
        if !resolved.source.is_discovered() {
            return Err(LoginError::refused(format!("{url} names no authorization server")));
        }
        let metadata = resolved.metadata;
        let methods = metadata.code_challenge_methods_supported.as_deref().unwrap_or_default();
        if !methods.iter().any(|method| method == "S256") {
            return Err(LoginError::refused(
                "the authorization server does not support PKCE with S256",
            ));
        }
        let revocation_endpoint = metadata.additional_fields.get("revocation_endpoint");
        let revocation_endpoint = revocation_endpoint.and_then(Value::as_str).map(str::to_owned);
        let endpoints = [&metadata.authorization_endpoint, &metadata.token_endpoint];
        let further = metadata.registration_endpoint.iter().chain(&revocation_endpoint);
        for named in endpoints.into_iter().chain(further) {
            check_endpoint(named, &http.connector).map_err(LoginError::refused)?;
        }
        let Some(issuer) = metadata.issuer.clone() else {
            return Err(LoginError::refused("the authorization server does not name its issuer"));
        };
        let names_itself =
            metadata.additional_fields.get("authorization_response_iss_parameter_supported");
        let names_itself = names_itself.and_then(Value::as_bool).unwrap_or_default();
        let credentials = Credentials {
            issuer,
            token_endpoint: metadata.token_endpoint.clone(),
            revocation_endpoint,
            ..Credentials::default()
        };
        manager.set_metadata(metadata);
        Ok(Self { http, manager, credentials, names_itself })
    }

    /// Returns the connector's URL, as the service at this base URL names it: in its refusal of a request (RFC 9728, section 5.1),
    /// otherwise at the well-known URLs (RFC 9728, section 3.1).
    ///
    /// ```no_run
    /// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
    /// use links_sdk::oauth::Connector;
    /// use links_sdk::{BaseUrl, ConnectionOptions};
    ///
    /// let options = ConnectionOptions::default();
    /// let mcp_url = Connector::url_of(&BaseUrl::new("https://links.example/api/v1")?, &options).await?;
    /// let connector = Connector::discover(&mcp_url, &options).await?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// When the service cannot be reached, names no connector, or names one at another origin.
    pub async fn url_of(base: &BaseUrl, options: &ConnectionOptions) -> Result<String, LoginError> {
        let url = base.join("/me");
        let http = OAuthHttpClient::new(&url, options)?;
        let refusal = http.get(url.clone()).await?;
        let named = refusal.header("www-authenticate").and_then(|challenge| {
            WWWAuthenticateParams::parse(challenge, &url).resource_metadata_url
        });
        let documents = named.map_or_else(|| well_known(base), |named| vec![named]);
        let mut resource = None;
        for document in documents {
            let answer = http.get(document).await?;
            let document: Value = serde_json::from_slice(answer.body()).unwrap_or_default();
            if answer.status.is_success()
                && let Some(named) = document["resource"].as_str()
            {
                resource = Some(named.to_owned());
                break;
            }
        }
        let resource = resource
            .ok_or_else(|| LoginError::refused("the service does not name its connector"))?;
        let connector = check_endpoint(&resource, &url).map_err(LoginError::refused)?;
        if connector.origin() != url.origin() {
            let message = format!(
                "the service names a connector on another host, {}",
                connector.origin().ascii_serialization()
            );
            return Err(LoginError::refused(message));
        }
        Ok(connector.to_string())
    }

    /// Starts a login that ends at `redirect_uri`. It uses the client `client_id` if the server still knows it; otherwise it registers a
    /// new client with this name (RFC 7591).
    ///
    /// ```no_run
    /// # async fn example(connector: links_sdk::oauth::Connector) -> Result<(), Box<dyn std::error::Error>> {
    /// let login = connector.begin("http://127.0.0.1:49152/callback", "Café planner", None).await?;
    /// println!("open {}", login.url());
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// When the authorization server cannot be reached, or does not register this program.
    pub async fn begin(
        self,
        redirect_uri: &str,
        client_name: &str,
        client_id: Option<&str>,
    ) -> Result<Login, LoginError> {
        let Self { http, manager, mut credentials, names_itself } = self;
        let request = AuthorizationRequest::new(redirect_uri).with_client_name(client_name);
        let session = match client_id {
            None => session(manager, request, &http).await?,
            Some(client_id) => {
                let as_known = request.clone().with_preregistered_client(client_id);
                let tried = session(manager, as_known, &http).await?;
                // A server that no longer knows the client reports that in the browser only.
                let page = Url::parse(&tried.auth_url).map_err(LoginError::refused)?;
                if http.get(page).await?.status.is_client_error() {
                    session(tried.auth_manager, request, &http).await?
                } else {
                    tried
                }
            }
        };
        let page = Url::parse(&session.auth_url).map_err(LoginError::refused)?;
        let state = parameter(&page, "state").unwrap_or_default();
        credentials.client_id = parameter(&page, "client_id").unwrap_or_default();
        credentials.resource = parameter(&page, "resource").unwrap_or_default();
        Ok(Login { http, session, state, names_itself, credentials })
    }
}

/// Returns a parameter of a query.
fn parameter(url: &Url, name: &str) -> Option<String> {
    let found = url.query_pairs().find(|(known, _)| known == name);
    found.map(|(_, value)| value.into_owned())
}

/// Returns the URLs at which the metadata of a protected resource may be: for its own path, and for its whole origin.
fn well_known(base: &BaseUrl) -> Vec<Url> {
    let path = base.url().path().trim_end_matches('/');
    let mut documents: Vec<Url> = [path, ""]
        .map(|path| {
            let mut url = base.url().clone();
            url.set_path(&format!("/.well-known/oauth-protected-resource{path}"));
            url
        })
        .into();
    documents.dedup();
    documents
}

/// Requests authorization as one client; registers one where the request names none.
async fn session(
    manager: AuthorizationManager,
    request: AuthorizationRequest,
    http: &OAuthHttpClient,
) -> Result<AuthorizationSession, LoginError> {
    AuthorizationSession::new(manager, request).await.map_err(|(_, error)| {
        match http.error_response() {
            Some(refusal) if refusal.status < 500 => {
                LoginError::refused(format!("client registration was refused {refusal}"))
            }
            _ => LoginError::unreachable(http.failure().unwrap_or_else(|| error.to_string())),
        }
    })
}

impl Login {
    /// Returns the URL to open in the user's browser. It is valid only for this login.
    pub fn url(&self) -> &str {
        &self.session.auth_url
    }

    /// Returns the ID of the client registration, to pass to the next login.
    pub fn client_id(&self) -> &str {
        &self.credentials.client_id
    }

    /// Returns whether a URL that the browser was redirected to is the response to this login. Ignore other URLs.
    pub fn is_answer(&self, redirect: &str) -> bool {
        let Ok(url) = Url::parse(redirect) else { return false };
        parameter(&url, "state").as_ref() == Some(&self.state)
            && ["code", "error"].iter().any(|name| parameter(&url, name).is_some())
    }

    /// Exchanges the code in the URL that the browser was redirected to for tokens.
    ///
    /// ```no_run
    /// # async fn example(login: links_sdk::oauth::Login, redirect: &str) -> Result<(), Box<dyn std::error::Error>> {
    /// use links_sdk::oauth::memory_store;
    ///
    /// let store = memory_store(login.finish(redirect).await?);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// When the user denied access ([`LoginError::is_denied`]), when the URL is not a response to this login or names another issuer, or
    /// when the authorization server issues no tokens.
    pub async fn finish(self, redirect: &str) -> Result<Credentials, LoginError> {
        if !self.is_answer(redirect) {
            return Err(LoginError::refused(
                "the redirect from the browser is for another login (`state` differs) or has no `code`",
            ));
        }
        let answer = Url::parse(redirect).map_err(LoginError::refused)?;
        // Checked before any other part of the answer is used (RFC 9207, section 2.4).
        let is_other = match parameter(&answer, "iss") {
            Some(issuer) => issuer != self.credentials.issuer,
            None => self.names_itself,
        };
        if is_other {
            return Err(LoginError::refused(
                "the redirect from the browser is from another authorization server (`iss` differs or is missing)",
            ));
        }
        if let Some(error) = parameter(&answer, "error") {
            let description = parameter(&answer, "error_description");
            return Err(LoginError(LoginErrorKind::Denied { error, description }));
        }
        let tokens = match self.session.handle_callback_url(redirect).await {
            Ok(tokens) => serde_json::to_value(&tokens).map_err(LoginError::refused)?,
            Err(AuthError::TokenExchangeFailed(why)) => return Err(self.of_exchange(&why)),
            Err(error) => {
                return Err(LoginError::refused(self.http.without_secrets(error.to_string())));
            }
        };
        self.credentials
            .with(&tokens, SystemClock::new().wall())
            .ok_or_else(|| LoginError::refused("the authorization server returned no bearer token"))
    }

    fn of_exchange(&self, why: &str) -> LoginError {
        match self.http.error_response() {
            Some(OAuthErrorResponse { error, .. }) if error == "invalid_client" => {
                LoginError(LoginErrorKind::UnknownClient)
            }
            Some(refusal) if refusal.status < 500 => {
                LoginError::refused(format!("the authorization server issued no tokens {refusal}"))
            }
            _ => {
                let why = self.http.failure().unwrap_or_else(|| why.to_owned());
                LoginError::unreachable(self.http.without_secrets(why))
            }
        }
    }
}

impl Credentials {
    /// Returns these credentials with the tokens of an answer (RFC 6749, section 5.1). A refresh token that is not replaced stays valid.
    pub(super) fn with(&self, answer: &Value, now: SystemTime) -> Option<Self> {
        let is_bearer = answer["token_type"].as_str()?.eq_ignore_ascii_case("bearer");
        let access_token =
            answer["access_token"].as_str().filter(|it| !it.is_empty() && is_bearer)?;
        let refresh_token = answer["refresh_token"].as_str().map(|it| it.to_owned().into());
        let lifetime = answer["expires_in"].as_u64();
        Some(Self {
            access_token: access_token.to_owned().into(),
            refresh_token: refresh_token.or_else(|| self.refresh_token.clone()),
            expires_at: lifetime.map(|lifetime| since_1970(now).saturating_add(lifetime)),
            issued_at: Some(since_1970(now)),
            ..self.clone()
        })
    }

    /// Revokes the tokens, if the authorization server supports it (RFC 7009). The application is then disconnected. Returns `false` if the
    /// server does not support it.
    ///
    /// ```no_run
    /// # async fn example(credentials: links_sdk::oauth::Credentials) -> Result<(), Box<dyn std::error::Error>> {
    /// if !credentials.revoke(&links_sdk::ConnectionOptions::default()).await? {
    ///     println!("the tokens stay valid until they expire");
    /// }
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// When the server cannot be reached, or refuses the request.
    pub async fn revoke(&self, options: &ConnectionOptions) -> Result<bool, LoginError> {
        let Some(endpoint) = &self.revocation_endpoint else { return Ok(false) };
        let connector = connector_url(&self.resource).map_err(LoginError::refused)?;
        let http = OAuthHttpClient::new(&connector, options)?;
        let endpoint = check_endpoint(endpoint, &connector).map_err(LoginError::refused)?;
        let token = self.refresh_token.as_ref().unwrap_or(&self.access_token);
        let form = [("token", token.as_str()), ("client_id", &self.client_id)];
        let answer = http.post(endpoint, &form).await?;
        if answer.status.is_success() {
            return Ok(true);
        }
        let status = answer.status();
        let message = format!("the authorization server responded with {status}");
        Err(LoginError::unreachable(message))
    }
}

impl fmt::Debug for Connector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connector")
            .field("address", &self.http.connector.as_str())
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Login {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Login").field("client_id", &self.client_id()).finish_non_exhaustive()
    }
}
