// Package logs writes the logs of leagues and agents: files of JSON lines, with tokens redacted.
//
//	log/slog ─▶ Log.Handler ─┐
//	rpc      ─▶ Log.Passed ──┴▶ pending lines ─▶ one write ─▶ logs/…/*.log.jsonl ─▶ rotated by size and age
//
// A line of level INFO or above is written at once; DEBUG lines are written in groups. Logs may lose lines: nothing else
// depends on them.
package logs
