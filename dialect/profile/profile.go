package profile

import (
	"slices"
	"strings"
	"sync/atomic"

	"agentleague/protocol"
)

// Default is the name of the profile in which messages are sent as doc/protocol-spec.md has them.
const Default = "v2"

// A Profile is the wire format of one document. It is immutable.
type Profile struct {
	Name     string
	Document string // as doc/protocol-spec.md calls it

	RefusesUnreachable bool // an agent whose endpoint does not answer is not registered
	UniqueNames        bool // an agent with the name of another one is not registered
	ListsAgents        bool // agents that register are added to config/agents/agents_config.json
	SwapsLaterRounds   bool // the sides of all rounds but the first are swapped
	EndsForPlayers     bool // LEAGUE_COMPLETED goes to players alone
	RefusesRepeats     bool // a second report is refused, even if it is equal to the first
	RefusesBefore      bool // a player that has not registered refuses rounds and invitations

	methods map[protocol.Type]string
	names   map[protocol.Type]string // message types
	edits   map[protocol.Type][]edit
	every   []edit // of every message, after those of its type

	league map[*protocol.Kind]label // errors in registrations, queries and reports
	game   map[*protocol.Kind]label // errors in a match

	titles map[int]string         // error.message by the numeric code; an absent code has the name of the error
	query  map[*protocol.Kind]int // other numeric codes in answers to queries

	describes    bool     // error_description is a sentence
	refusals     bool     // a refused registration is a JSON-RPC error
	inResult     bool     // a LEAGUE_ERROR is the result of the answer
	acksAreKeyed bool     // acknowledgements carry the token
	allowed      []string // "RULE MEMBER" of package conform that the document breaks
	omitted      []string // the members of the envelope that examples of the document lack
}

// A label is the code and the name of an error in a document. Number overrides its numeric code unless it is 0.
type label struct {
	code, name string
	number     int
}

// Names lists the names of all profiles, the default first.
func Names() []string {
	out := []string{Default}
	for _, p := range profiles {
		out = append(out, p.Name)
	}
	return out
}

// Known reports whether a profile has that name. The empty name is the default.
func Known(name string) bool { return name == "" || slices.Contains(Names(), name) }

// A Speaker writes the messages of one agent in a profile. A nil Speaker has the default profile and changes nothing.
// It is safe for concurrent use.
type Speaker struct {
	Profile
	leagueID atomic.Pointer[string]
	token    atomic.Pointer[string] // of the agent; nil: it has not registered
}

// New returns a speaker for an agent of a league, or nil for the default profile and for an unknown name.
func New(name, leagueID string) *Speaker {
	i := slices.IndexFunc(profiles, func(p Profile) bool { return p.Name == name })
	if i < 0 {
		return nil
	}
	s := &Speaker{Profile: profiles[i]}
	s.leagueID.Store(&leagueID)
	return s
}

// Rules returns the profile of a speaker; that of a nil speaker is empty.
func (s *Speaker) Rules() Profile {
	if s == nil {
		return Profile{}
	}
	return s.Profile
}

// Method returns the method of a message of type t in the profile, or "" if it is the usual one.
func (s *Speaker) Method(t protocol.Type) string {
	if s == nil {
		return ""
	}
	return s.methods[t]
}

// Documents reports whether the document allows what breaks a rule of other documents in grading mode, by the rule's
// id and the member.
func (s *Speaker) Documents(rule, member string) bool {
	return s != nil && slices.ContainsFunc(s.allowed, func(a string) bool {
		in, path, _ := strings.Cut(a, " ")
		return in == rule && (member == path || strings.HasPrefix(member, path+"."))
	})
}

// Unusual returns those warnings about a message that the examples of the document do not justify.
func (s *Speaker) Unusual(warnings []string) []string {
	if s == nil {
		return warnings
	}
	return slices.DeleteFunc(slices.Clone(warnings), func(w string) bool {
		name, _, _ := strings.Cut(w, ":")
		return slices.Contains(s.omitted, name)
	})
}
