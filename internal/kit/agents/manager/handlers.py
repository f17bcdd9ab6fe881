"""The league manager: it registers agents, plays the rounds and computes the table."""

import secrets
import threading
import time

import scheduler
import wire

SENDER = "league_manager"
OTHER_SECONDS = 10
PATIENCE = 120  # seconds without a report, after which a match is ordered once more
POINTS = {"WIN": 3, "DRAW": 1, "LOSS": 0}


class Manager:
    def __init__(self, league_id, players, referees, game_type="even_odd"):
        self.league, self.wanted, self.game = league_id, {"player": players, "referee": referees}, game_type
        self.changed = threading.Condition()
        self.agents = {"player": {}, "referee": {}}  # by id: endpoint, token, display_name
        self.rounds, self.round, self.results, self.open = [], 0, {}, False
        self.handlers = {
            "register_referee": lambda params: self.register("referee", params),
            "register_player": lambda params: self.register("player", params),
            "report_match_result": self.report_match_result, "league_query": self.league_query,
            "get_standings": self.get_standings, "create_schedule": self.create_schedule,
        }

    # Registration

    def register(self, role, params):
        meta = f"{role}_meta"
        wire.need(params, f"{meta}.display_name", f"{meta}.version", f"{meta}.game_types", f"{meta}.contact_endpoint")
        meta = params[meta]
        with self.changed:
            agents = self.agents[role]
            known = next((i for i, a in agents.items() if a["endpoint"] == meta["contact_endpoint"]), None)
            if known is None:
                refusal = self.refusal(role, meta)
                if refusal:
                    return self.answer(role, params, "REJECTED", reason=refusal)
                known = f"REF{len(agents) + 1:02d}" if role == "referee" else f"P{len(agents) + 1:02d}"
                agents[known] = {"endpoint": meta["contact_endpoint"], "token": f"tok_{role}_{known}_{secrets.token_hex(16)}",
                                 "display_name": meta["display_name"], "capacity": meta.get("max_concurrent_matches", 1)}
                print(f"{meta['display_name']} has joined as {known}", flush=True)
                self.changed.notify_all()
            return self.answer(role, params, "ACCEPTED", known, agents[known]["token"])

    def refusal(self, role, meta):
        """Return why an agent is not admitted, or None."""
        if str(meta.get("protocol_version", "2.1.0")).removeprefix("league.v") < "2":
            return "protocol_version is older than 2.0.0 (E018)"
        if self.open or len(self.agents[role]) >= self.wanted[role]:
            return "registration is closed" if self.open else f"the league has all its {role}s"
        if self.game not in meta["game_types"]:
            return f"this league plays {self.game}"
        if any(a["display_name"] == meta["display_name"] for a in self.agents[role].values()):
            return f"the name {meta['display_name']!r} is taken"
        return None

    def answer(self, role, params, status, agent=None, token=None, reason=None):
        kind = "LEAGUE_REGISTER_RESPONSE" if role == "player" else "REFEREE_REGISTER_RESPONSE"
        return wire.message(kind, SENDER, params.get("conversation_id", "conv-reg"), status=status, auth_token=token,
                            league_id=self.league if agent else None, reason=reason, **{f"{role}_id": agent})

    def authenticate(self, params, *roles):
        """Return the id of the sender; raise E011, E005, E013 or E012."""
        role, _, agent = str(params.get("sender", "")).partition(":")
        number = 5001 if roles == ("referee",) else 6001
        if not params.get("auth_token"):
            raise wire.LeagueError("E011", "AUTH_TOKEN_MISSING", number, "auth_token is missing")
        known = self.agents.get(role, {}).get(agent) if role in roles else None
        if known is None and roles == ("referee",):
            raise wire.LeagueError("E013", "REFEREE_NOT_REGISTERED", 5001, "no such referee has registered")
        if known is None:
            raise wire.LeagueError("E005", "PLAYER_NOT_REGISTERED", 3002, "no such agent has registered")
        if not secrets.compare_digest(known["token"].encode(), str(params["auth_token"]).encode()):
            raise wire.LeagueError("E012", "AUTH_TOKEN_INVALID", number, "this is not the token of the sender")
        return agent

    # Results and questions

    def report_match_result(self, params):
        referee = self.authenticate(params, "referee")
        wire.need(params, "match_id", "result", "result.details")
        with self.changed:
            match = next((m for m in self.matches() if m["match_id"] == params["match_id"]), None)
            if match is None or match.get("referee_id") != referee:
                raise wire.LeagueError("E006", "MATCH_NOT_FOUND", 5002, f"{params['match_id']!r} is no match of {referee}")
            winner, players = params["result"].get("winner"), (match["player_A_id"], match["player_B_id"])
            if winner is not None and winner not in players:
                raise wire.LeagueError("E002", "INVALID_MESSAGE", -32602, "result.winner is no player of the match")
            status = params["result"]["details"].get("status") or ("WIN" if winner else "DRAW")
            result = {"winner": winner, "status": status}
            if self.results.setdefault(match["match_id"], result) != result:
                raise wire.LeagueError("E025", "DUPLICATE_REPORT", 5003, "the match has another result")
            self.changed.notify_all()
        return wire.message("MATCH_RESULT_ACK", SENDER, params.get("conversation_id", "conv-report"), status="ACCEPTED",
                            match_id=match["match_id"], round_id=match["round_id"])

    def standings(self):
        rows = {i: {"player_id": i, "display_name": a["display_name"], "played": 0, "wins": 0, "draws": 0, "losses": 0, "points": 0}
                for i, a in self.agents["player"].items()}
        for match in self.matches():
            result = self.results.get(match["match_id"])
            for player in (match["player_A_id"], match["player_B_id"]) if result else ():
                drawn = result["winner"] is None and result["status"] != "TECHNICAL_LOSS"
                ending = "DRAW" if drawn else "WIN" if result["winner"] == player else "LOSS"
                rows[player]["played"] += 1
                rows[player][{"WIN": "wins", "DRAW": "draws", "LOSS": "losses"}[ending]] += 1
                rows[player]["points"] += POINTS[ending]
        table = sorted(rows.values(), key=lambda r: (-r["points"], -r["wins"], -r["draws"], r["player_id"]))
        return [{"rank": rank, **row} for rank, row in enumerate(table, 1)]

    def matches(self):
        return [match for one in self.rounds for match in one]

    def get_standings(self, params):
        standings = self.standings()
        return wire.message("LEAGUE_QUERY_RESPONSE", SENDER, params.get("conversation_id", "conv-query"), success=True,
                            query_type="GET_STANDINGS", data={"standings": standings, "current_round": self.round},
                            standings=standings, current_round=self.round)

    def create_schedule(self, params):
        return self.query(params, "GET_SCHEDULE", {"schedule": [
            {"round_id": n, "matches": matches} for n, matches in enumerate(self.rounds, 1)]})

    def query(self, params, query_type, data):
        return wire.message("LEAGUE_QUERY_RESPONSE", SENDER, params.get("conversation_id", "conv-query"), success=True,
                            query_type=query_type, data=data)

    def league_query(self, params):
        sender = self.authenticate(params, "player", "referee")
        wire.need(params, "query_type")
        kind, player = params["query_type"], (params.get("query_params") or {}).get("player_id", sender)
        if kind == "GET_STANDINGS":
            return self.get_standings(params)
        if kind == "GET_SCHEDULE":
            return self.create_schedule(params)
        if kind == "GET_STATUS":
            return self.query(params, kind, {"status": {"current_round": self.round, "total_rounds": len(self.rounds),
                                                        "matches_completed": len(self.results)}})
        if kind == "GET_NEXT_MATCH":
            left = [m for m in self.matches() if player in (m["player_A_id"], m["player_B_id"]) and m["match_id"] not in self.results]
            return self.query(params, kind, {"next_match": left[0] if left else None})
        if kind == "GET_PLAYER_STATS":
            return self.query(params, kind, {"player_stats": next((r for r in self.standings() if r["player_id"] == player), None)})
        raise wire.LeagueError("E026", "UNKNOWN_QUERY", 6002, f"there is no query {kind!r}")

    # The league

    def play(self):
        """Play the league once all agents have registered."""
        with self.changed:
            self.changed.wait_for(lambda: all(len(self.agents[role]) >= n for role, n in self.wanted.items()))
            self.open = True
        self.rounds = scheduler.create_schedule(list(self.agents["player"]), self.game)
        for self.round, matches in enumerate(self.rounds, 1):
            self.play_round(matches)
        standings = self.standings()
        champion = {key: standings[0][key] for key in ("player_id", "display_name", "points")}
        self.broadcast("notify_league_completed", "LEAGUE_COMPLETED", "conv-league-complete", ("player", "referee"),
                       total_rounds=len(self.rounds), total_matches=len(self.results), champion=champion,
                       final_standings=standings)
        return standings

    def play_round(self, matches):
        referees = list(self.agents["referee"].items())
        for n, match in enumerate(matches):
            referee, agent = referees[n % len(referees)]
            match.update(referee_id=referee, referee_endpoint=agent["endpoint"])
        self.broadcast("notify_round", "ROUND_ANNOUNCEMENT", f"conv-round-{self.round}-announce", round_id=self.round,
                       matches=matches)
        for match in matches:
            threading.Thread(target=self.order, args=(match,), daemon=True).start()
        with self.changed:
            self.changed.wait_for(lambda: all(m["match_id"] in self.results for m in matches))
        done = [self.results[m["match_id"]] for m in matches]
        losses = sum(r["status"] == "TECHNICAL_LOSS" for r in done)
        wins = sum(r["winner"] is not None and r["status"] != "TECHNICAL_LOSS" for r in done)
        self.broadcast("update_standings", "LEAGUE_STANDINGS_UPDATE", f"conv-round-{self.round}-standings", round_id=self.round,
                       standings=self.standings())
        self.broadcast("notify_round_completed", "ROUND_COMPLETED", f"conv-round-{self.round}-complete", round_id=self.round,
                       matches_completed=len(done), matches_played=len(done),
                       next_round_id=self.round + 1 if self.round < len(self.rounds) else None,
                       summary={"total_matches": len(done), "wins": wins, "draws": len(done) - wins - losses,
                                "technical_losses": losses})

    def order(self, match):
        """Order a match until its result is reported."""
        table = {row["player_id"]: row for row in self.standings()}

        def contender(player):
            agent, row = self.agents["player"][player], table[player]
            return {"id": player, "endpoint": agent["endpoint"], "display_name": agent["display_name"],
                    "standings": {key: row[key] for key in ("wins", "losses", "draws", "points")}}

        order = wire.message("START_MATCH", SENDER, f"conv-{match['match_id'].lower()}-start", league_id=self.league,
                             round_id=match["round_id"], match_id=match["match_id"], game_type=self.game, attempt=1,
                             player_A=contender(match["player_A_id"]), player_B=contender(match["player_B_id"]))
        while match["match_id"] not in self.results:
            taken = False
            try:
                answer = wire.call(match["referee_endpoint"], "start_match", order, OTHER_SECONDS)
                taken = answer.get("status") != "BUSY"
            except wire.CallError as error:
                print(f"{match['match_id']}: {error.detail}", flush=True)
            with self.changed:
                self.changed.wait_for(lambda: match["match_id"] in self.results, timeout=PATIENCE if taken else 2)

    def broadcast(self, method, message_type, conversation, roles=("player",), **members):
        """Send news to all agents at the same time. Agents that do not answer do not delay the league."""
        def send(endpoint):
            try:
                wire.call(endpoint, method, wire.message(message_type, SENDER, conversation, league_id=self.league, **members),
                          OTHER_SECONDS)
            except wire.CallError:
                time.sleep(0)  # news is not repeated
        threads = [threading.Thread(target=send, args=(agent["endpoint"],), daemon=True)
                   for role in roles for agent in self.agents[role].values()]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(OTHER_SECONDS)
