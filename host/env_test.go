package host

import (
	"slices"
	"testing"

	"agentleague/config"
	"agentleague/referee"
	"agentleague/store"
)

// Every backoff of the configuration is supported by the referee, and passed to it.
func TestEveryBackoffOfTheConfigurationIsOneOfTheReferee(t *testing.T) {
	t.Parallel()
	if got, want := slices.Sorted(slices.Values(config.Backoffs)), referee.Backoffs(); !slices.Equal(got, want) {
		t.Errorf("the configuration has %q, the referee %q", got, want)
	}
	root, err := store.Open(t.TempDir(), Games())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range config.Backoffs {
		e := Env{Root: root}
		e.System.RetryPolicy.BackoffStrategy = name
		if p, err := e.Policy(); err != nil || p.Backoff != name {
			t.Errorf("%s: the referee is told %q, error %v", name, p.Backoff, err)
		}
	}
}
