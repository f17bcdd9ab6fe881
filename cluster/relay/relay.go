// Package relay passes requests from one manager of a cluster on to another, which answers them as if they had arrived
// there: with the caller's own address, host and path.
//
//	caller ─▶ manager A ── X-League-Relay: address, signature ─▶ manager B, the owner of the league
//
// The signature is made with a secret of the cluster, so that no other process can claim to speak for a caller. A
// request is relayed at most once: a manager without the league answers with that fact, and the first manager looks
// up the owner again.
package relay

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"time"
)

// header is a signed header with the address of the original caller and the address that the request was sent to. In an
// answer it means that the league is not there.
const header = "X-League-Relay"

// notHere is the header's value in an answer of a manager without the league.
const notHere = "not here"

// The reasons why a request was not relayed. The request had no effect, so the caller may try another manager.
var (
	ErrUnreached = errors.New("the manager of the league cannot be reached")
	ErrNotHere   = errors.New("the manager that was asked does not have the league")
)

// ErrGone is the cause of a context that ends because the other manager has left the cluster: it may still hold the
// connection, but its leagues have other managers.
var ErrGone = errors.New("the manager has left the cluster")

// A Relay passes requests on to other managers and accepts requests that they pass on.
type Relay struct {
	key   []byte
	proxy *httputil.ReverseProxy
}

// New returns the relay of a manager. All managers of a cluster share the key. trust is the TLS configuration for
// calls; nil means the system's.
func New(key []byte, trust *tls.Config) *Relay {
	r := &Relay{key: key}
	dialer := &net.Dialer{Timeout: 2 * time.Second, KeepAlive: 5 * time.Second}
	r.proxy = &httputil.ReverseProxy{
		Rewrite: r.rewrite,
		Transport: &http.Transport{
			DialContext: dialer.DialContext, TLSClientConfig: trust.Clone(),
			MaxIdleConnsPerHost: 64, IdleConnTimeout: 30 * time.Second, DisableCompression: true,
		},
		FlushInterval: -1, // flush event streams, and all other answers, immediately
		ModifyResponse: func(resp *http.Response) error {
			if resp.Header.Get(header) == notHere {
				return ErrNotHere
			}
			return nil
		},
		ErrorHandler: failed,
		ErrorLog:     log.New(io.Discard, "", 0), // the answer reports the error
	}
	return r
}

// attempt holds the input and the result of one try to relay a request.
type attempt struct {
	to  *url.URL
	via string
	err error // the reason why it was not relayed
}

// attemptKey is the context key of a request's attempt.
type attemptKey struct{}

// Pass relays a request, whose body is a separate argument, to the manager at address, and writes the answer to w. via
// is the address that the request was sent to, without spaces, or "". After [ErrUnreached] and [ErrNotHere] nothing was
// written to w. In any other case the request is answered, with 502 if the connection broke.
func (r *Relay) Pass(w http.ResponseWriter, req *http.Request, body []byte, via, address string) error {
	to, err := url.Parse(address)
	if err != nil || to.Host == "" {
		return fmt.Errorf("%w: %q is no address", ErrUnreached, address)
	}
	a := &attempt{to: to, via: via}
	again := req.Clone(context.WithValue(req.Context(), attemptKey{}, a))
	if req.Body != nil && req.Body != http.NoBody {
		again.Body, again.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		again.TransferEncoding = nil
	}
	r.proxy.ServeHTTP(w, again)
	return a.err
}

// rewrite addresses a request to the target manager, and signs it. Host, path and the headers of proxies stay as the
// caller sent them.
func (r *Relay) rewrite(p *httputil.ProxyRequest) {
	a := p.In.Context().Value(attemptKey{}).(*attempt)
	p.Out.URL.Scheme, p.Out.URL.Host = a.to.Scheme, a.to.Host
	p.Out.Host = p.In.Host
	for _, name := range []string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto"} {
		if values, there := p.In.Header[name]; there { // ReverseProxy has removed them
			p.Out.Header[name] = values
		}
	}
	who := p.In.RemoteAddr + " " + a.via
	p.Out.Header.Set(header, who+" "+r.sign(who, p.In.Method, p.Out.URL.RequestURI()))
}

// failed records why a request was not answered. It answers 502 to a request that the other manager may have
// received.
func failed(w http.ResponseWriter, req *http.Request, err error) {
	a := req.Context().Value(attemptKey{}).(*attempt)
	var op *net.OpError
	switch {
	case req.Context().Err() != nil && context.Cause(req.Context()) != ErrGone: // the caller is gone
	case errors.Is(err, ErrNotHere):
		a.err = ErrNotHere
	case errors.As(err, &op) && op.Op == "dial", req.Method == http.MethodGet, req.Method == http.MethodHead: // or a repetition does no harm
		a.err = fmt.Errorf("%w: %w", ErrUnreached, err)
	default:
		http.Error(w, "the manager of the league went away while it answered; try again", http.StatusBadGateway)
	}
}

// Accept verifies the relay header of a request. It returns a relayed request as its caller sent it, the address that
// it was sent to, and true. From any other request it removes the header.
func (r *Relay) Accept(req *http.Request) (_ *http.Request, via string, passed bool) {
	said := req.Header.Get(header)
	if said == "" {
		return req, "", false
	}
	end := strings.LastIndexByte(said, ' ') + 1
	who, signature := strings.TrimSuffix(said[:end], " "), said[end:]
	genuine := hmac.Equal([]byte(signature), []byte(r.sign(who, req.Method, req.URL.RequestURI())))
	ctx := req.Context()
	if genuine {
		// The manager that forwarded the request has checked the Host header. It names that manager, so the check is
		// disabled here.
		ctx = context.WithValue(ctx, http.LocalAddrContextKey, nil)
	}
	req = req.WithContext(ctx)
	req.Header = req.Header.Clone()
	req.Header.Del(header)
	if genuine {
		req.RemoteAddr, via, _ = strings.Cut(who, " ")
	}
	return req, via, genuine
}

// NotHere answers a relayed request on a manager that does not have the league.
func NotHere(w http.ResponseWriter) {
	w.Header().Set(header, notHere)
	http.Error(w, "the league has moved to another manager; try again", http.StatusServiceUnavailable)
}

// sign returns a signature, by the cluster's key, of the caller and the request.
func (r *Relay) sign(who, method, uri string) string {
	mac := hmac.New(sha256.New, r.key)
	fmt.Fprintf(mac, "relay\n%s\n%s\n%s", who, method, uri)
	return hex.EncodeToString(mac.Sum(nil))
}
