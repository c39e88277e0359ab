//! A real Chromium, and tests of the login with its page in it. They need `chromium` and `chromedriver`, which `tests/browser/run` provides.
//!
//! Chromedriver is used directly (the W3C's `WebDriver`: JSON over HTTP), which needs less code than any crate for it.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use links_fixtures::{Choices, Consent};
use serde_json::{Value, json};

use crate::browser;
use crate::connect::{asked, kept, log_in, with_browser};
use crate::test_env::TestEnv;

/// Name of an element in answers of `WebDriver`.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// A browser with one window. It ends when this is dropped.
pub(crate) struct Chromium {
    driver: Child,
    /// The URL of the session at the driver.
    session: String,
}

impl Chromium {
    /// Starts a browser without a window on a screen, and with a temporary profile.
    pub(crate) fn start(profile: &str) -> Self {
        let mut command = Command::new("chromedriver");
        let mut driver = command.arg("--port=0").stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(driver.stdout.take().unwrap()).lines().map_while(Result::ok);
        let port = lines
            .find_map(|line| line.rsplit_once("successfully on port ").map(|it| it.1.to_owned()))
            .unwrap();
        let origin = format!("http://127.0.0.1:{}", port.trim_end_matches('.'));
        let profile = format!("--user-data-dir={profile}");
        let options = json!({ "args": ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", profile] });
        let mut chromium = Self { driver, session: String::new() };
        let wanted =
            json!({ "capabilities": { "alwaysMatch": { "goog:chromeOptions": options } } });
        let session = ask("POST", &format!("{origin}/session"), &wanted);
        chromium.session = format!("{origin}/session/{}", session["sessionId"].as_str().unwrap());
        chromium
    }

    pub(crate) fn ask(&self, what: &str, body: &Value) -> Value {
        ask("POST", &format!("{}/{what}", self.session), body)
    }

    pub(crate) fn open(&self, address: &str) {
        self.ask("url", &json!({ "url": address }));
    }

    /// Waits for the element of this selector on the page.
    pub(crate) fn find(&self, selector: &str) -> String {
        self.ask("timeouts", &json!({ "implicit": 20_000 }));
        let found = self.ask("element", &json!({ "using": "css selector", "value": selector }));
        format!("element/{}", found[ELEMENT].as_str().unwrap())
    }

    pub(crate) fn press(&self, selector: &str) {
        self.ask(&format!("{}/click", self.find(selector)), &json!({}));
    }

    /// Presses a key on the page.
    pub(crate) fn key(&self, key: &str) {
        let pressed =
            json!([{ "type": "keyDown", "value": key }, { "type": "keyUp", "value": key }]);
        let keyboard = json!({ "type": "key", "id": "keyboard", "actions": pressed });
        self.ask("actions", &json!({ "actions": [keyboard] }));
    }

    /// Waits for an element with this text.
    pub(crate) fn wait_for(&self, element: &str, text: &str) {
        self.ask("timeouts", &json!({ "implicit": 20_000 }));
        let path = format!("//{element}[contains(., '{text}')]");
        self.ask("element", &json!({ "using": "xpath", "value": path }));
    }

    /// Returns the value of an expression on the page.
    pub(crate) fn value(&self, expression: &str) -> Value {
        let script = format!("return {expression}");
        self.ask("execute/sync", &json!({ "script": script, "args": [] }))
    }

    /// Sends a command of the `DevTools` protocol.
    pub(crate) fn devtools(&self, command: &str, parameters: &Value) {
        self.ask("goog/cdp/execute", &json!({ "cmd": command, "params": parameters }));
    }

    /// Returns a picture of the window as PNG in base64.
    pub(crate) fn screenshot(&self) -> String {
        let address = format!("{}/screenshot", self.session);
        ask("GET", &address, &json!({})).as_str().unwrap().to_owned()
    }

    /// Returns the visible text of an element.
    pub(crate) fn text(&self, selector: &str) -> String {
        let address = format!("{}/{}/text", self.session, self.find(selector));
        ask("GET", &address, &json!({})).as_str().unwrap().to_owned()
    }
}

impl Drop for Chromium {
    fn drop(&mut self) {
        if !self.session.is_empty() {
            browser::request("DELETE", &self.session, "");
        }
        let _ = self.driver.kill().and_then(|()| self.driver.wait());
    }
}

fn ask(method: &str, address: &str, body: &Value) -> Value {
    let (status, _, answer) = browser::request(method, address, &body.to_string());
    assert_eq!(status, 200, "{answer}");
    serde_json::from_str::<Value>(&answer).unwrap()["value"].clone()
}

/// Acts as the browser of a login with Chromium: presses the button of this name, and records the text before and after.
pub(crate) fn answer(address: &str, button: &str) {
    let home = std::env::var("HOME").unwrap();
    let chromium = Chromium::start(&format!("{home}/chromium"));
    chromium.open(address);
    let asked = chromium.text("h1");
    chromium.press(&format!("#{button}"));
    fs::write("browser-page", format!("{asked}\n{}", chromium.text("p"))).unwrap();
}

#[test]
#[ignore = "needs Chromium: see tests/browser/run"]
fn the_user_answers_on_the_page() {
    for (button, exit) in [("approve", 0), ("deny", 4)] {
        let choices = Choices { oauth_consent: Consent::Ask, ..Choices::default() };
        let env = TestEnv::with(|builder| builder.choices(choices));
        let env = with_browser(env, &format!("press {button} in Chromium"));
        let env = env.env("PATH", std::env::var("PATH").unwrap());
        let run = log_in(&env, &[]);
        assert_eq!(run.exit, exit, "{run}");
        let page = browser::noted(&env, "browser-page");
        assert_eq!(
            page,
            "Allow this program to read and edit your pages?\n\
             You can close this page. The terminal shows the result of the login."
        );
        assert_eq!(kept(&env).is_some(), exit == 0);
        assert_eq!(asked(&env, "/oauth/token"), usize::from(exit == 0));
        assert_eq!(env.run("me").exit, exit);
    }
}
