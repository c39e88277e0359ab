//! Preview of page files: a shadow of the account in this process, to which the file is applied with the ordinary code. The service only
//! reads.

mod html;
mod live_account;
mod output;
mod render;
mod serve;
mod shadow;
mod shadow_account;
mod shown_page;
pub(crate) mod written_pages;

pub(crate) use output::shown;
pub(crate) use render::{PreviewRequest, previews};
pub(crate) use serve::{ApplyWhen, serve};
