package league

import (
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"agentleague/protocol"
)

// An Audit verifies a league's log: it holds the resulting state and every entry that does not follow from the
// other entries. It reads only the log.
type Audit struct {
	State    *State
	Lines    int            // entries of the log
	Line     map[string]int // where the result of a match stands in it
	Ended    int            // the line with the end of the league; 0: it is not over
	Findings []Finding

	now     time.Time                // of the event
	pending []pendingCheck           // of what depends on draws
	secret  []byte                   // of all draws, once it is revealed and matches its commitment
	voids   map[string][]int         // of each match how many attempts there were when its result was struck
	struck  map[MatchAssigned]Struck // results that no longer count
	rekeyed map[string]bool          // agents that have had more than one key
	keyed   bool                     // a registration has a place or a key, as versions with keys write them
	check   func(r *protocol.MatchResultReport, playerA, playerB string) error
}

// A Finding is one difference between the log and the rules.
type Finding struct {
	Line      int    // of the log
	Field     string // its subject
	Want, Got string // "": What describes it
	What      string
}

// About reports whether the finding concerns the match with that id.
func (f Finding) About(match string) bool {
	rest, ok := strings.CutPrefix(f.Field, match)
	return ok && (rest == "" || rest[0] == '.')
}

// NewAudit reads a log to its end. It calls check with each result, to verify the result by the rules of the game.
// An error means that the log is unreadable or contradicts itself; the audit then covers the entries before that.
func NewAudit[L foldable](
	log iter.Seq2[L, error], check func(r *protocol.MatchResultReport, playerA, playerB string) error,
) (*Audit, error) {
	a := &Audit{
		State: NewState(), Line: map[string]int{}, voids: map[string][]int{},
		struck: map[MatchAssigned]Struck{}, rekeyed: map[string]bool{}, check: check,
	}
	for entry, err := range log {
		if err != nil {
			return a, err
		}
		seq, hash, data := entry.Line()
		a.Lines = int(seq)
		if a.Lines == 1 {
			a.State.Seal = hash // of the line that is being read
		}
		at, events, err := DecodeBatch(data)
		for i, e := range events {
			a.now = at
			a.before(e, events[i+1:])
			if err = a.State.Apply(at, e); err != nil {
				break
			}
			a.after(e)
		}
		if err != nil {
			return a, &LogError{a.Lines, err}
		}
		a.State.Written(seq, hash, events)
	}
	a.settleDraws()
	return a, nil
}

func (a *Audit) find(line int, field string, want, got any) {
	a.Findings = append(a.Findings, Finding{Line: line, Field: field, Want: show(want), Got: show(got)})
}

// show formats a value of a finding: strings unchanged, other values as JSON.
func show(v any) string {
	if text, ok := v.(string); ok {
		return text
	}
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(b)
}

// before checks event e against the state before it. then holds the later events of the same log entry.
func (a *Audit) before(e Event, then []Event) {
	switch e := e.(type) {
	case Registered:
		a.checkReturn(e, then)
		a.checkKeyless(e)
		a.checkReserved(e)
	case AgentState:
		a.checkStanding(e)
	case Started:
		a.checkRoster(e)
		a.checkSeeds(e)
	case RoundOpened:
		if due := roundDue(a.State, a.now); due.After(a.now) {
			a.find(a.Lines, "round "+show(e.Round), "opened at "+protocol.Stamp(due)+" or later", "opened at "+protocol.Stamp(a.now))
		}
	case RoundPaired:
		a.checkPairing(e)
	case playerJoined:
		a.checkJoined(e)
	case Completed:
		a.checkEnd()
	case ResultRecorded:
		a.checkUnplayed(e)
		a.checkAftermath(e, then)
	case Contested:
		a.checkContest(e)
	case Annulled:
		a.strike(e)
	}
}

// checkUnplayed checks that a match recorded as not played could not be played.
func (a *Audit) checkUnplayed(r ResultRecorded) {
	m := a.State.Matches[r.Match]
	if r.Attempt != 0 || m == nil || m.Outcome != nil {
		return
	}
	if want, unplayable := unplayed(a.State, m); !unplayable {
		a.says(r.Match, "it was recorded as not played, although both players were in the league")
	} else if !reflect.DeepEqual(want, r) {
		a.find(a.Lines, r.Match, want.Result, r.Result)
	}
}

// after checks event e against the state after it.
func (a *Audit) after(e Event) {
	switch e := e.(type) {
	case Created:
		a.checkRules(e)
		a.checkSchedule(e.Schedule)
	case Upgraded:
		a.checkSchedule(e.Schedule)
	case Registered:
		a.checkName(e)
		a.checkWelcome(e)
	case Invited:
		a.checkInvited(e)
	case Found:
		a.checkFound(e)
	case MatchAssigned:
		a.checkJudge(e)
	case Completed:
		a.Ended = a.Lines
		a.reveal(e.DrawSecret)
	case Cancelled:
		a.Ended = a.Lines
		a.reveal(e.DrawSecret)
	case ResultRecorded:
		a.Line[e.Match] = a.Lines
		m := a.State.Matches[e.Match]
		if !a.Provable(m) {
			return
		}
		if err := a.check(m.Report(a.State.Created.GameType), m.A, m.B); err != nil {
			a.says(e.Match, "the result does not follow from the moves and the draw: %v", err)
		}
		a.checkForfeits(e)
		a.checkSigned(m, e)
		if e.RecordSHA256 == "" && a.State.Agents[e.Referee].Organiser {
			a.says(e.Match+".record_sha256", "the result has no record")
		}
	}
}

