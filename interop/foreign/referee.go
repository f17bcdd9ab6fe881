package foreign

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"
)

// A RefereeKind is one way of being a referee.
type RefereeKind struct {
	Name    string
	Start   Start   // the way in which it accepts orders
	Report  string  // the name of its report: a method, or tools/call
	News    bool    // it takes notify_league_completed
	Refuses Refusal // its answer to unknown messages

	Token    string // it shows this instead of its token; "": its token
	Manager  string // the only sender of accepted orders; "": any
	Waits    bool   // it ignores the answers of players: they must call back
	Flat     bool   // its report has separate members for each player
	Nameless bool   // its report names neither the match nor the referee
	Beside   bool   // it takes every answer that is no request for a bare message, and shows players no token
	Terse    bool   // it registers with an id and an address alone, without JSON-RPC, and signs with the id
	OwnIDs   bool   // it uses other ids for matches, towards players and in reports, and shows players no token
	Tells    bool   // it plays first, and returns the result in its answer to the order instead of a report
	Odd      Oddity // an unusual trait of its reports; "": none
	Sides    bool   // its GAME_OVER has no game_result and no points: the choices are in details, as player1_choice
}

// noToken selects a referee that sends no token.
const noToken = "-"

// RefereeKinds returns a referee for every way of starting a match, and for every other observed trait. The names of
// the report rotate.
func RefereeKinds() (out []RefereeKind) {
	reports := []string{"report_match_result", "match_result_report", "MATCH_RESULT_REPORT", "tools/call"}
	refusals := []Refusal{RefuseNotFound, Refuse422, RefuseWords, Refuse404, Refuse500}
	for i, start := range Starts() {
		out = append(out, RefereeKind{
			Name: "Referee " + string(start), Start: start, Report: reports[i%len(reports)], Refuses: refusals[i%len(refusals)],
		})
	}
	for _, odd := range oddities() {
		out = append(out, RefereeKind{
			Name: "Referee with " + string(odd), Start: StartMatch, Report: "report_match_result", Odd: odd, Refuses: RefuseNotFound,
		})
	}
	return append(out,
		RefereeKind{
			Name: "Referee of a word", Start: StartMatch, Report: "report_match_result", Token: "simulated_token",
			Refuses: RefuseNotFound,
		},
		RefereeKind{
			Name: "Referee without a token", Start: StartAnnounced, Report: "report_match_result", Token: noToken,
			Refuses: RefuseWords,
		},
		RefereeKind{
			Name: "Referee of LM01", Start: StartSeats, Report: "MATCH_RESULT_REPORT", Manager: "league_manager:LM01",
			Flat: true, Refuses: RefuseNotFound,
		},
		RefereeKind{
			Name: "Referee that waits", Start: StartQuery, Report: "report_match_result", Token: noToken, Waits: true,
			Refuses: RefuseNotFound,
		},
		RefereeKind{Name: "Referee that nods", Start: StartAssign, Report: "report_match_result", Refuses: RefuseAck},
		RefereeKind{Name: "Referee that tells", Start: StartNested, Tells: true, Refuses: RefuseNotFound},
		RefereeKind{
			Name: "Referee that looks beside", Start: StartAnnounced, Report: "match_result_report", Beside: true,
			Refuses: RefuseWords,
		},
		RefereeKind{
			Name: "Referee of an id", Start: StartRun, Report: "match_result_report", Terse: true, Refuses: RefuseWords,
		},
		RefereeKind{
			Name: "Referee with ids of its own", Start: StartCommand, Report: "report_match_result", OwnIDs: true,
			Refuses: RefuseNotFound,
		},
		RefereeKind{
			Name: "Referee of one match", Start: StartURLs, Report: "report_match_result", Token: noToken, Nameless: true,
			Refuses: RefuseNotFound,
		},
	)
}

// A Referee runs matches. It addresses players in the specification's form.
type Referee struct {
	RefereeKind
	ledger
	agentServer

	mu      sync.Mutex
	id      string
	token   string
	league  string
	manager string
	starts  map[string]int         // how often each match was started
	called  map[string]chan object // answers that players bring by a call, by match, player and type
}

// NewReferee serves a referee on a free port.
func NewReferee(kind RefereeKind) (*Referee, error) {
	r := &Referee{RefereeKind: kind, starts: map[string]int{}, called: map[string]chan object{}}
	return r, r.open(r)
}

// Starts returns the number of start orders by match.
func (r *Referee) Starts() map[string]int {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := map[string]int{}
	for match, n := range r.starts {
		out[match] = n
	}
	return out
}

// Register registers the referee with the manager. With StartPolled it also starts polling for matches.
func (r *Referee) Register(ctx context.Context, manager string) error {
	reply, err := post(ctx, manager, encode(r.application()))
	if err != nil {
		return fmt.Errorf("%s registers: %w", r.Name, err)
	}
	granted := reply.object("result")
	if r.Terse {
		granted = reply
	}
	r.mu.Lock()
	r.id, r.token, r.league, r.manager = granted.text("referee_id"), granted.text("auth_token"),
		granted.text("league_id"), manager
	r.mu.Unlock()
	if granted.text("referee_id") == "" {
		return fmt.Errorf("%s registers: no referee_id in %.300s", r.Name, encode(reply))
	}
	if r.Start == StartPolled {
		r.busy.Go(r.poll)
	}
	return nil
}

