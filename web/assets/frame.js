// Light or dark: as the system, then the one, then the other.
{
  const button = document.getElementById("theme");
  const root = document.documentElement;
  const words = { "": "as the system", light: "light", dark: "dark" };
  const say = () => {
    const now = words[root.dataset.theme || ""];
    button.setAttribute("aria-label", "Colours: " + now);
    button.title = "Colours: " + now;
  };
  button.addEventListener("click", () => {
    const next = { "": "light", light: "dark", dark: "" }[root.dataset.theme || ""];
    if (next) {
      root.dataset.theme = next;
      localStorage.setItem("theme", next);
    } else {
      delete root.dataset.theme;
      localStorage.removeItem("theme");
    }
    say();
  });
  say();
}

// Buttons that copy a command. Browsers give the clipboard only to pages of this machine or with TLS; elsewhere the text is
// selected and copied as a person would.
document.addEventListener("click", async (e) => {
  const button = e.target.closest("[data-copy]");
  if (!button) return;
  try {
    await navigator.clipboard.writeText(button.dataset.copy);
  } catch {
    getSelection().selectAllChildren(button.parentElement.querySelector("code"));
    document.execCommand("copy");
  }
  button.textContent = "Copied";
  button.dataset.copied = "";
  setTimeout(() => { button.textContent = "Copy"; }, 2000);
});

// Start times in the reader's time zone, with a countdown. The event "due" is dispatched when one has come.
{
  const two = (n) => String(n).padStart(2, "0");
  const tick = () => {
    for (const e of document.querySelectorAll("time.starts")) {
      const at = new Date(e.dateTime), left = Math.max(0, Math.round((at - Date.now()) / 1000));
      const hours = Math.floor(left / 3600), minutes = Math.floor(left / 60) % 60;
      const text = `at ${two(at.getHours())}:${two(at.getMinutes())}, in ${hours ? hours + ":" + two(minutes) : minutes}:${two(left % 60)}`;
      if (e.textContent !== text) e.textContent = text;
      if (left > 0) e.dataset.due = "";
      else if ("due" in e.dataset) { delete e.dataset.due; document.dispatchEvent(new Event("due")); }
    }
  };
  document.addEventListener("clock", tick);
  tick();
  setInterval(tick, 500);
}
