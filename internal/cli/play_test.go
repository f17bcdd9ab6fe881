package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"agentleague/game/draw"
)

// a foreign player is a plain HTTP server that answers each method with the result it has for it.
func foreignPlayer(t *testing.T, answers map[string]string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var req struct {
			Method string
			ID     json.RawMessage
		}
		_ = json.Unmarshal(body, &req)
		result, ok := answers[req.Method]
		if !ok {
			result = `{"status":"ok"}`
		}
		fmt.Fprintf(w, `{"jsonrpc":"2.0","result":%s,"id":%s}`, result, req.ID)
	}))
	t.Cleanup(s.Close)
	return s.URL + "/mcp"
}

// A friendlyObject is the output of `league play --json`.
type friendlyObject struct {
	MatchID string `json:"match_id"`
	Players []struct {
		PlayerID, Name, Endpoint string
	}
	Result          string
	Winner          *string
	Score           map[string]int
	Choices         map[string]string
	TechnicalLosses []struct {
		PlayerID  string `json:"player_id"`
		ErrorCode string `json:"error_code"`
		Meaning   string
	} `json:"technical_losses"`
	Draw struct {
		Number     *int
		Commitment string
		Key        []byte `json:"-"`
		Hex        string `json:"key"`
	}
}

func playJSON(t *testing.T, args ...string) (o friendlyObject) {
	t.Helper()
	var out, errs bytes.Buffer
	if status := run(t.Context(), append([]string{"play", "--json"}, args...), &out, &errs); status != 0 || errs.Len() > 0 {
		t.Fatalf("status %d, %q; want 0 and nothing on standard error", status, errs.String())
	}
	if err := json.Unmarshal(out.Bytes(), &o); err != nil {
		t.Fatalf("%v in %s", err, out.String())
	}
	if _, err := fmt.Sscanf(o.Draw.Hex, "%x", &o.Draw.Key); err != nil {
		t.Fatalf("the key %q: %v", o.Draw.Hex, err)
	}
	return o
}

// The draw of a match follows from its key by the published formula, and the
// winner from the draw.
func TestAMatchBetweenStrangersCanBeChecked(t *testing.T) {
	t.Parallel()
	choosing := func(choice string) string {
		return foreignPlayer(t, map[string]string{"handle_game_invitation": `{"accept":true}`, "choose_parity": `{"parity_choice":"` + choice + `"}`})
	}
	even, odd := choosing("even"), choosing("odd")
	for range 5 {
		o := playJSON(t, even, odd)
		number := draw.Number(draw.New(o.Draw.Key), 10)
		if o.Draw.Number == nil || *o.Draw.Number != number {
			t.Fatalf("drew %v, the key says %d", o.Draw.Number, number)
		}
		want := map[int]string{0: "P01", 1: "P02"}[number%2]
		if o.Result != "WIN" || o.Winner == nil || *o.Winner != want || o.Score[want] != 3 {
			t.Errorf("drew %d: %+v, want %s to win", number, o, want)
		}
		if o.Choices["P01"] != "even" || o.Choices["P02"] != "odd" || o.Players[0].Endpoint != even {
			t.Errorf("got %+v", o)
		}
	}
}

func TestAPlayerThatDeclinesLosesWithTheReason(t *testing.T) {
	t.Parallel()
	shy := foreignPlayer(t, map[string]string{"handle_game_invitation": `{"accept":false}`})
	o := playJSON(t, "random", shy)
	if o.Result != "TECHNICAL_LOSS" || o.Winner == nil || *o.Winner != "P01" || o.Draw.Number != nil {
		t.Errorf("got %+v, want P01 to win without a draw", o)
	}
	if l := o.TechnicalLosses; len(l) != 1 || l[0].PlayerID != "P02" || l[0].Meaning != "it declined the invitation" {
		t.Errorf("got %+v", l)
	}
	var out, errs bytes.Buffer
	if status := run(t.Context(), []string{"play", shy, "random"}, &out, &errs); status != 0 {
		t.Errorf("status %d, want 0: the match was played", status)
	}
	if want := "technical loss of P01 (" + shy + "): it declined the invitation"; !strings.Contains(out.String(), want) {
		t.Errorf("got %q, want %q", out.String(), want)
	}
	if strings.Contains(errs.String(), "CHOOSE_PARITY_CALL") || !strings.Contains(errs.String(), "GAME_OVER") {
		t.Errorf("got %q, want a match that ends after its invitations", errs.String())
	}
}

// An answer of a foreign agent cannot move the cursor of a terminal, and choices are not shown during the match.
func TestCommentaryIsPlainAndSealed(t *testing.T) {
	t.Parallel()
	evil := foreignPlayer(t, map[string]string{
		"handle_game_invitation": `{"accept":true}`, "choose_parity": `{"parity_choice":"odd"}`,
		"notify_match_result": "{\"message_type\":\"\\u001b[2J\"}",
	})
	var out, errs bytes.Buffer
	if status := run(t.Context(), []string{"play", evil, "alternate"}, &out, &errs); status != 0 {
		t.Fatalf("status %d: %s", status, errs.String())
	}
	if text := errs.String(); strings.ContainsRune(text+out.String(), 0x1b) || strings.Contains(text, "odd\"") {
		t.Errorf("got %q and %q", text, out.String())
	}
}

func TestAnInterruptedMatchSaysSo(t *testing.T) {
	t.Parallel()
	asked := make(chan struct{}, 1)
	slow := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			_, _ = io.Copy(io.Discard, r.Body)
			select {
			case asked <- struct{}{}:
			default:
			}
			<-r.Context().Done()
		}
	}))
	defer slow.Close()
	ctx, interrupt := cancelled(t, asked)
	defer interrupt()
	var out, errs bytes.Buffer
	if status := run(ctx, []string{"play", "random", slow.URL}, &out, &errs); status != 1 || !strings.Contains(errs.String(), "interrupted: the match was not finished") {
		t.Errorf("status %d, %q", status, errs.String())
	}
}

// cancelled returns a context that ends when something has happened.
func cancelled(t *testing.T, when <-chan struct{}) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		select {
		case <-when:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}
