package llmtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// answer writes the model's answer in the format of the requested API.
func (s *Server) answer(w http.ResponseWriter, q Request, reply Reply, began time.Time) {
	text := reply.Text
	if reply.Pick {
		text = fmt.Sprintf(`{"move": %s}`, legal(q, reply.Move))
	}
	text = reply.Thinks + text
	input, cached, output := s.counted(q, text, began)
	var pieces []map[string]any
	if strings.HasSuffix(q.Path, "/messages") {
		pieces = messages(reply, text, input, cached, output)
	} else {
		pieces = completions(reply, text, input, cached, output)
	}
	if !reply.Streams {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(pieces[0])
		return
	}
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	pieces = pieces[1:]
	if reply.Breaks {
		pieces = pieces[:2]
	}
	for _, p := range pieces {
		line, _ := json.Marshal(p)
		fmt.Fprintf(w, ": a comment\nevent: %v\ndata: %s\n\n", p["type"], line)
	}
	if !reply.Breaks && !strings.HasSuffix(q.Path, "/messages") {
		fmt.Fprint(w, "data: [DONE]\n\n")
	}
}

// legal returns the n-th legal move, from the schema of a request in either format.
func legal(q Request, n int) json.RawMessage {
	type shape struct {
		Properties struct {
			Move struct {
				Enum []json.RawMessage `json:"enum"`
			} `json:"move"`
		} `json:"properties"`
	}
	var asked struct {
		ResponseFormat struct {
			JSONSchema struct {
				Schema shape `json:"schema"`
			} `json:"json_schema"`
		} `json:"response_format"`
		OutputConfig struct {
			Format struct {
				Schema shape `json:"schema"`
			} `json:"format"`
		} `json:"output_config"`
	}
	_ = json.Unmarshal([]byte(q.Body), &asked) // without a schema there is none to pick
	moves := append(asked.ResponseFormat.JSONSchema.Schema.Properties.Move.Enum,
		asked.OutputConfig.Format.Schema.Properties.Move.Enum...)
	if len(moves) == 0 {
		return json.RawMessage(`"no schema"`)
	}
	return moves[n%len(moves)]
}

// completions returns an answer as a chat completion, followed by its chunks for streaming.
func completions(reply Reply, text string, input, cached, output int) []map[string]any {
	finish := "stop"
	if reply.Cut {
		finish = "length"
	}
	usage := map[string]any{"prompt_tokens": input, "completion_tokens": output, "total_tokens": input + output,
		"prompt_tokens_details": map[string]any{"cached_tokens": cached}}
	if reply.NoCount {
		usage = nil
	}
	said := map[string]any{"role": "assistant", "content": text}
	if reply.Refuses {
		said = map[string]any{"role": "assistant", "content": nil, "refusal": "I will not play."}
	}
	one := func(name string, what map[string]any, why any, usage any) map[string]any {
		return map[string]any{"object": "chat.completion", "model": "scripted",
			"choices": []any{map[string]any{"index": 0, name: what, "finish_reason": why}}, "usage": usage}
	}
	out := []map[string]any{one("message", said, finish, usage)}
	if reply.Refuses {
		return append(out, one("delta", said, nil, nil), one("delta", nil, finish, usage))
	}
	half := len(text) / 2
	return append(out, one("delta", map[string]any{"role": "assistant", "content": ""}, nil, nil),
		one("delta", map[string]any{"content": text[:half]}, nil, nil),
		one("delta", map[string]any{"content": text[half:]}, nil, nil), one("delta", map[string]any{}, finish, nil),
		map[string]any{"model": "scripted", "choices": []any{}, "usage": usage})
}

// messages returns an answer as a message, followed by its events for streaming.
func messages(reply Reply, text string, input, cached, output int) []map[string]any {
	stop := "end_turn"
	switch {
	case reply.Cut:
		stop = "max_tokens"
	case reply.Refuses:
		stop = "refusal"
	}
	before := map[string]any{"input_tokens": input - cached, "cache_read_input_tokens": cached, "output_tokens": 1}
	usage := map[string]any{"input_tokens": input - cached, "cache_read_input_tokens": cached, "output_tokens": output}
	after := map[string]any{"output_tokens": output}
	if reply.NoCount {
		before, usage, after = nil, nil, nil
	}
	half := len(text) / 2
	delta := func(text string) map[string]any {
		return map[string]any{"type": "content_block_delta", "index": 0, "delta": map[string]any{"type": "text_delta", "text": text}}
	}
	return []map[string]any{
		{"type": "message", "role": "assistant", "model": "scripted", "stop_reason": stop, "usage": usage,
			"content": []any{map[string]any{"type": "text", "text": text}}},
		{"type": "message_start", "message": map[string]any{"type": "message", "model": "scripted", "content": []any{}, "usage": before}},
		{"type": "content_block_start", "index": 0, "content_block": map[string]any{"type": "text", "text": ""}},
		{"type": "ping"}, delta(text[:half]), delta(text[half:]), {"type": "content_block_stop", "index": 0},
		{"type": "message_delta", "delta": map[string]any{"stop_reason": stop}, "usage": after}, {"type": "message_stop"},
	}
}
