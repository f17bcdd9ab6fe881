package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

// std is R_std: stock net/http and encoding/json on both sides, with a Transport that keeps its connections. One
// exchange is a question to a player and its answer, each written, read and looked at.
var std = yardstick{name: "std", serve: serveStd, call: callStd}

// An stdHead is what each message begins with.
type stdHead struct {
	Protocol       string `json:"protocol"`
	MessageType    string `json:"message_type"`
	Sender         string `json:"sender"`
	Timestamp      string `json:"timestamp"`
	ConversationID string `json:"conversation_id"`
	AuthToken      string `json:"auth_token"`
	LeagueID       string `json:"league_id"`
	RoundID        int    `json:"round_id"`
	MatchID        string `json:"match_id"`
}

func (h stdHead) check() error {
	if h.Protocol != "league.v2" || h.MessageType == "" || h.Sender == "" || h.ConversationID == "" || h.AuthToken == "" {
		return errors.New("a member of the envelope is missing")
	}
	_, err := time.Parse(time.RFC3339, h.Timestamp)
	return err
}

type stdQuestion struct {
	stdHead
	PlayerID string `json:"player_id"`
	GameType string `json:"game_type"`
	Context  struct {
		OpponentID    string `json:"opponent_id"`
		RoundID       int    `json:"round_id"`
		YourStandings struct {
			Wins   int `json:"wins"`
			Losses int `json:"losses"`
			Draws  int `json:"draws"`
			Points int `json:"points"`
		} `json:"your_standings"`
	} `json:"context"`
	Deadline string `json:"deadline"`
}

type stdAnswer struct {
	stdHead
	PlayerID     string `json:"player_id"`
	ParityChoice string `json:"parity_choice"`
}

type stdRequest struct {
	Version string      `json:"jsonrpc"`
	Method  string      `json:"method"`
	Params  stdQuestion `json:"params"`
	ID      int         `json:"id"`
}

type stdResponse struct {
	Version string    `json:"jsonrpc"`
	Result  stdAnswer `json:"result"`
	ID      int       `json:"id"`
}

func serveStd(ctx context.Context, l net.Listener) error {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /mcp", answerStd)
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	stop := context.AfterFunc(ctx, func() { _ = server.Close() })
	defer stop()
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

func answerStd(w http.ResponseWriter, r *http.Request) {
	var q stdRequest
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<20)).Decode(&q); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if err := q.Params.check(); err != nil || q.Params.PlayerID == "" {
		http.Error(w, "not a question", http.StatusBadRequest)
		return
	}
	a := stdResponse{
		Version: "2.0", ID: q.ID, Result: stdAnswer{
			stdHead: q.Params.stdHead, PlayerID: q.Params.PlayerID, ParityChoice: "even",
		},
	}
	a.Result.MessageType, a.Result.Sender, a.Result.Timestamp =
		"CHOOSE_PARITY_RESPONSE", "player:"+q.Params.PlayerID, stdNow()
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(a)
}

func stdNow() string { return time.Now().UTC().Format(time.RFC3339) }

// stdClient keeps as many connections as there are callers.
var stdClient = sync.OnceValue(func() *http.Client {
	return &http.Client{
		Timeout: 10 * time.Second, Transport: &http.Transport{MaxIdleConns: 1024, MaxIdleConnsPerHost: 1024},
	}
})

func callStd(address string) (func() error, func()) {
	id := 0
	return func() error { id++; return exchangeStd("http://"+address+"/mcp", id) }, func() {}
}

func exchangeStd(url string, id int) error {
	q := stdRequest{Version: "2.0", Method: "choose_parity", ID: id, Params: stdQuestion{
		stdHead: stdHead{
			Protocol: "league.v2", MessageType: "CHOOSE_PARITY_CALL", Sender: "referee:REF01", Timestamp: stdNow(),
			ConversationID: "conv-r1m1-001",
			AuthToken:      "tok_0123456789abcdef0123456789abcdef", LeagueID: leagueID, RoundID: 1, MatchID: "R1M1",
		},
		PlayerID: "P01", GameType: "even_odd", Deadline: stdNow(),
	}}
	q.Params.Context.OpponentID, q.Params.Context.RoundID = "P02", 1
	body, err := json.Marshal(q)
	if err != nil {
		return err
	}
	resp, err := stdClient().Post(url, "application/json", bytes.NewReader(body))
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	var a stdResponse
	if err := json.Unmarshal(text, &a); err != nil {
		return err
	}
	if err := a.Result.check(); err != nil || a.ID != id || a.Result.ParityChoice == "" {
		return errors.Join(err, errors.New("this is not an answer"))
	}
	return nil
}
