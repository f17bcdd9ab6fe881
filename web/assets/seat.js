// Keeps a seat up to date: waits for a change and puts the page's new content in the place of the old; counts the time down;
// plays with the keyboard.
(() => {
  "use strict";
  let seat = document.getElementById("seat");
  if (!seat || seat.dataset.seated !== "true") return;
  let ahead = Date.now() - Number(seat.dataset.now); // how far this clock is ahead of the manager's
  const rest = (ms) => new Promise((done) => setTimeout(done, ms));

  const tick = () => {
    for (const c of seat.querySelectorAll(".countdown")) {
      const left = Math.max(0, (Number(c.dataset.deadline) - (Date.now() - ahead)) / 1000);
      c.querySelector("progress").value = left;
      c.querySelector(".left").textContent = Math.ceil(left) + " s";
      c.classList.toggle("hurry", left < 6);
    }
    document.title = (seat.querySelector("[data-turn].turn") ? "● Your turn" : "Play") + " · league";
  };

  const watched = (of) => of.dataset.seq + of.dataset.about + of.querySelector("[data-watched]")?.innerHTML;
  const renew = async (unless = false) => {
    const answer = await fetch(location.pathname, { headers: { Accept: "text/html" }, cache: "no-store" });
    if (!answer.ok) throw new Error(String(answer.status));
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = page.getElementById("seat");
    if (!fresh || unless && watched(fresh) === watched(seat)) return;
    const before = seat.dataset.turn;
    const inside = seat.contains(document.activeElement);
    seat.replaceWith(document.adoptNode(fresh));
    seat = fresh;
    ahead = Date.now() - Number(seat.dataset.now);
    tick();
    searchable();
    const first = seat.querySelector(".moves button");
    if (first && seat.dataset.turn !== before) first.focus();
    else if (inside && first) first.focus();
  };

  // While others are to move, the board is theirs to change.
  const watch = async () => {
    for (;;) {
      await rest(1000);
      try { if (!document.hidden && seat.querySelector("[data-watched]")) await renew(true); } catch { /* the manager is away */ }
    }
  };

  const follow = async () => {
    for (;;) {
      try {
        const answer = await fetch(seat.dataset.api + "?after=" + seat.dataset.seq, { cache: "no-store" });
        if (!answer.ok) throw new Error(String(answer.status));
        const now = await answer.json();
        if (!now.seated) { location.reload(); return; }
        const about = now.state + " " + (now.match ? now.match.match_id : "");
        if (String(now.seq) !== seat.dataset.seq || about !== seat.dataset.about) await renew();
      } catch { await rest(1500); }
    }
  };

  // Where a move is a column, a click anywhere in it plays it. Where there are many moves, typing finds some.
  document.addEventListener("click", (e) => {
    const cell = e.target.closest?.("#seat td[data-column]");
    if (cell) cell.closest("table").querySelector('thead button[value="' + CSS.escape(cell.dataset.column) + '"]')?.click();
  });
  document.addEventListener("input", (e) => {
    if (!e.target.matches?.("#seat .find input")) return;
    const words = e.target.value.toLowerCase().split(/\s+/);
    for (const group of e.target.closest("form").querySelectorAll(".options")) {
      const all = [...group.querySelectorAll("button")], name = (group.getAttribute("aria-label") || "").toLowerCase();
      for (const b of all) b.hidden = !words.every((word) => (name + " " + b.textContent.toLowerCase()).includes(word));
      group.hidden = all.every((b) => b.hidden);
    }
  });
  const searchable = () => { for (const f of seat.querySelectorAll(".find")) f.hidden = false; };

  document.addEventListener("keydown", (e) => {
    if (e.altKey || e.ctrlKey || e.metaKey || e.target.closest("input, select, textarea")) return;
    const b = seat.querySelector('.moves button[data-key="' + CSS.escape(e.key) + '"]');
    if (b) { e.preventDefault(); b.click(); }
  });
  tick();
  searchable();
  setInterval(tick, 250);
  const first = seat.querySelector(".moves button");
  if (first) first.focus();
  follow();
  watch();
})();
