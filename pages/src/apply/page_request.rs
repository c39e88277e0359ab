//! A page of a run, and which page of the account it is.

use std::collections::BTreeMap;

use super::prepared_run::read;
use super::{ApplyCause, PageSnapshot};
use links_sdk::ProfileId;
use links_sdk::{Client, ProfileKey};

/// A page of a run.
#[derive(Clone, Debug)]
pub struct PageRequest {
    /// Keys of the page: the first that exists counts. A page that is created gets the last one as its login.
    pub keys: Vec<ProfileKey>,
    /// Path of the file that the run is for, for the journal.
    pub path: Option<String>,
    /// Set if the page is created where there is none.
    pub may_create: bool,
}

/// A page of the account that a request is for, as far as that is known before the page is read.
#[derive(Clone, Copy, Debug)]
pub(super) struct FoundPage {
    /// Id of the page, if it is known.
    pub(super) id: Option<ProfileId>,
    /// Set if the pages of the account were listed: a page without an id is not there.
    is_listed: bool,
}

impl FoundPage {
    fn unlisted(request: &PageRequest) -> Self {
        let id = match request.keys.first() {
            Some(ProfileKey::Id(id)) => Some(*id),
            _ => None,
        };
        Self { id, is_listed: false }
    }

    /// Reads the page; `None` if it has to be created.
    pub(super) async fn page(
        &self,
        client: &Client,
        request: &PageRequest,
    ) -> Result<Option<PageSnapshot>, ApplyCause> {
        if let Some(id) = self.id {
            return read(client, &ProfileKey::Id(id)).await.map(Some);
        }
        if self.is_listed && request.may_create {
            return Ok(None);
        }
        let mut missing = None;
        for key in &request.keys {
            match read(client, key).await {
                Err(ApplyCause::Read(error)) if error.is_not_found() => missing = Some(error),
                page => return page.map(Some),
            }
        }
        match missing {
            Some(error) if !request.may_create => Err(ApplyCause::Read(error)),
            _ => Ok(None),
        }
    }
}

impl PageRequest {
    /// Returns the login of the page if it is created.
    pub(super) fn login(&self) -> String {
        self.keys.last().map(ProfileKey::to_string).unwrap_or_default()
    }
}

/// Finds the pages of several requests in the list of the account's pages. One page alone is found when it is read.
pub(super) async fn find_pages(
    client: &Client,
    requests: &[PageRequest],
) -> Result<Vec<FoundPage>, ApplyCause> {
    let found = locate_pages(client, requests).await?;
    let mut seen = BTreeMap::new();
    for (nth, page) in found.iter().enumerate() {
        if let Some(id) = page.id
            && let Some(first) = seen.insert(id, nth)
        {
            return Err(ApplyCause::SamePage { id, pages: [first, nth] });
        }
    }
    Ok(found)
}

async fn locate_pages(
    client: &Client,
    requests: &[PageRequest],
) -> Result<Vec<FoundPage>, ApplyCause> {
    let unlisted: Vec<FoundPage> = requests.iter().map(FoundPage::unlisted).collect();
    if requests.len() == 1 || unlisted.iter().all(|page| page.id.is_some()) {
        return Ok(unlisted);
    }
    let pages = client.profiles().list().await.map_err(ApplyCause::Read)?;
    let by_key = |key: &ProfileKey| {
        if let ProfileKey::Id(id) = key {
            return Some(*id);
        }
        let login = key.to_string();
        pages.iter().find(|page| page.login.eq_ignore_ascii_case(&login)).map(|page| page.id)
    };
    let found = |request: &PageRequest| FoundPage {
        id: request.keys.iter().find_map(by_key),
        is_listed: true,
    };
    Ok(requests.iter().map(found).collect())
}
