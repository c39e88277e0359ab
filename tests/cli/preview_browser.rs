//! Tests of `links preview --serve` in a real Chromium, and its pictures for the README. See `tests/browser/run` and
//! `tests/browser/screenshots`.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;

use crate::chromium::Chromium;
use crate::preview_serve::{PreviewServer, env};
use crate::test_env::TestEnv;

const IMAGES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/browser/images");
const PICTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/images");

fn page(title: &str) -> String {
    format!(
        "profile: cafe
title: \"{title}\"
avatar: {{$upload: images/logo.png}}
bgImage: {{$upload: images/terrace.png}}
slots:
  - id: 1001
    type: text
    data: {{title: Good morning!, description: We open at 8 every day. Dogs and long conversations are welcome.}}
  - id: 1002
    type: button
    data: {{title: Summer menu, link: https://qara.example/menu, style: primary}}
  - type: button
    data: {{title: Find us on the map, link: https://maps.example/qara, style: outline}}
  - type: gallery
    data:
      title: From the counter
      images:
        - {{image: {{$upload: images/raf.png}}, title: Raf with sea buckthorn}}
        - {{image: {{$upload: images/bun.png}}, title: Cardamom bun}}
  - type: faq
    data: {{title: Before you come, items: [{{question: Can I bring a dog?, answer: Yes.}}, {{question: Is there oat milk?, answer: Yes.}}]}}
"
    )
}

/// Returns an environment with the images of the page, and a browser.
fn with_images() -> (TestEnv, Chromium) {
    let env = env();
    std::fs::create_dir(env.home.path().join("images")).unwrap();
    for name in ["logo.png", "terrace.png", "raf.png", "bun.png"] {
        let bytes = std::fs::read(format!("{IMAGES}/{name}")).unwrap();
        env.file(&format!("images/{name}"), bytes);
    }
    let chromium = Chromium::start(&env.home.path().join("chromium").display().to_string());
    (env, chromium)
}

#[test]
#[ignore = "needs Chromium: see tests/browser/run"]
fn a_preview_follows_its_file_in_a_browser() {
    let (env, chromium) = with_images();
    env.file("cafe.yaml", page("Qara Coffee by the river"));
    let server = PreviewServer::start(&env, &["cafe.yaml", "--apply"]);
    chromium.open(&server.url);
    chromium.wait_for("h1", "Qara Coffee by the river");
    chromium.find("html[data-ready]");
    // The style and the images are loaded, and nothing else may be.
    assert_eq!(
        chromium.value("getComputedStyle(document.querySelector('.avatar')).borderRadius"),
        "50%"
    );
    assert_eq!(chromium.value("document.querySelector('.avatar').naturalWidth"), 200);
    let injected = "(() => { const it = document.createElement('script'); it.textContent = 'window.injected = 1'; \
                    document.body.append(it); return window.injected === undefined; })()";
    assert_eq!(chromium.value(injected), true);

    // A save, and a title that would like to be a script.
    env.file(
        "cafe.yaml",
        page("Qara <script>window.injected = 1</script><img src=x onerror='window.injected = 1'>"),
    );
    chromium.wait_for("h1", "<script>window.injected = 1</script>");
    assert_eq!(chromium.value("window.injected === undefined"), true);
    assert_eq!(chromium.value("document.querySelectorAll('script').length"), 1);

    // A file that does not parse: its line, above the last page.
    env.file("cafe.yaml", "profile: cafe\nslots:\n  - {type: text\n");
    chromium.wait_for("section[@id='problems']", "cafe.yaml:");
    chromium.wait_for("h1", "window.injected");
    assert_eq!(chromium.value("document.getElementById('apply').disabled"), true);

    // An image outside of the directory is neither shown nor served.
    env.file("cafe.yaml", page("Qara").replace("images/logo.png", "../../etc/logo.png"));
    chromium.wait_for("section[@id='problems']", "is outside the page file");
    assert_eq!(chromium.value("[...document.images].every((it) => !it.src.includes('etc'))"), true);

    // `d` shows what changes, and it stays open after a save.
    env.file("cafe.yaml", page("Qara at the sea"));
    chromium.wait_for("h1", "Qara at the sea");
    chromium.find("html[data-ready]");
    assert_eq!(chromium.value("document.getElementById('changes').hidden"), true);
    chromium.key("d");
    assert_eq!(chromium.value("document.getElementById('changes').hidden"), false);
    env.file("cafe.yaml", page("Qara at the lake"));
    chromium.wait_for("h1", "Qara at the lake");
    chromium.find("html[data-ready]");
    assert_eq!(chromium.value("document.getElementById('changes').hidden"), false);
    chromium.wait_for("span[@class='added']", "# Qara at the lake");

    // `a` asks, because images are uploaded, and applies when it is pressed again.
    let title = || env.server.account().profiles[0].title.clone();
    chromium.key("a");
    assert_eq!(chromium.value("document.getElementById('confirm').hidden"), false);
    assert_eq!(title().as_deref(), Some("Qara Coffee"));
    chromium.key("a");
    chromium.wait_for("section[@id='notice']", "cafe: ");
    assert_eq!(title().as_deref(), Some("Qara at the lake"));
    chromium.wait_for("section[@id='changes']", "No visible changes.");
}

#[test]
#[ignore = "needs Chromium: see tests/browser/run"]
fn hidden_pages_leave_their_connections_to_the_others() {
    let (env, chromium) = with_images();
    // Browsers open six connections to a server.
    let files: Vec<String> = (0..8).map(|nth| format!("page{nth}.yaml")).collect();
    for (nth, file) in files.iter().enumerate() {
        env.file(file, format!("profile: page{nth}\ntitle: Page {nth}\nslots: []\n"));
    }
    let mut words = vec!["--offline"];
    words.extend(files.iter().map(String::as_str));
    let server = PreviewServer::start(&env, &words);
    chromium.ask("timeouts", &json!({ "pageLoad": 20_000 }));
    let mut tabs = Vec::new();
    for nth in 0..files.len() {
        let tab = chromium.ask("window/new", &json!({ "type": "tab" }))["handle"].clone();
        chromium.ask("window", &json!({ "handle": tab }));
        chromium.open(&format!("{}{nth}/", server.url));
        chromium.wait_for("h1", &format!("Page {nth}"));
        tabs.push(tab);
    }
    // A page that is shown again is that of its file.
    env.file(&files[0], "profile: page0\ntitle: Page with a new title\nslots: []\n");
    chromium.ask("window", &json!({ "handle": tabs[0] }));
    chromium.wait_for("h1", "Page with a new title");
}

/// Returns whether an element is in view as a whole.
fn is_in_view(chromium: &Chromium, id: &str) -> bool {
    let place = format!("document.getElementById('{id}').getBoundingClientRect()");
    let (top, bottom) = (format!("{place}.top"), format!("{place}.bottom"));
    let height = chromium.value(&format!("{place}.height")).as_f64().unwrap();
    height > 0.0 && chromium.value(&format!("{top} >= 0 && {bottom} <= innerHeight")) == true
}

#[test]
#[ignore = "needs Chromium: see tests/browser/run"]
fn what_a_reader_has_to_know_is_in_view_wherever_the_page_is_scrolled() {
    let (env, chromium) = with_images();
    let paragraph = "One line after another. ".repeat(40);
    let long: String = (0..30)
        .map(|nth| {
            format!("  - {{type: text, data: {{title: Part {nth}, description: {paragraph}}}}}\n")
        })
        .collect();
    // Without images nothing is uploaded: the slots that the file lacks are deleted.
    let file = |title: &str| format!("profile: cafe\ntitle: {title}\nslots:\n{long}");
    env.file("cafe.yaml", file("Qara"));
    env.server.edit(|account| account.profiles[0].slots.retain(|slot| slot.id <= 1002));
    let server = PreviewServer::start(&env, &["cafe.yaml", "--apply", "--prune"]);
    let picture = |name: &str| {
        let bytes = STANDARD.decode(chromium.screenshot()).unwrap();
        let directory = env!("CARGO_TARGET_TMPDIR");
        std::fs::write(format!("{directory}/preview-{name}.png"), bytes).unwrap();
    };
    let has_menu = || env.server.account().profiles[0].slots.iter().any(|it| it.id == 1002);
    let sizes =
        [("wide", 1280, 800, "light"), ("narrow", 360, 640, "dark"), ("low", 640, 300, "light")];
    for (name, width, height, scheme) in sizes {
        let size =
            json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        chromium.devtools("Emulation.setDeviceMetricsOverride", &size);
        let media = json!({ "features": [{ "name": "prefers-color-scheme", "value": scheme }] });
        chromium.devtools("Emulation.setEmulatedMedia", &media);
        env.file("cafe.yaml", file(name));
        chromium.open(&server.url);
        chromium.wait_for("h1", name);
        chromium.find("html[data-ready]");
        chromium.value("scrollTo(0, document.body.scrollHeight / 2)");
        // The first `a` names every slot before a second one deletes it.
        chromium.key("a");
        assert!(is_in_view(&chromium, "confirm"), "{name}");
        let asked = chromium.text("#confirm");
        assert!(asked.contains("- button 1002 \"Menu\"") && asked.contains("again"), "{asked}");
        picture(&format!("{name}-question"));
        assert!(has_menu(), "{name}");
        chromium.key("\u{e00c}");
        assert!(!is_in_view(&chromium, "confirm"), "{name}");

        // `d` shows the changes, which are at the top.
        chromium.key("d");
        assert_eq!(chromium.value("scrollY"), 0, "{name}");
        chromium.key("d");

        // A mistake in the file, which the browser shows without being scrolled.
        chromium.value("scrollTo(0, document.body.scrollHeight)");
        env.file("cafe.yaml", file(name).replacen("description", "descripton", 1));
        chromium.wait_for("section[@id='problems']", "descripton");
        chromium.find("html[data-ready]");
        assert!(chromium.value("scrollY").as_f64().unwrap() > 0.0, "{name}");
        assert!(is_in_view(&chromium, "problems"), "{name}");
        picture(&format!("{name}-problem"));
    }
    env.file("cafe.yaml", file("Done"));
    chromium.wait_for("h1", "Done");
    chromium.find("html[data-ready]");
    chromium.value("scrollTo(0, document.body.scrollHeight)");
    chromium.key("a");
    chromium.key("a");
    chromium.wait_for("section[@id='notice']", "cafe: ");
    chromium.find("html[data-ready]");
    assert!(is_in_view(&chromium, "notice"));
    picture("done");
    assert!(!has_menu());
}

#[test]
#[ignore = "needs Chromium: see tests/browser/run"]
fn written_previews_are_shown_without_a_server_or_a_network() {
    let (env, chromium) = with_images();
    env.file("cafe.yaml", page("Qara <script>window.injected = 1</script>"));
    env.file("same.yaml", "profile: qara.weddings\nslots: []\n");
    let run = env.run("preview cafe.yaml same.yaml --html out");
    assert_eq!(run.exit, 0, "{run}");
    let address =
        |name: &str| format!("file://{}", env.home.path().join("out").join(name).display());
    let offline =
        json!({ "offline": true, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1 });
    chromium.devtools("Network.enable", &json!({}));
    chromium.devtools("Network.emulateNetworkConditions", &offline);
    for (name, width, scheme) in [("wide", 1280, "light"), ("narrow", 320, "dark")] {
        let size =
            json!({ "width": width, "height": 800, "deviceScaleFactor": 1, "mobile": false });
        chromium.devtools("Emulation.setDeviceMetricsOverride", &size);
        let media = json!({ "features": [{ "name": "prefers-color-scheme", "value": scheme }] });
        chromium.devtools("Emulation.setEmulatedMedia", &media);
        for file in ["index.html", "cafe.html"] {
            chromium.open(&address(file));
            let fits = "document.documentElement.scrollWidth <= innerWidth";
            assert_eq!(chromium.value(fits), true, "{name} {file}");
            let ground = chromium.value("getComputedStyle(document.body).backgroundColor");
            assert_eq!(ground == "rgb(16, 17, 16)", scheme == "dark", "{name} {file}: {ground}");
            let bytes = STANDARD.decode(chromium.screenshot()).unwrap();
            let directory = env!("CARGO_TARGET_TMPDIR");
            std::fs::write(format!("{directory}/written-{name}-{file}.png"), bytes).unwrap();
        }
        assert_eq!(chromium.value("document.querySelectorAll('.side').length"), 2);
        // The images of slots load when they come into view.
        let avatars = "[...document.querySelectorAll('img.avatar')].every((it) => it.complete)";
        while chromium.value(avatars) != true {}
        let avatar = "[...document.querySelectorAll('img.avatar')].at(-1).naturalWidth";
        assert_eq!(chromium.value(avatar), 200, "{name}");
        assert_eq!(chromium.value("document.querySelectorAll('script').length"), 0);
        chromium.wait_for("h1", "<script>");
        chromium.open(&address("index.html"));
        chromium.press("a[href='cafe.html']");
        chromium.press("summary");
        chromium.wait_for("span[@class='added']", "# Qara");
    }
}

#[test]
#[ignore = "writes docs/images: see tests/browser/screenshots"]
fn pictures_of_the_preview() {
    let (env, chromium) = with_images();
    env.file("cafe.yaml", page("Qara Coffee"));
    env.server.edit(|account| account.profiles[0].slots.retain(|slot| slot.id <= 1002));
    let server = PreviewServer::start(&env, &["cafe.yaml", "--apply"]);
    let phone = json!({ "width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": true });
    chromium.devtools("Emulation.setDeviceMetricsOverride", &phone);
    for scheme in ["light", "dark"] {
        let media = json!({ "features": [{ "name": "prefers-color-scheme", "value": scheme }] });
        chromium.devtools("Emulation.setEmulatedMedia", &media);
        chromium.open(&server.url);
        chromium.find("html[data-ready]");
        let is_loaded = "[...document.images].every((it) => it.complete)";
        while chromium.value(is_loaded) != true {}
        let picture = STANDARD.decode(chromium.screenshot()).unwrap();
        std::fs::write(format!("{PICTURES}/preview-{scheme}.png"), picture).unwrap();
    }
}
