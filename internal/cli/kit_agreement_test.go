package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"agentleague/protocol"
	"agentleague/rpc/rpctest"
)

// kitPlace is a place in the identity file of a kit.
type kitPlace struct {
	Manager, Seal, ID, Next string
	LeagueID                string `json:"league_id"`
	ManagerKey              string `json:"manager_key"`
	OwnerKey                string `json:"owner_key"`
	Epoch                   int
	Pending, Over           bool
}

func placesIn(t *testing.T, dir string) []kitPlace {
	t.Helper()
	var identity struct{ Places []kitPlace }
	readKept(t, filepath.Join(dir, "identity-kit.json"), &identity)
	return identity.Places
}

// allFiles returns the content of all files in dir.
func allFiles(t *testing.T, dir string) (all []byte) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, _ := os.ReadFile(file) // some are folders or sockets
		all = append(all, text...)
	}
	return all
}

// prints waits until the kit has printed a text.
func (k *runningKit) prints(t *testing.T, text string) {
	t.Helper()
	rpctest.Eventually(t, "the kit to print "+text, func() bool { return strings.Contains(k.said.String(), text) })
}

// hears reports whether the kit acknowledges news with this manager's L.
func (k *runningKit) hears(t *testing.T, m *kitManager) bool {
	t.Helper()
	return asObject(k.ask(t, m.says("game-flow/league_standings_update.json", nil))["result"]) != nil
}

const ignored = "Ignored an answer that is not authenticated by the manager"

// A kit that holds a place accepts nothing from a program on its manager's port that is not the manager.
func TestKitsIgnoreAnswersOfAnImpostor(t *testing.T) {
	eachKit(t, func(t *testing.T, lang, dir string) {
		m := newKitManager(t)
		k := startKit(t, lang, dir, m.url)
		k.prints(t, "Kit is P01 in "+kitLeague)
		k.kill()
		before := placesIn(t, dir)

		stolen := "tok_player_P01_of-an-impostor"
		plain := func(change object) kitAnswer {
			return func(m *kitManager, p object) []byte { return framed(m.response(p, change)) }
		}
		m.answers = []kitAnswer{
			plain(object{"auth_token": stolen}),
			plain(object{"auth_token": stolen, "match_tokens": nil, "player_id": "P66", "league_id": "another"}),
			func(m *kitManager, p object) []byte { return framed(m.rejection(p, nil)) },
			func(*kitManager, object) []byte {
				return []byte(`{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"UNKNOWN_LEAGUE","data":{"retryable":false}}}`)
			},
			func(*kitManager, object) []byte { return []byte(`{"jsonrpc":"2.0","id":1,"error":"no"}`) },
			func(*kitManager, object) []byte { return []byte("<html>") },
			func(*kitManager, object) []byte { return nil },
			func(m *kitManager, p object) []byte { // the manager's answer to another conversation
				return m.authenticated(object{"conversation_id": "conv-other"}, m.response(p, nil))
			},
			func(m *kitManager, p object) []byte { // changed on its way
				return bytes.Replace(m.authenticated(p, m.rejection(p, nil)), []byte("another key"), []byte("a different key"), 1)
			},
			func(m *kitManager, p object) []byte { // the token twice
				return bytes.Replace(m.authenticated(p, m.response(p, nil)), []byte("\"result\" :\t{"), []byte("\"result\" :\t{\"auth_token\":\"x\","), 1)
			},
			func(m *kitManager, p object) []byte { // challenged, and then not authenticated
				m.challenges(p)
				return framed(m.response(p, object{"auth_token": stolen}))
			},
			func(m *kitManager, p object) []byte { return m.authenticated(p, m.response(p, nil)) }, // not challenged
		}
		k = startKit(t, lang, dir, m.url)
		rpctest.Eventually(t, "the manager to be back", func() bool { return m.registrations() == 14 })
		<-m.joined
		k.prints(t, "Kit is P01 in "+kitLeague)
		said := k.said.String()
		if strings.Count(said, ignored) != 1 || strings.Count(said, "never challenged this player at "+k.url) != 1 {
			t.Errorf("it prints %q, want each notice once", said)
		}
		if strings.Contains(said, "refused:") || strings.Contains(said, "P66") {
			t.Errorf("it prints %q, want no effect of an answer that is not the manager's", said)
		}
		l := protocol.ManagerToken(stolen, kitLeague, "LEAGUE_COMPLETED", 0)
		k.refuses(t, example(t, "game-flow/league_completed.json", object{"auth_token": l}), protocol.AuthTokenInvalid)
		if !k.hears(t, m) {
			t.Error("it refuses news of its manager")
		}
		if after := placesIn(t, dir); len(after) != 1 || after[0] != before[0] {
			t.Errorf("its places were %+v and are %+v", before, after)
		}
		m.withoutToken(allFiles(t, dir), []byte(said))
	})
}

