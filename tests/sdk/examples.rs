//! The programs in `sdk/examples`, each run against the contract server.

#[expect(
    dead_code,
    unreachable_pub,
    reason = "a program has a main function, and is no part of this one"
)]
#[path = "../../sdk/examples/testing.rs"]
mod testing;
