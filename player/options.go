package player

import (
	"agentleague/protocol"
	"agentleague/rpc"
)

// Options are the parts of a player that have defaults.
type Options struct {
	rpc.Options
	ID        string   // the id to ask for
	OnlyID    bool     // it does not register under another id
	Token     string   // a token from an earlier registration, whoever gave it
	JoinKey   string   // from an invitation; shown where it has no token yet
	LeagueID  string   // the league to play in; default: the manager's own
	Version   string   // default 1.0.0
	GameTypes []string // default even_odd
	Declines  bool     // it answers every invitation with accept:false
	Nonce     string   // its share in the draw; default random

	// Rules tells the rules of a game that is known here, or ""; its manager is asked for those of others.
	Rules func(gameType string) string

	MaxHistory int // how many matches it remembers, the newest; 0: all

	// Recall finds what the player remembers from before, once it has its id.
	Recall func(id string) ([]protocol.PlayerMatch, error)
	// Remember is told of the whole history after each match; it may keep but not change it.
	Remember func(id string, history []protocol.PlayerMatch) error

	Identity     rpc.Identity             // who it is, from an earlier run; without a key it gets a new one
	KeepIdentity func(rpc.Identity) error // told of each place before it is taken; what cannot be kept is not taken
	Unsigned     bool                     // it shows no key and signs nothing, as foreign players do

	Joined []Joined // matches that it was in when it was ended, and can go on with
	// KeepJoined is told of the matches that it is in, before it answers an invitation and after each end.
	KeepJoined func(now []Joined) error

	Answers []Answer // what it had signed in matches that were not over when it was ended
	// returns once no end of this process can lose an answer; what cannot be kept is not sent
	KeepAnswer  func(Answer) error
	DropAnswers func(match string, upTo int) // told that the answers in the attempts up to one are not needed any more
	Witness     Witness                      // what it had heard of its league when it was ended
	KeepWitness func(Witness) error          // told of the league's heads that it has heard, after each new one
}

// settings are the options that an agent looks at after it was made. The rest has gone to its parts: an agent that kept
// all of them would be half as large again, and a process may host ten thousand.
type settings struct {
	Token, JoinKey, Version, Nonce string
	GameTypes                      []string
	Declines, Unsigned             bool
	Rules                          func(gameType string) string
	Joined                         []Joined
	KeepJoined                     func(now []Joined) error
	KeepAnswer                     func(Answer) error
}

// settingsOf takes from the options what an agent keeps for its whole life; the rest is used once, when it is made.
func settingsOf(o *Options) settings {
	return settings{
		Token: o.Token, JoinKey: o.JoinKey, Version: o.Version, Nonce: o.Nonce, GameTypes: o.GameTypes, Declines: o.Declines,
		Unsigned: o.Unsigned, Rules: o.Rules, Joined: o.Joined, KeepJoined: o.KeepJoined, KeepAnswer: o.KeepAnswer,
	}
}
