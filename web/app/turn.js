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

const move = (choice, label, text) => make("button", {
  type: "button", class: label ? "" : "button option", "data-move": choice, "aria-label": label || false, click: () => play(choice),
}, label ? text : make("bdi", {}, choice));

// rowsOf are the rows of a board: as they are told, or those of a square; none if it is neither.
const rowsOf = (board) => {
  const side = Math.sqrt(board.length);
  const rows = board.every(Array.isArray) ? board : Number.isInteger(side) ? Array.from({ length: side }, (_, r) => board.slice(r * side, (r + 1) * side)) : [];
  return rows.length > 0 && rows[0].length > 0 && rows.length * rows[0].length <= 1024 && rows.every((row) => row.length === rows[0].length) ? rows : [];
};

// grid is the board of a game that has one, and the moves that are cells or columns of it: as the pages decide it.
const grid = (turn) => {
  const told = turn.view || {}, rows = rowsOf(list(told.board)), choices = host.calls() ? list(turn.choices).map(String) : [];
  if (!rows.length) return null;
  const width = rows[0].length, numbers = choices.map(Number), below = rows.slice(1).flat().includes("");
  const placed = numbers.length > 0 && numbers.every((n) => Number.isInteger(n) && n >= 0 && n < width * rows.length);
  const columns = placed && below && numbers.every((n) => n < width);
  const heads = list(told.board_columns), names = list(told.board_rows);
  const named = names.length === rows.length, sheet = named && rows.length <= 4 && width > 1;
  const longest = Math.max(...rows.flat().map((text) => String(text).length)), size = [1, 2, 4, 8].find((most) => longest <= most) || 16;
  const kind = sheet ? "sheet" : longest <= 1 && width >= 5 && rows.length >= 5 ? "discs" : longest > 3 ? "tiles" : "squares";
  const mark = (text) => text === "" ? "free" : text === "?" ? "back" : /^[XRx]$/.test(text) ? "m1" : "m2";
  const cell = (text, at) => make("td", { class: sheet ? "plain" : mark(String(text)) },
    placed && !columns && choices.includes(String(at)) ? move(String(at), `Cell ${at}`, String(text)) : String(text));
  const head = (at) => make("th", { scope: "col" }, columns && choices.includes(String(at)) ? move(String(at), `Column ${at + 1}`, String(heads[at] ?? at + 1)) : String(heads[at] ?? ""));
  const top = (columns || heads.length === width) && make("thead", {}, make("tr", {}, named && make("td"), ...rows[0].map((_, at) => head(at))));
  const line = (row, r) => make("tr", {}, named && make("th", { scope: "row" }, String(names[r])), ...row.map((text, c) => cell(text, r * width + c)));
  return make("div", { class: "board-box" }, make("table", {
    class: `board ${kind} n${Math.min(width + (named ? 1 : 0), 20)} t${size}`, "aria-label": "The board",
  }, top, make("tbody", {}, ...rows.map(line))));
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
