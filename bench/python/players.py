"""Players that choose at random, several in a process, each at a path of its own."""

import argparse
import random
from datetime import datetime, timezone

from fastapi import FastAPI

from wire import Request, Response, call, envelope, serve

app = FastAPI()
players: dict[str, "Player"] = {}  # by the number in their path


class Player:
    def __init__(self) -> None:
        self.id, self.token = "", ""
        self.history: list[dict] = []

    def register(self, manager: str, endpoint: str, name: str) -> None:
        answer = call(manager, "register_player", envelope("LEAGUE_REGISTER_REQUEST", "player:new", player_meta={
            "display_name": name, "version": "1.0.0", "game_types": ["even_odd"], "contact_endpoint": endpoint,
        }))
        self.id, self.token = answer["player_id"], answer["auth_token"]

    def answer(self, message_type: str, to: dict, **members) -> dict:
        return envelope(message_type, f"player:{self.id}", auth_token=self.token, match_id=to.get("match_id"),
                        player_id=self.id, **members)

    def handle_game_invitation(self, params: dict) -> dict:
        return self.answer("GAME_JOIN_ACK", params, accept=True, arrival_timestamp=datetime.now(timezone.utc).isoformat())

    def choose_parity(self, params: dict) -> dict:
        return self.answer("CHOOSE_PARITY_RESPONSE", params, parity_choice=random.choice(["even", "odd"]))

    def notify_match_result(self, params: dict) -> dict:
        self.history.append(params["game_result"])
        return self.answer("GAME_OVER_ACK", params, status="ACKNOWLEDGED")

    def news(self, params: dict) -> dict:
        return self.answer(params["message_type"] + "_ACK", params, status="ACKNOWLEDGED")

    notify_round = update_standings = notify_round_completed = news


METHODS = {"handle_game_invitation", "choose_parity", "notify_match_result", "notify_round", "update_standings",
           "notify_round_completed"}


@app.post("/p/{number}/mcp")
async def mcp(number: str, request: Request) -> Response:
    if request.method not in METHODS:
        return Response(result={"error": "unknown method"}, id=request.id)
    return Response(result=getattr(players[number], request.method)(request.params), id=request.id)


if __name__ == "__main__":
    flags = argparse.ArgumentParser()
    flags.add_argument("--manager", required=True)
    flags.add_argument("--players", type=int, default=25)
    options = flags.parse_args()

    def register(base: str) -> None:
        for n in range(options.players):
            players[str(n)] = player = Player()
            player.register(options.manager, f"{base}/p/{n}/mcp", f"Agent {n}")

    serve(app, register)
