//! The tests of the SDK's example, as a program outside the workspace has them.

#[expect(dead_code, reason = "a program has a main function, and is no part of this one")]
#[path = "../../../sdk/examples/testing.rs"]
mod testing;
