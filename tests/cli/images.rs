//! The images of a terminal in the README, made of what the program prints on one. `LINKS_UPDATE=1 cargo test --workspace --test cli images`
//! writes them; those of the preview are made by `tests/browser/screenshots`.

use std::fmt::Write;
use std::process::{Command, Stdio};

use anstyle_svg::{Term, WIN10_CONSOLE};
use links_fixtures::Limits;

use crate::docs::compare;
use crate::test_env::TestEnv;

/// Columns of the terminal: an image of them is shown at its own size in a README.
const COLUMNS: usize = 88;

/// Time for which a scene of the animation is shown.
const SECONDS: usize = 4;

/// Colors of the palette that are too dark to read, each with a lighter one of a contrast of more than 4.5:1 to the background.
const LIGHTER: [(&str, &str); 5] = [
    ("#C50F1F", "#FF7B72"),
    ("#881798", "#E3A0F0"),
    ("#13A10E", "#4CC946"),
    ("#3A96DD", "#6CB6F0"),
    ("opacity: 0.4", "opacity: 0.7"),
];

/// Runs a line on a terminal and returns what it shows, below the line itself.
fn screen(env: &TestEnv, line: &str) -> String {
    let like = env.command([""; 0]);
    let program = std::path::PathBuf::from(like.get_program());
    let typed = format!("stty cols {COLUMNS} rows 50; {line}");
    let mut command = Command::new("script");
    command.args(["--quiet", "--return", "--command", &typed, "/dev/null"]);
    command.env_clear().current_dir(env.home.path());
    command.envs(like.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let path = format!("{}:/usr/bin:/bin", program.parent().unwrap().display());
    command.env("PATH", path).env("TERM", "xterm-256color").env("LINKS_PROGRESS", "false");
    command.env("LC_ALL", "C.UTF-8");
    let output = command.stdin(Stdio::null()).output().unwrap();
    let shown = String::from_utf8(output.stdout).unwrap().replace('\r', "");
    format!("\x1b[1m$ {line}\x1b[0m\n{shown}").trim_end().to_owned() + "\n"
}

fn svg(text: &str) -> String {
    let made = Term::new().palette(WIN10_CONSOLE).render_svg(text.trim_end());
    LIGHTER.iter().fold(made, |made, (dark, light)| made.replace(dark, light))
}

fn between<'t>(text: &'t str, start: &str, end: &str) -> &'t str {
    text.split_once(start).unwrap().1.split_once(end).unwrap().0
}

/// Returns an image that shows one scene after the other, and the second one where nothing moves.
fn animation(scenes: &[String]) -> String {
    let every = svg(&scenes.concat());
    let (style, count) = (between(&every, "<style>", "</style>"), scenes.len());
    let images: Vec<_> = scenes.iter().map(|it| svg(it)).collect();
    let largest = |name: &str| {
        let size = |image: &String| between(image, name, "px\"").parse::<usize>().unwrap();
        images.iter().map(size).max().unwrap()
    };
    let (width, height) = (largest("width=\""), largest("height=\""));
    let share = 100 / count;
    let mut made = format!(
        "<svg width=\"{width}px\" height=\"{height}px\" xmlns=\"http://www.w3.org/2000/svg\">\n  <style>{style}"
    );
    write!(
        made,
        "  .scene {{ opacity: 0; animation: scene {}s step-end infinite; }}\n    .scene-1 {{ opacity: 1; }}\n    \
         @keyframes scene {{ 0% {{ opacity: 1; }} {share}% {{ opacity: 0; }} 100% {{ opacity: 0; }} }}\n",
        count * SECONDS
    )
    .unwrap();
    for nth in 0..count {
        // Every scene has begun at the start, so that the default is never seen beside another one.
        let delay = (count - nth) % count * SECONDS;
        writeln!(made, "    .scene-{nth} {{ animation-delay: -{delay}s; }}").unwrap();
    }
    made +=
        "  </style>\n\n  <rect width=\"100%\" height=\"100%\" y=\"0\" rx=\"4.5\" class=\"bg\" />\n";
    for (nth, image) in images.iter().enumerate() {
        let text = between(image, "<text", "</text>");
        write!(made, "\n  <g class=\"scene scene-{nth}\"><text{text}</text></g>\n").unwrap();
    }
    made + "</svg>\n"
}

