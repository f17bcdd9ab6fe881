package enginetest_test

import (
	"bytes"
	"context"
	"iter"
	"testing"

	"agentleague/engine"
	"agentleague/engine/enginetest"
	"agentleague/engine/line"
)

func (b *broken) Restore(ctx context.Context, log string, lines iter.Seq2[[]byte, error]) (engine.Mark, error) {
	if b.restore != nil {
		return b.restore(ctx, log, lines)
	}
	return b.Engine.(engine.Restorer).Restore(ctx, log, lines)
}

func (b *broken) PutSecret(ctx context.Context, name string, secret []byte) error {
	if b.putSecret != nil {
		return b.putSecret(ctx, name, secret)
	}
	return b.Engine.(engine.Restorer).PutSecret(ctx, name, secret)
}

func init() { brokenEngines = append(brokenEngines, brokenRestorers...) }

// brokenRestorers are ways to move a league badly, and a law that has to catch each.
var brokenRestorers = []struct {
	name, law string
	make      func(*testing.T) enginetest.Store
}{
	{"appends what is to be restored", "a restored log keeps its hashes and goes on", altered(func(e *broken) {
		e.restore = func(ctx context.Context, log string, lines iter.Seq2[[]byte, error]) (at engine.Mark, err error) {
			whole, err := line.Whole(lines)
			for _, one := range whole {
				if at, err = e.Engine.Append(ctx, log, at.Seq, one.Payload); err != nil {
					return at, err
				}
			}
			return at, err
		}
	})},
	{"restores up to what is wrong", "a log that is not whole is not restored", altered(func(e *broken) {
		e.restore = func(ctx context.Context, log string, lines iter.Seq2[[]byte, error]) (at engine.Mark, err error) {
			for text := range lines {
				text = bytes.Clone(text)
				return e.Engine.(engine.Restorer).Restore(ctx, log, func(yield func([]byte, error) bool) { yield(text, nil) })
			}
			return at, engine.ErrEmpty
		}
	})},
	{"restores beside what is there", "a log is restored over its own beginning alone", altered(func(e *broken) {
		n := 0
		e.restore = func(ctx context.Context, log string, lines iter.Seq2[[]byte, error]) (at engine.Mark, err error) {
			n++
			return e.Engine.(engine.Restorer).Restore(ctx, log+string(rune('a'+n)), lines)
		}
	})},
	{"leaves secrets as they are", "a secret is restored once", altered(func(e *broken) {
		e.putSecret = func(context.Context, string, []byte) error { return nil }
	})},
}
