package protocol

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// vectors are the test vectors of doc/key-agreement.json, for agents in any language.
func vectors(t *testing.T) []byte {
	t.Helper()
	report := &MatchResultAck{
		Envelope: inMatch(head(TypeMatchResultAck, Manager, 936, "conv-example", "")), Status: Accepted,
	}
	exCredential(exPlayer1, "P01").SignAnswer(report, "conv-example")
	query := &LeagueQuery{
		Envelope: inLeague(head(TypeLeagueQuery, "player:P01", 1500, "conv-example", "")), QueryType: QueryStandings,
	}
	exCredential(exPlayer1, "P01").SignRequest(query)
	agent := AgreementKey(exKey1.Seed())
	text, err := json.MarshalIndent(map[string]any{
		"agent": map[string]string{
			"identity_seed": hex.EncodeToString(exKey1.Seed()), "public_key": PublicKey(exKey1),
			"agreement_private": hex.EncodeToString(agent.Bytes()), "agreement_key": AgreementPublic(agent),
		},
		"manager": map[string]string{
			"secret": hex.EncodeToString(exTokenKey), "agreement_private": hex.EncodeToString(exManager.Bytes()),
			"manager_key": AgreementPublic(exManager),
		},
		"created": exCreated(), "seal": exSeal, "league_id": exLeague, "sender": "player:P01", "epoch": 1,
		"token":          exPlayer1,
		"challenge_text": exChallenge().Text(), "signature": Sign(exKey1, exChallenge().Text()),
		"confirm":             Confirm(exPlayer1, exChallenge().Text()),
		"request":             string(encoded(t, query)),
		"answer":              string(encoded(t, report)),
		"answer_conversation": "conv-example",
		"small_order_keys":    smallOrder,
	}, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return append(text, '\n')
}

// smallOrder are the points of small order of Curve25519: a secret shared with one of them is zero.
var smallOrder = []string{
	"0000000000000000000000000000000000000000000000000000000000000000",
	"0100000000000000000000000000000000000000000000000000000000000000",
	"e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
	"5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
	"ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
	"edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
	"eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
}

func encoded(t *testing.T, m Message) json.RawMessage {
	t.Helper()
	raw, err := Encode(m)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func TestVectorsOfTheKeyAgreement(t *testing.T) {
	file, want := filepath.Join(docRoot, "key-agreement.json"), vectors(t)
	if *update {
		if err := os.WriteFile(file, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(file); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s is not what the code computes (%v); run with -update to write it", file, err)
	}
}

func TestBothSidesComputeOneToken(t *testing.T) {
	a := exAgreement(exKey1, RolePlayer, "P01")
	agents, err := a.Token(AgreementKey(exKey1.Seed()), a.ManagerKey)
	if err != nil {
		t.Fatal(err)
	}
	if managers, err := a.Token(exManager, a.AgreementKey); err != nil || managers != agents {
		t.Errorf("the manager computes %s (%v), the agent %s", managers, err, agents)
	}
	for name, change := range map[string]func(*Agreement){
		"league": func(a *Agreement) { a.League = "other" }, "seal": func(a *Agreement) { a.Seal = exHead },
		"role": func(a *Agreement) { a.Role = RoleReferee }, "id": func(a *Agreement) { a.ID = "P02" },
		"epoch": func(a *Agreement) { a.Epoch = 2 }, "manager": func(a *Agreement) { a.ManagerKey = exHead },
		"public key": func(a *Agreement) { a.PublicKey = PublicKey(exKey2) },
		"agreement":  func(a *Agreement) { a.AgreementKey = exHead },
	} {
		other := a
		change(&other)
		if token, err := other.Token(AgreementKey(exKey1.Seed()), a.ManagerKey); err != nil || token[15:] == agents[15:] {
			t.Errorf("another %s: got the same token (%v)", name, err)
		}
	}
}

func TestKeysOfSmallOrderAreRefused(t *testing.T) {
	for _, key := range append(smallOrder, "", strings.ToUpper(AgreementPublic(exManager)), "00") {
		if _, err := exAgreement(exKey1, RolePlayer, "P01").Token(exManager, key); err == nil {
			t.Errorf("%s: a token follows from it", key)
		}
	}
}

func TestRequestsAreAuthenticatedByTheirText(t *testing.T) {
	c := exCredential(exPlayer1, "P01")
	q := &LeagueQuery{
		Envelope: inLeague(head(TypeLeagueQuery, "player:P01", 1500, "conv-1", "")), QueryType: QueryStandings,
	}
	c.SignRequest(q)
	raw := string(encoded(t, q))
	if strings.Contains(raw, placeholder) || strings.Contains(raw, exPlayer1[15:27]) {
		t.Fatalf("%s: it has the placeholder, or a part of T", raw)
	}
	read := func(text string) Message {
		m, _, err := Decode(json.RawMessage(text), Reading{Type: TypeLeagueQuery})
		if err != nil {
			return &LeagueQuery{}
		}
		return m
	}
	if !c.Requested(read(raw)) {
		t.Errorf("%s is not accepted", raw)
	}
	for name, text := range map[string]string{
		"another question":     strings.Replace(raw, QueryStandings, QuerySchedule, 1),
		"another conversation": strings.Replace(raw, "conv-1", "conv-2", 1),
		"another league":       strings.Replace(raw, exLeague, "other", 1),
		"a member more":        strings.Replace(raw, `{"protocol"`, `{"x":1,"protocol"`, 1),
		"space":                strings.Replace(raw, `,`, `, `, 1),
		"the token twice":      strings.Replace(raw, `"query_params"`, `"x":"`+read(raw).Head().AuthToken+`","query_params"`, 1),
		"no token":             strings.Replace(raw, read(raw).Head().AuthToken, "", 1),
	} {
		if text == raw || c.Requested(read(text)) {
			t.Errorf("%s: %s is accepted", name, text)
		}
	}
	for name, other := range map[string]*Credential{
		"T": {exPlayer2, exLeague, "P01"}, "league": {exPlayer1, "other", "P01"}, "id": {exPlayer1, exLeague, "P02"},
	} {
		if other.Requested(read(raw)) {
			t.Errorf("it is accepted under another %s", name)
		}
	}
}

func TestAnswersAreTheManagersOwn(t *testing.T) {
	c := exCredential(exReferee, "REF01")
	ack := &MatchResultAck{Envelope: inMatch(head(TypeMatchResultAck, Manager, 936, "conv-1", "")), Status: Accepted}
	c.SignAnswer(ack, "conv-1")
	raw := string(encoded(t, ack))
	fail := &LeagueError{
		Envelope:  head(TypeLeagueError, Manager, 936, "conv-1", ""),
		ErrorCode: MatchNotFound.Code, ErrorName: MatchNotFound.Name, Detail: "no such match",
	}
	c.SignAnswer(fail, "conv-1")
	refusal := string(encoded(t, fail))
	good := `{"id":1,"jsonrpc":"2.0","result":` + raw + `}`
	if m, err := c.ReadAnswer([]byte(good), TypeMatchResultAck, "conv-1"); err != nil ||
		m.(*MatchResultAck).Status != Accepted {
		t.Fatalf("got %v, %v", m, err)
	}
	_, err := c.ReadAnswer([]byte(`{"error":{"code":5002,"data":`+refusal+`},"id":1}`), TypeMatchResultAck, "conv-1")
	if r, ok := err.(*Refusal); !ok || r.Name != MatchNotFound.Name || r.Message != "no such match" {
		t.Errorf("got %v", err)
	}
	for name, body := range map[string]string{
		"another status":       strings.Replace(good, Accepted, Rejected, 1),
		"no token":             `{"id":1,"result":{"message_type":"MATCH_RESULT_ACK","status":"ACCEPTED"}}`,
		"a bare message":       raw,
		"HTML":                 "<html>",
		"a request's":          strings.Replace(good, managerPrefix, agentPrefix+"REF01_", 1),
		"an error of JSON-RPC": `{"error":{"code":-32601,"message":"Method not found"},"id":1}`,
		"two results":          `{"result":` + raw + `,"result":{},"id":1}`,
		"an error as a result": `{"id":1,"result":` + refusal + `}`,
	} {
		m, err := c.ReadAnswer([]byte(body), TypeMatchResultAck, "conv-1")
		if ack, ok := m.(*MatchResultAck); err == nil && ok && ack.Status != "" {
			t.Errorf("%s: %s is taken for an answer", name, body)
		}
	}
	if _, err := c.ReadAnswer([]byte(good), TypeMatchResultAck, "conv-2"); err != ErrUnauthenticated {
		t.Errorf("an answer of another conversation: got %v", err)
	}
}
