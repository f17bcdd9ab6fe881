"""The matches that the player is in: who invited it, and what it has answered and signed. Nothing to change here.

A referee of the player's own manager shows a token that only it can know, and has the match to itself. Where the
announced referee is foreign nobody can tell it from a stranger: each that invites has a seat of its own, and all of
them get the same answers."""
import json, os, sys, threading
from urllib.parse import urlsplit
import trust
from trust import Refused, me

bouts = {}  # (match_id, attempt, seal of the league): {"seats": [...], "choices": {(turn, options): Choice}}
announced = {}  # (match_id, seal): where its referee is, if it is foreign
kept = []  # lines of the answers file from before the player was started again
book = []  # the file, when it is open
caller = threading.local()  # the address from which the message that is being answered came
lock = threading.RLock()
FEW, MANY = 8, 64  # seats in a match for those who call from elsewhere, and from where the referee was announced to be

class Choice:
    """Made once; who asks again meanwhile waits."""
    def __init__(self):
        self.ready, self.pick = threading.Event(), None

def text(value):  # JSON without spaces
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))

def go_on():  # the matches of the next season have the same ids
    with lock:
        bouts.clear()
        announced.clear()

def bout_of(p):
    attempt = p.get("attempt")
    return p["match_id"], attempt if isinstance(attempt, int) and attempt > 1 else 1

def key_of(p):
    return (*bout_of(p), me["seal"])

def referee_of(p):
    return str(p.get("sender") or "").partition(":")[2]

def shows_referee(p):
    return me["match_tokens"] and trust.same(p.get("auth_token"), trust.match_token(me["token"], me["league"], *bout_of(p), referee_of(p)))

def announce(matches):
    with lock:
        for m in matches:
            if me["id"] in (m.get("player_A_id"), m.get("player_B_id")):
                announced.pop((m.get("match_id"), me["seal"]), None)
                if not m.get("match_tokens"):
                    announced[m.get("match_id"), me["seal"]] = m.get("referee_endpoint") or ""

def is_there(match):  # whether the caller is on the machine of the announced foreign referee
    host = urlsplit(announced.get((match, me["seal"])) or "").hostname
    return bool(host) and trust.same_machine({caller.address}, trust.addresses(host))

def find(p):  # the bout that a referee's message is about, and the seat of who sends it
    bout = bouts.get(key_of(p)) or resume(p)
    if not bout:
        raise Refused("E006", "this player was not invited to match %s" % p["match_id"])
    for seat in bout["seats"]:
        if trust.same(seat["token"], p.get("auth_token")):
            return bout, seat
    raise Refused("E012", "this is not the token of the match's referee")

def invite(p):
    key, there = key_of(p), is_there(p["match_id"])
    with lock:
        seats = bouts.get(key, {"seats": []})["seats"]
        if any(trust.same(s["token"], p.get("auth_token")) for s in seats):
            return
        native = shows_referee(p)
        foreign = not me["match_tokens"] or (p["match_id"], me["seal"]) in announced
        if not native and not foreign or native and any(s["native"] for s in seats):
            raise Refused("E012", "this is not the token of the match's referee")
        others = [s for k, b in bouts.items() if (k[0], k[2]) == (key[0], key[2]) for s in b["seats"] if not s["native"] and s["there"] == there]
        if not native and len(others) >= (MANY if there else FEW):
            raise Refused("E012", "%d other referees have already sent invitations to match %s" % (len(others), p["match_id"]))
        line = {"match_id": key[0], "attempt": key[1], "referee_id": referee_of(p), "round_id": p.get("round_id") or 0,
                "opponent_id": p.get("opponent_id") or "", "commitment": (p.get("fairness") or {}).get("commitment") or ""}
        if native:
            keep(line)
        sit(key, line, p, native, there)

def sit(key, line, p, native, there=False):
    seat = {"player": me["id"], "token": p.get("auth_token") or "", "native": native, "there": there, "referee": line["referee_id"], "round": line["round_id"],
            "opponent": line["opponent_id"], "commitment": line["commitment"], "chain": "", "answers": [], "given": {}}
    for answer in of_before(key, seat["referee"]) if native else ():
        if "move" in answer and answer["number"] == len(seat["answers"]) + 1:
            chain = seat["chain"] if seat["answers"] else first_of_chain(key, seat, answer["head"])
            follow(seat, answer, trust.hashed(chain, str(answer["turn"]), answer["view_sha256"], answer["move"]))
    bout = bouts.setdefault(key, {"seats": [], "choices": {}})
    bout["seats"].append(seat)
    return bout

def of_before(key, referee):
    return [k for k in kept if k["player_id"] == me["id"] and (k["match_id"], k["attempt"], k["seal"], k["referee_id"]) == (*key, referee)]

def resume(p):  # a match that the player was in before it was started again; only its true referee can show its token
    lines = of_before(key_of(p), referee_of(p)) if shows_referee(p) else ()
    return sit(key_of(p), lines[0], p, True) if lines else None

