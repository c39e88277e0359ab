//! `links profile check-login` and `rename`: logins of pages. A new login is checked first by the rules that need no service, then by the service.

use links_sdk::SettingsChanges;

use crate::commands::prelude::*;
use crate::ui::annotations::Annotate;
use links_pages::profile_key::broken_login_rule;

/// Returns the service's result for a login, or a result for a login that breaks a rule that needs no service. `page` is the own page that
/// would take the login; its present login then counts as free.
///
/// # Errors
///
/// When the service cannot be asked.
async fn check(client: &Client, login: &str, page: Option<&ProfileKey>) -> Result<Value> {
    if let Some(rule) = broken_login_rule(login) {
        return Ok(json!({
            "login": login, "profile": null, "available": false, "reason": "invalid", "message": rule,
        }));
    }
    let check = match page {
        Some(page) => client.profile(page).check_login(login),
        None => client.profiles().check_login(login),
    };
    let answer = check.answer().await?;
    read_data(answer.body())
}

/// Refuses a login that is not free.
///
/// # Errors
///
/// When the login is not free, or the service cannot be asked.
pub(crate) async fn check_available(
    client: &Client,
    login: &str,
    page: Option<&ProfileKey>,
) -> Result<()> {
    let check = check(client, login, page).await?;
    if check["available"] == true {
        return Ok(());
    }
    let why = check["message"].as_str().unwrap_or("no reason given");
    Err(CommandError::new(Exit::No, format!("the login {login} is not available: {why}")))
}

#[derive(Args, Debug)]
#[command(examples = ["links profile check-login spring.menu summer.menu", "links profile check-login -f logins.txt --annotate github"])]
pub(crate) struct ProfileCheckLoginArgs {
    /// Logins to check
    #[arg(value_name = "NAME", required_unless_present = "file")]
    names: Vec<String>,
    /// File with one login per line (`-`: standard input); `#` starts a comment
    #[arg(short, long, value_name = "FILE")]
    file: Option<PathBuf>,
    /// Page that would use the login; its current login counts as free
    #[arg(long = "as", value_name = "PROFILE")]
    profile: Option<PageKey>,
    /// Print an annotation for a CI service at the line of each login that is not free
    #[arg(long, value_name = "SERVICE")]
    annotate: Option<Annotate>,
}

const COLUMNS: &[Column] = &[
    Column::at("LOGIN", "login"),
    Column::at("AVAILABLE", "available"),
    Column::at("REASON", "reason"),
    Column::at("MESSAGE", "message"),
];

pub(super) async fn check_logins(
    context: &mut Context,
    args: ProfileCheckLoginArgs,
) -> CommandResult {
    let mut logins: Vec<ListedLogin> = args.names.into_iter().map(|it| (it, None)).collect();
    if let Some(file) = &args.file {
        let (name, bytes) = named::read(file)?;
        let listed = parse(&name, &utf8(&name, bytes)?);
        if listed.is_empty() {
            return Err(CommandError::invalid(format!("{name} contains no logins")));
        }
        logins.extend(listed);
    }
    let places = logins.clone();
    let mut known = BTreeSet::new();
    logins.retain(|(login, _)| known.insert(login.clone()));
    let client = context.client().await?;
    if let Some(key) = &args.profile {
        key.page(&client).await?;
    }
    let progress = context.ui.progress(logins.len());
    let (mut checks, mut failure) = (Vec::with_capacity(logins.len()), None);
    for (login, _) in logins {
        progress.now(&login);
        let check = match check(&client, &login, args.profile.as_deref()).await {
            Ok(check) => check,
            Err(error) if checks.is_empty() => return Err(error),
            Err(error) => {
                failure = Some(error);
                break;
            }
        };
        if let Some(annotate) = args.annotate
            && check["available"] != true
        {
            let why = check["message"].as_str().unwrap_or("not available");
            for (_, place) in places.iter().filter(|(named, _)| *named == login) {
                let place = place.as_ref().map(|(file, line)| (file.as_str(), *line));
                annotate.error(place, &format!("{login}: {why}"));
            }
        }
        checks.push(check);
        progress.step();
    }
    drop(progress);
    let is_free = checks.iter().all(|check| check["available"] == true);
    let output = CommandOutput::own(checks, View::Table(COLUMNS)).no_if(!is_free);
    Ok(context.with_failure(output, failure))
}

