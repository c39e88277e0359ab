//! `links profile socials`: adds and removes social links of a page. The service takes only whole lists, so the page is read first, and
//! refused if it was changed meanwhile.

use links_sdk::ProfileChanges;
use links_sdk::types::Social;

use crate::commands::prelude::*;

#[derive(Debug, Subcommand)]
#[command(defer = true, after_help = POINTER)]
pub(crate) enum SocialsCommand {
    /// Add social links to a page
    #[command(examples = ["links profile socials add cafe https://www.youtube.com/@qara"])]
    Add {
        /// ID, login or URL of the page
        key: PageKey,
        /// URLs of the social links; the service chooses the icons
        #[arg(value_name = "URL", required = true)]
        links: Vec<String>,
        #[command(flatten)]
        dry_run: DryRunArgs,
    },
    /// Remove social links from a page
    #[command(alias = "rm", examples = ["links profile socials remove cafe https://t.me/qaracoffee"])]
    Remove {
        /// ID, login or URL of the page
        key: PageKey,
        /// URLs of the social links (see `links profile get KEY --fields socials`)
        #[arg(value_name = "URL", required = true)]
        links: Vec<String>,
        #[command(flatten)]
        dry_run: DryRunArgs,
    },
}

impl SocialsCommand {
    /// Changes the social links of a page, unless the change leaves them as they are.
    pub(super) async fn run(self, context: &mut Context) -> CommandResult {
        let is_add = matches!(self, Self::Add { .. });
        let (Self::Add { key, links, dry_run } | Self::Remove { key, links, dry_run }) = self;
        let client = context.writer(dry_run).await?;
        let page = key.read(&client).await?;
        let before = page.socials.clone();
        let socials = if is_add { with(before, &links) } else { without(before, &links)? };
        if socials == page.socials {
            return Ok(said(json!({ "socials": socials }), "no changes"));
        }
        let sent: Object = [("socials", json!(socials))].into_iter().collect();
        let call = client.profile(&*key).update_unchanged(&page, ProfileChanges(sent.clone()));
        let answer = write_fields(context, &key, call, &sent).await?;
        Ok(CommandOutput::wrote("updated", &answer))
    }
}

/// Returns the list with these links after the others. Links that it has stay where they are.
fn with(mut socials: Vec<Social>, links: &[String]) -> Vec<Social> {
    for link in links {
        if socials.iter().any(|social| is_same(social, link)) {
            continue;
        }
        let last = socials.iter().map(|social| social.order).max();
        let order = last.map_or(0, |last| last.saturating_add(1));
        socials.push(Social::new(link, order));
    }
    socials
}

/// Returns the list without these links.
///
/// # Errors
///
/// When a link is not in the list; the hint names those that are.
fn without(mut socials: Vec<Social>, links: &[String]) -> Result<Vec<Social>> {
    for link in links {
        let count = socials.len();
        socials.retain(|social| !is_same(social, link));
        if socials.len() == count {
            let known: Vec<&str> = socials.iter().map(|social| social.link.as_str()).collect();
            let hint = format!("the page has these social links: {}", known.join(", "));
            let message = format!("the page has no social link {link}; nothing was written");
            return Err(
                CommandError::not_found(message).hinted(Some(hint).filter(|_| !known.is_empty()))
            );
        }
    }
    Ok(socials)
}

/// Tells whether a link is the same for a user: whatever its scheme, the case of its host, and a slash at its end.
fn is_same(social: &Social, link: &str) -> bool {
    bare(&social.link) == bare(link)
}

/// Part of a URL by which a user recognises it.
fn bare(link: &str) -> String {
    let link = link.split_once("://").map_or(link, |(_, rest)| rest);
    let link = link.strip_suffix('/').unwrap_or(link);
    let (host, path) = link.split_at(link.find(['/', '?', '#']).unwrap_or(link.len()));
    host.to_ascii_lowercase() + path
}

#[cfg(test)]
mod tests {
    use super::*;

    fn socials(links: &[(&str, i64)]) -> Vec<Social> {
        let social = |(link, order): &(&str, i64)| Social::new(*link, *order);
        links.iter().map(social).collect()
    }

    #[test]
    fn links_are_added_once_after_the_others() {
        let before = socials(&[("https://t.me/qara", 4), ("https://x.com/qara", 1)]);
        let links = ["http://X.com/qara/", "https://a.example", "https://a.example/"];
        let links = links.map(str::to_owned);
        let expected = socials(&[
            ("https://t.me/qara", 4),
            ("https://x.com/qara", 1),
            ("https://a.example", 5),
        ]);
        assert_eq!(with(before, &links), expected);
        let first = with(Vec::new(), &["https://a.example".to_owned()]);
        assert_eq!(first, socials(&[("https://a.example", 0)]));
    }

    #[test]
    fn links_are_removed_by_their_url_and_the_others_keep_their_order() {
        let before = socials(&[("https://t.me/qara", 4), ("https://x.com/qara/", 1)]);
        for link in ["https://x.com/qara", "X.com/qara", "http://x.com/qara/"] {
            let left = without(before.clone(), &[link.to_owned()]).unwrap();
            assert_eq!(left, socials(&[("https://t.me/qara", 4)]), "{link}");
        }
        let failure = without(before, &["https://t.me/Qara".to_owned()]).unwrap_err();
        assert_eq!(failure.exit(), Exit::NotFound);
        assert_eq!(
            failure.hint(),
            Some("the page has these social links: https://t.me/qara, https://x.com/qara/")
        );
    }
}
