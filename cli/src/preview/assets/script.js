"use strict";

const root = document.documentElement;
const byId = (id) => document.getElementById(id);
let asked = false;

let events;

// Browsers open only a few connections to a server. A hidden page leaves its connection to the others.
function follow() {
  events?.close();
  if (document.hidden) return;
  events = new EventSource("events");
  events.onmessage = (event) => {
    root.classList.remove("stopped");
    if (event.data !== root.dataset.version) location.reload();
  };
  events.onerror = () => root.classList.add("stopped");
}

document.addEventListener("visibilitychange", follow);
follow();

function showChanges(shown) {
  const changes = byId("changes");
  if (!changes) return;
  changes.hidden = !shown;
  sessionStorage.setItem("changes", shown ? "shown" : "");
}

function toggleChanges() {
  showChanges(byId("changes")?.hidden);
  scrollTo({ top: 0 });
}

function ask(open) {
  asked = open && byId("confirm") !== null;
  if (byId("confirm")) byId("confirm").hidden = !asked;
  return asked;
}

async function apply() {
  const button = byId("apply");
  if (!button || button.disabled) return;
  if (!asked && ask(true)) return;
  button.disabled = true;
  const query = new URLSearchParams({ version: root.dataset.version, confirmed: String(asked) });
  try {
    const answer = await fetch(`apply?${query}`, { method: "POST" });
    const { state } = await answer.json();
    root.dataset.applied = state;
    if (state === "confirm") ask(true);
    if (state === "stale") location.reload();
  } finally {
    button.disabled = false;
  }
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  if (event.key === "a") apply();
  if (event.key === "d") toggleChanges();
  if (event.key === "Escape") ask(false);
});
byId("apply")?.addEventListener("click", apply);
byId("show-changes").addEventListener("click", toggleChanges);
if (sessionStorage.getItem("changes")) showChanges(true);
root.dataset.ready = "true";
