//nolint:staticcheck // the suites of older versions ask for what the newest calls deprecated
package mcp_test

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"agentleague/rpc"
)

// The conformance suites call tools, prompts and resources by fixed names. This node of ours has them and nothing else.

// fixtures serves such a node until the test ends and returns its endpoint.
func fixtures(t *testing.T) string {
	t.Helper()
	n := rpc.NewNode("player:P01", rpc.Options{})
	addTools(n.MCP())
	addInputTools(n.MCP())
	addResources(n.MCP())
	addPrompts(n.MCP())
	server, err := rpc.Listen(0)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(ctx, n) }()
	t.Cleanup(func() { stop(); <-ended })
	return fmt.Sprintf("http://127.0.0.1:%d/mcp", server.Port())
}

const (
	aPixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
	aSound = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA="
)

func bytesOf(base string) []byte { b, _ := base64.StdEncoding.DecodeString(base); return b }

func said(form string, args ...any) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: fmt.Sprintf(form, args...)}}}
}

type toolFunc = func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error)

func add(s *mcp.Server, name string, h toolFunc, arguments ...string) {
	properties := map[string]any{}
	for _, a := range arguments {
		properties[a] = map[string]string{"type": "string"}
	}
	schema := map[string]any{"type": "object", "properties": properties}
	if len(arguments) > 0 {
		schema["required"] = arguments
	}
	s.AddTool(&mcp.Tool{Name: name, Description: "for the conformance suite", InputSchema: schema}, h)
}

func argument(req *mcp.CallToolRequest, name string) string {
	var all map[string]string
	_ = json.Unmarshal(req.Params.Arguments, &all)
	return all[name]
}

// always answers with the same.
func always(content ...mcp.Content) toolFunc {
	return func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: content}, nil
	}
}

