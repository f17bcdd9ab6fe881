package rpc_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"agentleague/dialect"
	"agentleague/protocol"
	"agentleague/rpc"
)

// Each registration in dialect/testdata/dialects gets its answer over real HTTP, at its own path.
func TestRecordedRegistrationsAreAnsweredOverHTTP(t *testing.T) {
	n := rpc.NewNode("league_manager", rpc.Options{})
	var name, row string
	n.Handle(protocol.TypeLeagueRegisterRequest,
		func(_ context.Context, from rpc.From, m protocol.Message) (protocol.Message, error) {
			name, row = m.(*protocol.LeagueRegisterRequest).Meta.DisplayName, from.Dialect
			id := "P07"
			return &protocol.LeagueRegisterResponse{
				Admission: protocol.Admission{
					Envelope: protocol.Envelope{MessageType: protocol.TypeLeagueRegisterResponse}, Status: protocol.Accepted,
				}, PlayerID: &id,
			}, nil
		})
	n.Handle(protocol.TypeRefereeRegisterRequest,
		func(context.Context, rpc.From, protocol.Message) (protocol.Message, error) {
			return nil, protocol.Errorf(protocol.InvalidMessage, "taken for a referee")
		})
	server := httptest.NewServer(n)
	defer server.Close()
	files, _ := filepath.Glob("../dialect/testdata/dialects/[A-Z]*.txtar")
	if len(files) != len(dialect.Rows) {
		t.Errorf("%d conversations, want %d", len(files), len(dialect.Rows))
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		archive := txtar.Parse(text)
		first := archive.Files[0]
		_, path, _ := strings.Cut(first.Name, " at ")
		name, row = "", ""
		resp, err := http.Post(server.URL+path, "application/json", strings.NewReader(string(first.Data)))
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		m, _, err := dialect.Unframe(resp.StatusCode, body, protocol.TypeLeagueRegisterResponse, protocol.Reading{})
		if a, ok := m.(*protocol.LeagueRegisterResponse); err != nil || !ok || a.Status != protocol.Accepted ||
			*a.PlayerID != "P07" {
			t.Errorf("%s: got %s, %v", file, body, err)
		}
		want, _, _ := strings.Cut(strings.TrimPrefix(string(archive.Comment), "dialect: "), "\n")
		if name == "" || frameOf(row) != frameOf(want) { // the registration does not show the other properties of a row
			t.Errorf("%s: read %q in dialect %q, want %q", file, name, row, want)
		}
	}
}

// frameOf returns the frame of a row. A real MCP server registers with a tool.
func frameOf(row string) string {
	for _, r := range dialect.Rows {
		if r.Name == row {
			return strings.Replace(r.Frame, "mcp", "tool", 1)
		}
	}
	return "none"
}

func TestErrorsGoOutInKind(t *testing.T) {
	n := rpc.NewNode("league_manager", rpc.Options{})
	n.Handle(protocol.TypeLeagueRegisterRequest,
		func(context.Context, rpc.From, protocol.Message) (protocol.Message, error) {
			return nil, protocol.Errorf(protocol.LeagueFull, "no place")
		})
	for path, body := range map[string]string{
		"mcp":      `{"message_type":"LEAGUE_REGISTER_REQUEST","data":{"display_name":"x","contact_endpoint":"http://localhost:1/"}}`,
		"register": `{"display_name":"x","endpoint":"http://localhost:1/"}`,
		"":         `{"jsonrpc":"2.0","method":"tools/call","params":{"name":"register_player","arguments":{"display_name":"x","url":"http://localhost:1/"}},"id":1}`,
	} {
		_, _, err := dialect.Unframe(200, n.Answer(t.Context(), rpc.From{Path: path}, []byte(body)),
			protocol.TypeLeagueRegisterResponse, protocol.Reading{})
		if err == nil || !strings.Contains(err.Error(), "LEAGUE_FULL") {
			t.Errorf("%s: got %v, want LEAGUE_FULL", body, err)
		}
	}
}
