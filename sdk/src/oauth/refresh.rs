//! Renewal of an access token (RFC 6749, section 6).

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use rmcp::transport::auth::{
    AuthError, AuthorizationMetadata, CredentialStore as _, InMemoryCredentialStore,
    OAuthTokenResponse, StoredCredentials,
};
use serde_json::json;

use super::connector::manager;
use super::credentials::Credentials;
use super::http::{OAuthErrorResponse, OAuthHttpClient, check_endpoint, connector_url};
use crate::transport::connection_options::ConnectionOptions;

/// Reasons for a failed renewal.
#[derive(Debug)]
pub(super) enum RefreshError {
    /// The refresh token was used or has expired, or the user has disconnected the application.
    Ended,
    /// The client is not registered any more, and its credentials are lost.
    UnknownClient,
    /// The renewal was refused for another reason: neither waiting nor a new login helps.
    Refused(String),
    /// The outcome is unknown: the refresh token may still be valid.
    Temporary { why: String, retry_after: Option<Duration> },
}

impl RefreshError {
    pub(super) fn temporary(why: impl ToString) -> Self {
        Self::Temporary { why: why.to_string(), retry_after: None }
    }
}

/// Sends one renewal request to the authorization server.
pub(super) async fn refresh(
    credentials: &Credentials,
    options: &ConnectionOptions,
    now: SystemTime,
) -> Result<Credentials, RefreshError> {
    let connector = connector_url(&credentials.resource).map_err(RefreshError::Refused)?;
    check_endpoint(&credentials.token_endpoint, &connector).map_err(RefreshError::Refused)?;
    let http = OAuthHttpClient::new(&connector, options).map_err(RefreshError::temporary)?;
    let http = Arc::new(http);
    http.keep_secret(&credentials.access_token);
    let answer = exchange(credentials, &http).await.map_err(|error| of_answer(&error, &http))?;
    let answer = serde_json::to_value(&answer).map_err(RefreshError::temporary)?;
    let renewed = credentials.with(&answer, now);
    renewed.ok_or_else(|| {
        RefreshError::Refused("the authorization server returned no bearer token".to_owned())
    })
}

async fn exchange(
    credentials: &Credentials,
    http: &Arc<OAuthHttpClient>,
) -> Result<OAuthTokenResponse, AuthError> {
    let unusable = |error: serde_json::Error| AuthError::InternalError(error.to_string());
    let mut metadata = AuthorizationMetadata::default();
    metadata.authorization_endpoint.clone_from(&credentials.token_endpoint);
    metadata.token_endpoint.clone_from(&credentials.token_endpoint);
    metadata.issuer = Some(credentials.issuer.clone());
    let tokens = json!({
        "access_token": credentials.access_token,
        "token_type": "bearer",
        "refresh_token": credentials.refresh_token,
    });
    let tokens = Some(serde_json::from_value(tokens).map_err(unusable)?);
    let store = InMemoryCredentialStore::new();
    store
        .save(StoredCredentials::new(credentials.client_id.clone(), tokens, Vec::new(), None))
        .await?;

    let mut manager =
        manager(http).await.map_err(|error| AuthError::InternalError(error.to_string()))?;
    manager.set_metadata(metadata);
    manager.configure_client_id(&credentials.client_id)?;
    manager.set_credential_store(store);
    manager.refresh_token().await
}

fn of_answer(error: &AuthError, http: &OAuthHttpClient) -> RefreshError {
    let error_response = http.error_response();
    match (error, error_response) {
        (AuthError::TokenRefreshRejected(_), _) => RefreshError::Ended,
        (_, Some(error_response)) if error_response.error == "invalid_client" => {
            RefreshError::UnknownClient
        }
        (_, Some(error_response)) if is_final(error_response.status) => RefreshError::Refused(
            format!("{} {}", error_response.error, error_response.description.unwrap_or_default()),
        ),
        (_, Some(OAuthErrorResponse { status, retry_after, .. })) => RefreshError::Temporary {
            why: format!("the authorization server answered {status}"),
            retry_after,
        },
        (error, None) => {
            let why = http.failure().unwrap_or_else(|| error.to_string());
            RefreshError::temporary(http.without_secrets(why))
        }
    }
}

fn is_final(status: u16) -> bool {
    (400..500).contains(&status) && ![408, 425, 429].contains(&status)
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn the_outcome_is_unknown_if_the_server_does_not_respond() {
        let silent = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = silent.local_addr().unwrap();
        let credentials = json!({
            "accessToken": "spent-access",
            "refreshToken": "spent-refresh",
            "clientId": "client",
            "resource": format!("http://{address}/mcp"),
            "issuer": format!("http://{address}"),
            "tokenEndpoint": format!("http://{address}/oauth/token"),
        });
        let credentials = serde_json::from_value(credentials).unwrap();
        let options = ConnectionOptions::default();
        match refresh(&credentials, &options, SystemTime::UNIX_EPOCH).await {
            Err(RefreshError::Temporary { why, retry_after: None }) => {
                assert_eq!(why, "127.0.0.1 cannot be reached: operation timed out");
            }
            other => panic!("{other:?}"),
        }
    }
}