/// Login to check, and the place that names it: the file, and its line, counted from 1.
type ListedLogin = (String, Option<(String, usize)>);

/// Returns the login of each line, without comments and empty lines.
fn parse(name: &str, text: &str) -> Vec<ListedLogin> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let logins = text.lines().enumerate().filter_map(|(at, line)| {
        let login = line.split('#').next().unwrap_or_default().trim().to_owned();
        (!login.is_empty()).then(|| (login, Some((name.to_owned(), at + 1))))
    });
    logins.collect()
}

#[derive(Args, Debug)]
#[command(
    after_help = "The old URL stops working at once and is not redirected. Links, QR codes and NFC tags with the old URL break.",
    examples = ["links profile rename cafe cafe.mole", "links profile rename cafe cafe.mole --yes --confirm cafe"]
)]
pub(crate) struct ProfileRenameArgs {
    /// ID, login or URL of the page
    key: PageKey,
    /// New, unused login: 4 to 60 characters of `a-z A-Z 0-9 . _`
    new: String,
    /// Don't ask for confirmation
    #[arg(short, long, requires = "confirm")]
    yes: bool,
    /// Current login of the page, to confirm the change
    #[arg(long, value_name = "LOGIN", requires = "yes")]
    confirm: Option<String>,
    #[command(flatten)]
    dry_run: DryRunArgs,
}

pub(super) async fn rename(context: &mut Context, args: ProfileRenameArgs) -> CommandResult {
    let client = context.writer(args.dry_run).await?;
    let page = args.key.page(&client).await?.settings().await?;
    let old = page.login.clone();
    if old == args.new {
        let unchanged = json!({ "profileId": page.profile_id, "login": old });
        return Ok(said(unchanged, format!("the login is already {old}")));
    }
    let id = ProfileKey::Id(page.profile_id);
    check_available(&client, &args.new, Some(&id)).await?;
    require_consent(context, &old, &page.computed.url, args.confirm)?;
    let changes = SettingsChanges::default().login(&args.new);
    let write = journal::single_write(context, page.profile_id, &old, None);
    let call = client.profile(&id).update_settings_unchanged(&page, changes).answer();
    let sent = [("login", args.new.clone())].into_iter().collect();
    let changed = write.change_page(&sent, call).await;
    let answer = journal::finish(context, &write, changed)?;
    let line = format!("changed the login from {old} to {}", args.new);
    Ok(answered(&answer, View::line(line)))
}

/// Says what a new login breaks, and asks for consent unless this is a dry run.
pub(crate) fn require_consent(
    context: &Context,
    old: &str,
    url: &str,
    confirm: Option<String>,
) -> Result<()> {
    let warning = format!(
        "{url} stops working at once and is not redirected. Every link, QR code and NFC tag that points there breaks, and another account may take the login {old}."
    );
    context.ui.tell(Style::Removed, warning);
    if context.dry_run().is_some() {
        return Ok(());
    }
    // The old login as a confirmation is not given by mistake.
    let named = confirm.or_else(|| context.ui.ask_for(&format!("Type {old} to continue:")));
    let refused = |why: &str| CommandError::refused(format!("{why}; nothing was written"));
    match named.as_deref().map(str::trim) {
        Some(named) if named == old => Ok(()),
        Some(named) => Err(refused(&format!("`{named}` does not match `{old}`"))),
        None => Err(refused("a new login must be confirmed, but there is no terminal")
            .with_hint(format!("pass --yes --confirm {old}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_empty_lines_of_a_login_list_are_skipped() {
        let listed = |login: &str, line| (login.to_owned(), Some(("logins.txt".to_owned(), line)));
        let logins = parse("logins.txt", "# spring\n\nspring.menu # new\r\n  \n summer.menu\n");
        assert_eq!(logins, [listed("spring.menu", 3), listed("summer.menu", 5)]);
        assert!(parse("logins.txt", "# none\n").is_empty());
    }
}