// A kit without a place reports why it has none.
func TestKitsReportWhyTheyHaveNoPlace(t *testing.T) {
	eachKit(t, func(t *testing.T, lang, dir string) {
		m := newKitManager(t,
			func(m *kitManager, p object) []byte { // an older version
				change := object{"created": nil, "token": "tok_player_P01_x", "seal": m.seal}
				if ack, code := m.challenge(p, change); ack != nil || code != "E003" {
					m.t.Errorf("the challenge of an older manager: got %+v %s", ack, code)
				}
				return framed(m.response(p, object{"auth_token": "tok_player_P01_x"}))
			},
			func(m *kitManager, p object) []byte {
				return framed(m.rejection(p, object{"reason": "the league is full"}))
			},
		)
		k := startKit(t, lang, dir, m.url)
		if err := <-k.ended; err == nil {
			t.Error("a kit that is refused ends with status 0")
		}
		for _, want := range []string{"the manager at " + m.url + " is an older version and must be updated", "never challenged this player at " + k.url, "refused: the league is full"} {
			if said := k.said.String(); strings.Count(said, want) != 1 {
				t.Errorf("it prints %q, want %q once", said, want)
			}
		}
		if places := placesIn(t, dir); len(places) != 0 {
			t.Errorf("it has the places %+v", places)
		}
		m.answers = []kitAnswer{func(*kitManager, object) []byte {
			return []byte(`{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"INVALID_MESSAGE","data":{"detail":"agreement_key is missing","suggestion":"update it","retryable":false}}}`)
		}}
		k = startKit(t, lang, dir, m.url)
		<-k.ended
		k.prints(t, "The manager refused: INVALID_MESSAGE agreement_key is missing update it")
	})
}

// A third-party manager, which neither challenges nor gives match tokens, has a player by its answer alone.
func TestKitsRegisterWithAThirdPartyManager(t *testing.T) {
	eachKit(t, func(t *testing.T, lang, dir string) {
		m := newKitManager(t, func(m *kitManager, p object) []byte {
			return framed(m.response(p, object{"match_tokens": nil, "seal": nil, "auth_token": "ticket"}))
		})
		k := startKit(t, lang, dir, m.url)
		k.prints(t, "Kit is P01 in "+kitLeague)
		k.answers(t, example(t, "game-flow/round_announcement.json", nil), protocol.TypeRoundAnnouncementAck)
	})
}

// A place that is granted anew counts once the manager uses it, and not before; the former one stays until then.
func TestKitsKeepTheirPlaceUntilTheNextIsConfirmed(t *testing.T) {
	eachKit(t, func(t *testing.T, lang, dir string) {
		m := newKitManager(t)
		k := startKit(t, lang, dir, m.url)
		k.prints(t, "Kit is P01 in "+kitLeague)
		k.kill()
		challenged := make(chan struct{})
		hang := make(chan struct{})
		t.Cleanup(func() { close(hang) })
		m.answers = []kitAnswer{func(m *kitManager, p object) []byte {
			m.mu.Lock()
			m.epoch = 2
			m.mu.Unlock()
			m.challenges(p)
			close(challenged)
			<-hang // the answer is lost
			return nil
		}}
		k = startKit(t, lang, dir, m.url)
		<-challenged
		if places := placesIn(t, dir); len(places) != 2 || places[0].Epoch != 1 || places[0].Pending || places[1].Epoch != 2 || !places[1].Pending {
			t.Errorf("the places are %+v, want the one of epoch 1 and a pending one", places)
		}
		m.epoch = 1
		if !k.hears(t, m) {
			t.Error("it refuses news under the place that it has")
		}
		k.kill() // the new one is on disk
		m.answers = []kitAnswer{func(m *kitManager, p object) []byte { <-hang; return nil }}
		n := m.registrations()
		k = startKit(t, lang, dir, m.url)
		rpctest.Eventually(t, "the registration", func() bool { return m.registrations() > n })
		m.epoch = 2
		if ack, code := m.challengeAt(k.url, m.asked[1], nil); ack != nil || code != "E007" {
			t.Errorf("a challenge of the registration before it was killed: got %+v %s, want E007", ack, code)
		}
		k.answers(t, m.referees("game-flow/game_start.json", nil), protocol.TypeGameJoinAck)
		if !k.hears(t, m) {
			t.Error("it refuses news under the place that a referee has confirmed")
		}
		if places := placesIn(t, dir); len(places) != 1 || places[0].Epoch != 2 || places[0].Pending {
			t.Errorf("the places are %+v, want the one of epoch 2", places)
		}
		m.epoch = 1
		if k.hears(t, m) {
			t.Error("it obeys the place that was superseded")
		}
	})
}

