package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"agentleague/dialect/profile"
	"agentleague/format"
	"agentleague/league"
	"agentleague/protocol"
)

// createView holds the choices for the creation of a league.
type createView struct {
	Games      []Choice  `json:"games"`
	Strategies []Choice  `json:"strategies"` // each with the games that it plays
	Like       []string  `json:"like"`       // leagues whose description can be copied
	Asked      NewLeague `json:"-"`          // the values filled in from the address
}

// Title returns the page title.
func (createView) Title() string { return "Create a league" }

// Profiles returns the choices for the wire format, the default first.
func (createView) Profiles() []string { return profile.Names() }

// Guests returns the choices for guest referees, the default first.
func (createView) Guests() []string {
	return []string{league.GuestsBeforeStart, league.GuestsInvited, league.GuestsNever}
}

// Formats returns the formats, the default first.
func (createView) Formats() (names []string) {
	for _, name := range format.Names() {
		bare, _, _ := strings.Cut(name, "/")
		names = append(names, bare)
	}
	return names
}

// Tiebreakers returns the default tiebreakers, as text.
func (createView) Tiebreakers() string { return strings.Join(league.Tiebreakers, ", ") }

// Points returns the default points for a win, a draw and a loss.
func (createView) Points() protocol.Scoring { return protocol.DefaultScoring }

// createPages let the admin create a league.
type createPages struct{ *common }

// pages returns the page with the form for a new league.
func (s *createPages) pages() []page {
	return []page{
		{path: "/create", template: "create", summary: "The options for a new league", example: createView{}, styles: []string{"run.css"},
			scripts: []string{"create.js"}, view: s.form},
	}
}

// actions returns the action that creates a league.
func (s *createPages) actions() []action {
	return []action{{path: "/leagues", summary: "Create a league", body: NewLeague{}, do: s.create}}
}

// likeMost limits the leagues that the form offers to copy.
const likeMost = 50

// form fills in the values of an address such as /create?game_type=even_odd&players=6, as far as they are valid.
func (s *createPages) form(r *http.Request, _ Season) (any, error) {
	v := createView{Games: s.Games, Strategies: s.Strategies, Like: s.Host.Leagues()}
	v.Like = v.Like[max(0, len(v.Like)-likeMost):]
	q, n := r.URL.Query(), &v.Asked
	n.ID, n.Game, n.Like = said(q.Get("league_id"), 64), q.Get("game_type"), q.Get("like")
	n.Players, _ = strconv.Atoi(q.Get("players"))
	n.Cycles, _ = strconv.Atoi(q.Get("cycles"))
	n.Players, n.Cycles = min(max(n.Players, 0), 10_000), min(max(n.Cycles, 0), 1000)
	return v, nil
}

// A created is the API's answer to the creation of a league.
type created struct {
	ID string `json:"league_id"`
}

// A descriptionField is a form field with the name of a key in the league's description.
type descriptionField struct {
	key  string
	read func(text string) (any, error)
}

// descriptionFields are the fields that are not members of CREATE_LEAGUE.
var descriptionFields = []descriptionField{
	{"display_name", aText}, {"schedule.format", aText}, {"schedule.rounds", aNumber}, {"schedule.legs", aNumber},
	{"schedule.late.until", aNumber}, {"pace_sec", aNumber}, {"calendar.round_every_sec", aNumber},
	{"calendar.pauses", words}, {"calendar.zone", aText}, {"calendar.no_show_sec", aNumber}, {"strict", parseCheckbox}, {"profile", aText},
	{"invited_only", parseCheckbox}, {"invited", lines}, {"guest_referees", aText}, {"seasons", aNumber},
	{"participants.min_players", aNumber}, {"participants.max_players", aNumber},
	{"limits.move_timeout_sec", aNumber}, {"limits.max_retries", aNumber}, {"max_consecutive_forfeits", aNumber},
	{"scoring.win_points", aNumber}, {"scoring.draw_points", aNumber}, {"scoring.loss_points", aNumber},
	{"scoring.tiebreakers", words}, {"start.after_sec", aNumber}, {"start.at", aTime},
}