func addTools(s *mcp.Server) {
	image := &mcp.ImageContent{Data: bytesOf(aPixel), MIMEType: "image/png"}
	add(s, "test_simple_text", always(&mcp.TextContent{Text: "This is a simple text response for testing."}))
	add(s, "test_image_content", always(image))
	add(s, "test_audio_content", always(&mcp.AudioContent{Data: bytesOf(aSound), MIMEType: "audio/wav"}))
	add(s, "test_embedded_resource", always(&mcp.EmbeddedResource{Resource: &mcp.ResourceContents{
		URI: "test://embedded-resource", MIMEType: "text/plain", Text: "This is an embedded resource content.",
	}}))
	add(s, "test_multiple_content_types", always(&mcp.TextContent{Text: "Multiple content types test:"}, image,
		&mcp.EmbeddedResource{Resource: &mcp.ResourceContents{
			URI: "test://mixed-content-resource", MIMEType: "application/json", Text: `{"test":"data","value":123}`,
		}}))
	add(s, "test_tool_with_logging", inSteps(func(ctx context.Context, req *mcp.CallToolRequest, step int) error {
		texts := []string{"Tool execution started", "Tool processing data", "Tool execution completed"}
		return req.Session.Log(ctx, &mcp.LoggingMessageParams{Level: "info", Data: texts[step]})
	}))
	add(s, "test_tool_with_progress", inSteps(func(ctx context.Context, req *mcp.CallToolRequest, step int) error {
		token := req.Params.GetProgressToken()
		if token == nil {
			return nil
		}
		return req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
			ProgressToken: token, Progress: float64(50 * step), Total: 100,
		})
	}))
	add(s, "test_logging_tool", func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return said("logged"), req.Session.Log(ctx, &mcp.LoggingMessageParams{
			Level: "info", Data: "heard by those who asked for it",
		})
	})
	add(s, "test_trigger_tool_change", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		add(s, "test_new_tool", always(&mcp.TextContent{Text: "new"}))
		return said("changed"), nil
	})
	add(s, "test_trigger_prompt_change", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		s.AddPrompt(&mcp.Prompt{Name: "test_new_prompt", Description: "new"},
			func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
				return &mcp.GetPromptResult{}, nil
			})
		return said("changed"), nil
	})
	add(s, "test_error_handling", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		var out mcp.CallToolResult
		out.SetError(errors.New("This tool intentionally returns an error for testing"))
		return &out, nil
	})
	add(s, "test_reconnection", func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if req.Extra != nil && req.Extra.CloseSSEStream != nil {
			req.Extra.CloseSSEStream(mcp.CloseSSEStreamArgs{RetryAfter: 10 * time.Millisecond})
		}
		return said("Reconnection test completed."), nil
	})
	add(s, "test_sampling", sample, "prompt")
	add(s, "test_elicitation", func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return elicit(ctx, req, "User response", argument(req, "message"),
			`{"type":"object","properties":{"username":{"type":"string","description":"User's response"},"email":{"type":"string","description":"User's email address"}},"required":["username","email"]}`)
	}, "message")
	add(s, "test_elicitation_sep1034_defaults", func(ctx context.Context, req *mcp.CallToolRequest) (
		*mcp.CallToolResult, error) {
		return elicit(ctx, req, "Elicitation completed", "Are these right?",
			`{"type":"object","properties":{"name":{"type":"string","default":"John Doe"},
			"age":{"type":"integer","default":30},"score":{"type":"number","default":95.5},
			"status":{"type":"string","enum":["active","inactive","pending"],"default":"active"},"verified":{"type":"boolean","default":true}}}`)
	})
	add(s, "test_elicitation_sep1330_enums", func(ctx context.Context, req *mcp.CallToolRequest) (
		*mcp.CallToolResult, error) {
		return elicit(ctx, req, "Elicitation completed", "Which?", `{"type":"object","properties":{
			"untitledSingle":{"type":"string","enum":["option1","option2","option3"]},
			"titledSingle":{"type":"string","oneOf":[{"const":"value1","title":"First Option"},{"const":"value2","title":"Second Option"},{"const":"value3","title":"Third Option"}]},
			"legacyEnum":{"type":"string","enum":["opt1","opt2","opt3"],"enumNames":["Option One","Option Two","Option Three"]},
			"untitledMulti":{"type":"array","items":{"type":"string","enum":["option1","option2","option3"]}},
			"titledMulti":{"type":"array","items":{"anyOf":[{"const":"value1","title":"First Choice"},{"const":"value2","title":"Second Choice"},{"const":"value3","title":"Third Choice"}]}}}}`)
	})
}

// inSteps does something three times, a moment apart as the suite wants it.
func inSteps(do func(ctx context.Context, req *mcp.CallToolRequest, step int) error) toolFunc {
	return func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		for step := range 3 {
			if err := do(ctx, req, step); err != nil {
				return nil, err
			}
			select {
			case <-time.After(20 * time.Millisecond):
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
		return said("done"), nil
	}
}

func sample(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	got, err := req.Session.CreateMessage(ctx, &mcp.CreateMessageParams{
		MaxTokens: 100, Messages: []*mcp.SamplingMessage{
			{Role: "user", Content: &mcp.TextContent{Text: argument(req, "prompt")}},
		},
	})
	if err != nil {
		return nil, err
	}
	return said("LLM response: %s", got.Content.(*mcp.TextContent).Text), nil
}

func elicit(ctx context.Context, req *mcp.CallToolRequest, words, message, schema string) (*mcp.CallToolResult, error) {
	got, err := req.Session.Elicit(ctx, &mcp.ElicitParams{Message: message, RequestedSchema: json.RawMessage(schema)})
	if err != nil {
		return nil, err
	}
	content, _ := json.Marshal(got.Content)
	return said("%s: action=%s, content=%s", words, got.Action, content), nil
}

// The requests that a tool may send to the client.
var (
	aName   = &mcp.ElicitParams{Message: "What is your name?", RequestedSchema: form("name", "string")}
	aColour = &mcp.ElicitParams{
		Message: "Step 2: What is your favorite color?", RequestedSchema: form("color", "string"),
	}
	aYes     = &mcp.ElicitParams{Message: "Please confirm", RequestedSchema: form("ok", "boolean")}
	aContext = &mcp.ElicitParams{
		Message: "What context should the prompt use?", RequestedSchema: form("context", "string"),
	}
	aCapital  = sampling("What is the capital of France?", 100)
	aGreeting = sampling("Generate a greeting", 50)
	someRoots = &mcp.ListRootsParams{}
)

func form(member, kind string) json.RawMessage {
	return json.RawMessage(fmt.Sprintf(`{"type":"object","properties":{%q:{"type":%q}},"required":[%q]}`, member,
		kind, member))
}

func sampling(text string, most int64) *mcp.CreateMessageParams {
	return &mcp.CreateMessageParams{
		MaxTokens: most, Messages: []*mcp.SamplingMessage{{Role: "user", Content: &mcp.TextContent{Text: text}}},
	}
}

// asking returns a tool that sends requests to the client and then returns the answers.
func asking(wants mcp.InputRequestMap) toolFunc {
	return func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		var got []string
		for name := range wants {
			answer := req.Params.InputResponses[name]
			if answer == nil {
				return &mcp.CallToolResult{InputRequests: wants, RequestState: seal("asked")}, nil
			}
			text, _ := json.Marshal(answer)
			got = append(got, string(text))
		}
		return said("got %s", strings.Join(got, " and ")), nil
	}
}

