package protocol

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"net/url"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// A Role is the function of an agent in a league.
type Role string

// The roles, as they appear before the colon of a sender.
const (
	RoleManager Role = "league_manager"
	RoleReferee Role = "referee"
	RolePlayer  Role = "player"
	RoleAdmin   Role = "admin"
)

// Manager is the sender of every message from a league manager.
const Manager = string(RoleManager)

// Sender returns the sender field of the agent id, such as "player:P01".
func Sender(role Role, id string) string { return string(role) + ":" + id }

// ParseSender splits a sender into its role and id. The id is empty if the
// sender has no colon.
func ParseSender(s string) (Role, string) {
	role, id, _ := strings.Cut(s, ":")
	return Role(role), id
}

// validSender reports whether s has the form role:text, or names the manager or the admin.
func validSender(s string) bool {
	role, id := ParseSender(s)
	switch role {
	case RoleManager, RoleAdmin:
		return true
	case RolePlayer, RoleReferee:
		return id != "" && len(s) <= 128
	}
	return false
}

// idForm maps each role to the format of the ids that this program's manager grants. Third-party managers may grant any
// ids.
var idForm = map[Role]*regexp.Regexp{
	RolePlayer:  regexp.MustCompile(`^P\d{2,5}$`),
	RoleReferee: regexp.MustCompile(`^REF\d{2,5}$`),
}

// AgentID returns the id of the n-th agent of a role: P01, REF01.
func AgentID(role Role, n int) string {
	b := append(make([]byte, 0, 16), 'P')
	if role == RoleReferee {
		b = append(b[:0], "REF"...)
	}
	if n >= 0 && n < 10 {
		b = append(b, '0')
	}
	return string(strconv.AppendInt(b, int64(n), 10))
}

// ValidID reports whether a manager may grant id to an agent of role.
func ValidID(role Role, id string) bool {
	form, ok := idForm[role]
	return ok && form.MatchString(id) && agentNumber(id) > 0 && AgentID(role, agentNumber(id)) == id
}

// agentNumber returns the number in an agent's id, or 0.
func agentNumber(id string) int {
	n, err := strconv.Atoi(strings.TrimLeft(id, "PREF"))
	if err != nil {
		return 0
	}
	return max(n, 0)
}

// firstPort is the port number before that of the first agent of a role: P01 listens at 8101, REF01 at 8001.
var firstPort = map[Role]int{RolePlayer: 8100, RoleReferee: 8000}

// HomeID returns the id of the agent at an endpoint, derived from the ports
// that the specification assigns to agents; "" if the port is not one of them.
func HomeID(role Role, endpoint string) string {
	u, err := url.Parse(endpoint)
	if err != nil {
		return ""
	}
	port, _ := strconv.Atoi(u.Port())
	if n := port - firstPort[role]; firstPort[role] > 0 && n > 0 && n < 100 {
		return AgentID(role, n)
	}
	return ""
}

// Home is the inverse of [HomeID]: it returns the endpoint that the specification assigns to an agent, or "".
func Home(role Role, id string) string {
	n := agentNumber(id)
	if !ValidID(role, id) || n >= 100 {
		return ""
	}
	return "http://localhost:" + strconv.Itoa(firstPort[role]+n) + "/mcp"
}

// CompareIDs orders agent ids by their number, then by their text, so that P99 comes before P100.
func CompareIDs(a, b string) int {
	return cmp.Or(cmp.Compare(agentNumber(a), agentNumber(b)), cmp.Compare(a, b))
}

// MatchID returns the id of the n-th match of a round. Both count from 1.
func MatchID(round, n int) string {
	b := strconv.AppendInt(append(make([]byte, 0, 24), 'R'), int64(round), 10)
	return string(strconv.AppendInt(append(b, 'M'), int64(n), 10))
}

