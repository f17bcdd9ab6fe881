package rpc

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"
)

// HTTP is the network between machines.
type HTTP struct {
	client  *http.Client
	maxBody int64
	tools   *toolClient
}

// NewHTTP returns a network that reads answers of at most maxBody bytes. It
// follows no redirect and uses no proxy.
func NewHTTP(maxBody int64) *HTTP {
	t := &http.Transport{
		DialContext:            (&net.Dialer{Timeout: 5 * time.Second}).DialContext,
		MaxIdleConns:           4096,
		MaxIdleConnsPerHost:    64,
		IdleConnTimeout:        90 * time.Second,
		MaxResponseHeaderBytes: 16 << 10,
		DisableCompression:     true,
	}
	client := &http.Client{
		Transport:     t,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return &HTTP{maxBody: maxBody, client: client, tools: &toolClient{http: client, sessions: map[string]*toolSession{}}}
}

// Post sends body to url.
func (h *HTTP) Post(ctx context.Context, url, _ string, body []byte) (int, []byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	req.Header["Idempotency-Key"] = nil // not sent; lets a call that met a connection just closed be made on a new one
	resp, err := h.client.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, h.maxBody+1))
	if err == nil && int64(len(answer)) > h.maxBody {
		err = fmt.Errorf("the answer is larger than %d bytes", h.maxBody)
	}
	return resp.StatusCode, answer, err
}

// Probe asks for the health of the agent whose endpoint is given.
func (h *HTTP) Probe(ctx context.Context, endpoint string) error {
	u, err := url.Parse(endpoint)
	if err != nil {
		return err
	}
	u.Path, u.RawQuery = "/health", ""
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return err
	}
	resp, err := h.client.Do(req)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// Sleep waits on the clock.
func (h *HTTP) Sleep(ctx context.Context, _ string, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Addresses returns the addresses from which the agent at endpoint can call:
// one that is written there, or what a name is looked up to. "localhost" is
// itself, and stands for every loopback address.
func (h *HTTP) Addresses(ctx context.Context, endpoint string) []string {
	u, err := url.Parse(endpoint)
	if err != nil || u.Hostname() == "" {
		return nil
	}
	host := u.Hostname()
	if net.ParseIP(host) != nil || host == "localhost" {
		return []string{host}
	}
	addrs, _ := net.DefaultResolver.LookupHost(ctx, host) // a name that is not known has none
	return addrs
}

// Random fills b from the system's generator.
func (h *HTTP) Random(b []byte) { _, _ = rand.Read(b) }