// checkWelcome verifies the signature in a native agent's registration.
func (a *Audit) checkWelcome(e Registered) {
	if !e.Native() {
		return
	}
	w := e.Welcome
	if w == nil {
		a.says(e.ID+".welcome", "a native agent registered without its signature")
		return
	}
	text := protocol.WelcomeTextV1(w.Manager, a.State.Seal, e.ID, e.Endpoint, w.Nonce, w.TokenSHA256)
	if a.State.Schema >= 2 {
		text = TermsOf(a.State).Challenge(e).Text()
	}
	if err := protocol.CheckSignature(e.Key, text, w.Signature); err != nil {
		a.Findings = append(a.Findings, Finding{Line: a.Lines, Field: e.ID + ".welcome", What: err.Error()})
	}
}

// checkFound verifies the signature with which a displaced agent proved that it answers at its endpoint again.
func (a *Audit) checkFound(e Found) {
	who := a.State.Agents[e.ID]
	text := protocol.IdentityText(a.State.Seal, e.ID, who.Endpoint, e.Challenge)
	if err := protocol.CheckSignature(who.Key, text, e.Signature); err != nil {
		a.Findings = append(a.Findings, Finding{Line: a.Lines, Field: e.ID + ".found", What: err.Error()})
	}
}

// checkSigned verifies the players' signatures of their answers in a result.
func (a *Audit) checkSigned(m *Match, e ResultRecorded) {
	if id := Unsigned(a.State, m, e.Moves, e.Result.Forfeits, e.Signed); id != "" {
		a.says(m.ID+".signed", "%s signs its answers, and has not signed this one", id)
	}
	at := MatchAssigned{m.ID, e.Referee, e.Attempt}
	if err := CheckSigned(a.State, m, at, Commitment(e.DrawKey), e.Signed); err != nil {
		a.Findings = append(a.Findings, Finding{Line: a.Lines, Field: m.ID, What: err.Error()})
	}
}

// CheckRecord returns an error that names the first field in which the record of a match differs from the log.
func (a *Audit) CheckRecord(m *Match, rec *protocol.MatchRecord) error {
	if err := a.CheckAttempt(m, MatchAssigned{m.ID, m.Outcome.Referee, m.Outcome.Attempt}, rec); err != nil {
		return err
	}
	out := m.Outcome
	result, err := normalise(rec.Report("").Result, m.A, m.B)
	switch {
	case err != nil:
		return err
	case rec.Fairness.Key != out.DrawKey:
		return differ("fairness.key", out.DrawKey, rec.Fairness.Key)
	case !reflect.DeepEqual(result, out.Result):
		return differ("result", out.Result, result)
	case !maps.Equal(timingOf(rec.Timing(), m.A, m.B), out.Timing):
		return differ("tries", out.Timing, rec.Timing())
	case !maps.Equal(usageOf(rec.Usage, m.A, m.B), out.Usage):
		return differ("usage", out.Usage, rec.Usage)
	case !slices.EqualFunc(rec.Moves, out.Moves, sameMove):
		return differ("moves", out.Moves, rec.Moves)
	case len(rec.Signed)+len(out.Signed) > 0 && !reflect.DeepEqual(rec.Signed, out.Signed):
		return differ("signed", out.Signed, rec.Signed)
	}
	return nil
}

// CheckAttempt returns an error that names the first field in which rec, the record of attempt at, contradicts the log:
// for example, it is about another attempt, or its draw key is not the league's.
func (a *Audit) CheckAttempt(m *Match, at MatchAssigned, rec *protocol.MatchRecord) error {
	s := a.State
	for _, f := range []struct {
		name      string
		want, got any
	}{
		{"match_id", m.ID, rec.MatchID}, {"league_id", s.Created.LeagueID, rec.LeagueID},
		{"round_id", m.Round, rec.RoundID},
		{"game_type", s.Created.GameType, rec.GameType}, {"referee_id", at.Referee, rec.RefereeID},
		{"attempt", at.Attempt, rec.Attempt},
		{"player_A_id", m.A, rec.PlayerAID}, {"player_B_id", m.B, rec.PlayerBID},
	} {
		if f.want != f.got {
			return differ(f.name, f.want, f.got)
		}
	}
	if want, ok := a.drawKey(m, a.nameOf(at)); ok && s.Agents[at.Referee].Ours() && rec.Fairness.Key != want {
		return differ("fairness.key", want, rec.Fairness.Key)
	}
	return nil
}

func sameMove(a, b Moved) bool {
	return a.Turn == b.Turn && a.PlayerID == b.PlayerID && string(canonical(a.Move)) == string(canonical(b.Move))
}

func differ(field string, want, got any) error {
	return fmt.Errorf("%s: want %s, got %s", field, show(want), show(got))
}
