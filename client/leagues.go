package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"

	"agentleague/league/seasons"
)

// A Listed is one league in a manager's list, with its state and progress. With [Wanted].Brief only ID and State are
// set.
type Listed struct {
	ID       string `json:"league_id"`
	Name     string `json:"name,omitempty"`
	Game     string `json:"game_type,omitempty"`
	State    string `json:"state"`
	Players  int    `json:"players"`
	Round    int    `json:"round"`
	Rounds   int    `json:"rounds"`
	Recorded int    `json:"matches_recorded"`
	Matches  int    `json:"matches"`
}

// A Wanted selects leagues. The zero value selects all.
type Wanted struct {
	State  string // waiting, playing, over, or open: not over; "": any
	Search string // a part of the id
	Brief  bool   // ids and states alone, which costs a manager of thousands next to nothing
	Away   bool   // only archived leagues
}

// listedAtOnce is the page size of the list: the manager's maximum.
const listedAtOnce = 500

// Leagues lists the leagues of a manager, in the order of their creation.
func (c *Client) Leagues(ctx context.Context, w Wanted) (out []Listed, err error) {
	out = []Listed{}
	for page, pages := 1, 1; page <= pages; page++ {
		q := url.Values{"limit": {strconv.Itoa(listedAtOnce)}, "page": {strconv.Itoa(page)}}
		for name, value := range map[string]string{"state": w.State, "q": w.Search} {
			if value != "" {
				q.Set(name, value)
			}
		}
		for name, set := range map[string]bool{"brief": w.Brief, "archived": w.Away} {
			if set {
				q.Set(name, "1")
			}
		}
		var part struct {
			Leagues []Listed `json:"leagues"`
			Pages   int      `json:"pages"`
		}
		if err := c.read(ctx, "/api/v1/leagues", q, &part); err != nil {
			return nil, err
		}
		out, pages = append(out, part.Leagues...), part.Pages
	}
	return out, nil
}

// Archive puts a league away, or brings it back. It needs the admin's token.
func (c *Client) Archive(ctx context.Context, id string, back bool) error {
	to, err := url.Parse(c.Manager)
	if err != nil {
		return err
	}
	to.Path, to.RawQuery = "/api/v1/leagues/"+url.PathEscape(id)+"/archive", ""
	body, err := json.Marshal(map[string]string{"undo": strconv.FormatBool(back)})
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, to.String(), bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	req.Header.Set("Authorization", "Bearer "+c.Token)
	resp, err := (&http.Client{Transport: &http.Transport{TLSClientConfig: c.Options.TLS, DisableKeepAlives: true}}).Do(req)
	var op *net.OpError
	switch {
	case errors.As(err, &op) && op.Op == "dial":
		return fmt.Errorf("%w at %s", ErrNoManager, c.Manager)
	case err != nil:
		return ErrUnconfirmed
	}
	defer resp.Body.Close()
	switch resp.StatusCode {
	case http.StatusOK:
		return nil
	case http.StatusUnauthorized, http.StatusForbidden:
		return ErrToken
	}
	return refused(resp)
}

// Ratings asks a manager for the ratings over all its leagues, game by game.
func (c *Client) Ratings(ctx context.Context) ([]seasons.GameCareers, error) {
	var out struct {
		Games []seasons.GameCareers `json:"games"`
	}
	err := c.read(ctx, "/api/v1/ratings", nil, &out)
	return out.Games, err
}

// Seasons asks a manager for all seasons of a league, added up.
func (c *Client) Seasons(ctx context.Context) (out seasons.Series, err error) {
	id, _, err := Status(ctx, c)
	if err == nil {
		err = c.read(ctx, "/api/v1/leagues/"+url.PathEscape(id)+"/seasons", nil, &out)
	}
	return out, err
}

// answerMost limits the bytes of a manager's answer.
const answerMost = 64 << 20

// read decodes a manager's answer at a path as JSON.
func (c *Client) read(ctx context.Context, path string, q url.Values, into any) error {
	resp, err := c.get(ctx, path, q)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(io.LimitReader(resp.Body, answerMost)).Decode(into); err != nil {
		return fmt.Errorf("what %s answers at %s cannot be read: %w", c.Manager, path, err)
	}
	return nil
}
