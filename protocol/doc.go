// Package protocol is the words of league.v2 alone: its messages, errors, ids
// and tokens, and how each is read from and written to JSON. How agents speak
// that have other words is package dialect. It does no I/O.
//
//	bytes ─▶ Decode ─▶ *GameInvitation, *ChooseParityCall, … ─▶ Encode ─▶ bytes
//
// Every message is a struct that embeds [Envelope], so that fields common to
// all messages read the same everywhere: inv.MatchID, inv.Sender. The table in
// table.go lists every message with its method, its reply and its deadline;
// doc/protocol-spec.md says why each decision was taken.
package protocol

// Version is the wire name of the protocol, in every envelope.
const Version = "league.v2"

// Release is the version of the protocol that our agents declare when they register.
const Release = "2.1.0"
