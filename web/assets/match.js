// Replays a match step by step: what has not been said yet is faint, and the board is that of the step.
(() => {
  "use strict";
  const panel = document.getElementById("replay");
  if (!panel) return;
  const lines = [...document.querySelectorAll("#timeline > li")];
  const boards = [...document.querySelectorAll("#boards > figure")];
  const range = panel.querySelector("input");
  const told = panel.querySelector("output");
  const play = panel.querySelector("[data-go=play]");
  const last = lines.length;
  let step = last, timer = 0;

  const show = (to, scroll = true) => {
    step = Math.max(0, Math.min(last, to));
    lines.forEach((line, i) => {
      line.classList.toggle("unsaid", i >= step);
      line.classList.toggle("now", i === step - 1 && step < last);
    });
    const board = step === 0 ? 0 : Number(lines[step - 1].dataset.board);
    boards.forEach((b, i) => { b.hidden = i !== Math.max(board, 0); });
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
  panel.addEventListener("click", (e) => { const b = e.target.closest("[data-go]"); if (b) go[b.dataset.go](); });
  range.addEventListener("input", () => { stop(); show(Number(range.value)); });
  document.addEventListener("keydown", (e) => {
    if (e.altKey || e.ctrlKey || e.metaKey || e.target.closest("input, select, textarea, pre")) return;
    const way = { ArrowLeft: "back", ArrowRight: "on", Home: "first", End: "last" }[e.key];
    if (way) { go[way](); e.preventDefault(); }
    if (e.key === " " && !e.target.closest("button, summary, a")) { go.play(); e.preventDefault(); }
  });
  panel.hidden = false;
  for (const hint of document.querySelectorAll(".keys")) hint.hidden = false;
  show(last, false);
})();

// Shows a match that was being played when it is over, and its record when it is there.
(() => {
  "use strict";
  const open = document.querySelector("[data-awaits]");
  if (open) {
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
