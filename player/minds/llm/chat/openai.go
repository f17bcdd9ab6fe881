package chat

import (
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
)

// A completion is a request in the format of OpenAI's API.
type completion struct {
	Model               string          `json:"model"`
	Messages            []Turn          `json:"messages"`
	ResponseFormat      *responseFormat `json:"response_format,omitempty"`
	MaxTokens           int             `json:"max_tokens,omitempty"`
	MaxCompletionTokens int             `json:"max_completion_tokens,omitempty"`
	Sampling
}

// A responseFormat requests an answer that conforms to a schema.
type responseFormat struct {
	Type       string     `json:"type"`
	JSONSchema namedShape `json:"json_schema"`
}

// A namedShape is a JSON Schema with a name. Strict makes the server enforce it for every token.
type namedShape struct {
	Name   string          `json:"name"`
	Strict bool            `json:"strict"`
	Schema json.RawMessage `json:"schema"`
}

// completion returns a request in this API's format. Fields that the server refused earlier, such as the schema or the
// name of the token limit, are omitted or renamed.
func (c *Client) completion(r Request) completion {
	out := completion{Model: c.Model, Messages: r.Turns, Sampling: c.Sampling}
	if r.System != "" {
		out.Messages = slices.Concat([]Turn{{"system", r.System}}, r.Turns)
	}
	if r.Schema != nil && !c.plain.Load() {
		out.ResponseFormat = &responseFormat{"json_schema", namedShape{"answer", true, r.Schema}}
	}
	if c.renamed.Load() {
		out.MaxCompletionTokens = r.MaxTokens
	} else {
		out.MaxTokens = r.MaxTokens
	}
	return out
}

// A completed is a chat completion, or one chunk of a streamed one.
type completed struct {
	Model   string `json:"model"`
	Choices []struct {
		Message said    `json:"message"`
		Delta   said    `json:"delta"`
		Finish  *string `json:"finish_reason"`
	} `json:"choices"`
	Usage json.RawMessage `json:"usage"` // a completionUsage
	Error *struct {
		Message string `json:"message"`
	} `json:"error"`
}

// A completionUsage is the server's token count.
type completionUsage struct {
	Input   int `json:"prompt_tokens"`
	Output  int `json:"completion_tokens"`
	Details *struct {
		Cached int `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
}

// A said is the model's answer, or its refusal.
type said struct {
	Content *string `json:"content"`
	Refusal *string `json:"refusal"`
}

// readCompletion parses an answer that was not streamed.
func readCompletion(text []byte) (a Answer, err error) {
	var c completed
	if err := json.Unmarshal(text, &c); err != nil {
		return a, errors.New("its answer is not that of a chat completion: " + err.Error())
	}
	return a, c.into(&a)
}

// readChunks assembles an answer from the chunks of a streamed completion.
func readChunks(body io.Reader) (a Answer, err error) {
	done := false
	err = events(body, func(data []byte) (bool, error) {
		if string(data) == "[DONE]" {
			done = true
			return false, nil
		}
		var c completed
		if err := json.Unmarshal(data, &c); err != nil {
			return false, errors.New("a piece of its answer cannot be read: " + err.Error())
		}
		for i := range c.Choices {
			done = done || c.Choices[i].Finish != nil
		}
		return true, c.into(&a)
	})
	if err == nil && !done {
		err = errBroken
	}
	return a, err
}

// into adds a completion, or one chunk of it, to an answer.
func (c *completed) into(a *Answer) error {
	if c.Error != nil {
		return errors.New(c.Error.Message)
	}
	if c.Model != "" {
		a.Model = c.Model
	}
	if u := parseUsage[completionUsage](c.Usage); u != nil {
		a.Tokens, a.Counted = Tokens{Input: u.Input, Output: u.Output}, true
		if u.Details != nil {
			a.Tokens.Cached = u.Details.Cached
		}
	}
	for _, choice := range c.Choices[:min(1, len(c.Choices))] {
		for _, s := range []said{choice.Message, choice.Delta} {
			if s.Refusal != nil {
				a.refusal += *s.Refusal
			}
			if s.Content != nil {
				a.Text += *s.Content
			}
		}
		if choice.Finish != nil {
			a.Cut = *choice.Finish == "length"
			if *choice.Finish == "content_filter" {
				a.refusal = "a filter of the server's took the answer"
			}
		}
	}
	a.Text = afterThought(a.Text)
	return nil
}

// afterThought removes the model's reasoning, which some servers include in the text of an answer.
func afterThought(text string) string {
	if _, rest, found := strings.Cut(text, "</think>"); found {
		return rest
	}
	return text
}