// application is how it asks for a place.
func (r *Referee) application() object {
	if r.Terse {
		return object{
			"protocol": "league.v2", "message_type": "REFEREE_REGISTER_REQUEST", "referee_id": "REF01", "endpoint": r.Endpoint(),
		}
	}
	return object{"jsonrpc": "2.0", "method": "register_referee", "id": 1, "params": object{
		"protocol": "league.v2", "message_type": "REFEREE_REGISTER_REQUEST", "sender": "referee:REF01",
		"timestamp":       TimeZ.write(time.Now()),
		"conversation_id": "conv-ref-1",
		"referee_meta": object{
			"display_name": r.Name, "version": "1.0.0", "game_types": []string{"even_odd"}, "contact_endpoint": r.Endpoint(),
			"max_concurrent_matches": r.capacity(),
		},
	}}
}

// Reports makes an unregistered referee report to a manager under the given id, without a token.
func (r *Referee) Reports(id, manager string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.id, r.token, r.manager = id, "", manager
}

// capacity is how many matches it takes at once.
func (r *Referee) capacity() int {
	if r.Nameless {
		return 1
	}
	return 4
}

// ServeHTTP accepts orders in the referee's form only.
func (r *Referee) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	byQuery := r.Start == StartQuery && req.URL.Path == string(StartQuery)
	if req.Method != http.MethodPost || req.URL.Path != "/mcp" && !byQuery {
		http.NotFound(w, req)
		return
	}
	body, _ := io.ReadAll(req.Body)
	var top object
	_ = json.Unmarshal(body, &top)
	if byQuery {
		top = object{"params": map[string]any(fromQuery(req.URL.Query()))}
	}
	reply := r.Refuses.answer(top["id"])
	known := r.Start != StartPolled && top.text("method") == r.Start.method() || byQuery
	switch {
	case known:
		reply = r.started(top)
	case r.Waits && r.bring(top.object("params")):
		known, reply = true, &answer{
			200, encode(object{"jsonrpc": "2.0", "result": object{"status": "acknowledged"}, "id": top["id"]}),
		}
	case r.News && top.text("method") == "notify_league_completed":
		known, reply = true, &answer{200, encode(object{"jsonrpc": "2.0", "result": object{"status": "ok"}, "id": top["id"]})}
	}
	r.note(Heard{
		Kind: Kind(top.object("params").text("message_type")), Status: reply.status, Refused: !known, Body: string(body),
	})
	reply.send(w)
}

// started executes an order.
func (r *Referee) started(top object) *answer {
	r.mu.Lock()
	id := r.id
	r.mu.Unlock()
	if sender := top.object("params").text("sender"); r.Manager != "" && sender != r.Manager {
		return &answer{
			400, encode(object{
				"jsonrpc": "2.0", "error": object{"code": -32602, "message": "Sender not registered"}, "id": top["id"],
			}),
		}
	}
	for _, o := range r.Start.orders(id, top.object("params")) {
		if !o.complete() {
			return missingField(string(r.Start) + ": match, players and their endpoints")
		}
		if r.Tells {
			return r.tell(top["id"], o)
		}
		r.take(o)
	}
	if r.Start == StartQuery {
		return &answer{200, encode(object{"status": "started"})}
	}
	return &answer{200, encode(object{"jsonrpc": "2.0", "result": object{"status": "ACCEPTED"}, "id": top["id"]})}
}

// take starts playing a match. A repeated order is ignored, except with StartAnnounced: such a referee plays every
// match in each announcement.
func (r *Referee) take(o order) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.starts[o.match]++; r.starts[o.match] > 1 && r.Start != StartAnnounced {
		return
	}
	o.league = orElse(o.league, r.league)
	r.busy.Go(func() { r.play(o) })
}

// poll asks the manager for matches until the referee is closed.
func (r *Referee) poll() {
	for r.base.Err() == nil {
		r.mu.Lock()
		id, token, manager := r.id, r.token, r.manager
		r.mu.Unlock()
		reply, err := post(r.base, manager,
			encode(object{"jsonrpc": "2.0", "method": string(StartPolled), "id": 2, "params": object{
				"sender": "referee:" + id, "auth_token": token, "referee_id": id,
			}}))
		if err == nil {
			for _, o := range r.Start.orders(id, reply.object("result")) {
				if o.complete() {
					r.takeOnce(o)
				}
			}
		}
		select {
		case <-time.After(50 * time.Millisecond):
		case <-r.base.Done():
		}
	}
}

// takeOnce starts playing a match unless it was started before: the manager may list it repeatedly.
func (r *Referee) takeOnce(o order) {
	r.mu.Lock()
	known := r.starts[o.match] > 0
	r.mu.Unlock()
	if !known {
		r.take(o)
	}
}
