package chat

import (
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"math"
)

// A message is a request for a message.
type message struct {
	Model        string        `json:"model"`
	MaxTokens    int           `json:"max_tokens"`
	System       string        `json:"system,omitempty"`
	Messages     []Turn        `json:"messages"`
	OutputConfig *outputConfig `json:"output_config,omitempty"`
	Temperature  *float64      `json:"temperature,omitempty"`
}

// An outputConfig requests an answer that conforms to a schema.
type outputConfig struct {
	Format outputFormat `json:"format"`
}

// An outputFormat is that shape, as JSON Schema.
type outputFormat struct {
	Type   string          `json:"type"`
	Schema json.RawMessage `json:"schema"`
}

// message returns a request in the format of Anthropic's API. The schema is omitted once the server has refused one.
func (c *Client) message(r Request) message {
	out := message{Model: c.Model, MaxTokens: r.MaxTokens, System: r.System, Messages: r.Turns, Temperature: c.Sampling.Temperature}
	if r.Schema != nil && !c.plain.Load() {
		out.OutputConfig = &outputConfig{outputFormat{"json_schema", r.Schema}}
	}
	return out
}

// A messaged is a message of the model's.
type messaged struct {
	Type    string          `json:"type"`
	Model   string          `json:"model"`
	Content []block         `json:"content"`
	Stop    *string         `json:"stop_reason"`
	Usage   json.RawMessage `json:"usage"` // a usage
	Error   *struct {
		Message string `json:"message"`
	} `json:"error"`
}

// A block is one content block of a message, or a piece of a streamed block.
type block struct {
	Type string `json:"type"` // of thinking, of tools and of text, which alone is the answer
	Text string `json:"text"`
}

// A usage is the server's token count. Input excludes tokens that were read from or written to a cache.
type usage struct {
	Input  *int `json:"input_tokens"`
	Read   *int `json:"cache_read_input_tokens"`
	Made   *int `json:"cache_creation_input_tokens"`
	Output *int `json:"output_tokens"`
}

// readMessage parses an answer that was not streamed.
func readMessage(text []byte) (a Answer, err error) {
	var m messaged
	if err := json.Unmarshal(text, &m); err != nil {
		return a, errors.New("its answer is not that of a message: " + err.Error())
	}
	return a, m.into(&a)
}

// into adds a message, or one event of a stream, to an answer. Thinking is not added to the text.
func (m *messaged) into(a *Answer) error {
	if m.Error != nil {
		return errors.New(m.Error.Message)
	}
	if m.Model != "" {
		a.Model = m.Model
	}
	for _, b := range m.Content {
		if b.Type == "text" {
			a.Text += b.Text
		}
	}
	a.Text = afterThought(a.Text)
	if u := parseUsage[usage](m.Usage); u != nil {
		a.Tokens, a.Counted = u.tokens(), true
	}
	a.stopped(m.Stop)
	return nil
}

// stopped notes why the model ended its answer.
func (a *Answer) stopped(why *string) {
	if why == nil {
		return
	}
	a.Cut = *why == "max_tokens"
	if *why == "refusal" {
		a.refusal = cmp.Or(a.Text, "it does not say why")
	}
}

// update replaces the counts by later ones, which are totals for the message. It reports whether raw has any.
func (u *usage) update(raw json.RawMessage) (found bool) {
	later := parseUsage[usage](raw)
	if later == nil {
		return false
	}
	for _, pair := range [][2]**int{
		{&u.Input, &later.Input}, {&u.Read, &later.Read}, {&u.Made, &later.Made}, {&u.Output, &later.Output},
	} {
		if *pair[1] != nil {
			*pair[0] = *pair[1]
		}
	}
	return true
}

// tokens returns the usage of an answer, with the cached input included in the input.
func (u *usage) tokens() Tokens {
	count := func(n *int) int {
		if n == nil {
			return 0
		}
		return min(*n, math.MaxInt>>2) // so that sums do not overflow
	}
	if count(u.Input) < 0 || count(u.Read) < 0 || count(u.Made) < 0 {
		return Tokens{Input: -1}
	}
	return Tokens{Input: count(u.Input) + count(u.Read) + count(u.Made), Cached: count(u.Read), Output: count(u.Output)}
}

// A messageEvent is one event of a streamed message.
type messageEvent struct {
	Type    string    `json:"type"`
	Message *messaged `json:"message"`
	Start   block     `json:"content_block"`
	Delta   struct {
		block
		Stop *string `json:"stop_reason"`
	} `json:"delta"`
	Usage json.RawMessage `json:"usage"` // a usage
	Error *struct {
		Message string `json:"message"`
	} `json:"error"`
}

// readMessageEvents assembles an answer from the events of a streamed message.
func readMessageEvents(body io.Reader) (a Answer, err error) {
	var whole messaged
	var counted usage
	told, done := false, false
	err = events(body, func(data []byte) (bool, error) {
		var e messageEvent
		if err := json.Unmarshal(data, &e); err != nil {
			return false, errors.New("a piece of its answer cannot be read: " + err.Error())
		}
		done = e.Type == "message_stop"
		if e.Message != nil {
			told = counted.update(e.Message.Usage) || told
		}
		told = counted.update(e.Usage) || told
		return !done, whole.add(e)
	})
	if err == nil && !done {
		err = errBroken
	}
	if err != nil {
		return a, err
	}
	if told {
		a.Tokens, a.Counted = counted.tokens(), true
	}
	return a, whole.into(&a)
}

// add takes over a piece.
func (m *messaged) add(e messageEvent) error {
	if e.Error != nil {
		return errors.New(e.Error.Message)
	}
	if e.Message != nil {
		m.Model = e.Message.Model
	}
	if e.Start.Type == "text" {
		m.Content = append(m.Content, e.Start)
	}
	if e.Delta.Type == "text_delta" {
		m.Content = append(m.Content, block{"text", e.Delta.Text})
	}
	if e.Delta.Stop != nil {
		m.Stop = e.Delta.Stop
	}
	return nil
}
