package referee_test

import (
	"context"

	"agentleague/protocol"
	"agentleague/rpc"
	"agentleague/rpc/rpctest"
)

// A fakeManager registers the referee and takes its reports. What a test sets
// replaces what it says.
type fakeManager struct {
	h        *harness
	node     *rpc.Node
	process  *rpctest.Process
	token    string // what it grants to the referee
	admitted func(*protocol.RefereeRegisterRequest) (protocol.Message, error)
	reported func(*protocol.MatchResultReport) (protocol.Message, error)

	shown    func(*protocol.MatchMovesReport) (protocol.Message, error) // of a manager that draws itself
	welcomes bool                                                       // it gives the token by a welcome
	welcome  *protocol.WelcomeAck                                       // what the referee said to the last
}

// bootManager starts the manager, or starts it again.
func (h *harness) bootManager() {
	if h.manager == nil {
		h.manager = &fakeManager{h: h, token: refereeToken}
	}
	m := h.manager
	m.process = h.boot("LM", managerURL)
	m.node = rpc.NewNode("league_manager", rpc.Options{Network: m.process})
	m.node.Handle(protocol.TypeRefereeRegisterRequest,
		func(_ context.Context, _ rpc.From, msg protocol.Message) (protocol.Message, error) {
			h.note(&h.heard, "LM", msg)
			if admitted := scripted(h, &m.admitted); admitted != nil {
				return admitted(msg.(*protocol.RefereeRegisterRequest))
			}
			if scripted(h, &m.welcomes) {
				return m.welcomed(msg.(*protocol.RefereeRegisterRequest))
			}
			return m.admission(), nil
		})
	m.node.Handle(protocol.TypeMatchResultReport,
		func(_ context.Context, _ rpc.From, msg protocol.Message) (protocol.Message, error) {
			h.note(&h.heard, "LM", msg)
			if reported := scripted(h, &m.reported); reported != nil {
				return reported(msg.(*protocol.MatchResultReport))
			}
			return m.counted(msg), nil
		})
	m.node.Handle(protocol.TypeMatchMovesReport,
		func(_ context.Context, _ rpc.From, msg protocol.Message) (protocol.Message, error) {
			h.note(&h.heard, "LM", msg)
			if draw := scripted(h, &m.shown); draw != nil {
				return draw(msg.(*protocol.MatchMovesReport))
			}
			return m.draw(msg.(*protocol.MatchMovesReport))
		})
	m.process.Serve(m.node)
}

// set changes scripts while somebody may be following them.
func (h *harness) set(change func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	change()
}

// scripted reads what set may change.
func scripted[T any](h *harness, script *T) T {
	h.mu.Lock()
	defer h.mu.Unlock()
	return *script
}

// admission grants the referee its place.
func (m *fakeManager) admission() *protocol.RefereeRegisterResponse {
	id, league := "REF01", leagueID
	return &protocol.RefereeRegisterResponse{
		Admission: protocol.Admission{
			Envelope: protocol.Envelope{MessageType: protocol.TypeRefereeRegisterResponse},
			Status:   protocol.Accepted, AuthToken: &m.token, LeagueID: &league, Native: true,
		},
		RefereeID: &id,
	}
}

// counted acknowledges a report.
func (m *fakeManager) counted(msg protocol.Message) protocol.Message {
	h := msg.Head()
	return &protocol.MatchResultAck{
		Envelope: protocol.Envelope{
			MessageType: protocol.TypeMatchResultAck, LeagueID: h.LeagueID, MatchID: h.MatchID, RoundID: h.RoundID,
		},
		Status: protocol.Accepted,
	}
}

// call asks the referee with the token that only its manager can show.
func (m *fakeManager) call(msg protocol.Message) (protocol.Message, error) {
	to := rpc.Peer{
		Endpoint: refereeURL, Dialect: protocol.Canonical,
		Token: protocol.ManagerToken(m.token, leagueID, msg.Head().MessageType, msg.Head().RoundID),
	}
	return m.node.Call(m.process.Context(), to, msg)
}
