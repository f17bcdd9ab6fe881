// Replays a match, message by message or position by position: what has not been said yet is faint, and the board is
// that of the step.
(() => {
  "use strict";
  const panel = document.getElementById("replay");
  if (!panel) return;
  const lines = [...document.querySelectorAll("#timeline > li")];
  const boards = [...document.querySelectorAll("#boards > .position")];
  const steps = document.getElementById("steps");
  const range = panel.querySelector("input");
  const told = panel.querySelector("output");
  const play = panel.querySelector("[data-go=play]");
  const last = lines.length;
  let step = last, timer = 0, at = 0; // at: the position

  const show = (to, scroll = true) => {
    step = Math.max(0, Math.min(last, to));
    lines.forEach((line, i) => {
      line.classList.toggle("unsaid", i >= step);
      line.classList.toggle("now", i === step - 1 && step < last);
    });
    at = Math.max(step === 0 ? 0 : Number(lines[step - 1].dataset.board), 0);
    boards.forEach((b, i) => { b.hidden = i !== at; });
    if (steps) steps.querySelector("input").value = String(at + 1);
    range.value = String(step);
    const line = lines[step - 1];
    told.textContent = "Step " + step + " of " + last + (line ? ": " + line.querySelector(".said").textContent.replace(/\s+/g, " ").trim() : "");
    panel.dataset.step = String(step);
    if (scroll && line) line.scrollIntoView({ block: "nearest" });
  };
  const stop = () => {
    clearInterval(timer);
    timer = 0;
    play.textContent = "Play";
    play.setAttribute("aria-pressed", "false");
  };
  const start = () => {
    if (step === last) show(0);
    play.textContent = "Stop";
    play.setAttribute("aria-pressed", "true");
    timer = setInterval(() => { if (step >= last) stop(); else show(step + 1); }, 700);
  };
  const go = {
    first: () => { stop(); show(0); }, back: () => { stop(); show(step - 1); }, on: () => { stop(); show(step + 1); },
    last: () => { stop(); show(last); }, play: () => (timer ? stop() : start()),
  };
  // A position is there from the first message that shows it on; the last one, once all is said.
  const place = (to) => {
    const board = Math.max(0, Math.min(boards.length - 1, to));
    stop();
    show(board === boards.length - 1 ? last : 1 + lines.findIndex((line) => Number(line.dataset.board) === board), false);
  };
  const places = { first: () => place(0), back: () => place(at - 1), on: () => place(at + 1), last: () => place(boards.length) };
  if (steps) {
    steps.addEventListener("click", (e) => { const b = e.target.closest("[data-to]"); if (b) places[b.dataset.to](); });
    steps.querySelector("input").addEventListener("input", (e) => place(Number(e.target.value) - 1));
    steps.hidden = boards.length < 2;
  }
  document.getElementById("boards")?.classList.add("stepped");
  panel.addEventListener("click", (e) => { const b = e.target.closest("[data-go]"); if (b) go[b.dataset.go](); });
  range.addEventListener("input", () => { stop(); show(Number(range.value)); });
  document.addEventListener("keydown", (e) => {
    if (e.altKey || e.ctrlKey || e.metaKey || e.target.closest("input, select, textarea, pre")) return;
    const way = { ArrowLeft: "back", ArrowRight: "on", Home: "first", End: "last" }[e.key];
    if (way) { (e.shiftKey && steps ? places : go)[way](); e.preventDefault(); }
    if (e.key === " " && !e.target.closest("button, summary, a")) { go.play(); e.preventDefault(); }
  });
  panel.hidden = false;
  for (const hint of document.querySelectorAll(".keys")) hint.hidden = false;
  show(last, false);
})();

// Shows a match while it is played, loads it again when it is over, and shows its record when it is there.
(() => {
  "use strict";
  let open = document.querySelector("[data-awaits]");
  const rest = (ms) => new Promise((done) => setTimeout(done, ms));
  const follow = async () => {
    while (open.dataset.stamp && open.isConnected) {
      try {
        const answer = await fetch(location.pathname + "?after=" + open.dataset.stamp, { headers: { Accept: "text/html" }, cache: "no-store" });
        if (!answer.ok) throw new Error(String(answer.status));
        const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("[data-awaits]");
        if (!fresh) return; // it is over: the page is loaded again
        if (fresh.dataset.stamp !== open.dataset.stamp) { open.replaceWith(document.adoptNode(fresh)); open = fresh; }
        await rest(200);
      } catch { await rest(2000); }
    }
  };
  if (open) {
    follow();
    const source = new EventSource(open.dataset.events);
    source.onmessage = (m) => {
      const about = (JSON.parse(m.data).events || []).filter((e) => e.match_id === open.dataset.awaits);
      if (about.length) { source.close(); setTimeout(() => location.reload(), 400); }
    };
    addEventListener("pagehide", () => source.close());
  }
  const lacking = document.querySelector("[data-unrecorded]");
  let tries = 0;
  const look = async () => {
    try {
      const answer = await fetch(lacking.dataset.unrecorded);
      if (answer.ok && (await answer.json()).record_known) { location.reload(); return; }
    } catch { /* the manager is away */ }
    if (++tries < 20) setTimeout(look, 1000);
  };
  if (lacking) setTimeout(look, 500);
})();