// ParseMatchID returns the round and the number in a match id such as R1M2.
func ParseMatchID(id string) (round, n int, ok bool) {
	left, right, found := strings.Cut(strings.TrimPrefix(id, "R"), "M")
	round, err1 := strconv.Atoi(left)
	n, err2 := strconv.Atoi(right)
	ok = found && err1 == nil && err2 == nil && round > 0 && n > 0 && MatchID(round, n) == id
	return round, n, ok
}

// MatchConversation returns the conversation id of a referee with one
// player. The suffix is random and known only to the two.
func MatchConversation(match string, attempt int, suffix string) string {
	n := strconv.Itoa(attempt)
	return "conv-" + strings.ToLower(match) + "-" + "000"[min(len(n), 3):] + n + "-" + suffix
}

// ReportConversation returns the conversation id of a referee's report of a match.
func ReportConversation(match string) string { return "conv-" + strings.ToLower(match) + "-report" }

// RoundConversation returns the conversation id of a broadcast about a round. what is "announce", "standings" or
// "complete".
func RoundConversation(round int, what string) string {
	return "conv-round-" + strconv.Itoa(round) + "-" + what
}

// LeagueConversation is the conversation of LEAGUE_COMPLETED.
const LeagueConversation = "conv-league-complete"

// Stamp formats t as a timestamp of the protocol, in whole seconds of UTC.
func Stamp(t time.Time) string {
	second := t.Unix()
	kept := &stamped[uint64(second)%uint64(len(stamped))]
	if last := kept.Load(); last != nil && last.second == second {
		return last.text
	}
	now := &stamp{second, t.UTC().Format("2006-01-02T15:04:05Z")}
	kept.Store(now)
	return now.text
}

// stamped caches the latest formatted timestamps. Most messages of a second use the same ones.
var stamped [64]atomic.Pointer[stamp]

// A stamp is a cached timestamp.
type stamp struct {
	second int64
	text   string
}

// StampUp formats a deadline rounded up, so that it is never stated earlier than it is.
func StampUp(t time.Time) string { return Stamp(t.Add(time.Second - time.Nanosecond)) }

// hyphenless lists the layouts of timestamps that lost their hyphens when they were copied from a printed page.
var hyphenless = []string{"20060102T150405Z07:00", "20060102T15:04:05Z07:00"}

// ParseTime parses a timestamp in UTC. plain is false for a tolerated format that the specification does not allow.
func ParseTime(s string) (t time.Time, plain bool, err error) {
	t, err = time.Parse(time.RFC3339, s)
	plain = err == nil && s[len("2006-01-02T15")] == ':' && !strings.Contains(s, ",") // Parse forgives both
	for i := 0; err != nil && i < len(hyphenless); i++ {
		t, err = time.Parse(hyphenless[i], s)
	}
	if err != nil {
		return time.Time{}, false, fmt.Errorf("want a time such as 2025-01-15T10:30:00Z, got %q", Clip(s, 40))
	}
	if _, offset := t.Zone(); offset != 0 {
		return time.Time{}, false, fmt.Errorf("want UTC (Z or +00:00), got %q", Clip(s, 40))
	}
	return t.UTC(), plain, nil
}

// A Round is the number of a round, from 1. It also decodes from strings such as
// "ROUND_1" and "R1".
type Round int

// UnmarshalJSON reads a number, or a string by its digits.
func (r *Round) UnmarshalJSON(b []byte) error {
	text := string(b)
	if text == "null" {
		return nil
	}
	if b[0] == '"' {
		quoted, _ := jsontext.AppendUnquote(nil, b)
		text = strings.TrimLeft(string(quoted), "ROUNDround_- ")
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return &json.UnmarshalTypeError{Value: Clip(oneLine(b), 40), Type: reflect.TypeFor[Round]()}
	}
	*r = Round(n)
	return nil
}

// oneLine returns a JSON value without insignificant space, for error messages.
func oneLine(value []byte) string {
	var b bytes.Buffer
	if json.Compact(&b, value) != nil {
		return string(value)
	}
	return b.String()
}
