//! Dry run of a plan by the service.

use std::collections::BTreeSet;

use super::create::new_slots;
use super::plan::{Plan, PlannedCreate, PlannedUpdate};
use super::{ApplyCause, FieldsRequest, ItemRefusal, PlannedFields, Step};
use links_sdk::ProfileId;
use links_sdk::SLOTS_PER_BATCH;
use links_sdk::types::SlotChange;
use links_sdk::{Client, Error};

impl Plan {
    /// Sends every update and create of the plan as a dry run, and gathers what is refused. Items of `skip` are left out.
    ///
    /// Where the plan has to make room first, a refusal that names no slot is about the room, not about the slots.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// use links_pages::apply::{DesiredPage, PageSnapshot, Plan, PlanOptions};
    ///
    /// let page = PageSnapshot::read(&client, &"cafe".parse()?).await?;
    /// let desired: DesiredPage =
    ///     serde_json::from_str(r#"{"slots": [{"type": "button", "data": {"titel": "Menu"}}]}"#)?;
    /// let plan = Plan::of_page(&page, &desired, &PlanOptions::default())?;
    /// let refused = plan.check(&client, page.id, &Default::default()).await?;
    /// assert_eq!(refused[0].index, 0);
    /// # Ok(()) });
    /// ```
    ///
    /// # Errors
    ///
    /// When a request fails for another reason.
    pub async fn check(
        &self,
        client: &Client,
        page: ProfileId,
        skip: &BTreeSet<usize>,
    ) -> Result<Vec<ItemRefusal>, Error> {
        let slots = client.profile(page).slots();
        let mut refused = Vec::new();
        let updates: Vec<&PlannedUpdate> =
            self.updates.iter().filter(|it| !skip.contains(&it.index)).collect();
        for batch in updates.chunks(SLOTS_PER_BATCH) {
            let change = |it: &&PlannedUpdate| SlotChange::new(it.id, it.changed.clone());
            let answer = slots.update_batch(batch.iter().map(change)).dry_run().await;
            refused.extend(refusals(answer, |nth| batch.get(nth).map(|it| it.index), false)?);
        }
        let creates: Vec<PlannedCreate> =
            self.creates.iter().filter(|it| !skip.contains(&it.index)).cloned().collect();
        for batch in creates.chunks(SLOTS_PER_BATCH) {
            let answer = slots.create_batch(new_slots(batch)).dry_run().await;
            let index = |nth: usize| batch.get(nth).map(|it| it.index);
            refused.extend(refusals(answer, index, self.make_room > 0)?);
        }
        Ok(refused)
    }
}

impl PlannedFields {
    /// Sends every request about fields as a dry run. Fields of `skip` are left out.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// use links_pages::apply::{PageSnapshot, PlannedFields};
    ///
    /// let page = PageSnapshot::read(&client, &"cafe".parse()?).await?;
    /// let desired = [("title", "Closed on Mondays")].into_iter().collect();
    /// let planned = PlannedFields::new(&page.fields(), &desired);
    /// planned.check(&client, page.id, &Default::default()).await?;
    /// # Ok(()) });
    /// ```
    ///
    /// # Errors
    ///
    /// The first refusal, with the service's messages for each field, or another failure.
    pub async fn check(
        &self,
        client: &Client,
        page: ProfileId,
        skip: &BTreeSet<&str>,
    ) -> Result<(), Error> {
        let mut sent = self.clone();
        sent.changed.retain(|name, _| !skip.contains(&**name));
        let page = client.profile(page);
        for request in [FieldsRequest::Profile, FieldsRequest::Language, FieldsRequest::Login] {
            let body = sent.body(request);
            if body.is_empty() {
                continue;
            }
            if request == FieldsRequest::Profile || body.contains_key("languageId") {
                page.update(body).dry_run().await?;
            } else {
                page.update_settings(body).dry_run().await?;
            }
        }
        Ok(())
    }
}

fn refusals(
    answer: Result<(), Error>,
    index: impl Fn(usize) -> Option<usize>,
    is_full: bool,
) -> Result<Vec<ItemRefusal>, Error> {
    let Err(error) = answer else { return Ok(Vec::new()) };
    match ApplyCause::call(Step::Verify, error, index) {
        ApplyCause::Call { items, source, .. } if items.is_empty() => {
            let is_about_room = is_full && (source.is_conflict() || source.is_validation());
            if is_about_room { Ok(items) } else { Err(source) }
        }
        ApplyCause::Call { items, .. } => Ok(items),
        _ => Ok(Vec::new()),
    }
}