// In an upgraded league, whose first line has no key, the first key is pinned.
func TestKitsPinTheManagersKey(t *testing.T) {
	eachKit(t, func(t *testing.T, lang, dir string) {
		m := newKitManager(t, func(m *kitManager, p object) []byte {
			if ack, code := m.challenge(p, object{"manager_key": nil}); ack != nil || code != "E003" {
				m.t.Errorf("a challenge without any manager_key: got %+v %s", ack, code)
			}
			m.challenges(p)
			return m.authenticated(p, m.response(p, nil))
		})
		m.create("")
		m.later = protocol.AgreementPublic(m.own)
		k := startKit(t, lang, dir, m.url)
		k.prints(t, "Kit is P01 in "+kitLeague)
		k.kill()
		m.answers = []kitAnswer{func(m *kitManager, p object) []byte {
			for range 3 {
				other := object{"manager_key": protocol.AgreementPublic(protocol.AgreementKey([]byte("another")))}
				if ack, code := m.challenge(p, other); ack != nil || code != "E012" {
					m.t.Errorf("a challenge with another manager_key: got %+v %s, want E012", ack, code)
				}
			}
			return m.accepts(p)
		}}
		k = startKit(t, lang, dir, m.url)
		k.prints(t, "Kit is P01 in "+kitLeague)
		if said := k.said.String(); strings.Count(said, "another manager_key than before") != 1 {
			t.Errorf("it prints %q, want one line about the other manager_key", said)
		}
	})
}

// A place in another league does not touch the places that a kit has; their managers reach it as before.
func TestKitsKeepPlacesOfOtherLeagues(t *testing.T) {
	eachKit(t, func(t *testing.T, lang, dir string) {
		a := newKitManager(t)
		k := startKit(t, lang, dir, a.url)
		k.prints(t, "Kit is P01 in "+kitLeague)
		k.answers(t, a.referees("game-flow/game_start.json", nil), protocol.TypeGameJoinAck)
		first := k.answers(t, a.referees("game-flow/move_request.json", nil), protocol.TypeChooseParityResponse)
		k.kill()
		b := newKitManager(t)
		b.own = protocol.AgreementKey([]byte("another secret"))
		b.create(protocol.AgreementPublic(b.own))
		k = startKit(t, lang, dir, b.url)
		k.prints(t, "Kit is P01 in "+kitLeague)
		k.answers(t, b.referees("game-flow/game_start.json", nil), protocol.TypeGameJoinAck)
		other := k.answers(t, b.referees("game-flow/move_request.json", nil), protocol.TypeChooseParityResponse)
		again := k.answers(t, a.referees("game-flow/move_request.json", nil), protocol.TypeChooseParityResponse)
		a.signed("R1M1", "", first, choiceOf(first))
		b.signed("R1M1", "", other, choiceOf(other))
		a.signed("R1M1", "", again, choiceOf(first))
		if places := placesIn(t, dir); len(places) != 2 || places[0].Pending || places[1].Pending {
			t.Errorf("the places are %+v, want two that are current", places)
		}
		if !k.hears(t, b) || !k.hears(t, a) {
			t.Error("it refuses news of one of its managers")
		}
	})
}

