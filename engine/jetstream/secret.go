package jetstream

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"

	"agentleague/engine"
)

// Secret returns the secret of that name and creates it if needed. Secrets are stored unencrypted: any client with
// access to the cluster's store can read them.
func (e *Engine) Secret(ctx context.Context, name string) ([]byte, error) {
	err := engine.CheckName(name)
	var secret []byte
	if err == nil {
		secret, err = e.secretOr(ctx, name, func() []byte {
			fresh := make([]byte, engine.SecretSize)
			_, _ = rand.Read(fresh)
			return fresh
		})
	}
	if err != nil {
		return nil, fmt.Errorf("secret %s: %w", name, e.conn.translate(err))
	}
	return secret, nil
}

// PutSecret stores a secret that another engine created.
func (e *Engine) PutSecret(ctx context.Context, name string, secret []byte) error {
	err := engine.CheckSecret(name, secret)
	if err == nil {
		err = e.putSecret(ctx, name, secret)
	}
	if err != nil {
		return fmt.Errorf("secret %s: %w", name, e.conn.translate(err))
	}
	return nil
}

// putSecret stores a secret. If a different secret of that name exists, it changes nothing and returns
// [engine.ErrTaken].
func (e *Engine) putSecret(ctx context.Context, name string, secret []byte) error {
	is, err := e.secretOr(ctx, name, func() []byte { return bytes.Clone(secret) })
	if err == nil && !bytes.Equal(is, secret) {
		err = engine.ErrTaken
	}
	return err
}

// secretOr returns the secret of that name. If there is none, it stores and returns the result of fresh.
func (e *Engine) secretOr(ctx context.Context, name string, fresh func() []byte) ([]byte, error) {
	if err := e.conn.enter(ctx); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, e.conn.o.Patience)
	defer cancel()
	for {
		found, err := e.secrets.get(ctx, name)
		if err == nil && found.at != 0 {
			if len(found.data) != engine.SecretSize {
				return nil, fmt.Errorf("%w: it has %d bytes, want %d", engine.ErrDamaged, len(found.data), engine.SecretSize)
			}
			return bytes.Clone(found.data), nil
		}
		if err == nil {
			made := fresh()
			if _, err = e.secrets.put(ctx, name, 0, made, 0); err == nil {
				return made, nil
			}
		}
		if isFinal(err) && !errors.Is(err, errChanged) || !e.conn.pause(ctx) {
			return nil, err
		}
	}
}
