package player

import (
	"agentleague/rpc"
	"agentleague/rpc/native"
)

// Options configures a player. Zero values select the defaults.
type Options struct {
	rpc.Options
	ID        string   // the id to ask for
	OnlyID    bool     // it does not register under another id
	Token     string   // a token from an earlier registration
	JoinKey   string   // from an invitation; shown where it has no token yet
	LeagueID  string   // the league to play in; default: the manager's own
	Version   string   // default 1.0.0
	GameTypes []string // default even_odd
	Declines  bool     // it answers every invitation with accept:false
	Nonce     string   // its share in the draw; default random

	// Rules returns the rules of a game, or "" if unknown; then the manager is queried.
	Rules func(gameType string) string

	MaxHistory int // how many matches it remembers, the newest; 0: all

	// Recall loads the stored history. It is called when the player has its id.
	Recall func(id string) (Past, error)
	// Remember is called with the whole history after each match. It may keep the slice but must not change it.
	Remember func(id string, history Past) error

	Identity     native.Identity             // from an earlier run; without a key it gets a new one
	KeepIdentity func(native.Identity) error // is called before each place is taken; an error prevents it
	Mailbox      native.OpenMailbox          // see [native.ApplicantOptions]
	Unsigned     bool                        // it shows no key and signs nothing, as third-party players do

	Joined []Joined // matches that it was in when it was ended, and can go on with
	// KeepJoined is called with the current matches, before an invitation is answered and after the end of each match.
	KeepJoined func(now []Joined) error

	Answers []Answer // signed answers in matches that were not over when it was stopped
	// KeepAnswer stores a signed answer durably. After an error the answer is not sent.
	KeepAnswer  func(Answer) error
	DropAnswers func(match string, upTo int) // is called when the answers in the attempts up to one are not needed any more
	Witness     Witness                      // the witness from an earlier run
	KeepWitness func(Witness) error          // is called with all known heads of the log, after each new one
}

// settings are the options that an agent still uses after its creation. A copy of all options would increase an agent's
// size by half, and a process may host ten thousand agents.
type settings struct {
	Token, JoinKey, Version, Nonce string
	GameTypes                      []string
	Declines, Unsigned             bool
	Rules                          func(gameType string) string
	Joined                         []Joined
	KeepJoined                     func(now []Joined) error
	KeepAnswer                     func(Answer) error
}

// settingsOf copies the options that an agent still uses after its creation.
func settingsOf(o *Options) settings {
	return settings{
		Token: o.Token, JoinKey: o.JoinKey, Version: o.Version, Nonce: o.Nonce, GameTypes: o.GameTypes, Declines: o.Declines,
		Unsigned: o.Unsigned, Rules: o.Rules, Joined: o.Joined, KeepJoined: o.KeepJoined, KeepAnswer: o.KeepAnswer,
	}
}
