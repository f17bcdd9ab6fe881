"""A player for a league.v2 league, in Python 3.9 or newer and nothing else: python3 player.py --port 8101"""
import argparse, random, threading, traceback
import matches, trust, wire

def choose(options, context, history):
    """Your strategy: return one of options. README.md says what is in context and history."""
    return random.choice(options)

history, sure, thinking = [], set(), threading.Lock()  # finished matches; those whose end is sure; choose is asked once at a time

def think(options, context):  # what choose says, or the first option if it fails or says what is no option
    with thinking:
        pick = None
        try:
            pick = choose(options, context, history)
        except Exception:
            traceback.print_exc()
        if pick not in options:
            print("choose gave %r, not one of %r: playing the first" % (pick, options), flush=True)
            pick = options[0]
        wire.me["state"] = "WAITING_FOR_RESULT"
        return options[options.index(pick)]

def decide(p, options, context):  # the answer in two parts: what choose says, and what proves it
    said = matches.decide(p, options, lambda opponent: think(options, {**(context or {}), "game_type": p.get("game_type"), "opponent_id": opponent}))
    return said["pick"], {"proof": said["proof"]} if "proof" in said else {}

def invited(p):
    matches.invite(p)
    wire.me["state"] = "IN_MATCH"
    return {"arrival_timestamp": wire.now(), "accept": True}

def parity(p):
    pick, proof = decide(p, ["even", "odd"], p.get("context"))
    return {"parity_choice": pick, "choice": pick, **proof}

def move(p):
    r = p["move_request"]
    if not r.get("valid_options"):
        raise wire.Refused("E003", "the field move_request.valid_options is missing")
    pick, proof = decide(p, r["valid_options"], r.get("context"))
    return {"game_type": p.get("game_type") or "", "move_data": {"move_type": r.get("move_type"), "choice": pick}, **proof}

def game_over(p):
    match, r, me = p["match_id"], p.get("game_result") or {}, wire.me["id"]
    result = p.get("result")
    if not isinstance(result, str):  # some referees tell it in game_result only
        result = "WIN" if r.get("winner_player_id") == me else "DRAW" if r.get("status") == "DRAW" else "LOSS"
    known = any(m["match_id"] == match and m["result"] == result for m in history)
    opponent, certain = matches.end(p, known)
    if not certain and (known or match in sure):
        return
    opponent, choices = p.get("opponent_id") or opponent, r.get("choices") or {}
    history[:] = [m for m in history if m["match_id"] != match] + [{
        "match_id": match, "round_id": p.get("round_id") or 1, "timestamp": wire.now(), "opponent_id": opponent, "result": result,
        "my_choice": choices.get(me), "opponent_choice": choices.get(opponent), "drawn_number": r.get("drawn_number")}]
    sure.update([match] if certain else [])
    wire.me["state"] = "WAITING_FOR_ROUND"
    print("%s against %s: %s. %s%s" % (match, wire.named(opponent), result, r.get("reason") or "", "" if result in ("WIN", "DRAW") else wire.page(match)), flush=True)

def game_error(p):
    if wire.me["match_tokens"]:
        matches.find(p)  # refuses a stranger
    why = p.get("detail") or (p.get("context") or {}).get("detail") or p.get("error_description") or ""
    advice = ". What to do: %s" % p["suggestion"] if p.get("suggestion") else ""
    print("%s: %s %s%s" % (p.get("match_id"), p["error_code"], why, advice), flush=True)

def announced(p):
    matches.announce(p["matches"])
    trust.hear(p)
    wire.me["agent_state"] = "ACTIVE"

def league_over(p):
    trust.hear(p)
    if wire.me["league"] and p.get("league_id") == wire.me["league"]:
        table = [s for s in p.get("final_standings") or [] if isinstance(s, dict)]
        rank = [" You are number %s of %s." % (s.get("rank"), p.get("total") or len(table)) for s in table if s.get("player_id") == wire.me["id"]]
        print("The league is over. Champion: %s.%s" % ((p.get("champion") or {}).get("display_name"), "".join(rank)), flush=True)
        if trust.goes_on(p.get("next_league_id")):  # the next season begins with an empty history
            history.clear(), sure.clear()
        else:
            wire.me["agent_state"] = "SHUTDOWN"  # the process ends when this is answered
    return {"status": "ACKNOWLEDGED", **trust.last_word(p.get("head"))}

def tell_state(p):
    won, drawn = (sum(m["result"] == word for m in history) for word in ("WIN", "DRAW"))
    stats = {"total_matches": len(history), "wins": won, "draws": drawn, "losses": len(history) - won - drawn}
    return {"display_name": wire.me["name"], "state": wire.me["state"], "agent_state": wire.me["agent_state"], "stats": stats, "history": history}

METHODS = {  # what is called: our answer, the fields that it cannot do without, who writes the answer
    "handle_game_invitation": ("GAME_JOIN_ACK", "match_id", invited),
    "choose_parity": ("CHOOSE_PARITY_RESPONSE", "match_id", parity),
    "game_move": ("GAME_MOVE_RESPONSE", "match_id move_request", move),
    "notify_match_result": ("GAME_OVER_ACK", "match_id", game_over),
    "notify_game_error": ("GAME_ERROR_ACK", "error_code", game_error),
    "notify_round": ("ROUND_ANNOUNCEMENT_ACK", "round_id matches", announced),
    "update_standings": ("STANDINGS_UPDATE_ACK", "standings", wire.standings),
    "notify_round_completed": ("ROUND_COMPLETED_ACK", "round_id", trust.hear),
    "notify_league_completed": ("LEAGUE_COMPLETED_ACK", "", league_over),
    "get_player_state": ("PLAYER_STATE", "", tell_state),
    "ping": ("PONG", "", lambda p: {"status": "healthy", "agent": "player:" + wire.me["id"]}),
}

if __name__ == "__main__":
    flags = argparse.ArgumentParser()
    flags.add_argument("--host", default="127.0.0.1", help="the address of this machine, for a manager on another one")
    flags.add_argument("--port", type=int, default=8101, help="0 takes a free one")
    flags.add_argument("--manager", default="http://localhost:8000/mcp")
    flags.add_argument("--name", default="__NAME__")
    args = flags.parse_args()
    wire.play(args.name, args.port, args.manager, METHODS, args.host)
