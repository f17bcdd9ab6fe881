package mcpserver

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"agentleague/league"
	"agentleague/protocol"
)

// addResources adds the resources of the league: fixed URIs, and URI templates with a round, player or match.
func (s *Show) addResources() {
	server := s.m.Node.MCP()
	for _, r := range []*mcp.Resource{
		{URI: scheme + "standings", Name: "standings", Title: "Standings",
			Description: "The table, and how far the league is. Changes after each result." + asData},
		{URI: scheme + "schedule", Name: "schedule", Title: "Schedule",
			Description: "All rounds with their matches and results. Changes after each result." + asData},
	} {
		r.MIMEType = asJSON
		server.AddResource(r, s.read)
	}
	for _, r := range []*mcp.ResourceTemplate{
		{URITemplate: scheme + "rounds/{n}", Name: "round", Title: "Round", Description: "A round, counted from 1, " +
			"with its matches and results." + asData},
		{URITemplate: scheme + "players/{id}", Name: "player", Title: "Player", Description: "A player such as P01: " +
			"its row of the table, its results and its next match." + asData},
		{URITemplate: scheme + "matches/{id}", Name: "match", Title: "Match", Description: "A match such as R1M2. " +
			"Choices and moves are shown when it is over." + asData},
		{URITemplate: scheme + "matches/{id}/transcript", Name: "transcript", Title: "Transcript", Description: "The referee's record of a finished match: every message, every move, and what proves the draw." + asData},
	} {
		r.MIMEType = asJSON
		server.AddResourceTemplate(r, s.read)
	}
}

// read answers resources/read.
func (s *Show) read(_ context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	shown, err := s.show(req.Params.URI)
	if err != nil {
		return nil, err
	}
	return &mcp.ReadResourceResult{
		Contents: []*mcp.ResourceContents{{URI: req.Params.URI, MIMEType: asJSON, Text: shown}},
	}, nil
}

// show returns a resource as text.
func (s *Show) show(uri string) (string, error) {
	if match, ok := transcriptOf(uri); ok {
		return s.transcript(uri, match)
	}
	v, ok := s.lookup(uri)
	if !ok {
		return "", mcp.ResourceNotFoundError(uri)
	}
	return text(v)
}

// transcriptOf returns the match whose transcript a URI names; ok is false for other URIs.
func transcriptOf(uri string) (match string, ok bool) {
	rest, ok := strings.CutPrefix(uri, scheme+"matches/")
	if !ok {
		return "", false
	}
	return strings.CutSuffix(rest, "/transcript")
}

// lookup returns the object at an address.
func (s *Show) lookup(uri string) (v any, ok bool) {
	kind, id, _ := strings.Cut(strings.TrimPrefix(uri, scheme), "/")
	s.m.Read(func(l *league.State) {
		switch kind {
		case "standings":
			v, ok = standings(l, s.m.View().Latest(l)), id == ""
		case "schedule":
			v, ok = wholeSchedule(l), id == ""
		case "rounds":
			if n, err := strconv.Atoi(id); err == nil {
				v, ok = roundOf(l, n)
			}
		case "players":
			v, ok = playerOf(l, s.m.View().Latest(l), id)
		case "matches":
			v, ok = matchOf(l, id)
		}
	})
	return v, ok && strings.HasPrefix(uri, scheme)
}

// exists reports whether a resource exists, without building it.
func (s *Show) exists(uri string) (ok bool) {
	if match, is := transcriptOf(uri); is {
		uri = scheme + "matches/" + match
	}
	kind, id, _ := strings.Cut(strings.TrimPrefix(uri, scheme), "/")
	s.m.Read(func(l *league.State) {
		switch kind {
		case "standings", "schedule":
			ok = id == ""
		case "rounds": // it may come: the number of rounds follows from the players
			n, err := strconv.Atoi(id)
			ok = err == nil && n >= 1 && strconv.Itoa(n) == id && n <= max(l.Schedule.Rounds(), 100)
		case "players":
			ok = l.Agents[id] != nil
		case "matches":
			_, _, ok = league.FindMatch(l.Schedule, id)
		}
	})
	return ok && strings.HasPrefix(uri, scheme)
}

// transcript returns the record of a finished match.
func (s *Show) transcript(uri, match string) (string, error) {
	over := false
	s.m.Read(func(l *league.State) { over = l.Matches[match] != nil && l.Matches[match].Outcome != nil })
	if !over || s.o.Record == nil {
		return "", mcp.ResourceNotFoundError(uri)
	}
	doc, err := s.o.Record(match)
	if errors.Is(err, ErrNoRecord) {
		return "", mcp.ResourceNotFoundError(uri)
	}
	return string(protocol.RedactRecord(doc, "")), err
}
