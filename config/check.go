package config

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"
)

// Seconds is a time in a config file.
type Seconds float64

// Duration returns the same for a program.
func (s Seconds) Duration() time.Duration { return time.Duration(float64(s) * float64(time.Second)) }

const (
	aYear = Seconds(365 * 24 * 60 * 60) // the longest time that a config file may give
	many  = 1_000_000                   // the highest count
)

// must returns nil if ok, and otherwise an error for the value at path. The format describes the expected value.
func (s *source) must(ok bool, path string, value any, format string, args ...any) error {
	if ok {
		return nil
	}
	got, _ := json.Marshal(value) // it was read from JSON
	return s.errorf(path, "want %s, got %s", fmt.Sprintf(format, args...), got)
}

// within wants a whole number in a range.
func (s *source) within(path string, n, lowest, highest int) error {
	return s.must(lowest <= n && n <= highest, path, n, "%d to %d", lowest, highest)
}

// above wants more than no time.
func (s *source) above(path string, v Seconds) error {
	return s.must(0 < v && v <= aYear, path, v, "more than 0 seconds and at most %.0f", aYear)
}

// least wants no negative time.
func (s *source) least(path string, v Seconds) error {
	return s.must(0 <= v && v <= aYear, path, v, "0 to %.0f seconds", aYear)
}

// oneOf wants one of a few words.
func (s *source) oneOf(path, value string, words ...string) error {
	return s.must(slices.Contains(words, value), path, value, "%s", strings.Join(words, " or "))
}

// port wants a port that one can ask for.
func (s *source) port(path string, n int) error {
	return s.must(1 <= n && n <= 65535, path, n, "a port, 1 to 65535")
}

// ports returns an error unless r is a valid range of ports.
func (s *source) ports(path string, r [2]int) error {
	ok := s.port(path, r[0]) == nil && s.port(path, r[1]) == nil && r[0] <= r[1] && !s.has(path+"[2]")
	return s.must(ok, path, r, "two ports, 1 to 65535, the lower first")
}

// id requires a valid name in a path.
func (s *source) id(path, id string) error {
	return s.must(ValidID(id), path, id, idRule, MaxID)
}

// endpoint wants an address, or none.
func (s *source) endpoint(path, address string) error {
	u, err := url.Parse(address)
	ok := address == "" || err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
	return s.must(ok, path, address, "an address such as http://localhost:8101/mcp")
}

// schema returns an error unless version is a supported version of the document.
func (s *source) schema(version string) error {
	return s.must(version == "1" || strings.HasPrefix(version, "1."), "schema_version", version, "1.x.x")
}
