package rpc

import (
	"errors"
	"fmt"
	"net/http"
	"net/textproto"
	"net/url"
	"slices"
	"strings"
)

// Credentials are sent with every request to a third-party MCP server. The zero value sends nothing.
type Credentials struct {
	Header http.Header
	Query  string // appended to the query of the address, such as "key=…"
}

// The separators in the text format of credentials: "NAME: VALUE" for a header, "?QUERY" for a query.
const (
	headerSeparator = ": "
	queryMark       = "?"
)

// ParseCredentials reads credentials from text: one header per line such as "X-API-Key: VALUE", a line such as
// "?key=VALUE" for the query of the address, and a line with a single word for a bearer token. No error contains a value.
func ParseCredentials(text string) (c Credentials, err error) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		name, value, isHeader := strings.Cut(line, headerSeparator)
		switch query, isQuery := strings.CutPrefix(line, queryMark); {
		case line == "":
		case isQuery:
			err = errors.Join(err, c.AddQuery(query))
		case isHeader:
			err = errors.Join(err, c.AddHeader(name, value))
		default:
			err = errors.Join(err, c.AddBearer(line))
		}
	}
	return c, err
}

// String returns the text form. It contains the secrets.
func (c Credentials) String() string {
	var b strings.Builder
	for name, values := range c.Header {
		for _, value := range values {
			b.WriteString(name + headerSeparator + value + "\n")
		}
	}
	if c.Query != "" {
		b.WriteString(queryMark + c.Query + "\n")
	}
	return b.String()
}

// IsZero reports whether there are no credentials.
func (c Credentials) IsZero() bool { return len(c.Header) == 0 && c.Query == "" }

// AddBearer adds a bearer token.
func (c *Credentials) AddBearer(token string) error {
	if strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return errors.New("the token is not one word of plain letters, digits and signs")
	}
	if token == "" {
		return errors.New("the token is empty")
	}
	return c.AddHeader("Authorization", "Bearer "+token)
}

// maxCredential is the maximum length of a header or query in bytes.
const maxCredential = 16 << 10

// AddHeader adds a header. It returns an error for a header that HTTP or MCP itself uses, and for a duplicate.
func (c *Credentials) AddHeader(name, value string) error {
	canonical := textproto.CanonicalMIMEHeaderKey(name)
	switch {
	case name == "" || strings.ContainsFunc(name, func(r rune) bool { return !isTokenRune(r) }):
		return fmt.Errorf("%q is no name of a header", name)
	case slices.Contains(ownHeaders, canonical) || strings.HasPrefix(canonical, "Mcp-"):
		return fmt.Errorf("the header %s is set by the caller of a server", canonical)
	case c.Header.Get(name) != "":
		return fmt.Errorf("the header %s is given twice", canonical)
	case value == "":
		return fmt.Errorf("the header %s is empty", canonical)
	case len(value) > maxCredential:
		return fmt.Errorf("the header %s is longer than %d bytes", canonical, maxCredential)
	case strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r > '~' }):
		return fmt.Errorf("the header %s has other characters than plain letters, digits and signs in one line", canonical)
	}
	if c.Header == nil {
		c.Header = http.Header{}
	}
	c.Header.Set(name, value)
	return nil
}

// ownHeaders are the headers that credentials cannot set, since HTTP or MCP uses them.
var ownHeaders = []string{
	"Accept", "Connection", "Content-Length", "Content-Type", "Host", "Last-Event-Id", "Trailer", "Transfer-Encoding", "Upgrade",
}

// isTokenRune reports whether a header name may contain r.
func isTokenRune(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("!#$%&'*+-.^_`|~", r)
}

// AddQuery sets the query of the address.
func (c *Credentials) AddQuery(query string) error {
	switch _, err := url.ParseQuery(query); {
	case err != nil || query == "" || strings.ContainsFunc(query, func(r rune) bool { return r <= ' ' || r > '~' }):
		return errors.New("the query of the address is not valid")
	case len(query) > maxCredential:
		return fmt.Errorf("the query of the address is longer than %d bytes", maxCredential)
	}
	c.Query = query
	return nil
}

// Split returns an address without its user, password and query, and adds these to the credentials: the address is
// recorded and shown, and they are secrets.
func (c *Credentials) Split(address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil || u.User == nil && u.RawQuery == "" {
		return address, nil // the address is checked where it is used
	}
	if user := u.User; user != nil {
		password, _ := user.Password()
		basic := http.Request{Header: http.Header{}}
		basic.SetBasicAuth(user.Username(), password)
		err = c.AddHeader("Authorization", basic.Header.Get("Authorization"))
	}
	if u.RawQuery != "" {
		err = errors.Join(err, c.AddQuery(u.RawQuery))
	}
	u.User, u.RawQuery = nil, ""
	return u.String(), err
}

// sign returns the request with the credentials.
func (c Credentials) sign(req *http.Request) *http.Request {
	if c.IsZero() {
		return req
	}
	req = req.Clone(req.Context())
	for name, values := range c.Header {
		req.Header[name] = values
	}
	if c.Query != "" {
		req.URL.RawQuery = strings.TrimPrefix(req.URL.RawQuery+"&"+c.Query, "&")
	}
	return req
}