/// Returns an account with a page that was pulled, and its file.
fn pulled() -> (TestEnv, std::path::PathBuf) {
    // A wait for a limit would be followed by a read, on a fast machine only. `me` learns that none is in reach.
    let limits = Limits { requests_per_second: 1000, ..Limits::default() };
    let env = TestEnv::with(|server| server.limits(limits)).keeping_state().keeping_cache();
    assert_eq!(env.run("me").exit, 0);
    assert_eq!(env.run("pull qara.weddings -O weddings.yaml").exit, 0);
    let path = env.home.path().join("weddings.yaml");
    (env, path)
}

#[test]
fn the_images_of_the_readme_are_what_the_program_prints() {
    let (env, path) = pulled();
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replacen("title: Prices", "titel: Prices", 1)).unwrap();
    compare("docs/images/error.svg", &svg(&screen(&env, "links plan weddings.yaml")));

    std::fs::write(&path, text).unwrap();
    let edits = [
        "cat weddings.yaml",
        "sed -i 's/title: Prices/title: 2026 prices/' weddings.yaml",
        "echo '  - {type: divider}' >> weddings.yaml",
    ];
    let scenes = [
        edits.map(|it| screen(&env, it)).concat(),
        screen(&env, "links plan weddings.yaml"),
        screen(&env, "links apply weddings.yaml --yes"),
        screen(&env, "links undo --yes"),
    ];
    let time = regex::Regex::new(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ").unwrap();
    let scenes = scenes.map(|it| time.replace_all(&it, "2026-07-01T09:00:00Z").into_owned());
    compare("docs/images/tour.svg", &animation(&scenes));

    let (env, path) = pulled();
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replacen("title: Prices", "title: 2026 prices", 1)).unwrap();
    assert_eq!(env.run("slots set qara.weddings 1101 title=Tariff").exit, 0);
    compare("docs/images/conflict.svg", &svg(&screen(&env, "links plan weddings.yaml")));
}

#[test]
fn the_readme_shows_a_tour_an_error_a_conflict_and_the_preview() {
    let readme = include_str!("../../README.md");
    for name in ["tour.svg", "error.svg", "conflict.svg", "preview-light.png"] {
        assert!(readme.contains(&format!("src=\"docs/images/{name}\"")), "{name}");
    }
}

/// Returns the relative luminance of a color such as `#6CB6F0`, by WCAG 2.
fn luminance(color: &str) -> f64 {
    let channel = |at| {
        let value = f64::from(u8::from_str_radix(&color[at..at + 2], 16).unwrap()) / 255.0;
        if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
    };
    0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5)
}

#[test]
fn every_color_of_the_images_has_a_contrast_of_at_least_four_and_a_half() {
    let color = regex::Regex::new(r"\.(\S+) \{ fill: (#\w{6}) \}").unwrap();
    for name in ["tour", "error", "conflict"] {
        let path = format!("{}/../docs/images/{name}.svg", env!("CARGO_MANIFEST_DIR"));
        let image = std::fs::read_to_string(path).unwrap();
        let colors: Vec<_> = color.captures_iter(&image).map(|it| it.extract::<2>().1).collect();
        let background = colors.iter().find(|it| it[0] == "bg").unwrap()[1];
        for [class, color] in colors.iter().filter(|it| it[0] != "bg") {
            let contrast = (luminance(color) + 0.05) / (luminance(background) + 0.05);
            assert!(contrast >= 4.5, "{name}: {class} {color}: {contrast:.1}");
        }
        assert!(colors.len() > 4 && image.contains("font: 14px"), "{name}");
    }
}
