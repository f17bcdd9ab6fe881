// A seat's turn, for wait_for_turn: the board or the moves as buttons. A click plays through the host. From then on
// the view waits for the next turn itself; before that it asks nothing, since the news are the model's to hear.
let key, ends = 0, busy = false, mine = false, shown = {}, news = [];
const words = {
  waiting: "Waiting for your turn", played: "You have played", league_over: "The league is over", left: "You have left your seat",
  not_registered: "Not in the league yet",
};
const about = (args) => key ? { key, ...args } : args;

const told = (report) => {
  news = [...news, ...list(report.news)].slice(-5);
  return news.length > 0 && make("ul", { "aria-label": "News" }, ...news.map((one) => make("li", {}, String(one.text))));
};

const standing = ({ standing: row, players }) => row && row.played > 0 &&
  make("p", { class: "soft" }, `You are number ${row.rank} of ${players}, with ${count(row.points, "point")}.`);

const move = (choice, label) => make("button", {
  type: "button", class: label ? "" : "button option", "data-move": choice, "aria-label": label || false, click: () => play(choice),
}, label ? "" : make("bdi", {}, choice));

// grid is the board of a game that has one, and the moves that are cells of it.
const grid = (turn) => {
  const board = list(turn.view && turn.view.board), width = Math.sqrt(board.length), choices = host.calls() ? list(turn.choices).map(String) : [];
  if (!board.length || !Number.isInteger(width) || width > 19) return null;
  const cell = (mark, at) => choices.includes(String(at)) ? make("td", {}, move(String(at), `Cell ${at}`)) :
    make("td", { class: mark === "X" || mark === "O" ? "mark-" + mark : "" }, String(mark));
  const row = (_, r) => make("tr", {}, ...board.slice(r * width, (r + 1) * width).map((mark, c) => cell(mark, r * width + c)));
  return make("table", { class: "board", "aria-label": "The board" }, make("tbody", {}, ...Array.from({ length: width }, row)));
};

const moves = (turn) => {
  const board = grid(turn);
  if (!host.calls()) {
    return make("div", { id: "moves" }, board, make("p", {}, "Legal moves: " + list(turn.choices).join(", ") + ". This host passes no click on; " +
      "tell the model what to play."));
  }
  const others = list(turn.choices).map(String).filter((choice) => !board || !board.querySelector(`[data-move="${CSS.escape(choice)}"]`));
  return make("div", { id: "moves" }, board, others.length > 0 && make("p", { class: "options" }, ...others.map((choice) => move(choice))));
};

const past = (one) => make("li", {}, `${one.match_id}: ${list(one.moves).join(", ") || "nothing"}${one.result ? ` (${one.result})` : ""}`);

const question = (turn) => [
  make("p", { class: "over" }, `Your turn · ${turn.match_id} · ${turn.game_type}`),
  make("h1", {}, turn.view && turn.view.mark ? `You are ${turn.view.mark}, against ` : "Against ",
    make("bdi", { id: "opponent" }, turn.opponent_name || turn.opponent_id), turn.opponent_name ? ` (${turn.opponent_id})` : ""),
  turn.refused && make("p", { class: "alert" }, "Your move was not accepted: " + turn.refused),
  make("p", { class: "countdown" }, make("progress", { max: Math.max(turn.seconds_left, 1), "aria-label": "Time left" }),
    make("strong", { class: "left", role: "timer" })),
  moves(turn),
  turn.score && make("p", { class: "soft" }, `You have ${count(turn.score.you, "point")}, your opponent ${turn.score.opponent}.`),
  turn.rules && make("details", { id: "rules" }, make("summary", {}, "Rules"), make("p", {}, turn.rules)),
  list(turn.opponent_played).length > 0 && make("details", {}, make("summary", {}, "What your opponent played"),
    make("ul", {}, ...turn.opponent_played.map(past))),
];

const wait = (label) => host.calls() && make("p", { id: "wait" }, make("button", { type: "button", class: "button", click: follow }, label));

const show = (report) => {
  if (typeof report.status !== "string") return;
  shown = report;
  const turn = report.turn;
  if (turn) ends = Math.min(Date.now() + turn.seconds_left * 1000, Date.parse(turn.deadline) || Infinity);
  const still = report.status === "waiting" || report.status === "not_registered";
  host.show(...(turn ? question(turn) : [make("h1", { id: "status" }, words[report.status] || report.status)]), told(report),
    standing(report), !turn && still && !mine && wait("Wait here for my turn"));
  tick();
};

const complain = (why) => {
  document.getElementById("problem")?.remove();
  view.append(make("p", { class: "alert", id: "problem", role: "alert" }, why));
};

const tick = () => {
  const clock = view.querySelector(".countdown");
  if (!clock) return;
  const left = Math.max(0, (ends - Date.now()) / 1000);
  clock.querySelector("progress").value = left;
  clock.querySelector(".left").textContent = Math.ceil(left) + " s";
  clock.classList.toggle("hurry", left < 6);
  if (left > 0 || busy) return;
  if (mine) follow();
  else if (!document.getElementById("wait")) view.append(wait("Time is up: show what happened") || "");
};

const alone = async (work) => {
  if (busy) return;
  busy = mine = true;
  for (const b of view.querySelectorAll("button")) b.disabled = true;
  try { await work(); } catch (failed) {
    complain(failed.message);
    if (!shown.turn && !document.getElementById("wait")) view.append(wait("Try again") || "");
  }
  for (const b of view.querySelectorAll("button")) b.disabled = false;
  busy = false;
};

const next = async () => {
  for (; !host.gone(); await rest(1000)) {
    show(await host.call("wait_for_turn", about({ wait_seconds: 25 }), true));
    if (shown.turn && ends > Date.now() || shown.status === "league_over" || shown.status === "left") return;
  }
};
const follow = () => alone(next);
const play = (choice) => alone(async () => {
  show(await host.call("make_move", about({ turn_id: shown.turn.turn_id, move: choice }), true));
  if (!shown.turn) await next();
});

host.on("tool-input", (input) => { key = (input.arguments || {}).key || key; });
host.on("tool-result", (answer) => { try { show(host.told(answer)); } catch (failed) { complain(failed.message); } });
host.on("tool-cancelled", () => { if (!mine) complain("The call was cancelled."); });
host.begin("league-turn").then(() => setInterval(tick, 250)).catch((failed) => complain(failed.message));
