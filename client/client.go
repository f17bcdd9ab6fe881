// Package client queries and controls a manager, and reads the log of a league
// if no manager answers.
//
//	Source ─┬▶ Client  ─▶ a running manager, over the network
//	        └▶ Log     ─▶ the journal of a root, read only
//
// Queries ([Status], [Standings], [Who], [Schedule]) take either; orders need a
// manager. An error is ErrNoManager, ErrToken, ErrTooOften or ErrUnconfirmed, or
// the manager's text.
package client

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"agentleague/protocol"
	"agentleague/rpc"
)

// Errors of any query or order.
var (
	ErrNoManager = errors.New("no manager answers")
	ErrToken     = errors.New("the manager requires its admin token")
	ErrTooOften  = errors.New("the manager gets too many requests")
	// ErrUnconfirmed means that an order may have been carried out.
	ErrUnconfirmed = errors.New("the manager ended before it answered; look whether the order was carried out before you repeat it")
)

// A Client calls one manager.
type Client struct {
	Manager  string      // its endpoint
	LeagueID string      // which of its leagues; "": the one at the endpoint
	Token    string      // of the admin; "": anonymous
	Options  rpc.Options // how it is called
}

// ownWords are orders that only our managers know. No other form of such a message can succeed.
var ownWords = map[protocol.Type]string{
	protocol.TypeCreateLeague: protocol.Canonical, protocol.TypeEnlistAgent: protocol.Canonical,
	protocol.TypeDrainLeague: protocol.Canonical, protocol.TypeCancelLeague: protocol.Canonical,
	protocol.TypeRenameAgent: protocol.Canonical, protocol.TypeMergeAgents: protocol.Canonical,
	protocol.TypeReadmitAgent: protocol.Canonical, protocol.TypeAnnulMatch: protocol.Canonical,
	protocol.TypeInviteAgents: protocol.Canonical, protocol.TypeSetSeasons: protocol.Canonical,
	protocol.TypeRestPlayer: protocol.Canonical,
}

// Call sends one message to the manager as its admin. A refusal is an error with the manager's text.
func (c *Client) Call(ctx context.Context, m protocol.Message) (protocol.Message, error) {
	n := rpc.NewNode(protocol.Sender(protocol.RoleAdmin, "cli"), c.Options)
	m.Head().ConversationID, m.Head().AuthToken = "conv-admin-"+n.Nonce(4), c.Token
	if q, ok := m.(*protocol.LeagueQuery); ok && protocol.QueryNamed(q.QueryType).Open == q.MessageType {
		m.Head().AuthToken = "" // any client may ask, also with the token of another manager
	}
	if c.LeagueID != "" {
		m.Head().LeagueID = c.LeagueID
	}
	reply, err := n.Call(ctx, rpc.Peer{Endpoint: c.Manager, Dialect: ownWords[m.Head().MessageType]}, m)
	_, asks := m.(*protocol.LeagueQuery)
	if !asks && protocol.Is(err, protocol.Connection) && rpc.Permanent(err) == nil && !rpc.Unsent(err) {
		return nil, ErrUnconfirmed
	}
	if err != nil {
		return nil, c.explain(err)
	}
	return reply, nil
}

// A lastingError is permanent: a retry cannot succeed.
type lastingError struct {
	manager string
	err     error
}

func (e *lastingError) Error() string { return e.manager + ": " + protocol.AsError(e.err).Detail }
func (e *lastingError) Unwrap() error { return e.err }

// explain turns a failed call into an error for the user of a manager.
func (c *Client) explain(err error) error {
	if lasting := rpc.Permanent(err); lasting != nil {
		return &lastingError{c.Manager, lasting}
	}
	if protocol.Is(err, protocol.Connection) {
		return fmt.Errorf("%w at %s", ErrNoManager, c.Manager)
	}
	var refusal *protocol.Refusal
	if !errors.As(err, &refusal) {
		return err
	}
	switch refusal.Name {
	case protocol.AuthTokenMissing.Name, protocol.AuthTokenInvalid.Name:
		return ErrToken
	case protocol.RateLimited.Name:
		return ErrTooOften
	}
	if field := fieldIn(refusal.Said); field != "" {
		return &FieldError{field, refusal.Message}
	}
	return errors.New(refusal.Message)
}

// A FieldError is a manager's error about one member of an order.
type FieldError struct{ Field, Message string }

func (e *FieldError) Error() string { return e.Message }

// fieldIn finds the member in a manager's error; "": it names none.
func fieldIn(said string) string {
	var e struct {
		Context, Data struct {
			Field   string
			Context struct{ Field string }
		}
	}
	_ = json.Unmarshal([]byte(said), &e)
	return cmp.Or(e.Data.Context.Field, e.Data.Field, e.Context.Field)
}

// Order gives an order as the admin.
func (c *Client) Order(ctx context.Context, m protocol.Message) (*protocol.LeagueControlAck, error) {
	reply, err := c.Call(ctx, m)
	if err != nil {
		return nil, err
	}
	ack, ok := reply.(*protocol.LeagueControlAck)
	if !ok {
		return nil, fmt.Errorf("%s answered an order with %s; is it a manager?", c.Manager, reply.Head().MessageType)
	}
	return ack, nil
}

// Ask sends a query and decodes its data. Queries with partial answers are repeated with an offset.
func (c *Client) Ask(ctx context.Context, query string, p protocol.QueryParams, data any) (leagueID string, err error) {
	t := cmp.Or(protocol.QueryNamed(query).Open, protocol.TypeLeagueQuery)
	reply, err := c.Call(ctx, &protocol.LeagueQuery{
		Envelope: protocol.Envelope{MessageType: t}, QueryType: query, QueryParams: p,
	})
	if err != nil {
		return "", err
	}
	r, ok := reply.(*protocol.LeagueQueryResponse)
	if !ok {
		return "", fmt.Errorf("%s answered a question with %s; is it a manager?", c.Manager, reply.Head().MessageType)
	}
	if !r.Success && r.Error != nil {
		return "", errors.New(r.Error.ErrorDescription)
	}
	return r.LeagueID, json.Unmarshal(r.Data, data)
}
