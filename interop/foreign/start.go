package foreign

import (
	"fmt"
	"strings"
)

// A Start is the form of an order to a referee.
type Start string

// The observed forms. Each is a method of the referee, except StartPolled and StartQuery. A suffix " of …"
// distinguishes forms with the same method.
const (
	StartMatch     Start = "start_match"
	StartTyped     Start = "START_MATCH"
	StartAssign    Start = "assign_match"     // MATCH_ASSIGNMENT with player1_id, player1_endpoint, …
	StartAssigned  Start = "MATCH_ASSIGNMENT" // the same, its type for a method
	StartRun       Start = "run_match"
	StartCommand   Start = "start_match_command"
	StartAnnounced Start = "notify_round"         // ROUND_ANNOUNCEMENT with the endpoints in each match
	StartPolled    Start = "get_assigned_matches" // a method of the manager

	StartSeats  Start = "START_MATCH of seats"        // player_a and player_b are ids
	StartURLs   Start = "start_match_command of URLs" // with player_a_url and player_b_url
	StartNested Start = "run_match of objects"        // player1 and player2 have a display_name and an endpoint
	StartQuery  Start = "/admin/run_match"            // no body: all is in the query of the URL
)

// method is the manager's call at the referee.
func (s Start) method() string {
	method, _, _ := strings.Cut(string(s), " of ")
	return method
}

// Starts lists every way of starting a match.
func Starts() []Start {
	return []Start{
		StartMatch, StartTyped, StartAssign, StartAssigned, StartRun, StartCommand, StartAnnounced, StartPolled,
		StartSeats, StartURLs, StartNested, StartQuery,
	}
}

// A seat is a player in a referee's order.
type seat struct{ id, endpoint string }

// An order is a match that a referee is to play.
type order struct {
	match, league, game string
	round               any
	a, b                seat
}

// complete reports whether the order has a match and two players with endpoints.
func (o order) complete() bool {
	return o.match != "" && o.a.id != "" && o.a.endpoint != "" && o.b.id != "" && o.b.endpoint != ""
}

// orders returns the matches that a message in form s orders from the referee with that id.
func (s Start) orders(referee string, message object) (out []order) {
	switch s {
	case StartAnnounced:
		for _, match := range message.list("matches") {
			if match.text("referee_id") == referee {
				out = append(out, readOrder(message.with(match), flat("player_A"), flat("player_B")))
			}
		}
	case StartPolled:
		for _, match := range append(message.list("matches"), message.list("assigned_matches")...) {
			out = append(out, readOrder(message.with(match), either("player_A", "player1"), either("player_B", "player2")))
		}
	case StartAssign, StartAssigned:
		out = append(out, readOrder(message, flat("player1"), flat("player2")))
	case StartSeats:
		out = append(out, readOrder(message, named("player_a", "_endpoint"), named("player_b", "_endpoint")))
	case StartURLs:
		out = append(out, readOrder(message, named("player_a", "_url"), named("player_b", "_url")))
	case StartNested:
		out = append(out, readOrder(message, seatIn("player1"), seatIn("player2")))
	case StartQuery:
		out = append(out, readOrder(message, flat("player_a"), flat("player_b")))
	default:
		out = append(out, readOrder(message, either("player_A", "player1"), either("player_B", "player2")))
	}
	return out
}

// readOrder reads the assignment of one match from a START_MATCH or an announcement. The functions a and b extract its
// two players.
func readOrder(m object, a, b func(object) seat) order {
	return order{
		match: m.text("match_id"), league: m.text("league_id"), game: orElse(m.text("game_type"), "even_odd"),
		round: m["round_id"], a: a(m), b: b(m),
	}
}

// flat returns a function that reads a seat from members such as player_A_id and player_A_endpoint.
func flat(name string) func(object) seat {
	return func(m object) seat { return seat{m.text(name + "_id"), m.text(name + "_endpoint")} }
}

// named returns a function that reads a seat from members such as player_a, which is the id, and player_a_url.
func named(name, endpoint string) func(object) seat {
	return func(m object) seat { return seat{m.text(name), m.text(name + endpoint)} }
}

// seatIn returns a function that reads a seat from an object in which display_name is the id.
func seatIn(name string) func(object) seat {
	return func(m object) seat {
		if o := m.object(name); o.text("version") != "" {
			return seat{o.text("display_name"), o.text("endpoint")}
		}
		return seat{}
	}
}

// either returns a function that reads a seat from flat members with one of two names, or from an object with id and
// endpoint.
func either(name, other string) func(object) seat {
	return func(m object) seat {
		nested := m.object(name)
		for _, s := range []seat{
			flat(name)(m), flat(other)(m), {orElse(nested.text("id"), nested.text("player_id")), nested.text("endpoint")},
		} {
			if s.id != "" && s.endpoint != "" {
				return s
			}
		}
		return seat{}
	}
}

// write returns the order for a match in form s.
func (s Start) write(o order) object {
	m := object{
		"protocol": "league.v2", "message_type": "START_MATCH", "match_id": o.match, "league_id": o.league,
		"round_id": o.round, "game_type": o.game,
		"player_A_id": o.a.id, "player_A_endpoint": o.a.endpoint, "player_B_id": o.b.id, "player_B_endpoint": o.b.endpoint,
	}
	switch s {
	case StartAssign, StartAssigned:
		return object{
			"protocol": "league.v2", "message_type": "MATCH_ASSIGNMENT", "match_id": o.match, "league_id": o.league,
			"round_id": o.round, "game_type": o.game,
			"player1_id": o.a.id, "player1_endpoint": o.a.endpoint, "player2_id": o.b.id, "player2_endpoint": o.b.endpoint,
		}
	case StartSeats:
		return object{
			"protocol": "league.v2", "message_type": "START_MATCH", "match_id": o.match, "round_id": o.round,
			"player_a": o.a.id, "player_b": o.b.id, "player_a_endpoint": o.a.endpoint, "player_b_endpoint": o.b.endpoint,
		}
	case StartURLs:
		return object{
			"match_id": o.match, "player_a": o.a.id, "player_b": o.b.id, "player_a_url": o.a.endpoint,
			"player_b_url": o.b.endpoint,
		}
	case StartNested:
		return object{
			"match_id": o.match, "player1": object{"display_name": o.a.id, "version": "1.0.0", "endpoint": o.a.endpoint},
			"player2": object{"display_name": o.b.id, "version": "1.0.0", "endpoint": o.b.endpoint},
		}
	case StartQuery:
		return object{
			"match_id": o.match, "round_id": fmt.Sprintf("R%v", o.round), "player_a_id": o.a.id, "player_b_id": o.b.id,
			"player_a_endpoint": o.a.endpoint, "player_b_endpoint": o.b.endpoint,
		}
	case StartRun:
		delete(m, "message_type")
	case StartCommand:
		m["message_type"] = "START_MATCH_COMMAND"
	}
	return m
}
