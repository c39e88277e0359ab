//! The JSON of the program's tests, which have the contract server beside them.

#[path = "../src/json.rs"]
mod json;

#[test]
fn the_json_of_the_tests_is_that_of_the_program() {
    let expected = std::env::var("EMBEDDING_JSON").expect("`run` sets it");
    assert_eq!(json::report(), expected);
}