// stately returns a tool that also wants its own state back.
func stately(wants mcp.InputRequestMap) toolFunc {
	return func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if len(req.Params.InputResponses) > 0 && req.Params.RequestState != seal("asked") {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "requestState is not the one that was sent"}
		}
		out, err := asking(wants)(ctx, req)
		if err == nil && out.InputRequests == nil {
			out = said("state-ok")
		}
		return out, err
	}
}

var sealing = []byte(rand.Text())

// seal signs a state so that clients cannot forge one.
func seal(state string) string {
	mac := hmac.New(sha256.New, sealing)
	mac.Write([]byte(state))
	return state + "." + hex.EncodeToString(mac.Sum(nil))
}

func addInputTools(s *mcp.Server) {
	add(s, "test_input_required_result_elicitation", asking(mcp.InputRequestMap{"user_name": aName}))
	add(s, "test_input_required_result_sampling", asking(mcp.InputRequestMap{"capital_question": aCapital}))
	add(s, "test_input_required_result_list_roots", asking(mcp.InputRequestMap{"client_roots": someRoots}))
	add(s, "test_input_required_result_request_state", stately(mcp.InputRequestMap{"confirm": aYes}))
	add(s, "test_input_required_result_tampered_state", stately(mcp.InputRequestMap{"confirm": aYes}))
	add(s, "test_input_required_result_multiple_inputs",
		stately(mcp.InputRequestMap{"user_name": aName, "greeting": aGreeting, "client_roots": someRoots}))
	add(s, "test_input_required_result_multi_round",
		func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			switch {
			case req.Params.InputResponses["step2"] != nil && req.Params.RequestState == seal("2"):
				return said("done"), nil
			case req.Params.InputResponses["step1"] != nil && req.Params.RequestState == seal("1"):
				return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{"step2": aColour}, RequestState: seal("2")}, nil
			}
			return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{"step1": aName}, RequestState: seal("1")}, nil
		})
	add(s, "test_streaming_elicitation", asking(mcp.InputRequestMap{"user_name": aName}))
	add(s, "test_missing_capability", func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if c := req.ClientCapabilities(); c != nil && c.Sampling != nil {
			return said("there"), nil
		}
		return nil, &jsonrpc.Error{
			Code: mcp.CodeMissingRequiredClientCapabilities, Message: "sampling is missing",
			Data: json.RawMessage(`{"requiredCapabilities":{"sampling":{}}}`),
		}
	})
	add(s, "test_input_required_result_capabilities",
		func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			wants := mcp.InputRequestMap{}
			if c := req.ClientCapabilities(); c != nil && c.Elicitation != nil {
				wants["user_name"] = aName
			}
			if c := req.ClientCapabilities(); c != nil && c.Sampling != nil {
				wants["capital_question"] = aCapital
			}
			return asking(wants)(ctx, req)
		})
}