def decide(p, options, think):
    """What the player answers: the pick and, to a referee of its manager, the proof. One pick per question, and what was signed stands."""
    turn, key = p.get("turn") or 0, key_of(p)
    with lock:
        bout, seat = find(p)
        if turn in seat["given"]:
            return seat["given"][turn]
        question = (turn, text(options))
        choice, first = bout["choices"].get(question), question not in bout["choices"]
        if first:
            choice = bout["choices"][question] = Choice()
    if first:
        choice.pick = think(seat["opponent"])
        choice.ready.set()
    choice.ready.wait()
    with lock:
        if not seat["native"]:
            return {"pick": choice.pick}
        return seat["given"].get(turn) or sign(key, seat, turn, p.get("view") or "", choice.pick)

def first_of_chain(key, seat, head):
    return trust.hashed("league.moves.v1", key[2], key[0], str(key[1]), seat["referee"], seat["player"], seat["commitment"], head)

def sign(key, seat, turn, view, pick):  # on disk before it is sent
    head = seat["answers"][0]["head"] if seat["answers"] else trust.heads[-1]["head"] if trust.heads else ""
    chain = seat["chain"] if seat["answers"] else first_of_chain(key, seat, head)
    chain = trust.hashed(chain, str(turn), trust.hashed(view), text(pick))
    answer = {"seal": key[2], "player_id": seat["player"], "match_id": key[0], "attempt": key[1], "referee_id": seat["referee"], "round_id": seat["round"], "opponent_id": seat["opponent"],
              "commitment": seat["commitment"], "head": head, "number": len(seat["answers"]) + 1, "turn": turn,
              "view_sha256": trust.hashed(view), "move": text(pick), "signature": trust.sign(chain)}
    keep(answer)
    return follow(seat, answer, chain)

def follow(seat, answer, chain):
    seat["answers"].append(answer)
    seat["chain"] = chain
    proof = {name: answer[name] for name in ("head", "move", "signature")}
    seat["given"][answer["turn"]] = {"pick": json.loads(answer["move"]), "proof": proof}
    return seat["given"][answer["turn"]]

def end(p, heard):
    """Ends a match, or the seat of who says so. Returns the opponent, and whether it is sure; heard says that the result is known already."""
    key = key_of(p)
    with lock:
        try:
            bout, seat = find(p)
        except Refused:
            bout, seat = bouts.get(key), None
            if not heard and not shows_referee(p) and not trust.shows_manager(p, "GAME_OVER"):
                raise
        told = trust.shows_manager(p, "GAME_OVER")
        if seat and seat["native"] and not told and not opens(p, seat["commitment"]):
            return seat["opponent"], False  # it may be anybody who has read the token: the player answers on
        sure = bool(seat and seat["native"] or shows_referee(p) or told)
        if seat:
            bout["seats"].remove(seat)
        if sure:
            line = {"seal": me["seal"], "match_id": key[0], "attempt": key[1], "over": True}
            forget(line)
            keep(line)
        if bout and (sure or not bout["seats"]):
            bouts.pop(key, None)
        return seat["opponent"] if seat else "", sure

def opens(p, commitment):  # whether the end tells the draw key that was promised: only the referee and the manager have it
    try:
        return not commitment or trust.hash_of(bytes.fromhex(p["fairness"]["key"])) == commitment
    except (KeyError, TypeError, ValueError):
        return False

def forget(over):
    kept[:] = [k for k in kept if k["seal"] != over["seal"] or k["match_id"] != over["match_id"] or k["attempt"] > over["attempt"]]

def open_book():
    """Reads the answers file, and writes it anew without the matches that are over."""
    file, lines = trust.path("answers", ".jsonl"), []
    over = {p["seal"] for p in trust.identity["places"] if p["over"]}
    if os.path.exists(file):
        with open(file, encoding="utf-8") as old:
            lines = old.read().split("\n")[:-1]  # what has no end was not sent
    for number, line in enumerate(lines, 1):
        try:
            line = json.loads(line)
        except ValueError as e:
            sys.exit("%s cannot be read (line %d: %s): restore it, or remove it if none of this player's matches is in play" % (file, number, e))
        if line.get("over"):
            forget(line)
        elif line["seal"] not in over:
            kept.append(line)
    trust.write(file, "".join(text(k) + "\n" for k in kept))
    book.append(os.open(file, os.O_WRONLY | os.O_APPEND))

def keep(line):  # all of it or nothing
    size = os.fstat(book[0]).st_size
    try:
        line = text({"league_id": me["league"], "seal": me["seal"], "player_id": me["id"], **line}).encode() + b"\n"
        if os.write(book[0], line) != len(line):
            raise OSError("the disk is full")
        os.fsync(book[0])
    except OSError:
        os.ftruncate(book[0], size)
        raise
