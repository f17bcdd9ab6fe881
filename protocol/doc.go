// Package protocol defines league.v2: its messages, errors, ids
// and tokens, and their JSON encoding. Package dialect handles agents
// with other message forms. It does no I/O.
//
//	bytes ─▶ Decode ─▶ *GameInvitation, *ChooseParityCall, … ─▶ Encode ─▶ bytes
//
// Every message is a struct that embeds [Envelope], so that fields common to
// all messages read the same everywhere: inv.MatchID, inv.Sender. The table in
// table.go lists every message with its method, its reply and its deadline;
// doc/protocol-spec.md explains the reasons of each decision.
package protocol

// Version is the protocol name in every envelope.
const Version = "league.v2"

// Canonical names the dialect of native agents: JSON-RPC 2.0, the method of the message table, the whole message in
// params.
const Canonical = Version

// Release is the version of the protocol that agents of this program declare when they register.
const Release = "2.1.0"