func addResources(s *mcp.Server) {
	read := func(mimeType string, fill func(uri string, c *mcp.ResourceContents)) mcp.ResourceHandler {
		return func(_ context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			c := &mcp.ResourceContents{URI: req.Params.URI, MIMEType: mimeType}
			fill(req.Params.URI, c)
			return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{c}}, nil
		}
	}
	text := read("text/plain", func(_ string, c *mcp.ResourceContents) {
		c.Text = "This is the content of the static text resource."
	})
	s.AddResource(&mcp.Resource{URI: "test://static-text", Name: "text", MIMEType: "text/plain"}, text)
	s.AddResource(&mcp.Resource{URI: "test://watched-resource", Name: "watched", MIMEType: "text/plain"}, text)
	s.AddResource(&mcp.Resource{URI: "test://static-binary", Name: "binary", MIMEType: "image/png"},
		read("image/png", func(_ string, c *mcp.ResourceContents) { c.Blob = bytesOf(aPixel) }))
	s.AddResourceTemplate(&mcp.ResourceTemplate{
		URITemplate: "test://template/{id}/data", Name: "data", MIMEType: "application/json",
	},
		read("application/json", func(uri string, c *mcp.ResourceContents) {
			id := strings.Split(uri, "/")[3]
			c.Text = fmt.Sprintf(`{"id":%q,"templateTest":true,"data":"Data for ID: %s"}`, id, id)
		}))
}

func addPrompts(s *mcp.Server) {
	user := func(content ...mcp.Content) *mcp.GetPromptResult {
		out := &mcp.GetPromptResult{}
		for _, c := range content {
			out.Messages = append(out.Messages, &mcp.PromptMessage{Role: "user", Content: c})
		}
		return out
	}
	add := func(name string, h func(args map[string]string) *mcp.GetPromptResult, arguments ...string) {
		p := &mcp.Prompt{Name: name, Description: "for the conformance suite"}
		for _, a := range arguments {
			p.Arguments = append(p.Arguments, &mcp.PromptArgument{Name: a, Required: true})
		}
		s.AddPrompt(p, func(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return h(req.Params.Arguments), nil
		})
	}
	add("test_simple_prompt", func(map[string]string) *mcp.GetPromptResult {
		return user(&mcp.TextContent{Text: "This is a simple prompt for testing."})
	})
	add("test_prompt_with_arguments", func(args map[string]string) *mcp.GetPromptResult {
		return user(&mcp.TextContent{
			Text: fmt.Sprintf("Prompt with arguments: arg1='%s', arg2='%s'", args["arg1"], args["arg2"]),
		})
	}, "arg1", "arg2")
	add("test_prompt_with_embedded_resource", func(args map[string]string) *mcp.GetPromptResult {
		return user(&mcp.EmbeddedResource{Resource: &mcp.ResourceContents{
			URI: args["resourceUri"], MIMEType: "text/plain", Text: "Embedded resource content for testing.",
		}}, &mcp.TextContent{Text: "Please process the embedded resource above."})
	}, "resourceUri")
	add("test_prompt_with_image", func(map[string]string) *mcp.GetPromptResult {
		return user(&mcp.ImageContent{Data: bytesOf(aPixel), MIMEType: "image/png"},
			&mcp.TextContent{Text: "Please analyze the image above."})
	})
	s.AddPrompt(&mcp.Prompt{Name: "test_input_required_result_prompt", Description: "for the conformance suite"},
		func(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			if req.Params.InputResponses["user_context"] == nil {
				return &mcp.GetPromptResult{InputRequests: mcp.InputRequestMap{"user_context": aContext}}, nil
			}
			return user(&mcp.TextContent{Text: "with context"}), nil
		})
}
