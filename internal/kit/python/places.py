"""The player's places in leagues. Nothing to change here.

The manager grants a place with a challenge, welcome, during the registration. Player and manager then compute the same
token T from an X25519 key of each side: T is neither sent nor stored. A place is pending until a message of the manager
or of a referee proves that the manager has accepted it. doc/key-agreement.json of the league has test vectors."""
import functools, hmac, json, os, re, secrets
import matches, trust, x25519
from trust import Refused, identity, lock, me, notice

MOST = 16  # places in the identity file
asked = {}  # the registration in progress: manager, league, conversation and, once challenged, place

def hkdf(secret, salt, info):  # RFC 5869 with SHA-256, 32 bytes
    return hmac.new(hmac.new(salt, secret, "sha256").digest(), info + b"\x01", "sha256").digest()

def private_key():
    return hkdf(trust.seed(), b"", b"league.agreement.v1")

def agreement_key():
    return x25519.public_key(private_key()).hex()

@functools.lru_cache(4 * MOST)
def derive(seal, league, manager_key, id, epoch):
    shared = x25519.exchange(private_key(), bytes.fromhex(manager_key))
    info = "\n".join(("league.token.v2", league, "player:" + id, manager_key, trust.public_key(), agreement_key(), str(epoch)))
    return "tok_player_%s_%s" % (id, trust.base64url(hkdf(shared, seal.encode(), info.encode())))

def token(place):  # T
    return derive(place["seal"], place["league_id"], place["manager_key"], place["id"], place["epoch"])

def owner_key(place):  # what the player's owner shows on the league's pages; T does not follow from it
    return "tok_owner_%s_%s" % (place["id"], trust.keyed(token(place), "owner", place["league_id"], place["id"]))

def begin(manager, conversation, attempt):  # from now on the player may be challenged; returns what the registration adds
    with lock:
        current = [p for p in identity["places"] if p["manager"] == manager and not p["pending"]]
        leagues = [p["league_id"] for p in reversed(current) if not p["over"]]
        if current and current[-1]["over"]:
            leagues = [current[-1]["next"]] if current[-1].get("next") else []
        elif current and not me["seal"]:
            take(current[-1])
        asked.clear()
        asked.update(manager=manager, conversation=conversation, league=leagues[attempt % len(leagues)] if leagues else "")
    return {k: v for k, v in (("auth_token", os.environ.get("LEAGUE_JOIN_KEY")), ("league_id", asked["league"])) if v}

def read_created(line):  # line 1 of the league's log: the seal, the league and the manager's key, "" if it has none
    try:
        created = json.loads(line)
        first = created["events"][0]
        league = first["event"]["league_id"]
        if created["seq"] == 1 and first["kind"] == "LeagueCreated" and league.isprintable():
            return trust.hashed(line), league, first["event"].get("manager_key") or ""
    except (AttributeError, IndexError, KeyError, TypeError, ValueError):
        pass
    raise Refused("E002", "created: want line 1 of the league's log")

def refuse(code, words):
    notice("Refused a challenge of the manager: " + words)
    raise Refused(code, words)

def welcome(p):
    """Answers the manager's challenge. The place is on disk before the answer goes out."""
    with lock:
        was = dict(asked)
    if not was or not trust.same(p["conversation_id"], was["conversation"]):
        refuse("E007", "this player has no registration in progress in that conversation")
    if not p.get("created"):
        refuse("E003", "the field created is missing: the manager at %s is an older version and must be updated" % was["manager"])
    for k in ("manager", "id", "endpoint", "nonce"):
        if not isinstance(p.get(k), str) or not re.fullmatch(r"\S{1,512}", p[k]) or not p[k].isprintable():
            raise Refused("E002", k + ": want text without spaces")
    if not isinstance(p.get("epoch"), int) or isinstance(p["epoch"], bool) or p["epoch"] < 1:
        raise Refused("E002", "epoch: want a number from 1")
    if not trust.same_manager(was["manager"], p["manager"]):
        refuse("E012", "it names the manager %s, but this player called %s" % (p["manager"], was["manager"]))
    if p["endpoint"] != me["endpoint"]:
        refuse("E012", "it is for the endpoint %s, but this player is at %s" % (p["endpoint"], me["endpoint"]))
    seal, league, key = read_created(p["created"])
    if was["league"] and league != was["league"]:
        refuse("E012", "it is for the league %s, but this player asked for %s" % (league, was["league"]))
    manager_key = key or p.get("manager_key") or ""
    if not manager_key:
        refuse("E003", "the field manager_key is missing: the manager at %s is an older version and must be updated" % was["manager"])
    if not isinstance(manager_key, str) or not re.fullmatch("[0-9a-f]{64}", manager_key):
        raise Refused("E002", "manager_key: want 64 lower-case hexadecimal digits")
    place = {"manager": was["manager"], "league_id": league, "seal": seal, "manager_key": manager_key, "id": p["id"], "epoch": p["epoch"],
             "pending": True, "over": False}
    with lock:
        if asked.get("conversation") != was["conversation"]:
            refuse("E007", "this player has no registration in progress in that conversation")
        if any(q["seal"] == seal and q["manager_key"] != manager_key for q in identity["places"]) or p.get("manager_key") not in (None, "", manager_key):
            refuse("E012", "the manager of %s has another manager_key than before" % league)
        nonce = secrets.token_hex(16)
        text = "\n".join(("league.welcome.v2", p["manager"], seal, manager_key, "player", p["id"], str(p["epoch"]), p["endpoint"], p["nonce"],
                          nonce, agreement_key()))
        try:
            confirm = hmac.new(token(place).encode(), ("confirm\n" + text).encode(), "sha256").hexdigest()
        except ValueError as e:
            refuse("E012", "manager_key: %s" % e)
        place["owner_key"] = owner_key(place)
        keep([q for q in identity["places"] if q["seal"] != seal or not q["pending"]] + [place])
        asked["place"] = place
    return {"sender": "player:" + p["id"], "player_id": p["id"], "nonce": nonce, "signature": trust.sign(text), "confirm": confirm}

