//! Section 4.8: music lookup.

use serde_json::Value;

use crate::operations::KNOWN_MUSIC;
use crate::shapes;
use crate::support::Api;

#[tokio::test]
async fn rule_4_8_a_lookup_has_the_documented_fields() {
    let api = Api::cafe().await;
    let found = api.get(KNOWN_MUSIC).await.is(200);
    let data = found.data();
    shapes::record(
        "music",
        data,
        &[
            ("query", "string"),
            ("matchedBy", "string"),
            ("album", "string or null"),
            ("artist", "string or null"),
            ("thumbnail", "string or null"),
            ("links", "array"),
            ("slot", "object"),
        ],
    );
    let link =
        &[("platform", "string"), ("label", "string"), ("icon", "string"), ("url", "string")];
    assert!(!shapes::records("links", &data["links"], link).is_empty());
    shapes::record("slot", &data["slot"], &[("type", "string"), ("data", "object")]);
    assert_eq!(data["slot"]["type"], "music");
    assert_eq!(data["query"], KNOWN_MUSIC.rsplit('=').next().expect("a query"));
}

#[tokio::test]
async fn rule_4_8_query_is_required_and_has_1_to_500_characters() {
    let api = Api::cafe().await;
    for query in ["", "?query=", &format!("?query={}", "x".repeat(501))] {
        api.get(&format!("/music/lookup{query}")).await.names(&["query"]);
    }
    let longest = api.get(&format!("/music/lookup?query={}", "x".repeat(500))).await;
    assert!(matches!(longest.status, 200 | 404), "{}", longest.text);
}

#[tokio::test]
async fn rule_4_8_artist_has_at_most_200_characters() {
    let api = Api::cafe().await;
    let refused = format!("{KNOWN_MUSIC}&artist={}", "x".repeat(201));
    api.get(&refused).await.names(&["artist"]);
    api.get(&format!("{KNOWN_MUSIC}&artist={}", "x".repeat(200))).await.is(200);
}

#[tokio::test]
async fn rule_4_8_type_is_album_or_track() {
    let api = Api::cafe().await;
    api.get(&format!("{KNOWN_MUSIC}&type=single")).await.names(&["type"]);
    for known in ["album", "track"] {
        api.get(&format!("{KNOWN_MUSIC}&type={known}")).await.is(200);
    }
}

#[tokio::test]
async fn rule_4_8_artist_and_type_are_ignored_for_a_upc() {
    let api = Api::cafe().await;
    let plain = api.get(KNOWN_MUSIC).await.is(200);
    let narrowed = api.get(&format!("{KNOWN_MUSIC}&artist=Nobody&type=track")).await.is(200);
    assert_eq!(plain.json, narrowed.json);
}

#[tokio::test]
async fn rule_4_8_an_artist_narrows_a_title_search() {
    let api = Api::cafe().await;
    let known = api.get(KNOWN_MUSIC).await.is(200);
    let album = known.data()["album"].as_str().expect("a title").replace(' ', "%20");
    let artist = known.data()["artist"].as_str().expect("an artist").replace(' ', "%20");
    let by_title = api.get(&format!("/music/lookup?query={album}")).await.is(200);
    assert_eq!(by_title.data()["album"], known.data()["album"]);
    api.get(&format!("/music/lookup?query={album}&artist={artist}")).await.is(200);
    api.get(&format!("/music/lookup?query={album}&artist=Somebody%20Else")).await.refused(404);
}

#[tokio::test]
async fn rule_4_8_a_type_narrows_a_title_search() {
    let api = Api::cafe().await;
    let title = api.get(KNOWN_MUSIC).await.is(200).data()["album"]
        .as_str()
        .expect("a title")
        .replace(' ', "%20");
    let found = async |kind: &str| {
        let answer = api.get(&format!("/music/lookup?query={title}&type={kind}")).await.is(200);
        answer.data()["artist"].clone()
    };
    assert_ne!(found("album").await, found("track").await);
}

#[tokio::test]
async fn rule_4_8_a_release_is_found_by_its_upc_isrc_url_or_title() {
    let api = Api::cafe().await;
    for release in api.server.account().releases {
        let url = release.links.first().map(|link| link.url.clone());
        for query in [release.upc, release.isrc, url].into_iter().flatten() {
            let query: String = url::form_urlencoded::byte_serialize(query.as_bytes()).collect();
            let found = api.get(&format!("/music/lookup?query={query}")).await.is(200);
            assert_eq!(found.data()["artist"], release.artist, "{query}");
        }
    }
}

#[tokio::test]
async fn rule_4_8_matched_by_tells_the_kind_of_query() {
    let api = Api::cafe().await;
    let known = api.get(KNOWN_MUSIC).await.is(200);
    let album = known.data()["album"].as_str().expect("a title").replace(' ', "%20");
    let url = known.data()["links"][0]["url"].as_str().expect("an address");
    let by_title = api.get(&format!("/music/lookup?query={album}")).await.is(200);
    let by_url = api.get(&format!("/music/lookup?query={url}")).await.is(200);
    let kinds = [known, by_title, by_url]
        .map(|answer| answer.data()["matchedBy"].as_str().expect("a string").to_owned());
    assert_ne!(kinds[0], kinds[1]);
    assert_ne!(kinds[1], kinds[2]);
}

#[tokio::test]
async fn rule_4_8_nothing_found_is_404_not_found_with_null_errors() {
    let api = Api::cafe().await;
    let refused =
        api.get("/music/lookup?query=nothing%20by%20that%20name%20at%20all").await.refused(404);
    assert_eq!(refused.json["code"], "not_found");
    assert_eq!(refused.json.get("errors"), Some(&Value::Null));
}
