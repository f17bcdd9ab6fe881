package client

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"agentleague/league"
)

// Ratings asks a manager for the ratings over all its leagues, game by game.
func (c *Client) Ratings(ctx context.Context) ([]league.GameCareers, error) {
	resp, err := c.get(ctx, "/api/v1/ratings")
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	var out struct {
		Games []league.GameCareers `json:"games"`
	}
	if err := json.NewDecoder(io.LimitReader(resp.Body, seasonsMost)).Decode(&out); err != nil {
		return nil, fmt.Errorf("the ratings that %s tells cannot be read: %w", c.Manager, err)
	}
	return out.Games, nil
}
