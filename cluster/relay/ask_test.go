package relay

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"testing"

	"agentleague/rpc/rpctest"
)

var question = Question{
	Caller: "192.0.2.7", Token: "tok", Via: "http://a:8000", Path: "/leagues/a/mcp", Body: []byte(`{"id":1}`),
}

func TestAQuestionIsAskedForItsCaller(t *testing.T) {
	at := owner(t, "key", func(w http.ResponseWriter, req *http.Request) {
		body, _ := io.ReadAll(req.Body)
		fmt.Fprintf(w, "%s %s from %s, %s: %s; passed %s", req.Method, req.URL.Path, req.RemoteAddr,
			req.Header.Get("Authorization"), body, w.Header().Get("Passed"))
	})
	const want = `POST /leagues/a/mcp from 192.0.2.7:0, Bearer tok: {"id":1}; passed true http://a:8000`
	if answer, err := New([]byte("key"), nil).Ask(t.Context(), question, at); err != nil || string(answer) != want {
		t.Errorf("got %s, %v\nwant %s", answer, err, want)
	}
}

func TestAQuestionThatNobodyAnswersSaysWhetherItWasSeen(t *testing.T) {
	moved := owner(t, "key", func(w http.ResponseWriter, _ *http.Request) { NotHere(w) })
	dies := owner(t, "key", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	halfway := owner(t, "key", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		_, _ = io.WriteString(w, "{")
	})
	for address, want := range map[string]error{
		rpctest.Nowhere(): ErrUnreached, moved: ErrNotHere, dies: ErrBroken, halfway: ErrBroken, "nowhere": ErrUnreached,
	} {
		if _, err := New([]byte("key"), nil).Ask(t.Context(), question, address); !errors.Is(err, want) {
			t.Errorf("%s: got %v, want %v", address, err, want)
		}
	}
}
