//! The table of section 4.2 as requests that can be sent to the café.

use reqwest::Method;
use serde_json::{Value, json};

use crate::image::png;
use crate::support::{Api, PageApi, RequestBuilder, id_of, ids_query};

/// A release that the lookup finds: any valid UPC.
pub(crate) const KNOWN_MUSIC: &str = "/music/lookup?query=198000000017";

/// Record that a path names besides the account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Addresses {
    Account,
    SlotType,
    Profile,
    Slot,
    Form,
    Release,
}

#[derive(Clone, Debug)]
pub(crate) enum Body {
    None,
    Json(Value),
    File(Vec<u8>),
}

/// One row of the table, with a request that succeeds.
#[derive(Clone, Debug)]
pub(crate) struct Operation {
    pub(crate) name: &'static str,
    pub(crate) method: Method,
    pub(crate) path: String,
    pub(crate) body: Body,
    pub(crate) success: u16,
    pub(crate) addresses: Addresses,
    /// A body that validation refuses, where one exists.
    pub(crate) invalid: Option<Value>,
    /// A path whose record does not exist, where the path addresses one.
    pub(crate) missing: Option<String>,
    /// Set if the operation declares `Idempotency-Key` (4.1.4).
    pub(crate) keyed: bool,
}

impl Operation {
    fn new(
        name: &'static str,
        addresses: Addresses,
        method: Method,
        path: impl Into<String>,
        success: u16,
    ) -> Self {
        let path = path.into();
        Self {
            name,
            method,
            path,
            body: Body::None,
            success,
            addresses,
            invalid: None,
            missing: None,
            keyed: false,
        }
    }

    fn json(mut self, body: Value, invalid: Value) -> Self {
        (self.body, self.invalid) = (Body::Json(body), Some(invalid));
        self
    }

    fn keyed(mut self) -> Self {
        self.keyed = true;
        self
    }

    fn missing(mut self, path: impl Into<String>) -> Self {
        self.missing = Some(path.into());
        self
    }

    pub(crate) fn writes(&self) -> bool {
        self.method != Method::GET
    }

    /// Returns the request of this row, ready to be changed further or sent.
    pub(crate) fn on<'a>(&self, api: &'a Api) -> RequestBuilder<'a> {
        self.on_path(api, &self.path)
    }

    pub(crate) fn on_path<'a>(&self, api: &'a Api, path: &str) -> RequestBuilder<'a> {
        let ask = api.ask(&self.method, path);
        match &self.body {
            Body::None => ask,
            Body::Json(body) => ask.json(body),
            Body::File(bytes) => ask.file(bytes),
        }
    }
}

/// Returns all rows, each valid on its own for the page as it is now.
pub(crate) async fn operations(api: &Api, page: &PageApi<'_>) -> Vec<Operation> {
    let form = api.form().await;
    let form = form.as_str();
    let ids = page.ids().await;
    let slot = id_of(&page.slot("text").await);
    let language =
        api.get(&page.at("/settings")).await.is(200).data()["options"]["languages"][0]["code"]
            .clone();
    let nobody = "/profiles/999999999";
    let no_form = "/forms/00000000-0000-4000-8000-000000000000";

    let mut rows = discovery();
    rows.extend(profiles(page, &language).into_iter().map(|row| {
        let rest = row.path.strip_prefix(&page.at("")).map(str::to_owned);
        match rest {
            Some(rest) => row.missing(format!("{nobody}{rest}")),
            None => row,
        }
    }));
    rows.extend(slots(page, slot, &ids).into_iter().map(|row| {
        let missing = match row.addresses {
            Addresses::Slot => row.path.replace(&slot.to_string(), "999999999"),
            _ => row.path.replacen(&page.at(""), nobody, 1),
        };
        row.missing(missing)
    }));
    rows.extend(forms(form).into_iter().map(|row| {
        match row.path.strip_prefix(&format!("/forms/{form}")) {
            Some(rest) => {
                let missing = format!("{no_form}{rest}");
                row.missing(missing)
            }
            None => row,
        }
    }));
    rows.extend(files());
    rows
}

fn discovery() -> Vec<Operation> {
    use Addresses::{Account, Release, SlotType};
    let get = Method::GET;
    vec![
        Operation::new("getApiIndex", Account, get.clone(), "/", 200),
        Operation::new("getMe", Account, get.clone(), "/me", 200),
        Operation::new("listSlotTypes", Account, get.clone(), "/slot-types", 200),
        Operation::new("getSlotType", SlotType, get.clone(), "/slot-types/text", 200)
            .missing("/slot-types/carousel"),
        Operation::new(
            "listNotificationChannels",
            Account,
            get.clone(),
            "/notification-channels",
            200,
        ),
        Operation::new("lookupMusic", Release, get.clone(), KNOWN_MUSIC, 200),
        Operation::new("getAccountAnalytics", Account, get.clone(), "/analytics", 200),
        Operation::new("openapi", Account, get, "/openapi.json", 200),
    ]
}

