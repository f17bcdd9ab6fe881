package config

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"

	"agentleague/protocol"
)

// System is config/system.json, the settings of all agents and leagues.
type System struct {
	SchemaVersion   string         `json:"schema_version"`
	SystemID        string         `json:"system_id"` // of this installation, shown at /health
	ProtocolVersion string         `json:"protocol_version"`
	LastUpdated     string         `json:"last_updated"`
	DefaultLeagueID string         `json:"default_league_id"` // the default league of commands
	Network         Network        `json:"network"`
	Security        Security       `json:"security"`
	Timeouts        Timeouts       `json:"timeouts"`
	RetryPolicy     RetryPolicy    `json:"retry_policy"`
	CircuitBreaker  CircuitBreaker `json:"circuit_breaker"`
	Mailboxes       Mailboxes      `json:"mailboxes"`
	Logging         Logging        `json:"logging"`
	Records         Records        `json:"records"`
}

// Network holds the default addresses of agents. A range consists of its first and last port.
type Network struct {
	BaseHost                 string `json:"base_host"` // the name in endpoints of this machine
	DefaultLeagueManagerPort int    `json:"default_league_manager_port"`
	// first and last; the first free one is taken
	DefaultRefereePortRange [2]int `json:"default_referee_port_range"`
	DefaultPlayerPortRange  [2]int `json:"default_player_port_range"` // likewise
	PublicURL               string `json:"public_url"`                // the manager's address behind a proxy or tunnel; "": none
}

// Security holds the length of tokens and the rate limits per second; 0 means no limit.
type Security struct {
	EnableAuthTokens       bool   `json:"enable_auth_tokens"`
	TokenLength            int    `json:"token_length"`                         // of an agent's token, in bytes before they are written as text
	TokenTTLHours          int    `json:"token_ttl_hours"`                      // since a token was last used
	AuthServer             string `json:"auth_server"`                          // the issuer of tokens for the admin over MCP; "": only the root's own token counts
	RequestsPerAgent       int    `json:"requests_per_second_per_agent"`        // by its token
	OpenRequestsPerAddress int    `json:"open_requests_per_second_per_address"` // without a token
	// with a wrong one: fewer guesses, and still retries
	FailedRequestsPerAddress int `json:"failed_requests_per_second_per_address"`
	SeatsPerAddress          int `json:"seats_per_address"` // of the manager, taken from one address in one league
	// the networks that may read metrics besides this machine; empty: any address, under the agent's own names
	MetricsAllow []netip.Prefix `json:"metrics_allow"`
}

// Mailboxes limits the mailboxes of agents that cannot be called. The limits of an address do not apply to registered
// agents.
type Mailboxes struct {
	MaxBytes       int `json:"max_bytes"`                  // of a letter or answer
	BytesPerSecond int `json:"bytes_per_second"`           // from one mailbox
	Connections    int `json:"connections_per_address"`    // and waiting requests
	New            int `json:"new_per_minute_per_address"` // opened
	Unused         int `json:"unused_per_address"`         // without a registered agent
}

// Timeouts limits the time for each kind of answer.
type Timeouts struct {
	RegisterRefereeTimeoutSec Seconds `json:"register_referee_timeout_sec"`
	RegisterPlayerTimeoutSec  Seconds `json:"register_player_timeout_sec"`
	GameJoinAckTimeoutSec     Seconds `json:"game_join_ack_timeout_sec"` // to answer an invitation
	MoveTimeoutSec            Seconds `json:"move_timeout_sec"`          // to choose; each try has it anew
	GameOverTimeoutSec        Seconds `json:"game_over_timeout_sec"`     // to acknowledge the end
	MatchResultTimeoutSec     Seconds `json:"match_result_timeout_sec"`  // for the manager, to acknowledge a result
	LeagueQueryTimeoutSec     Seconds `json:"league_query_timeout_sec"`
	GenericResponseTimeoutSec Seconds `json:"generic_response_timeout_sec"` // all other messages
	// from the creation of a league to its start
	RegistrationWindowSec Seconds `json:"registration_window_sec"`
}

// Backoffs lists the backoff strategies of retries, the default first. Package referee defines them.
var Backoffs = []string{"fixed", "exponential"}

// RetryPolicy determines when and how often a failed call is retried.
type RetryPolicy struct {
	MaxRetries      int      `json:"max_retries"` // beyond the first try
	BackoffStrategy string   `json:"backoff_strategy"`
	InitialDelaySec Seconds  `json:"initial_delay_sec"` // before the first retry
	MaxDelaySec     Seconds  `json:"max_delay_sec"`     // the longest pause between two
	RetryableErrors []string `json:"retryable_errors"`  // of E001, E004, E009 and E010: the others cost the match at once
}

// CircuitBreaker determines after how many failures an endpoint is not called, and for how long.
type CircuitBreaker struct {
	FailureThreshold int     `json:"failure_threshold"`
	ResetTimeoutSec  Seconds `json:"reset_timeout_sec"`
}

// Logging determines the rotation of log files: their size, and the number of old files; 0 means no limit.
type Logging struct {
	MaxFileMB  int `json:"max_file_mb"`
	MaxAgeDays int `json:"max_age_days"` // of a file's first line
	KeepFiles  int `json:"keep_files"`   // of each log
	MaxTotalMB int `json:"max_total_mb"` // of all logs of the data directory
}

