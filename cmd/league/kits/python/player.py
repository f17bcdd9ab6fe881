"""A player for a league.v2 league, in Python 3.9 or newer and nothing else: python3 player.py --port 8101"""
import argparse, random, threading, traceback
import wire

def choose(options, context, history):
    """Your strategy: return one of options. README.md tells what is in context and history."""
    return random.choice(options)

seats, history, thinking = {}, [], threading.Lock()  # open seats by match and attempt; finished matches

def seat(p):  # only the referee that sent the invitation knows the token of the match
    found = seats.get((p["match_id"], p.get("attempt")))
    if not found:
        raise wire.Refused("E006", "no invitation to match %s has come" % p["match_id"])
    if found["token"] != p.get("auth_token"):
        raise wire.Refused("E012", "that is not the token of the match's referee")
    return found

def invited(p):
    new = {"token": p.get("auth_token"), "opponent": p.get("opponent_id") or "", "choices": {}}
    seats.setdefault((p["match_id"], p.get("attempt")), new)
    seat(p)
    wire.me["state"] = "IN_MATCH"
    return {"arrival_timestamp": wire.now(), "accept": True}

def decide(p, options, context):  # one choice per turn: who asks again gets the same
    s, turn, pick = seat(p), p.get("turn"), None
    with thinking:
        if turn not in s["choices"]:
            try:
                pick = choose(options, {**(context or {}), "game_type": p.get("game_type"), "opponent_id": s["opponent"]}, history)
            except Exception:
                traceback.print_exc()
            if pick not in options:
                print("choose gave %r, not one of %r: playing the first" % (pick, options), flush=True)
                pick = options[0]
            s["choices"][turn], wire.me["state"] = pick, "WAITING_FOR_RESULT"
        return s["choices"][turn]

def parity(p):
    pick = decide(p, ["even", "odd"], p.get("context"))
    return {"parity_choice": pick, "choice": pick}

def move(p):
    r = p["move_request"]
    if not r.get("valid_options"):
        raise wire.Refused("E003", "the field move_request.valid_options is missing")
    return {"move_data": {"move_type": r.get("move_type"), "choice": decide(p, r["valid_options"], r.get("context"))}}

def game_over(p):
    key, r = (p["match_id"], p.get("attempt")), p.get("game_result") or {}
    known = seat(p) if key in seats else {}
    opponent, choices, me = p.get("opponent_id") or known.get("opponent", ""), r.get("choices") or {}, wire.me["id"]
    result = p.get("result")
    if not isinstance(result, str):  # some referees tell it in game_result only
        result = "WIN" if r.get("winner_player_id") == me else "DRAW" if r.get("status") == "DRAW" else "LOSS"
    history[:] = [m for m in history if m["match_id"] != p["match_id"]] + [{
        "match_id": p["match_id"], "round_id": p.get("round_id") or 1, "timestamp": wire.now(), "opponent_id": opponent, "result": result,
        "my_choice": choices.get(me), "opponent_choice": choices.get(opponent), "drawn_number": r.get("drawn_number")}]
    seats.pop(key, None)
    wire.me["state"] = "WAITING_FOR_ROUND"
    print("%s against %s: %s. %s" % (p["match_id"], opponent, result, r.get("reason") or ""), flush=True)

def game_error(p):
    print("%s: %s %s" % (p.get("match_id"), p["error_code"], p.get("error_description") or ""), flush=True)

def league_over(p):
    if wire.me["league"] and p.get("league_id") == wire.me["league"]:  # the process ends when this is answered
        wire.me["agent_state"] = "SHUTDOWN"
        print("The league is over. Champion: %s" % (p.get("champion") or {}).get("display_name"), flush=True)

def tell_state(p):
    won, drawn = (sum(m["result"] == word for m in history) for word in ("WIN", "DRAW"))
    stats = {"total_matches": len(history), "wins": won, "draws": drawn, "losses": len(history) - won - drawn}
    return {"display_name": wire.me["name"], "state": wire.me["state"], "agent_state": wire.me["agent_state"], "stats": stats, "history": history}

def noted(p):
    pass

METHODS = {  # what is called: our answer, the fields that it cannot do without, who writes the answer
    "handle_game_invitation": ("GAME_JOIN_ACK", "match_id", invited),
    "choose_parity": ("CHOOSE_PARITY_RESPONSE", "match_id", parity),
    "game_move": ("GAME_MOVE_RESPONSE", "match_id move_request", move),
    "notify_match_result": ("GAME_OVER_ACK", "match_id", game_over),
    "notify_game_error": ("GAME_ERROR_ACK", "error_code", game_error),
    "notify_round": ("ROUND_ANNOUNCEMENT_ACK", "round_id matches", lambda p: wire.me.update(agent_state="ACTIVE")),
    "update_standings": ("STANDINGS_UPDATE_ACK", "standings", noted),
    "notify_round_completed": ("ROUND_COMPLETED_ACK", "round_id", noted),
    "notify_league_completed": ("LEAGUE_COMPLETED_ACK", "", league_over),
    "get_player_state": ("PLAYER_STATE", "", tell_state),
    "ping": ("PONG", "", lambda p: {"status": "healthy", "agent": "player:" + wire.me["id"]}),
}

if __name__ == "__main__":
    flags = argparse.ArgumentParser()
    flags.add_argument("--port", type=int, default=8101, help="0 takes a free one")
    flags.add_argument("--manager", default="http://localhost:8000/mcp")
    flags.add_argument("--name", default="__NAME__")
    args = flags.parse_args()
    wire.play(args.name, args.port, args.manager, METHODS)
