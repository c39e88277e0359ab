//! Section 9: versions.

use crate::support::Api;

#[tokio::test]
async fn rule_9_the_version_is_in_the_base_path() {
    let api = Api::cafe().await;
    assert!(api.server.base_url().ends_with("/api/v1"));
    let origin = api.server.base_url().trim_end_matches("/api/v1").to_owned();
    for other in ["/api/v2/me", "/me", "/api/me"] {
        api.get(&format!("{origin}{other}")).await.is(404);
    }
}

#[tokio::test]
async fn rule_9_the_description_is_openapi_3_1_0_of_version_1_0_0() {
    let api = Api::cafe().await;
    let described = api.get("/openapi.json").await.is(200).json;
    assert_eq!(described["openapi"], "3.1.0");
    assert_eq!(described["info"]["version"], "1.0.0");
}
