package logs

import (
	"log/slog"
	"path/filepath"
	"sync/atomic"

	"agentleague/config"
	"agentleague/protocol"
)

// A Folder holds the logs of a data directory:
//
//	logs/league/<league_id>/league.log.jsonl
//	logs/agents/<id>.log.jsonl
//	logs/system/orchestrator.log.jsonl
//
// It is safe for concurrent use, also by several processes.
type Folder struct {
	root     string
	place    func(league, agent string) (string, error)
	rotation Rotation
	open     atomic.Int32 // the number of logs with an open file
	late     atomic.Int32 // the number of logs with pending lines
	trimmed  atomic.Int64 // Unix time of the last check of their total size, in nanoseconds
}

// New returns the logs of a data directory. place returns the name of an agent's log below logs/agents, or an error for
// an invalid id.
func New(root string, place func(league, agent string) (string, error)) *Folder {
	return &Folder{root: root, place: place}
}

// Rotate sets the rotation of all logs. Call it before the first write.
func (f *Folder) Rotate(how Rotation) { f.rotation = how }

// League returns the log of a league, which its manager writes. Lines below level are omitted; nil means INFO.
func (f *Folder) League(league string, level slog.Leveler) (*Log, error) {
	if err := config.CheckID("league id", league); err != nil {
		return nil, err
	}
	return f.log(protocol.Manager, protocol.Manager, "logs/league/"+league+"/league.log.jsonl", level), nil
}

// System returns the log of a process that runs all agents.
func (f *Folder) System(level slog.Leveler) *Log {
	return f.log("orchestrator", "orchestrator", "logs/system/orchestrator.log.jsonl", level)
}

// Agent returns the log of a player or referee without an id. name is the id that it will ask for, or its display
// name. Until [Log.Registered] the lines go to a file of that name, with "_" for characters that no id has; then
// they move to the file of the id. League "" is the default one.
func (f *Folder) Agent(role protocol.Role, league, name string, level slog.Leveler) (*Log, error) {
	name = config.ToID(name, string(role))
	file, err := f.place(league, name)
	if err != nil {
		return nil, err
	}
	l := f.log(string(role), protocol.Sender(role, name), agentLog(file), level)
	l.early = &early{}
	return l, nil
}

// log returns a log whose file is created by its first line.
func (f *Folder) log(component, agent, name string, level slog.Leveler) *Log {
	if level == nil {
		level = slog.LevelInfo
	}
	l := &Log{folder: f, level: level, component: component, name: name}
	l.setAgent(agent)
	return l
}

func (f *Folder) path(name string) string { return filepath.Join(f.root, filepath.FromSlash(name)) }

func agentLog(agent string) string { return "logs/agents/" + agent + ".log.jsonl" }
