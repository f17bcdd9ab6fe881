// The live wall: replays the finished matches of the round, shows those in play as they change, and turns the pages of the table.
{
  const live = document.getElementById("live"), tiles = document.getElementById("tiles");
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  const beat = 650, held = 8; // milliseconds between two moves; beats for which the end is shown

  // start shows the first position of a replay; the page has the last one.
  const start = (tile) => {
    if (!tile.dataset.frames || still.matches) { tile.dataset.over = ""; return; }
    tile.frames = JSON.parse(tile.dataset.frames);
    tile.at = -1;
    step(tile);
  };
  const step = (tile) => {
    if (++tile.at >= tile.frames.length) {
      tile.dataset.over = "";
      if (tile.at > tile.frames.length + held) start(tile);
      return;
    }
    if (tile.at === 0) for (const cell of tile.querySelectorAll(".board tbody td")) { cell.className = ""; cell.textContent = ""; }
    const cells = tile.querySelectorAll(".board tbody td");
    for (const [n, text, look] of tile.frames[tile.at]) {
      cells[n].className = look;
      cells[n].replaceChildren(Object.assign(document.createElement("span"), { textContent: text }));
    }
    tile.classList.toggle("ended", tile.at === tile.frames.length - 1);
  };

  // put shows a fresh tile in a slot. A match that was watched live is not replayed.
  const put = (slot, fresh) => {
    const was = slot.firstElementChild, watched = was?.dataset.tile === fresh.dataset.tile;
    const tile = document.adoptNode(fresh.cloneNode(true));
    const before = watched ? was.querySelectorAll("td") : [], now = tile.querySelectorAll("td");
    if (before.length === now.length) now.forEach((cell, i) => cell.classList.toggle("newest", cell.textContent !== before[i].textContent));
    slot.replaceChildren(tile);
    if (watched || tile.classList.contains("on")) tile.classList.add("ended"); else start(tile);
  };
  const shown = () => [...document.querySelectorAll(".tile")];
  live?.addEventListener("page", (e) => {
    const fresh = [...e.detail.querySelectorAll("#tiles .tile")];
    const here = new Map(shown().map((tile) => [tile.dataset.tile, tile]));
    const waiting = [];
    for (const tile of fresh) {
      const old = here.get(tile.dataset.tile);
      if (!old) waiting.push(tile);
      else if (old.classList.contains("on") && old.dataset.stamp !== tile.dataset.stamp) put(old.parentElement, tile);
    }
    const known = new Set(fresh.map((tile) => tile.dataset.tile));
    for (const slot of [...tiles.children]) {
      const tile = slot.querySelector(".tile");
      const free = !tile || !known.has(tile.dataset.tile) && ("over" in tile.dataset || tile.classList.contains("ended") || tile.classList.contains("on"));
      if (free && waiting.length) { slot.className = ""; put(slot, waiting.shift()); }
    }
    while (waiting.length && tiles.children.length < 9) put(tiles.appendChild(document.createElement("li")), waiting.shift());
    tiles.className = "tiles of-" + tiles.children.length;
    turn(0);
  });

  // turn shows a page of the table; without a choice the next one comes by itself.
  let leaf = 0, chosen = false;
  const turn = (by) => {
    const rows = [...live.querySelectorAll(".standings tbody tr")], bar = document.getElementById("leaf");
    const each = Number(getComputedStyle(live).getPropertyValue("--rows")) || 12, pages = Math.ceil(rows.length / each);
    leaf = (leaf + by + pages) % Math.max(pages, 1) || 0;
    rows.forEach((row, i) => { row.hidden = Math.floor(i / each) !== leaf; });
    live.classList.add("leafed");
    bar.hidden = pages < 2;
    bar.querySelector("span").textContent = leaf * each + 1 + " to " + Math.min(rows.length, (leaf + 1) * each) + " of " + rows.length;
  };
  live?.addEventListener("click", (e) => {
    const button = e.target.closest("[data-leaf]");
    if (button) { chosen = true; turn(Number(button.dataset.leaf)); live.querySelector(`[data-leaf="${button.dataset.leaf}"]`).focus(); }
  });

  // leagues brings the front page up to date: a board that has been shown to its end gives way to the next.
  const leagues = async () => {
    const front = document.getElementById("front");
    if (!front) return;
    try {
      const answer = await fetch(location.href, { headers: { Accept: "text/html" }, cache: "no-store" });
      const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("front");
      if (!answer.ok || !fresh) return;
      const ids = (root) => [...root.querySelectorAll("[data-league]")].map((e) => e.dataset.league + !!e.querySelector(".slot")).join();
      if (ids(front) !== ids(fresh)) {
        front.replaceWith(document.adoptNode(fresh));
        for (const tile of shown()) if (!tile.classList.contains("on")) start(tile);
        return;
      }
      for (const card of fresh.querySelectorAll("[data-league]")) {
        const old = front.querySelector(`[data-league="${CSS.escape(card.dataset.league)}"]`), slot = old.querySelector(".slot");
        const tile = slot?.firstElementChild, next = card.querySelector(".tile");
        if (tile && next.dataset.tile + next.dataset.stamp !== tile.dataset.tile + tile.dataset.stamp && ("over" in tile.dataset || tile.classList.contains("on"))) put(slot, next);
        const bar = old.querySelector(".far"), now = card.querySelector(".far");
        if (bar && now) bar.value = now.value;
        old.querySelector("p.soft").replaceWith(document.adoptNode(card.querySelector("p.soft")));
      }
    } catch { /* the manager is away */ }
  };

  let beats = 0;
  setInterval(() => {
    if (document.hidden) return;
    beats++;
    for (const tile of shown()) if (tile.frames) step(tile);
    if (!live) { if (beats % 15 === 0) leagues(); return; }
    if (tiles.querySelector(".tile.on") || beats % 15 === 0) live.dispatchEvent(new Event("look"));
    if (!chosen && !still.matches && beats % 14 === 0) turn(1);
  }, beat);
  for (const tile of shown()) if (!tile.classList.contains("on")) start(tile);
  if (live) turn(0);
}
