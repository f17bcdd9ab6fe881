package engines

import (
	"context"
	"log/slog"
	"strings"

	"agentleague/engine"
	"agentleague/engine/jetstream"
	"agentleague/engine/mirror"
)

// ErrNoCredentials means that NATS servers on other machines would be used without credentials, which
// [Options].InsecureNATS allows.
var ErrNoCredentials = jetstream.ErrNoCredentials

// chooseNATS is the engine with its logs in a NATS cluster.
func chooseNATS(address string, with Options) (Choice, error) {
	o, err := jetstream.Parse(address)
	if err != nil {
		return Choice{}, err
	}
	o.Insecure = with.InsecureNATS
	if err := o.CheckCredentials(); err != nil {
		return Choice{}, err
	}
	bare := func(ctx context.Context, _ string, logger *slog.Logger) (Bare, error) {
		o := o
		o.Logger = logger
		e, err := jetstream.Open(ctx, o)
		if err != nil {
			return nil, err
		}
		return e, nil
	}
	return Choice{shared: true, bare: bare, open: func(ctx context.Context, dataDir string, logger *slog.Logger) (Engine, error) {
		e, err := mirror.Open(mirror.Options{Dir: dataDir, Secrets: []string{"referee"}, Logger: logger},
			func(keep func(log string, seq uint64, line []byte)) (engine.Engine, error) {
				o := o
				o.Logger = logger
				o.Copy = func(log string, seq uint64, line []byte) {
					if !common(log) {
						keep(log, seq, line)
					}
				}
				return jetstream.Open(ctx, o)
			})
		if err != nil {
			return nil, err
		}
		return e, nil
	}}, nil
}

// common reports whether a log belongs to no league: the log of the cluster and the logs of match records, which would
// appear as leagues in the data/ folder.
func common(log string) bool { return log == "cluster" || strings.HasPrefix(log, "records.") }
