//! Execution of the examples of the client's documentation: each against a contract server of its own, as the café's owner.

/// Runs one example.
pub fn run(example: impl AsyncFnOnce(links_sdk::Client) -> Result<(), Box<dyn std::error::Error>>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime
        .block_on(async {
            let world = links_fixtures::World::cafe();
            let server = links_fixtures::ContractServer::builder(world).no_limits().start().await?;
            let token = links_sdk::Token::new(server.token())?;
            example(links_sdk::Client::builder(server.base_url()).token(token).build()?).await
        })
        .unwrap();
}
