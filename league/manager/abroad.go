package manager

import (
	"context"

	"agentleague/protocol"
	"agentleague/rpc"
)

// Abroad returns a league of the same cluster that another process runs. Messages for it are forwarded to its
// endpoint.
func Abroad(id, endpoint string) OtherLeague { return leagueAbroad{id, endpoint} }

// A leagueAbroad is a league that another process runs, and where that is.
type leagueAbroad struct{ id, endpoint string }

// Endpoint is where agents reach the league.
func (a leagueAbroad) Endpoint() string { return a.endpoint }

// wants reports that a message which names the league is for it.
func (a leagueAbroad) wants(protocol.Message) bool { return true }

// serve returns an error with the endpoint of the league; requests to that endpoint are forwarded to the process that
// runs it.
func (a leagueAbroad) serve(context.Context, protocol.Type, rpc.From, protocol.Message) (protocol.Message, error) {
	return nil, protocol.Errorf(protocol.UnknownLeague, "the league %s is run by another manager of the cluster: send this to %s",
		a.id, a.endpoint).Suggest("Send it to " + a.endpoint)
}

// acknowledge returns the state of a league that was just created.
func (a leagueAbroad) acknowledge() (*protocol.LeagueControlAck, error) {
	return &protocol.LeagueControlAck{
		Envelope: protocol.Envelope{MessageType: protocol.TypeLeagueControlAck, LeagueID: a.id},
		Status:   protocol.Accepted, State: protocol.WaitingForRegistrations,
	}, nil
}
