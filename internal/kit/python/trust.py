"""The player's identity: its key, the files that hold it, what it signs, and the tokens by which it recognizes its
manager and the referees of its manager. Nothing to change here."""
import base64, hashlib, hmac, json, os, re, secrets, socket, sys, threading
from urllib.parse import urlsplit
import ed25519

me = {"name": "", "id": "new", "league": "", "place": None, "token": "", "seal": "", "match_tokens": False, "endpoint": "", "secret": "", "uncalled": False, "next": "",
      "state": "UNREGISTERED", "agent_state": "INIT"}
identity = {}  # the content of the identity file: display_name, private_key and places (see places.py)
heads = []  # of the league's log that the manager has told, the newest last
lock = threading.RLock()
held = []  # keeps the lock file open
printed = set()  # the notices so far

class Refused(Exception):
    """Refused("E003", "the field match_id is missing")"""

def slug(name):  # a name as a part of a file's name; one that loses something by that gets a few digits
    short = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:40]
    return short if short == name.lower().replace(" ", "-") else (short + "-" + hashed(name)[:8]).strip("-")

def path(kind, ending):  # beside the program
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), "%s-%s%s" % (kind, slug(me["name"]), ending))

def write(file, text):  # all of it or nothing, and for nobody else to read
    with open(os.open(file + ".new", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as out:
        out.write(text)
        out.flush()
        os.fsync(out.fileno())
    os.replace(file + ".new", file)

def take_lock():
    file = open(os.open(path("identity", ".lock"), os.O_RDWR | os.O_CREAT, 0o600), "r+")
    held.append(file)
    try:
        if os.name == "nt":
            import msvcrt
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        sys.exit("%s is already running, with %s: stop that one, or choose another --name" % (me["name"], path("identity", ".json")))

def notice(line):  # prints a line once
    if line not in printed and len(printed) < 50:
        printed.add(line)
        print(line, flush=True)

def open_identity(name):  # from now on this is the player of that name
    me["name"] = name
    take_lock()
    file = path("identity", ".json")
    try:
        with open(file, encoding="utf-8") as text:
            read = json.load(text)
        if len(bytes.fromhex(read["private_key"])) != 32:
            raise ValueError("the private_key has the wrong length")
        identity.update(display_name=name, private_key=read["private_key"], places=read.get("places", []))
        for p in identity["places"]:
            if not all(isinstance(p[k], str) for k in ("manager", "league_id", "seal", "manager_key", "id")) or not isinstance(p["epoch"], int) or len(bytes.fromhex(p["manager_key"])) != 32:
                raise ValueError("a place has the wrong form")
        if "token" in read:  # of an older kit, which stored one; the manager finds the player's place by its key
            save_places([])
    except FileNotFoundError:
        identity.update(display_name=name, private_key=secrets.token_hex(32))
        save_places([])
    except (KeyError, TypeError, ValueError) as e:
        sys.exit("%s cannot be read (%r): restore it, or remove it to start as a new player" % (file, e))

def save_places(places):
    write(path("identity", ".json"), json.dumps({**identity, "places": places}, indent=2))
    identity["places"] = places

def take_place(place, token):  # makes a place the one in which the player plays
    me.update(id=place["id"], league=place["league_id"], seal=place["seal"], token=token, match_tokens=True)
    heads[:] = []
    try:
        with open(path("witness", ".json"), encoding="utf-8") as text:
            was = json.load(text)
        if was["seal"] == me["seal"] and was["player_id"] == me["id"]:
            heads[:] = was["heads"]
    except (OSError, ValueError, KeyError, TypeError):
        pass  # there is none yet

def seed():
    return bytes.fromhex(identity["private_key"])

def public_key():
    return ed25519.public_key(seed()).hex()

def sign(*lines):
    return ed25519.sign(seed(), "\n".join(lines).encode()).hex()

def hash_of(data):
    return hashlib.sha256(data).hexdigest()

def hashed(*lines):
    return hash_of("\n".join(lines).encode())

def keyed(token, *lines):
    mac = hmac.new(token.encode(), "\n".join(lines).encode(), "sha256").digest()
    return base64url(mac)

def base64url(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")

def manager_token(token, league, kind, round):  # what the manager shows to the player that has this token, in one kind of message
    return "tok_manager_" + keyed(token, "manager", league, kind, str(round or 0))

def match_token(token, league, match, attempt, referee):  # what a referee of the manager's shows
    return "tok_match_" + keyed(token, "match", league, match, str(attempt), referee)

def same(a, b):
    return hmac.compare_digest((a or "").encode(), (b or "").encode())

def shows_manager(p, kind):
    return me["match_tokens"] and same(p.get("auth_token"), manager_token(me["token"], me["league"], kind, p.get("round_id")))

def goes_on(next):  # notes in which league the same players play on; only a native manager is believed
    if me["match_tokens"] and isinstance(next, str) and next not in ("", me["league"]):
        me["next"] = next
    return bool(me["next"])

def identify(p):
    """Signs that this player is the one at its endpoint."""
    if len(p["challenge"]) > 128:
        raise Refused("E002", "challenge: want at most 128 characters")
    said = {"agent": "player:" + me["id"]}
    if me["seal"]:
        said["signature"] = sign("league.identity.v1", me["seal"], me["id"], me["endpoint"], p["challenge"])
    return said

def hear(p):  # a head of the league's log: what the manager has told cannot be rewritten later
    head, round = p.get("head"), p.get("round_id")
    what, round = ("round", round) if isinstance(round, int) and round > 0 else ("completed", 0)
    if "matches" in p:  # an announcement tells the end of the round before
        what, round = ("round", round - 1) if round > 1 else ("started", 0)
    with lock:
        if not me["seal"] or not head or not isinstance(head, str) or any(h["head"] == head or (h["what"], h["round"]) == (what, round) for h in heads):
            return  # what was told first of a line stands: who has read a message can repeat it with another head
        if p.get("seal") not in (None, "", me["seal"]):
            print("The manager sent a log entry of a league with another seal than the one that this player joined", flush=True)
            return
        heads.append({"what": what, "round": round, "head": head})
        write(path("witness", ".json"), json.dumps({
            "schema_version": "1.0.0", "league_id": me["league"], "seal": me["seal"], "player_id": me["id"], "public_key": public_key(),
            "heads": heads, "last_updated": p.get("timestamp") or ""}, indent=2))

def last_word(head):  # what the player signs when the league is over
    if not me["seal"] or not head:
        return {}
    return {"head": head, "signature": sign("league.end.v1", me["seal"], me["id"], head)}

def same_manager(asked, named):  # scheme, port, path and host are the same; a host may have several names
    try:
        a, b = urlsplit(asked), urlsplit(named)
        if (a.scheme, port(a), base(a.path)) != (b.scheme, port(b), base(b.path)):
            return False
    except ValueError:
        return False
    return a.hostname == b.hostname or same_machine(addresses(a.hostname), addresses(b.hostname))

def port(url):
    return url.port or (443 if url.scheme == "https" else 80)

def base(path):  # without the join key, the league and /mcp
    return re.sub(r"(/mcp)?/?$", "", re.sub(r"/(k|leagues)/[^/]+", "", path), flags=re.IGNORECASE)

def addresses(host):
    try:
        return {found[4][0] for found in socket.getaddrinfo(host, None)}
    except (OSError, UnicodeError):
        return set()

def same_machine(a, b):
    return bool(a & b) or any(map(is_here, a)) and any(map(is_here, b))

def is_here(address):  # only an address of this machine can be listened at
    try:
        with socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET) as s:
            s.bind((address, 0))
        return True
    except OSError:
        return False
