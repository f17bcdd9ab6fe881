"""A referee: it invites both players, asks them, draws, tells them, reports."""

import argparse
import random
from concurrent.futures import ThreadPoolExecutor

from fastapi import FastAPI

from wire import Request, Response, call, envelope, serve

app = FastAPI()


class Referee:
    def __init__(self, manager: str, matches: int) -> None:
        self.manager, self.matches = manager, matches
        self.id, self.token = "", ""
        self.playing = ThreadPoolExecutor(matches)  # so many matches at a time
        self.asking = ThreadPoolExecutor(2 * matches)  # both players of each of them at once

    def register(self, base: str) -> None:
        answer = call(self.manager, "register_referee", envelope("REFEREE_REGISTER_REQUEST", "referee:new", referee_meta={
            "display_name": "Referee", "version": "1.0.0", "game_types": ["even_odd"], "contact_endpoint": base + "/mcp",
            "max_concurrent_matches": self.matches,
        }))
        self.id, self.token = answer["referee_id"], answer["auth_token"]

    def start_match(self, order: dict) -> dict:
        self.playing.submit(self.play, order)
        return self.message("START_MATCH_ACK", order, status="ACCEPTED")

    def message(self, message_type: str, order: dict, **members) -> dict:
        return envelope(message_type, f"referee:{self.id}", auth_token=self.token, league_id=order["league_id"],
                        round_id=order["round_id"], match_id=order["match_id"], **members)

    def play(self, order: dict) -> None:
        """Plays one match and reports how it ended."""
        pair = [order["player_A"], order["player_B"]]
        self.ask(pair, "handle_game_invitation", lambda me, other: self.message(
            "GAME_INVITATION", order, game_type="even_odd", player_id=me["id"], opponent_id=other["id"],
            role_in_match="PLAYER_A" if me is pair[0] else "PLAYER_B"))
        chosen = self.ask(pair, "choose_parity", lambda me, other: self.message(
            "CHOOSE_PARITY_CALL", order, game_type="even_odd", player_id=me["id"],
            context={"opponent_id": other["id"], "round_id": order["round_id"], "your_standings": me["standings"]}))
        result = judge(pair, [c["parity_choice"] for c in chosen])
        self.ask(pair, "notify_match_result", lambda me, other: self.message("GAME_OVER", order, game_result=result))
        call(self.manager, "report_match_result", self.message("MATCH_RESULT_REPORT", order, result=result))

    def ask(self, pair: list[dict], method: str, message) -> list[dict]:
        """Asks both players at once and returns their answers."""
        a, b = pair
        first = self.asking.submit(call, a["endpoint"], method, message(a, b))
        second = self.asking.submit(call, b["endpoint"], method, message(b, a))
        return [first.result(), second.result()]


def judge(pair: list[dict], choices: list[str]) -> dict:
    """Draws a number from 1 to 10: whoever alone guessed its parity wins."""
    number = random.randint(1, 10)
    parity = "even" if number % 2 == 0 else "odd"
    right = [p["id"] for p, c in zip(pair, choices) if c == parity]
    winner = right[0] if len(right) == 1 else None
    points = {p["id"]: 1 if winner is None else 3 * (p["id"] == winner) for p in pair}
    return {"status": "WIN" if winner else "DRAW", "winner_player_id": winner, "drawn_number": number,
            "number_parity": parity, "choices": {p["id"]: c for p, c in zip(pair, choices)}, "score": points}


@app.post("/mcp")
async def mcp(request: Request) -> Response:
    if request.method != "start_match":
        return Response(result={"error": "unknown method"}, id=request.id)
    return Response(result=referee.start_match(request.params), id=request.id)


if __name__ == "__main__":
    flags = argparse.ArgumentParser()
    flags.add_argument("--manager", required=True)
    flags.add_argument("--matches", type=int, default=16)
    options = flags.parse_args()
    referee = Referee(options.manager, options.matches)
    serve(app, referee.register)
