// The page of a match: goes through its positions, follows it while it is played, and puts what else there is behind tabs.
(() => {
  "use strict";
  let arena, boards, panel, range, play, at = 0, timer = 0;
  const all = (selector) => [...document.querySelectorAll(selector)];

  // show puts a position on the board, its time on the clocks, and marks the move and the messages that led to it.
  const show = (to) => {
    if (!boards.length) return;
    at = Math.max(0, Math.min(boards.length - 1, to));
    boards.forEach((b, i) => { b.hidden = i !== at; });
    for (const link of all("[data-to-board]")) {
      const now = Number(link.dataset.toBoard) === at;
      link.classList.toggle("now", now);
      const list = link.closest(".sheet-of-moves");
      if (now && list) list.scrollTop = Math.max(0, link.offsetTop - list.clientHeight / 2);
    }
    for (const seat of ["a", "b"]) {
      const clock = arena.querySelector(`.edge[data-seat=${seat}] .clock`);
      const text = boards[at].dataset["clock" + seat.toUpperCase()];
      if (text) clock.textContent = text;
    }
    const last = at === boards.length - 1;
    for (const line of all("#timeline > li")) line.classList.toggle("unsaid", !last && Number(line.dataset.board) > at);
    range.value = String(at + 1);
    panel.dataset.step = String(at + 1);
  };
  const stop = () => {
    clearInterval(timer);
    timer = 0;
    play.textContent = "Play";
    play.setAttribute("aria-pressed", "false");
  };
  const start = () => {
    if (at === boards.length - 1) show(0);
    play.textContent = "Stop";
    play.setAttribute("aria-pressed", "true");
    timer = setInterval(() => { if (at >= boards.length - 1) stop(); else show(at + 1); }, 800);
  };
  const go = {
    first: () => { stop(); show(0); }, back: () => { stop(); show(at - 1); }, on: () => { stop(); show(at + 1); },
    last: () => { stop(); show(boards.length - 1); }, play: () => (timer ? stop() : start()),
  };

  // set takes the elements of the page, after it was loaded and after the arena was replaced.
  const set = (to) => {
    arena = document.getElementById("arena");
    boards = all("#boards > .position");
    panel = document.getElementById("replay");
    range = panel.querySelector("input");
    play = panel.querySelector("[data-go=play]");
    range.max = String(boards.length);
    panel.hidden = boards.length < 2;
    for (const hint of all(".keys")) hint.hidden = false;
    document.getElementById("boards")?.classList.add("stepped");
    range.addEventListener("input", () => { stop(); show(Number(range.value) - 1); });
    show(to ?? boards.length - 1);
  };
  document.addEventListener("click", (e) => {
    const button = e.target.closest("[data-go]"), move = e.target.closest("[data-to-board]"), view = e.target.closest("[data-view]");
    if (button) go[button.dataset.go]();
    if (move) { stop(); show(Number(move.dataset.toBoard)); e.preventDefault(); }
    if (view) {
      arena.dataset.view = view.dataset.view;
      for (const other of all(".views [data-view]")) other.setAttribute("aria-pressed", String(other === view));
    }
  });
  document.addEventListener("keydown", (e) => {
    if (e.altKey || e.ctrlKey || e.metaKey || e.target.closest("input, select, textarea, pre, [role=tab]") || !boards.length) return;
    const way = { ArrowLeft: "back", ArrowRight: "on", Home: "first", End: "last" }[e.key];
    if (way) { go[way](); e.preventDefault(); }
    if (e.key === " " && !e.target.closest("button, summary, a")) { go.play(); e.preventDefault(); }
  });

  // The sections of the folder become tabs.
  const tabs = () => {
    const folder = document.getElementById("folder");
    if (!folder) return;
    const bar = folder.querySelector(".folder-tabs"), links = [...bar.querySelectorAll("a")];
    bar.setAttribute("role", "tablist");
    const open = (link, focus) => {
      for (const other of links) {
        const panel = document.getElementById(other.hash.slice(1));
        other.setAttribute("aria-selected", String(other === link));
        other.tabIndex = other === link ? 0 : -1;
        panel.hidden = other !== link;
      }
      if (focus) link.focus();
    };
    for (const link of links) {
      link.setAttribute("role", "tab");
      link.id = "tab-" + link.hash.slice(1);
      const panel = document.getElementById(link.hash.slice(1));
      link.setAttribute("aria-controls", panel.id);
      panel.setAttribute("role", "tabpanel");
      panel.setAttribute("aria-labelledby", link.id);
      link.addEventListener("click", (e) => { open(link); e.preventDefault(); });
    }
    bar.addEventListener("keydown", (e) => {
      const by = { ArrowLeft: -1, ArrowRight: 1 }[e.key];
      if (by) { open(links[(links.indexOf(document.activeElement) + by + links.length) % links.length], true); e.preventDefault(); }
      if (e.key === " ") { document.activeElement.click(); e.preventDefault(); }
    });
    const wanted = location.hash ? document.getElementById(location.hash.slice(1)) : null;
    open(links.find((link) => document.getElementById(link.hash.slice(1)).contains(wanted)) || links[0]);
    if (folder.contains(wanted)) wanted.scrollIntoView({ block: "nearest" });
    folder.classList.add("tabbed");
  };

  // follow shows a match while it is played: each new position is added, so that the earlier ones can be seen again.
  const rest = (ms) => new Promise((done) => setTimeout(done, ms));
  const load = async (query) => {
    const answer = await fetch(location.pathname + query, { headers: { Accept: "text/html" }, cache: "no-store" });
    if (!answer.ok) throw new Error(String(answer.status));
    return new DOMParser().parseFromString(await answer.text(), "text/html");
  };
  const follow = async () => {
    while (arena.dataset.stamp && arena.isConnected) {
      try {
        const fresh = (await load("?after=" + arena.dataset.stamp)).getElementById("arena");
        if (!fresh?.dataset.awaits) return; // it is over
        if (fresh.dataset.stamp !== arena.dataset.stamp) renew(fresh);
        await rest(200);
      } catch { await rest(2000); }
    }
  };
  const renew = (fresh) => {
    const newest = at === boards.length - 1;
    const position = fresh.querySelector("#boards > .position");
    if (position) {
      const before = boards.at(-1)?.querySelectorAll("td") || [], now = position.querySelectorAll("td");
      if (before.length === now.length) now.forEach((cell, i) => cell.classList.toggle("newest", cell.textContent !== before[i].textContent));
      const known = boards.filter((b) => b.dataset.board !== position.dataset.board);
      position.before(...known);
    }
    const was = at;
    arena.replaceWith(document.adoptNode(fresh));
    set(newest ? undefined : was);
  };
  const settle = async () => {
    const page = await load("");
    document.querySelector("main").replaceWith(document.adoptNode(page.querySelector("main")));
    document.title = page.title;
    set();
    tabs();
    lacking();
  };

  // lacking loads the page again once the record of the match is there.
  const lacking = async () => {
    const note = document.querySelector("[data-unrecorded]");
    for (let tries = 0; note && tries < 20; tries++) {
      await rest(tries ? 1000 : 500);
      try {
        const answer = await fetch(note.dataset.unrecorded);
        if (answer.ok && (await answer.json()).record_known) { settle(); return; }
      } catch { /* the manager is away */ }
    }
  };

  set();
  tabs();
  if (arena.dataset.awaits) {
    follow();
    const source = new EventSource(arena.dataset.events), match = arena.dataset.awaits;
    source.onmessage = async (m) => {
      if (!(JSON.parse(m.data).events || []).some((e) => e.match_id === match)) return;
      await rest(400);
      try { await settle(); } catch { location.reload(); }
      if (!arena.dataset.awaits) source.close(); else follow();
    };
    addEventListener("pagehide", () => source.close());
  }
  lacking();
})();