fn profiles(page: &PageApi<'_>, language: &Value) -> Vec<Operation> {
    use Addresses::{Account, Profile};
    let (get, patch) = (Method::GET, Method::PATCH);
    let settings = page.at("/settings");
    vec![
        Operation::new("listProfiles", Account, get.clone(), "/profiles", 200),
        Operation::new("createProfile", Account, Method::POST, "/profiles", 201)
            .json(json!({"login": "second.page"}), json!({"login": "a"}))
            .keyed(),
        Operation::new(
            "checkLogin",
            Account,
            get.clone(),
            "/profiles/check-login?login=second.page",
            200,
        ),
        Operation::new("getProfile", Profile, get.clone(), page.at(""), 200),
        Operation::new("updateProfile", Profile, patch.clone(), page.at(""), 200)
            .json(json!({"title": "Another title"}), json!({"computed": {}})),
        Operation::new("getProfileSettings", Profile, get.clone(), &settings, 200),
        Operation::new("updateProfileSettings", Profile, patch, &settings, 200)
            .json(json!({"languageCode": language}), json!({"theme": 1})),
        Operation::new("previewProfileMarkdown", Profile, get.clone(), page.at("/markdown"), 200),
        Operation::new("getProfileAnalytics", Profile, get, page.at("/analytics"), 200),
    ]
}

fn slots(page: &PageApi<'_>, slot: i64, ids: &[i64]) -> Vec<Operation> {
    use Addresses::{Profile, Slot};
    let all = page.at("/slots");
    let one = page.at(&format!("/slots/{slot}"));
    let text = json!({"type": "text", "data": {"title": "Hello", "description": "there"}});
    let reversed: Vec<i64> = ids.iter().rev().copied().collect();
    vec![
        Operation::new("listSlots", Profile, Method::GET, &all, 200),
        Operation::new("createSlot", Profile, Method::POST, &all, 201)
            .json(text.clone(), json!({"type": "carousel"}))
            .keyed(),
        Operation::new("updateSlots", Profile, Method::PATCH, &all, 200).json(
            json!({"slots": [{"id": slot, "data": {"title": "Changed"}}]}),
            json!({"slots": [{"id": slot, "data": {"colour": "red"}}]}),
        ),
        Operation::new(
            "deleteSlots",
            Profile,
            Method::DELETE,
            format!("{all}?{}", ids_query(&[slot])),
            200,
        ),
        Operation::new("createSlots", Profile, Method::POST, format!("{all}/batch"), 201)
            .json(json!({"slots": [text]}), json!({"slots": [{"type": "carousel"}]}))
            .keyed(),
        Operation::new("reorderSlots", Profile, Method::PUT, format!("{all}/order"), 200)
            .json(json!({"order": reversed}), json!({"order": ids[1..]})),
        Operation::new("getSlot", Slot, Method::GET, &one, 200),
        Operation::new("updateSlot", Slot, Method::PATCH, &one, 200)
            .json(json!({"data": {"title": "Changed"}}), json!({"data": {"colour": "red"}})),
        Operation::new("deleteSlot", Slot, Method::DELETE, one, 204),
    ]
}

fn forms(form: &str) -> Vec<Operation> {
    use Addresses::{Account, Form};
    let one = format!("/forms/{form}");
    let body = json!({"title": "Write to us", "fields": [{"type": "phone", "label": "Phone", "required": true}]});
    vec![
        Operation::new("listForms", Account, Method::GET, "/forms", 200),
        Operation::new("createForm", Account, Method::POST, "/forms", 201)
            .json(body, json!({"colour": "red"}))
            .keyed(),
        Operation::new("showForm", Form, Method::GET, &one, 200),
        Operation::new("updateForm", Form, Method::PATCH, &one, 200)
            .json(json!({"title": "Talk to us"}), json!({"colour": "red"})),
        Operation::new("getFormAnalytics", Form, Method::GET, format!("{one}/analytics"), 200),
    ]
}

fn files() -> Vec<Operation> {
    use Addresses::Account;
    let mut upload = Operation::new("uploadFile", Account, Method::POST, "/files", 201).keyed();
    upload.body = Body::File(png(8, 8));
    upload.invalid = Some(json!({"url": "ftp://example.com/picture.png"}));
    vec![
        upload,
        Operation::new("createUploadUrl", Account, Method::POST, "/files/upload-url", 200).keyed(),
    ]
}