// A kit reads the identity file of the version before: the key stays, the token is removed from the disk.
func TestKitsReadOlderIdentities(t *testing.T) {
	eachKit(t, func(t *testing.T, lang, dir string) {
		m := newKitManager(t)
		seed := protocol.SHA256("a seed")
		old, _ := json.Marshal(object{
			"display_name": "Kit", "private_key": seed, "manager": m.url, "league_id": kitLeague, "seal": m.seal, "id": "P01", "token": "tok_player_P01_older",
		})
		file := filepath.Join(dir, "identity-kit.json")
		if err := os.WriteFile(file, old, 0o600); err != nil {
			t.Fatal(err)
		}
		k := startKit(t, lang, dir, m.url)
		<-m.joined
		k.prints(t, "Kit is P01 in "+kitLeague)
		now, err := os.ReadFile(file)
		if err != nil || !bytes.Contains(now, []byte(seed)) || bytes.Contains(now, []byte("older")) {
			t.Errorf("%v\n%s", err, now)
		}
		if m.asked[0]["auth_token"] != nil {
			t.Errorf("it registers with %v", m.asked[0])
		}
	})
}

// vectors are programs that check a kit against doc/key-agreement.json, which is vectors.json for them.
var vectors = map[string]struct {
	name, text string
	run        []string
}{
	"python": {"vectors.py", `
import hmac, json
import ed25519, places, trust, x25519

v = json.load(open("vectors.json"))
trust.identity.update(private_key=v["agent"]["identity_seed"], places=[])

def refused(*keys):
    try:
        x25519.exchange(*keys)
        return False
    except ValueError:
        return True

text = v["challenge_text"]
for x25519.multiply, trust.ed25519.sign in ((x25519.multiply, ed25519.sign), (x25519.own_multiply, ed25519.own_sign)):
    places.derive.cache_clear()
    assert places.private_key().hex() == v["agent"]["agreement_private"] and places.agreement_key() == v["agent"]["agreement_key"]
    assert trust.public_key() == v["agent"]["public_key"] == ed25519.own_public_key(trust.seed()).hex()
    seal, league, key = places.read_created(v["created"])
    assert (seal, league, key) == (v["seal"], v["league_id"], v["manager"]["manager_key"])
    place = {"seal": seal, "league_id": league, "manager_key": key, "id": "P01", "epoch": v["epoch"]}
    assert places.token(place) == v["token"] and trust.sign(text) == v["signature"]
    assert hmac.new(v["token"].encode(), ("confirm\n" + text).encode(), "sha256").hexdigest() == v["confirm"]
    answer = places.member('{"x": [{"result": 1}], "result" : %s }' % v["answer"], "result")
    assert answer == v["answer"] and places.authentic(place, answer, json.loads(answer), v["answer_conversation"])
    assert not places.authentic(place, answer, json.loads(answer), "another") and not places.authentic(place, answer + " ", json.loads(answer), v["answer_conversation"])
    for key in map(bytes.fromhex, v["small_order_keys"]):
        assert refused(places.private_key(), key) and refused(places.private_key(), key[:31] + bytes([key[31] | 128]))
# RFC 7748, section 5.2 and 6.1
for scalar, u, result in (
    ("a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4", "e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c", "c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552"),
    ("4b66e9d4d1b4673c5ad22691957d6af5c11b6421e0ea01d42ca4169e7918ba0d", "e5210f12786811d3f4b7959d0538ae2c31dbe7106fc03c3efc4cd549c715a493", "95cbde9476e8907d7aade45cb4b873f88b595a68799fa152e6f8f7647aac7957"),
    ("77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a", "de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f", "4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742"),
):
    assert x25519.own_multiply(bytes.fromhex(scalar), bytes.fromhex(u)).hex() == result, scalar
k = u = (9).to_bytes(32, "little")
for n in range(1000):
    k, u = x25519.own_multiply(k, u), k
    assert n or k.hex() == "422c8e7a6227d7bca1350b3e2bb7279f7897b87bb6854b783c60e80311ae3079"
assert k.hex() == "684cf59ba83309552800ef566f2f4d3c1c3887c49360e3875f2eb94d99532c51"
`, []string{"python3", "vectors.py"}},
	"node": {"vectors.mjs", `
import assert from 'node:assert';
import fs from 'node:fs';
import { createHmac } from 'node:crypto';
import { agreementKey, authentic, member, readCreated, token } from './places.mjs';
import { publicKey, sign, useIdentity } from './trust.mjs';
const v = JSON.parse(fs.readFileSync('vectors.json'));
useIdentity('Kit', v.agent.identity_seed, []);
assert.equal(publicKey(), v.agent.public_key);
assert.equal(agreementKey(), v.agent.agreement_key);
const created = readCreated(v.created), place = { ...created, id: 'P01', epoch: v.epoch };
assert.deepEqual(created, { seal: v.seal, league_id: v.league_id, manager_key: v.manager.manager_key });
assert.equal(token(place), v.token);
assert.equal(sign(v.challenge_text), v.signature);
assert.equal(createHmac('sha256', token(place)).update('confirm\n' + v.challenge_text).digest('hex'), v.confirm);
const answer = member('{"x": [{"result": 1}], "result" : ' + v.answer + ' }', 'result'), m = JSON.parse(v.answer);
assert.equal(answer, v.answer);
assert(authentic(place, answer, m, v.answer_conversation));
assert(!authentic(place, answer, m, 'another') && !authentic(place, answer + ' ', m, v.answer_conversation));
for (const key of v.small_order_keys) {
  const high = Buffer.from(key, 'hex');
  high[31] |= 128;
  for (const manager_key of [key, high.toString('hex')]) assert.throws(() => token({ ...place, manager_key }));
}
`, []string{"node", "vectors.mjs"}},
	"go": {"vectors_test.go", `package main

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"testing"
)

func TestVectors(t *testing.T) {
	var v struct {
		Agent struct {
			Seed      string ` + "`json:\"identity_seed\"`" + `
			Public    string ` + "`json:\"public_key\"`" + `
			Agreement string ` + "`json:\"agreement_key\"`" + `
		}
		Created, Seal, Token, Signature, Confirm, Answer string
		Challenge                                        string   ` + "`json:\"challenge_text\"`" + `
		Conversation                                     string   ` + "`json:\"answer_conversation\"`" + `
		Small                                            []string ` + "`json:\"small_order_keys\"`" + `
		Epoch                                            int
	}
	raw, err := os.ReadFile("vectors.json")
	if err != nil || json.Unmarshal(raw, &v) != nil {
		t.Fatal(err)
	}
	identity.PrivateKey = v.Agent.Seed
	if err := useIdentity(); err != nil {
		t.Fatal(err)
	}
	p, err := readCreated(v.Created)
	if err != nil {
		t.Fatal(err)
	}
	p.ID, p.Epoch = "P01", v.Epoch
	token, err := p.token()
	if err != nil || token != v.Token || p.Seal != v.Seal || publicKey() != v.Agent.Public || agreementKey() != v.Agent.Agreement {
		t.Fatal(err, token, p, publicKey(), agreementKey())
	}
	if sign(v.Challenge) != v.Signature || hex.EncodeToString(hmacSHA256([]byte(token), "confirm\n"+v.Challenge)) != v.Confirm {
		t.Error("the challenge is answered wrongly")
	}
	answer, _, err := openAnswer([]byte("{\"x\": [{\"result\": 1}], \"result\" : " + v.Answer + " }"))
	var m message
	if err != nil || string(answer) != v.Answer || json.Unmarshal(answer, &m) != nil || !p.isAnswer(answer, m, v.Conversation) {
		t.Errorf("the answer %s is not accepted: %v", answer, err)
	}
	if p.isAnswer(answer, m, "another") || p.isAnswer(append(answer, ' '), m, v.Conversation) {
		t.Error("another answer is accepted")
	}
	for _, key := range v.Small {
		p.ManagerKey = key
		if _, err := p.token(); err == nil {
			t.Errorf("the key %s of small order is accepted", key)
		}
	}
}
`, []string{"go", "test", "."}},
}

// Each kit computes the protocol's test vectors, in Python with the package cryptography and without it.
func TestKitsComputeTheVectors(t *testing.T) {
	eachKit(t, func(t *testing.T, lang, dir string) {
		numbers, err := os.ReadFile("../../doc/key-agreement.json")
		if err != nil {
			t.Fatal(err)
		}
		v := vectors[lang]
		for name, text := range map[string][]byte{"vectors.json": numbers, v.name: []byte(v.text)} {
			if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		cmd := exec.CommandContext(t.Context(), v.run[0], v.run[1:]...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off", "GOTOOLCHAIN=local")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	})
}
