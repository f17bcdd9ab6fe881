package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"agentleague/protocol"
)

// The timeout for the first byte of a file, and the maximum number of bytes.
const (
	headerTimeout = time.Minute
	maxExport     = 2 << 30
)

// Export writes one of the files that a manager offers of a league, such as results.csv, R1M1.json or league.zip. A
// refusal is an error with the manager's text.
func (c *Client) Export(ctx context.Context, file string, to io.Writer) error {
	id, _, err := Status(ctx, c)
	if err != nil {
		return err
	}
	resp, err := c.get(ctx, "/leagues/"+url.PathEscape(id)+"/export/"+url.PathEscape(file), nil)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	n, err := io.Copy(to, io.LimitReader(resp.Body, maxExport+1))
	switch {
	case err != nil:
		return fmt.Errorf("%s broke off: %w; try again", file, err)
	case n > maxExport:
		return fmt.Errorf("%s is larger than %d MB; is a manager of this program there?", file, maxExport>>20)
	}
	return nil
}

// get asks a manager for one of its pages or files. The caller closes the body.
func (c *Client) get(ctx context.Context, path string, q url.Values) (*http.Response, error) {
	from, err := url.Parse(c.Manager)
	if err != nil {
		return nil, err
	}
	from.Path, from.RawQuery = path, q.Encode()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, from.String(), nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "application/json")
	if c.Token != "" {
		req.Header.Set("Authorization", "Bearer "+c.Token)
	}
	caller := http.Client{Transport: &http.Transport{
		TLSClientConfig: c.Options.TLS, DisableKeepAlives: true, ResponseHeaderTimeout: headerTimeout,
	}}
	resp, err := caller.Do(req)
	if err != nil {
		return nil, fmt.Errorf("%w at %s", ErrNoManager, c.Manager)
	}
	if resp.StatusCode != http.StatusOK {
		defer resp.Body.Close()
		return nil, refused(resp)
	}
	return resp, nil
}

// refused is why a manager does not give a file away.
func refused(resp *http.Response) error {
	var p struct {
		What string `json:"error"`
		Do   string `json:"fix"`
	}
	text, err := io.ReadAll(io.LimitReader(resp.Body, 1<<16))
	if err == nil && json.Unmarshal(text, &p) == nil && p.What != "" {
		return errors.New(strings.TrimSpace(protocol.Clip(p.What+" "+p.Do, 400)))
	}
	return fmt.Errorf("%s answered HTTP %d; is a manager of this program there?", resp.Request.URL.Host, resp.StatusCode)
}
