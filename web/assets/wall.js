// The projector view: shows one slide after the other. Arrow keys turn, the space bar holds and goes on.
{
  const live = document.getElementById("live");
  const turns = document.getElementById("turns");
  const seconds = Math.max(1, Number(live.dataset.turn) || 10);
  let at = 0, held = false, since = performance.now();

  const show = () => {
    const all = [...live.querySelectorAll(".slide")];
    at = all.length ? (at + all.length) % all.length : 0;
    all.forEach((slide, i) => slide.classList.toggle("now", i === at));
    turns.textContent = all.length > 1 ? (held ? "❚❚ " : "") + (at + 1) + " / " + all.length : "";
    live.dataset.slide = at;
  };
  const turn = (by) => {
    at += by;
    since = performance.now();
    show();
  };
  document.addEventListener("keydown", (e) => {
    if (e.altKey || e.ctrlKey || e.metaKey) return;
    if (e.key === "ArrowRight" || e.key === "PageDown") turn(1);
    else if (e.key === "ArrowLeft" || e.key === "PageUp") turn(-1);
    else if (e.key === " " && !e.target.closest("a, button, summary")) { held = !held; turn(0); }
    else return;
    e.preventDefault();
  });
  new MutationObserver(show).observe(live, { childList: true, subtree: true }); // when the log has grown
  setInterval(() => { if (!held && !document.hidden && performance.now() - since >= seconds * 1000) turn(1); }, 250);
  show();
}