func aText(text string) (any, error)         { return text, nil }
func parseCheckbox(text string) (any, error) { return text != "" && text != "false", nil }

func aNumber(text string) (any, error) {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return nil, fmt.Errorf("want a number, got %s", said(text, 40))
	}
	return n, nil
}

// lines parses a form field with one entry per line.
func lines(text string) (any, error) {
	var out []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			out = append(out, line)
		}
	}
	return out, nil
}

// words parses a form field with a comma-separated list.
func words(text string) (any, error) {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' }), nil
}

// aTime parses the local time of a browser's field, or a complete timestamp.
func aTime(text string) (any, error) {
	if at, err := time.ParseInLocation("2006-01-02T15:04", text, time.Local); err == nil {
		return at.Format(time.RFC3339), nil
	}
	return text, nil
}

// create creates a league from a form. An empty field has its default; an invalid one is named in the error.
func (s *createPages) create(r *http.Request, _ Season) (string, any, error) {
	n := NewLeague{
		ID: strings.TrimSpace(r.PostFormValue("league_id")), Game: r.PostFormValue("game_type"),
		Like: r.PostFormValue("like"), Bots: nonEmpty(r.PostForm["house"]), PairedDraws: r.PostFormValue("paired_draws") != "",
	}
	for _, field := range []struct {
		name string
		into *int
		most int
	}{{"players", &n.Players, 10_000}, {"referees", &n.Referees, 1000}, {"cycles", &n.Cycles, 1000}} {
		text := strings.TrimSpace(r.PostFormValue(field.name))
		if text == "" {
			continue
		}
		value, err := strconv.Atoi(text)
		if err != nil || value < 0 || value > field.most {
			return "", nil,
				badRequest(fmt.Sprintf("%s: want a number from 0 to %d, got %s.", field.name, field.most, said(text, 40)),
					"Go back and change it.")
		}
		*field.into = value
	}
	n.Bots = append(n.Bots, many(r)...)
	settings, err := description(r)
	if err != nil {
		return "", nil, badRequest(err.Error()+".", "Go back and change it.")
	}
	n.Settings = settings
	id, err := s.Host.Create(r.Context(), n)
	if err != nil {
		return "", nil, err
	}
	return "/leagues/" + id, created{id}, nil
}

// description returns the keys of the league's description in a form or a request of the API.
func description(r *http.Request) (map[string]any, error) {
	out := map[string]any{}
	if text := r.PostFormValue("settings"); text != "" {
		if err := json.Unmarshal([]byte(text), &out); err != nil {
			return nil, fmt.Errorf("settings: want an object: %w", err)
		}
	}
	for _, f := range descriptionFields {
		text := strings.TrimSpace(r.PostFormValue(f.key))
		if text == "" {
			continue
		}
		value, err := f.read(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.key, err)
		}
		outer, inner, nested := strings.Cut(f.key, ".")
		if !nested {
			out[outer] = value
			continue
		}
		object, _ := out[outer].(map[string]any)
		if object == nil {
			object = map[string]any{}
			out[outer] = object
		}
		object[inner] = value
	}
	return out, nil
}

// many returns the names of the built-in players in a form such as house_random=3, each as often as the form requests.
func many(r *http.Request) (out []string) {
	for name, values := range r.PostForm {
		strategy, ok := strings.CutPrefix(name, "house_")
		if n, err := strconv.Atoi(strings.TrimSpace(values[0])); ok && err == nil {
			for range min(max(n, 0), 256) {
				out = append(out, strategy)
			}
		}
	}
	return out
}

// nonEmpty returns a list without its blank fields.
func nonEmpty(list []string) (out []string) {
	for _, v := range list {
		if v != "" {
			out = append(out, v)
		}
	}
	return out
}
