//! Content of a form file.

use links_sdk::Object;

/// Content of a form file.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FormContent {
    /// Name of the form in files, which `{$form: NAME}` refers to.
    pub(crate) name: String,
    /// Id of the form on the service, if the file has one.
    pub(crate) id: Option<String>,
    /// Fields of the form that the file mentions, as the service takes them; null clears one. References to channels are as written.
    pub(crate) fields: Object,
}
