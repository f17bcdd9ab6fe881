package llm

import (
	"context"
	"time"
)

// Ready returns an error if the model cannot be used: its endpoint does not answer, or refuses the key. It requests
// no completion, so it costs nothing.
func (m *Mind) Ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, longestCheck)
	defer cancel()
	return m.client.Ready(ctx)
}

// longestCheck is the timeout of that check.
const longestCheck = 10 * time.Second
