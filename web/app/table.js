// The table of a league, for watch_league. Where the host passes calls on, the view asks for each further result
// itself, and so is live while the model waits or does something else.
const most = 50, states = {
  WAITING_FOR_REGISTRATIONS: "not started", CREATING_SCHEDULE: "about to start", RUNNING_LEAGUE: "running", PAUSED: "paused",
  LEAGUE_COMPLETED: "over",
};
let seen = -1, newest = [], over = false;

const name = (called, id) => make("bdi", {}, called || id || "?");
const column = (title, value) => ({ title, value });
const columns = [
  column("Played", (row) => row.played), column("Won", (row) => row.wins), column("Drawn", (row) => row.draws),
  column("Lost", (row) => row.losses), column("Points", (row) => row.points),
];

const line = (row) => make("tr", {},
  make("td", { class: "n rank" }, String(row.rank)),
  make("th", { scope: "row", class: "player" }, name(row.display_name, row.player_id), " ", make("small", { class: "soft" }, row.player_id)),
  ...columns.map((c) => make("td", { class: c.title === "Points" ? "n points" : "n" }, String(c.value(row) ?? 0))));

const table = (rows) => make("table", { class: "standings" },
  make("thead", {}, make("tr", {}, make("th", { class: "n" }, "#"), make("th", {}, "Player"),
    ...columns.map((c) => make("th", { class: "n" }, c.title)))),
  make("tbody", {}, ...rows.slice(0, most).map(line)));

const result = (match) => {
  const a = name(match.player_A_name, match.player_A_id), b = name(match.player_B_name, match.player_B_id);
  const lost = match.winner === match.player_A_id ? b : a, won = lost === a ? b : a;
  return make("li", {}, match.match_id + ": ", ...(match.winner ? [won, " beat ", lost] : [a, " and ", b, " drew"]));
};

const show = (league) => {
  if (!Number.isInteger(league.matches_completed) || league.matches_completed < seen) return;
  const rows = list(league.standings);
  newest = [...list(league.results).slice(-5).reverse(), ...newest].slice(0, 5);
  newest = newest.filter((match, i) => newest.findIndex((other) => other.match_id === match.match_id) === i);
  seen = league.matches_completed;
  over = league.state === "LEAGUE_COMPLETED";
  const far = league.total_matches ? `round ${league.round} of ${league.total_rounds} · ${seen} of ${league.total_matches} matches` :
    count(rows.length, "player");
  host.show(
    make("p", { class: "over", id: "state" }, `League ${states[league.state] || "running"} · ${far}`),
    rows.length ? table(rows) : make("p", { class: "soft" }, "Nobody has joined yet."),
    rows.length > most && make("p", { class: "soft" }, `Top ${most} of ${rows.length} shown.`),
    newest.length > 0 && make("ul", { class: "soft", "aria-label": "Newest results" }, ...newest.map(result)));
};

const stale = (why) => {
  document.getElementById("stale")?.remove();
  view.append(make("p", { class: "soft", id: "stale" }, "Not live just now: " + why));
};

const follow = async () => {
  for (let wait = 0; !over && !host.gone(); await rest(1000)) {
    if (document.hidden) continue;
    try {
      show(await host.call("watch_league", { since: Math.max(seen, 0), matches: 1, timeout_seconds: wait }));
      wait = 25;
    } catch (failed) {
      stale(failed.message);
      await rest(9000);
    }
  }
};

host.on("tool-result", (answer) => { try { show(host.told(answer)); } catch (failed) { stale(failed.message); } });
host.begin("league-table").then(() => { if (host.calls()) follow(); }).catch((failed) => stale(failed.message));
