//! Sending of a call, unless the client sends no writes: with retries, and with a read if the answer to a write cannot be used.
//!
//! After a write that sets values, whose answer was cut off or proves nothing, the values are read. If they are as they were sent, the answer to
//! the read replaces the lost one.

use reqwest::{Method, Request};
use serde_json::Value;

use super::answer::Answer;
use super::attempt_loop;
use super::exchange::{
    BoxFuture, BrokenAttempt, CallFailure, CallOptions, CallResult, MakeRequest, WriteMode,
};
use super::retry::{AttemptCounts, AttemptEnd, Evidence};
use super::shared::Shared;
use crate::operation::{self, Effect, Operation};
use crate::same::holds;
use crate::success::RecordCheck;

impl Shared {
    /// Sends one call over the network.
    pub(crate) async fn run(
        &self,
        operation: &'static Operation,
        options: &CallOptions,
        record: Option<RecordCheck<'_>>,
        make: &mut MakeRequest<'_>,
    ) -> CallResult {
        if options.writes != WriteMode::Send && operation.effect != Effect::Read && !options.dry_run
        {
            return match self.within(options.until, make()).await {
                Ok(made) => CallResult::not_sent(operation, made),
                Err(failure) => CallResult::unsent(operation, AttemptCounts::NONE, failure),
            };
        }
        // Boxed, so that the futures of the callers stay small.
        let sent = attempt_loop::over_network(self, operation, options, record, &mut *make);
        let exchange = Box::pin(sent).await;
        match replacement(options, &exchange) {
            None => exchange,
            Some(read) => Box::pin(recover(self, options, make, read, exchange)).await,
        }
    }
}

/// Returns the read that shows what an operation has set, in the same envelope.
fn read_of(operation: &Operation) -> Option<&'static Operation> {
    Some(match operation.id {
        "updateProfile" => operation::GET_PROFILE,
        "updateProfileSettings" => operation::GET_PROFILE_SETTINGS,
        "updateSlots" | "reorderSlots" => operation::LIST_SLOTS,
        "updateSlot" => operation::GET_SLOT,
        "updateForm" => operation::SHOW_FORM,
        _ => return None,
    })
}

/// Returns the read that can replace the answer of an exchange, if that answer cannot be used.
pub(super) fn replacement(
    options: &CallOptions,
    exchange: &CallResult,
) -> Option<&'static Operation> {
    let answered = matches!(
        &exchange.result,
        Err(CallFailure::Unusable { .. }
            | CallFailure::Broken(BrokenAttempt { end: AttemptEnd::Cut(_), .. }))
    );
    // A caller that reads by itself knows the right path, which the write may have changed.
    let caller_reads = options.reads_first || options.single_attempt.is_some();
    let looks = answered && !options.dry_run && !caller_reads;
    read_of(exchange.operation).filter(|_| looks)
}

/// Returns the exchange with the answer of a read in place of an answer that cannot be used.
pub(super) async fn recover(
    shared: &Shared,
    options: &CallOptions,
    make: &mut MakeRequest<'_>,
    read: &'static Operation,
    exchange: CallResult,
) -> CallResult {
    let Ok(Ok(sent)) = shared.within(options.until, make()).await else { return exchange };
    match seen(shared, options, read, exchange.operation, &sent).await {
        Some(answer) => CallResult { evidence: Evidence::Executed, result: Ok(answer), ..exchange },
        None => exchange,
    }
}

/// Reads the record. Returns the answer if it shows what was sent.
async fn seen(
    shared: &Shared,
    options: &CallOptions,
    read: &'static Operation,
    write: &Operation,
    sent: &Request,
) -> Option<Answer> {
    let wanted: Value = serde_json::from_slice(sent.body()?.as_bytes()?).ok()?;
    let mut url = sent.url().clone();
    if let Some(page) = url.path().strip_suffix("/order").map(str::to_owned) {
        url.set_path(&page);
    }
    let options =
        CallOptions { idempotency_key: None, write: None, reserved: None, ..options.clone() };
    let mut make = || -> BoxFuture<'_, std::io::Result<Request>> {
        Box::pin(std::future::ready(Ok(Request::new(Method::GET, url.clone()))))
    };
    let exchange =
        Box::pin(attempt_loop::over_network(shared, read, &options, None, &mut make)).await;
    let answer = exchange.answer()?;
    let found: Value = serde_json::from_slice(&answer.body).ok()?;
    is_set(write, &wanted, &found["data"]).then(|| answer.clone())
}

/// Returns whether a record shows what a write has sent.
fn is_set(write: &Operation, sent: &Value, data: &Value) -> bool {
    debug_assert_eq!(write.effect, Effect::Set);
    let listed = || data.as_array().into_iter().flatten();
    match write.id {
        "reorderSlots" => {
            let order = sent["order"].as_array();
            order.is_some_and(|order| order.iter().eq(listed().map(|slot| &slot["id"])))
        }
        "updateSlots" => sent["slots"].as_array().into_iter().flatten().all(|change| {
            listed().any(|slot| slot["id"] == change["id"] && holds(&slot["data"], &change["data"]))
        }),
        "updateSlot" => holds(&data["data"], &sent["data"]),
        _ => holds(data, sent),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::operation::OPERATIONS;

    #[test]
    fn found_21_each_write_that_sets_values_has_its_read_and_no_other_write_has() {
        for operation in OPERATIONS {
            assert_eq!(
                read_of(operation).is_some(),
                operation.effect == Effect::Set,
                "{}",
                operation.id
            );
        }
    }

    #[test]
    fn found_21_a_record_is_compared_with_the_values_that_were_sent() {
        let page = json!([
            { "id": 2, "data": { "title": "b", "link": "x" } },
            { "id": 1, "data": [] },
        ]);
        let cases = [
            (operation::REORDER_SLOTS, json!({ "order": [2, 1] }), true),
            (operation::REORDER_SLOTS, json!({ "order": [1, 2] }), false),
            (operation::REORDER_SLOTS, json!({ "order": [2] }), false),
            (
                operation::UPDATE_SLOTS,
                json!({ "slots": [{ "id": 2, "data": { "title": "b" } }] }),
                true,
            ),
            (operation::UPDATE_SLOTS, json!({ "slots": [{ "id": 1, "data": {} }] }), true),
            (
                operation::UPDATE_SLOTS,
                json!({ "slots": [{ "id": 2, "data": { "title": "c" } }] }),
                false,
            ),
            (operation::UPDATE_SLOTS, json!({ "slots": [{ "id": 3, "data": {} }] }), false),
        ];
        for (write, sent, shown) in cases {
            assert_eq!(is_set(write, &sent, &page), shown, "{sent}");
        }
        let form = json!({ "title": "t", "fields": [{ "key": "k", "label": "l" }], "id": "f" });
        for (sent, shown) in [
            (json!({ "title": "t", "description": null }), true),
            (json!({ "fields": [{ "label": "l" }] }), true),
            (json!({ "fields": [] }), false),
            (json!({ "title": "T" }), false),
            (json!({ "enabled": false }), false),
        ] {
            assert_eq!(is_set(operation::UPDATE_FORM, &sent, &form), shown, "{sent}");
        }
        assert!(is_set(operation::UPDATE_SLOT, &json!({ "data": { "title": "b" } }), &page[0]));
    }
}
