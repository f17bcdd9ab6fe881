package sim

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"slices"

	"agentleague/engine"
	"agentleague/engine/line"
)

var _ engine.Restorer = (*Engine)(nil)

// Restore writes the lines of another engine's log, all at once. Entries that are appended later are hashed as the
// simulation does, and follow the last of them.
func (e *Engine) Restore(ctx context.Context, log string, lines iter.Seq2[[]byte, error]) (engine.Mark, error) {
	key := "restore " + log
	err := engine.CheckName(log)
	var whole []line.Sound
	if err == nil {
		whole, err = line.Whole(lines)
	}
	if err != nil {
		return engine.Mark{}, fmt.Errorf("%s: %w", key, err)
	}
	if err := e.write(ctx, key, func() error { return e.store.log(log).restore(whole) }); err != nil {
		return engine.Mark{}, err
	}
	last := whole[len(whole)-1]
	return engine.Mark{Seq: last.Seq, Hash: last.Hash.String()}, nil
}

// restore appends the lines that the log lacks, and keeps their hashes. If the log is no prefix of the lines, it
// changes nothing and returns [engine.ErrTaken].
func (l *log) restore(whole []line.Sound) error {
	if err := l.check(); err != nil {
		return err
	}
	if l.head > uint64(len(whole)) || l.head > 0 && l.entries[l.head-1].Hash != whole[l.head-1].Hash.String() {
		return fmt.Errorf("%w: the log has %d entries", engine.ErrTaken, l.head)
	}
	l.entries = slices.Clone(l.entries) // readers may have the old ones
	for _, one := range whole[l.head:] {
		l.entries = append(l.entries, engine.Entry{
			Mark: engine.Mark{Seq: one.Seq, Hash: one.Hash.String()}, Data: bytes.Clone(one.Payload),
		}.WithText(one.Text))
	}
	l.head = uint64(len(l.entries))
	return nil
}

// PutSecret makes secret the one of that name.
func (e *Engine) PutSecret(ctx context.Context, name string, secret []byte) error {
	if err := engine.CheckSecret(name, secret); err != nil {
		return fmt.Errorf("put secret %s: %w", name, err)
	}
	return e.write(ctx, "put secret "+name, func() error {
		if is := e.store.secrets[name]; is != nil && !bytes.Equal(is, secret) {
			return engine.ErrTaken
		}
		e.store.secrets[name] = bytes.Clone(secret)
		return nil
	})
}