// Records limits the age of match records, and the number of finished leagues with records; 0 means no limit.
type Records struct {
	MaxAgeDays int `json:"max_age_days"` // since the end of the league
	MaxLeagues int `json:"max_leagues"`
}

// readSystem reads config/system.json over the defaults of the program. All errors are reported at once, each with
// its line.
func readSystem(name string, text []byte) (System, error) {
	v := builtin[System]("system")
	s, err := decode(name, text, &v)
	if err != nil {
		return System{}, err
	}
	if err := v.normalize(s); err != nil {
		return System{}, err
	}
	return v, errors.Join(
		s.schema(v.SchemaVersion),
		s.oneOf("protocol_version", v.ProtocolVersion, protocol.Version),
		s.id("default_league_id", v.DefaultLeagueID),
		v.Network.check(s),
		s.within("security.token_length", v.Security.TokenLength, 16, 32),
		s.within("security.token_ttl_hours", v.Security.TokenTTLHours, 1, 365*24),
		s.within("security.requests_per_second_per_agent", v.Security.RequestsPerAgent, 0, many),
		s.within("security.open_requests_per_second_per_address", v.Security.OpenRequestsPerAddress, 0, many),
		s.within("security.failed_requests_per_second_per_address", v.Security.FailedRequestsPerAddress, 0, many),
		s.within("security.seats_per_address", v.Security.SeatsPerAddress, 1, 256),
		s.within("mailboxes.max_bytes", v.Mailboxes.MaxBytes, 1<<10, 16<<20),
		s.within("mailboxes.bytes_per_second", v.Mailboxes.BytesPerSecond, 1<<10, 1<<30),
		s.within("mailboxes.connections_per_address", v.Mailboxes.Connections, 1, many),
		s.within("mailboxes.new_per_minute_per_address", v.Mailboxes.New, 1, many),
		s.within("mailboxes.unused_per_address", v.Mailboxes.Unused, 1, many),
		v.Timeouts.check(s),
		v.RetryPolicy.check(s),
		s.within("circuit_breaker.failure_threshold", v.CircuitBreaker.FailureThreshold, 1, many),
		s.above("circuit_breaker.reset_timeout_sec", v.CircuitBreaker.ResetTimeoutSec),
		s.within("logging.max_file_mb", v.Logging.MaxFileMB, 0, many),
		s.within("logging.max_age_days", v.Logging.MaxAgeDays, 0, 36500),
		s.within("logging.keep_files", v.Logging.KeepFiles, 0, many),
		s.within("logging.max_total_mb", v.Logging.MaxTotalMB, 0, many),
		s.within("records.max_age_days", v.Records.MaxAgeDays, 0, 36500),
		s.within("records.max_leagues", v.Records.MaxLeagues, 0, many),
	)
}

// normalize validates the public addresses and replaces them by their canonical form.
func (v *System) normalize(s *source) (err error) {
	if v.Network.PublicURL, err = CheckPublicURL(v.Network.PublicURL); err != nil {
		return s.errorf("network.public_url", "%w", err)
	}
	if v.Security.AuthServer, err = CheckAuthServer(v.Security.AuthServer); err != nil {
		return s.errorf("security.auth_server", "%w", err)
	}
	return nil
}

// check checks where agents listen.
func (n Network) check(s *source) error {
	return errors.Join(
		s.must(n.BaseHost != "", "network.base_host", n.BaseHost, "the name of a host"),
		s.port("network.default_league_manager_port", n.DefaultLeagueManagerPort),
		s.ports("network.default_referee_port_range", n.DefaultRefereePortRange),
		s.ports("network.default_player_port_range", n.DefaultPlayerPortRange),
	)
}

// check checks all timeouts, in seconds. Only the registration window may be 0: the league starts at once then.
func (t Timeouts) check(s *source) error {
	return errors.Join(
		s.above("timeouts.register_referee_timeout_sec", t.RegisterRefereeTimeoutSec),
		s.above("timeouts.register_player_timeout_sec", t.RegisterPlayerTimeoutSec),
		s.above("timeouts.game_join_ack_timeout_sec", t.GameJoinAckTimeoutSec),
		s.above("timeouts.move_timeout_sec", t.MoveTimeoutSec),
		s.above("timeouts.game_over_timeout_sec", t.GameOverTimeoutSec),
		s.above("timeouts.match_result_timeout_sec", t.MatchResultTimeoutSec),
		s.above("timeouts.league_query_timeout_sec", t.LeagueQueryTimeoutSec),
		s.above("timeouts.generic_response_timeout_sec", t.GenericResponseTimeoutSec),
		s.least("timeouts.registration_window_sec", t.RegistrationWindowSec),
	)
}

// check validates a retry policy. Retryable errors must be known error codes.
func (p RetryPolicy) check(s *source) error {
	err := errors.Join(
		s.within("retry_policy.max_retries", p.MaxRetries, 0, 100),
		s.oneOf("retry_policy.backoff_strategy", p.BackoffStrategy, Backoffs...),
		s.least("retry_policy.initial_delay_sec", p.InitialDelaySec),
		s.least("retry_policy.max_delay_sec", p.MaxDelaySec),
	)
	for i, code := range p.RetryableErrors {
		known := slices.ContainsFunc(protocol.Kinds, func(k *protocol.Kind) bool { return k.Code == code })
		path := fmt.Sprintf("retry_policy.retryable_errors[%d]", i)
		err = errors.Join(err, s.must(known, path, code, "a code of the protocol, such as E001"))
	}
	return err
}
