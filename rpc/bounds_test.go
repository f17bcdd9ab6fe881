package rpc_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"agentleague/protocol"
	"agentleague/rpc"
	"agentleague/rpc/rpctest"
)

// Answers that no honest agent gives. Each is refused in time, without a buffer for all of it.
var monstrous = map[string]http.HandlerFunc{
	"10 MB": func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", "10000000")
		_, _ = w.Write(make([]byte, 10_000_000))
	},
	"10 MB of which it does not say so": func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		for range 1000 {
			_, _ = w.Write(bytes.Repeat([]byte(" "), 10_000))
		}
	},
	"endless": func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		for r.Context().Err() == nil {
			_, _ = w.Write(make([]byte, 1<<16))
		}
	},
	"a byte at a time": func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for {
			_, _ = io.WriteString(w, " ")
			_ = http.NewResponseController(w).Flush()
			select {
			case <-tick.C:
			case <-r.Context().Done():
				return
			}
		}
	},
	"says that it has a megabyte": func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", "1000000")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	},
	"a huge header": func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Much", strings.Repeat("x", 1<<20))
		_, _ = io.WriteString(w, pongBody)
	},
	"many headers": func(w http.ResponseWriter, _ *http.Request) {
		for i := range 5000 {
			w.Header().Set("X-"+strings.Repeat("x", i%40)+string(rune('a'+i%26)), "y")
			w.Header().Add("X-Many", "yes")
		}
		_, _ = io.WriteString(w, pongBody)
	},
}

func TestMonstrousAnswersAreRefusedInTimeAndInLittleRoom(t *testing.T) {
	for name, h := range monstrous {
		for _, secure := range []bool{false, true} {
			start := httptest.NewServer
			if secure {
				start = httptest.NewTLSServer
			}
			s := start(drained(h))
			o := rpc.Options{TLS: trustIn(s)}
			before := allocated()
			ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
			begun := time.Now()
			reply, err := rpc.NewNode("referee:REF01", o).Call(ctx, rpc.Peer{
				Endpoint: s.URL + "/mcp", Dialect: protocol.Canonical,
			}, ping())
			took := time.Since(begun)
			cancel()
			if got := outcome(reply, err); !slices.Contains([]string{"E001", "E002", "E009"}, got) {
				// E002: its end came with the deadline
				t.Errorf("%s, TLS %v: got %s (%v), want the agent blamed", name, secure, got, err)
			}
			if took > time.Minute {
				t.Errorf("%s, TLS %v: it took %v", name, secure, took)
			}
			if grown := allocated() - before; grown > 64<<20 { // the server's part is in it
				t.Errorf("%s, TLS %v: %d bytes were allocated", name, secure, grown)
			}
			s.CloseClientConnections()
			s.Close()
		}
	}
}

func TestMonstrousMCPServersAreRefused(t *testing.T) {
	for name, h := range monstrous {
		s := httptest.NewServer(drained(h))
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		n := rpc.NewNode("referee:REF01", rpc.Options{})
		begun := time.Now()
		if tools, err := n.Network.(rpc.ToolCaller).Tools(ctx, s.URL+"/mcp"); err == nil {
			t.Errorf("%s: got the tools %v", name, tools)
		}
		if took := time.Since(begun); took > time.Minute {
			t.Errorf("%s: it took %v", name, took)
		}
		cancel()
		s.CloseClientConnections()
		s.Close()
	}
}

// A server that has ever more tools is left.
func TestMCPServerWithEndlessToolsIsRefused(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var req struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
		}
		_ = json.NewDecoder(r.Body).Decode(&req)
		results := map[string]string{
			"initialize": `{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}`,
			"tools/list": `{"tools":[` + strings.TrimSuffix(strings.Repeat(`{"name":"t","inputSchema":{"type":"object"}},`, 50),
				",") + `],"nextCursor":"more"}`,
		}
		if req.ID == nil {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		result, ok := results[req.Method]
		if !ok {
			_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":`+string(req.ID)+`,"error":{"code":-32601,"message":"no"}}`)
			return
		}
		_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":`+string(req.ID)+`,"result":`+result+`}`)
	}))
	defer s.Close()
	n := rpc.NewNode("referee:REF01", rpc.Options{})
	ctx, cancel := context.WithTimeout(t.Context(), rpctest.Patience)
	defer cancel()
	_, err := n.Network.(rpc.ToolCaller).Tools(ctx, s.URL+"/mcp")
	if err == nil || !strings.Contains(err.Error(), "more than 1000 tools") {
		t.Errorf("got %v", err)
	}
}

func TestMCPServerThatRedirectsIsNotFollowed(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Error("the redirect was followed")
	}))
	defer elsewhere.Close()
	for _, start := range []func(http.Handler) *httptest.Server{httptest.NewServer, httptest.NewTLSServer} {
		s := start(http.RedirectHandler(elsewhere.URL, http.StatusTemporaryRedirect))
		n := rpc.NewNode("referee:REF01", rpc.Options{TLS: trustIn(s)})
		if _, err := n.Network.(rpc.ToolCaller).Tools(t.Context(), s.URL); err == nil {
			t.Error("a redirect is no MCP server")
		}
		if got := outcome(n.Call(t.Context(), rpc.Peer{Endpoint: s.URL, Dialect: protocol.Canonical},
			ping())); got != "refusal 307 0" {
			t.Errorf("got %s, want a refusal", got)
		}
		s.Close()
	}
}

// drained lets h answer a request that has come in whole.
func drained(h http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		h(w, r)
	})
}

// trustIn trusts the certificate of a server of a test.
func trustIn(s *httptest.Server) *tls.Config {
	if s.TLS == nil {
		return nil
	}
	pool := x509.NewCertPool()
	pool.AddCert(s.Certificate())
	return &tls.Config{RootCAs: pool}
}

func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}
