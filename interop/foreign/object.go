package foreign

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"
)

// An object is a JSON object. Unlike fields of a struct, its member names are case-sensitive.
type object map[string]any

// text returns a member that is a string.
func (o object) text(name string) string {
	s, _ := o[name].(string)
	return s
}

// object returns a member that is an object, or nil.
func (o object) object(name string) object {
	m, _ := o[name].(map[string]any)
	return m
}

// list returns the objects in a member that is an array.
func (o object) list(name string) (out []object) {
	all, _ := o[name].([]any)
	for _, v := range all {
		if m, ok := v.(map[string]any); ok {
			out = append(out, m)
		}
	}
	return out
}

// with returns the members of both objects. Those of more take precedence.
func (o object) with(more object) object {
	out := object{}
	for _, from := range []object{o, more} {
		for name, v := range from {
			out[name] = v
		}
	}
	return out
}

// encode returns v as JSON. It panics on an error, which no value of this package causes.
func encode(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("foreign: %v", err))
	}
	return b
}

// orElse returns s, or otherwise if s is empty.
func orElse(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

// client sends the requests of foreign agents.
var client = &http.Client{
	Timeout:   40 * time.Second,
	Transport: &http.Transport{MaxIdleConnsPerHost: 2, IdleConnTimeout: 2 * time.Second},
}

// post sends a JSON body and returns the JSON object in the response, whatever its HTTP status.
func post(ctx context.Context, url string, body []byte) (object, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	var answer object
	if json.Unmarshal(raw, &answer) != nil || answer == nil {
		return nil, fmt.Errorf("%s answered with status %d and no object: %.200s", url, resp.StatusCode, raw)
	}
	return answer, nil
}
