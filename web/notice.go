package web

import (
	"encoding/json"
	"strconv"
	"time"

	"agentleague/league"
	"agentleague/protocol"
)

// A Notice is the public form of an entry of the log, without secrets that would permit impersonation.
type Notice struct {
	Seq    uint64        `json:"seq"`
	At     time.Time     `json:"at"`
	Events []NoticeEvent `json:"events"`
}

// A NoticeEvent is one event of a notice.
type NoticeEvent struct {
	Kind    string        `json:"kind"`
	Match   string        `json:"match_id,omitempty"`
	A       string        `json:"player_a,omitempty"`
	B       string        `json:"player_b,omitempty"`
	Status  string        `json:"status,omitempty"` // WIN, DRAW or TECHNICAL_LOSS
	Winner  string        `json:"winner,omitempty"`
	Referee string        `json:"referee_id,omitempty"`
	Attempt int           `json:"attempt,omitempty"`
	Round   int           `json:"round,omitempty"`
	Role    protocol.Role `json:"role,omitempty"`
	ID      string        `json:"id,omitempty"` // of an agent
	Name    string        `json:"name,omitempty"`
	State   string        `json:"state,omitempty"`
	Why     string        `json:"why,omitempty"`
	Players int           `json:"players,omitempty"`
}

// newNotice returns the public form of a log entry.
func newNotice(h league.Happened) Notice {
	n := Notice{Seq: h.Seq, At: h.At, Events: make([]NoticeEvent, len(h.Events))}
	for i, e := range h.Events {
		n.Events[i] = newNoticeEvent(e)
	}
	return n
}

// newNoticeEvent returns the public form of an event: the data that pages show, without secrets or agents' addresses.
func newNoticeEvent(e league.Event) NoticeEvent {
	n := NoticeEvent{Kind: league.Kind(e)}
	switch e := e.(type) {
	case league.Registered:
		n.Role, n.ID, n.Name = e.Role, said(e.ID, nameMost), said(e.Name, nameMost)
	case league.AgentState:
		n.ID, n.State, n.Why = said(e.ID, nameMost), e.State, said(protocol.RedactText(e.Why), 200)
	case league.Started:
		n.Players = len(e.Players)
	case league.RoundOpened:
		n.Round = e.Round
	case league.RoundClosed:
		n.Round = e.Round
	case league.MatchAssigned:
		n.Match, n.Referee, n.Attempt = e.Match, e.Referee, e.Attempt
	case league.ResultRecorded:
		n.Match, n.Status, n.Winner = e.Match, e.Result.Status, e.Result.Winner
	case league.Withdrawn:
		n.ID = said(e.ID, nameMost)
	}
	return n
}

// appendEvent appends an entry as a server-sent event, with the entry's sequence as its id.
func appendEvent(to []byte, h league.Happened) []byte {
	to = append(to, "id: "...)
	to = strconv.AppendUint(to, h.Seq, 10)
	to = append(to, "\ndata: "...)
	data, err := json.Marshal(newNotice(h))
	if err != nil { // impossible for a struct of texts and numbers
		data = []byte("{}")
	}
	to = append(to, data...)
	return append(to, "\n\n"...)
}
