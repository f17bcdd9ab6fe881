package host

import (
	"slices"
	"testing"

	"agentleague/config"
	"agentleague/referee"
)

// What the configuration may say of retries is what a referee knows, and it is told.
func TestEveryBackoffOfTheConfigurationIsOneOfTheReferee(t *testing.T) {
	t.Parallel()
	if got, want := slices.Sorted(slices.Values(config.Backoffs)), referee.Backoffs(); !slices.Equal(got, want) {
		t.Errorf("the configuration has %q, the referee %q", got, want)
	}
	for _, name := range config.Backoffs {
		var e Env
		e.System.RetryPolicy.BackoffStrategy = name
		if got := e.Policy().Backoff; got != name {
			t.Errorf("%s: the referee is told %q", name, got)
		}
	}
}