def keep(places):  # the newest; a pending place or one whose league is over goes first
    while len(places) > MOST:
        places.remove(next((p for p in places[:-1] if p["pending"] or p["over"]), places[0]))
    trust.save_places(places)

def take(place):
    trust.take_place(place, token(place))
    me["place"] = place

def confirm(place):  # the manager has accepted it: from now on it is the place of its seal, and the player plays there
    place["pending"] = False
    update([p for p in identity["places"] if p["seal"] != place["seal"]] + [place])
    take(place)

def update(places):  # a failure loses nothing: the place is on disk as pending, and a message of the manager confirms it again
    try:
        keep(places)
    except OSError as e:
        notice("The identity file could not be written: %s" % e)

def recognize(p, kind):  # switches to the place whose T made the token of a message, if it is not the one in which the player plays
    def made(token, league):
        return (trust.same(p.get("auth_token"), trust.manager_token(token, league, kind, p.get("round_id")))
                or bool(p.get("match_id")) and trust.same(p["auth_token"], trust.match_token(token, league, *matches.bout_of(p), matches.referee_of(p))))
    if not (p.get("auth_token") or "").startswith(("tok_manager_", "tok_match_")):
        return
    with lock:
        if me["match_tokens"] and made(me["token"], me["league"]):
            return
        place = next((q for q in identity["places"] if not q["over"] and made(token(q), q["league_id"])), None)
        if place:
            confirm(place)

def ended(next=None):  # the league of the place is over; next is the league in which the same players play on
    with lock:
        if me["place"]:
            me["place"].update({"over": True, **({"next": next} if next else {})})
            update(identity["places"])

def go_on():  # the same player in the next season, where it has no place yet
    with lock:
        ended(me["next"])
        me.update(next="", state="UNREGISTERED", agent_state="INIT")

def member(text, name):  # the text of a member of a JSON object, byte for byte
    def after_space(at):
        return re.compile(r"[ \t\r\n]*").match(text, at).end()
    read, at = json.JSONDecoder().raw_decode, after_space(0) + 1
    while True:
        key, at = read(text, after_space(at))
        start = after_space(after_space(at) + 1)
        _, at = read(text, start)
        if key == name:
            return text[start:at]
        at = after_space(at) + 1

def authentic(place, text, m, conversation):  # whether the manager of a place made this answer
    shown = m.get("auth_token")
    if not isinstance(shown, str) or not shown or text.count(shown) != 1:
        return False
    hash = trust.hashed(text.replace(shown, ""))
    return trust.same(shown, "tok_manager_" + trust.keyed(token(place), "answer", place["league_id"], str(m.get("message_type") or ""), conversation, hash))

def answered(body):
    """Reads the answer to a registration, b"" if there was none. Returns None if the player has to register again."""
    with lock:
        was = dict(asked)
        asked.clear()
        current = [p for p in identity["places"] if not p["pending"] and not p["over"]]
    me["uncalled"] = False
    if not body:
        return None
    here = [p for p in current if trust.same_manager(p["manager"], was["manager"])] + ([was["place"]] if "place" in was else [])
    try:
        body = body.decode()
        error = json.loads(body).get("error") or {}
        text = member(body, "result") if not error else member(member(body, "error"), "data") if error.get("data") else "{}"
        m = {**json.loads(text)}
        maker = next((p for p in reversed(here) if authentic(p, text, m, was["conversation"])), None)
    except (AttributeError, KeyError, RecursionError, TypeError, ValueError):
        maker, m = None, None
    me["uncalled"] = bool(here) and not maker and "place" not in was  # no challenge has reached this player
    if here and not maker:
        return notice("Ignored an answer that is not authenticated by the manager at %s; retrying. (To give up this player's place there, remove it from %s.)"
                      % (was["manager"], trust.path("identity", ".json")))
    if m is None:
        return None
    if "status" not in m:  # an error
        retry = m.get("retryable") or error.get("code") == -32603
        words = error.get("message"), m.get("detail") or (m.get("context") or {}).get("detail"), m.get("suggestion")
        return None if retry else {"reason": " ".join(w for w in words if isinstance(w, str))}
    if m["status"] != "ACCEPTED":
        return m
    if maker and maker is was.get("place"):
        with lock:
            confirm(maker)
    elif maker or m.get("match_tokens"):
        return notice("The manager accepted the registration but never challenged this player at %s; check that it can reach this address" % me["endpoint"])
    else:  # a third-party manager
        me.update(id=m.get("player_id"), league=m.get("league_id"), place=None, token="", seal="", match_tokens=False)
    return m
