package client

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/url"

	"agentleague/league"
)

// seasonsMost limits the bytes of a manager's answer about seasons.
const seasonsMost = 64 << 20

// Seasons asks a manager for all seasons of a league, added up.
func (c *Client) Seasons(ctx context.Context) (out league.Series, err error) {
	id, _, err := Status(ctx, c)
	if err != nil {
		return out, err
	}
	resp, err := c.get(ctx, "/api/v1/leagues/"+url.PathEscape(id)+"/seasons")
	if err != nil {
		return out, err
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(io.LimitReader(resp.Body, seasonsMost)).Decode(&out); err != nil {
		return out, fmt.Errorf("the seasons that %s tells cannot be read: %w", c.Manager, err)
	}
	return out, nil
}
