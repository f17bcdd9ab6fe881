"""A league manager: it registers agents, pairs them, orders matches, keeps the table and tells everybody."""

import argparse
import secrets
import threading
import time
from concurrent.futures import ThreadPoolExecutor

from fastapi import FastAPI

from wire import Request, Response, call, envelope, serve

app = FastAPI()


class Manager:
    def __init__(self, matches: int) -> None:
        self.players: dict[str, dict] = {}
        self.referees: dict[str, dict] = {}
        self.round, self.open = 0, 0  # rounds played, matches of this one without a result
        self.changed = threading.Condition()
        self.pool = ThreadPoolExecutor(matches)

    def register(self, kind: dict, prefix: str, meta: dict) -> tuple[str, str]:
        with self.changed:
            name = f"{prefix}{len(kind) + 1:02d}"
            kind[name] = {"id": name, "endpoint": meta["contact_endpoint"], "display_name": meta["display_name"],
                          "token": secrets.token_hex(16), "played": 0,
                          "standings": {"wins": 0, "draws": 0, "losses": 0, "points": 0}}
        return name, kind[name]["token"]

    def register_player(self, params: dict) -> dict:
        name, token = self.register(self.players, "P", params["player_meta"])
        return self.message("LEAGUE_REGISTER_RESPONSE", status="ACCEPTED", player_id=name, auth_token=token)

    def register_referee(self, params: dict) -> dict:
        name, token = self.register(self.referees, "REF", params["referee_meta"])
        return self.message("REFEREE_REGISTER_RESPONSE", status="ACCEPTED", referee_id=name, auth_token=token)

    def message(self, message_type: str, **members) -> dict:
        return envelope(message_type, "league_manager", league_id="league_python", **members)

    def report_match_result(self, params: dict) -> dict:
        """Counts a result, if the referee that reports it shows its token."""
        referee = self.referees.get(params["sender"].removeprefix("referee:"))
        if referee is None or not secrets.compare_digest(referee["token"], params["auth_token"]):
            return {"error": "AUTH_TOKEN_INVALID"}
        result = params["result"]
        with self.changed:
            for player, points in result["score"].items():
                row = self.players[player]["standings"]
                self.players[player]["played"] += 1
                row["points"] += points
                row[{0: "losses", 1: "draws", 3: "wins"}[points]] += 1
            self.open -= 1
            self.changed.notify_all()
        return self.message("MATCH_RESULT_ACK", status="ACCEPTED", match_id=params["match_id"])

    def table(self) -> list[dict]:
        rows = sorted(self.players.values(), key=lambda p: (-p["standings"]["points"], p["id"]))
        return [{"rank": n + 1, "player_id": p["id"], "display_name": p["display_name"], "played": p["played"],
                 **p["standings"]} for n, p in enumerate(rows)]

    def play(self, params: dict) -> dict:
        """Plays whole rounds for at least so many seconds."""
        began, matches = time.monotonic(), 0
        while time.monotonic() - began < params["seconds"]:
            matches += self.play_round()
        return {"matches": matches, "seconds": time.monotonic() - began}

    def play_round(self) -> int:
        self.round += 1
        pairs = pairing(list(self.players), self.round)
        orders = [(f"R{self.round}M{n + 1}", a, b) for n, (a, b) in enumerate(pairs)]
        self.tell("notify_round", self.message("ROUND_ANNOUNCEMENT", round_id=self.round, matches=[
            {"match_id": m, "player_A_id": a, "player_B_id": b} for m, a, b in orders]))
        self.open = len(orders)
        list(self.pool.map(lambda order: self.order(*order), orders))
        with self.changed:
            if not self.changed.wait_for(lambda: self.open == 0, timeout=120):
                raise TimeoutError(f"round {self.round}: {self.open} matches without a result")
        self.tell("update_standings", self.message(
            "LEAGUE_STANDINGS_UPDATE", round_id=self.round, standings=self.table()[:10]))
        self.tell("notify_round_completed", self.message("ROUND_COMPLETED", round_id=self.round, matches_played=len(orders)))
        return len(orders)

    def order(self, match: str, a: str, b: str) -> None:
        referee = next(iter(self.referees.values()))
        seat = lambda p: {key: self.players[p][key] for key in ("id", "endpoint", "standings")}
        call(referee["endpoint"], "start_match", self.message(
            "START_MATCH", round_id=self.round, match_id=match, game_type="even_odd", player_A=seat(a), player_B=seat(b)))

    def tell(self, method: str, message: dict) -> None:
        """Tells all players, several at a time."""
        list(self.pool.map(lambda p: call(p["endpoint"], method, message), self.players.values()))


def pairing(players: list[str], n: int) -> list[tuple[str, str]]:
    """The n-th round of everybody against everybody: one stays, the others move round."""
    first, rest = players[0], players[1:]
    rest = rest[n % len(rest):] + rest[:n % len(rest)]
    circle = [first, *rest]
    return [(circle[i], circle[-1 - i]) for i in range(len(circle) // 2)]


METHODS = {"register_player", "register_referee", "report_match_result", "play"}


@app.post("/mcp")
def mcp(request: Request) -> Response:
    if request.method not in METHODS:
        return Response(result={"error": "unknown method"}, id=request.id)
    return Response(result=getattr(manager, request.method)(request.params), id=request.id)


if __name__ == "__main__":
    flags = argparse.ArgumentParser()
    flags.add_argument("--matches", type=int, default=16)
    manager = Manager(flags.parse_args().matches)
    serve(app)
