// The live page: follows the league's log and asks for the page again when it has grown. What has changed is put in its place.
{
  const live = document.getElementById("live");
  const pulse = document.getElementById("pulse");
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  const stops = "a, button, summary, [tabindex]"; // where the focus may be
  const rest = 400; // milliseconds between two looks, at least
  let last = Number(live.dataset.seq);
  let source, asked = 0, timer = 0, busy = false, due = false;

  const say = (text) => {
    pulse.textContent = text;
    pulse.hidden = !text;
  };

  // follow begins after the last entry that was seen. The browser comes back by itself and says which that was.
  const follow = () => {
    source = new EventSource(live.dataset.events + "?after=" + last);
    source.onopen = () => say("");
    source.onmessage = (message) => {
      const seq = Number(message.lastEventId);
      if (seq <= last && seq > 1) return;
      if (seq !== last + 1) live.dataset.gaps = Number(live.dataset.gaps || 0) + 1;
      last = seq;
      live.dataset.seen = seq;
      refreshSoon();
    };
    source.onerror = () => {
      say("Connection lost. Trying again …");
      if (source.readyState === EventSource.CLOSED) setTimeout(follow, 3000 + 4000 * Math.random());
    };
  };

  const refreshSoon = () => {
    if (document.hidden || busy) {
      due = true;
    } else if (!timer) {
      timer = setTimeout(refresh, Math.max(0, asked + rest - performance.now()) + 100 * Math.random());
    }
  };

  const refresh = async () => {
    timer = 0;
    busy = true;
    due = false;
    asked = performance.now();
    try {
      const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
      if (answer.ok) show(new DOMParser().parseFromString(await answer.text(), "text/html"));
    } catch {
      due = true; // the manager is away; the log tells when it is back
    }
    busy = false;
    if (due) refreshSoon();
  };

  const show = (page) => {
    const next = page.getElementById("live");
    if (!next) return;
    const before = places();
    const parts = (root) => [...root.querySelectorAll("[data-live]")].map((e) => e.dataset.live).join();
    if (parts(live) !== parts(next)) {
      const side = next.querySelector(".side");
      live.querySelector(".side").replaceWith(document.adoptNode(side));
    }
    const columns = next.querySelector(".columns"); // the class changes when the league starts and when it is over
    if (columns) live.querySelector(".columns").className = columns.className;
    for (const part of next.querySelectorAll("[data-live]")) replace(part);
    live.dataset.seq = next.dataset.seq;
    live.dataset.looks = Number(live.dataset.looks || 0) + 1;
    document.title = page.title;
    document.dispatchEvent(new Event("clock"));
    mark();
    live.dispatchEvent(new CustomEvent("page", { detail: page }));
    move(before);
    if (Number(next.dataset.seq) < last) refreshSoon();
  };

  // replace puts a part in the place of the old one, and leaves the reader where it was in it.
  const replace = (part) => {
    const old = live.querySelector(`[data-live="${part.dataset.live}"]`);
    if (!old || old.outerHTML === part.outerHTML) return;
    const fresh = document.adoptNode(part);
    const known = new Set([...old.querySelectorAll("[data-match]")].map((e) => e.dataset.match));
    const scrolls = [...old.querySelectorAll(".wide")].map((e) => [e.scrollLeft, e.scrollTop]);
    if (old.matches("details[open]")) fresh.open = true;
    for (const tie of old.querySelectorAll("details[open][data-tie]")) {
      const again = fresh.querySelector(`details[data-tie="${tie.dataset.tie}"]`);
      if (again) again.open = true;
    }
    const held = old.contains(document.activeElement) && document.activeElement !== old ? [...old.querySelectorAll(stops)].indexOf(document.activeElement) : -1;
    old.replaceWith(fresh);
    fresh.querySelectorAll(".wide").forEach((e, i) => scrolls[i] && e.scrollTo(...scrolls[i]));
    if (held >= 0) fresh.querySelectorAll(stops)[held]?.focus({ preventScroll: true });
    for (const e of fresh.querySelectorAll("[data-match]")) if (!known.has(e.dataset.match)) e.classList.add("fresh");
  };

  // places and move let rows of the table slide to where they are now.
  const places = () => new Map([...live.querySelectorAll(".standings tr[data-player]:not([hidden])")].map((e) => [e.dataset.player, e.offsetTop]));
  const move = (before) => {
    if (still.matches) return;
    for (const e of live.querySelectorAll(".standings tr[data-player]:not([hidden])")) {
      const by = before.get(e.dataset.player) - e.offsetTop;
      if (by) e.animate([{ transform: `translateY(${by}px)` }, { transform: "none" }], { duration: 450, easing: "cubic-bezier(.2,.8,.2,1)" });
    }
  };

  // Pinned players stay in view: their rows in the table, their lines in the chart. The browser remembers them.
  const kept = "pins " + live.dataset.events;
  const pins = new Set(JSON.parse(localStorage.getItem(kept) || "[]"));
  const mark = () => {
    for (const e of live.querySelectorAll("[data-player]")) e.classList.toggle("pinned", pins.has(e.dataset.player));
    for (const button of live.querySelectorAll("[data-pin]")) {
      const on = pins.has(button.dataset.pin);
      button.setAttribute("aria-pressed", String(on));
      button.textContent = on ? "★" : "☆";
    }
    for (const line of live.querySelectorAll(".chart g.pinned")) line.parentElement.append(line);
  };
  live.addEventListener("click", (e) => {
    const player = e.target.closest("[data-pin]")?.dataset.pin || e.target.closest(".chart g[data-player]")?.dataset.player;
    if (!player) return;
    if (!pins.delete(player)) pins.add(player);
    localStorage.setItem(kept, JSON.stringify([...pins]));
    mark();
  });

  // The crosstable shows the column under the pointer; its style shows the row.
  live.addEventListener("pointerover", (e) => {
    const cell = e.target.closest(".cross td"), cols = live.querySelectorAll(".cross col");
    cols.forEach((col, i) => col.classList.toggle("on", !!cell && i === cell.cellIndex));
  });

  live.addEventListener("look", () => refreshSoon());
  document.addEventListener("due", () => refreshSoon());
  document.addEventListener("visibilitychange", () => due && refreshSoon());
  addEventListener("pagehide", () => source.close());
  addEventListener("pageshow", (e) => e.persisted && follow());
  live.dataset.seen = last;
  mark();
  follow();
}
