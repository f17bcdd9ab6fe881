package llm

import (
	"context"
	"time"
)

// Ready returns an error if the model cannot be asked: nobody answers at its endpoint, or its key is refused. It asks
// for no move, and costs nothing.
func (m *Mind) Ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, longestCheck)
	defer cancel()
	return m.client.Ready(ctx)
}

// longestCheck is how long a model's server may take to say that it is there.
const longestCheck = 10 * time.Second
