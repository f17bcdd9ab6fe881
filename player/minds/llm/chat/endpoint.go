package chat

import (
	"fmt"
	"net/url"
	"strings"
)

// Endpoint returns the URL to post requests to. base is the server's address, with or without /v1 and the rest of the
// path. A base with a password is an error.
func Endpoint(api API, base string) (string, error) {
	u, err := url.Parse(strings.TrimSpace(base))
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", fmt.Errorf("want the address of a server, such as http://localhost:11434, got %q", base)
	}
	if u.User != nil {
		return "", fmt.Errorf("the address of %s holds a password; put the key into a file of its own", u.Host)
	}
	verb, path := verbs[api], strings.TrimRight(u.Path, "/")
	switch {
	case strings.HasSuffix(path, verb):
	case path == "" || api == Anthropic && !strings.HasSuffix(path, "/v1"):
		path += "/v1" + verb
	default:
		path += verb
	}
	u.Path, u.RawPath = path, ""
	return u.String(), nil
}

// verbs are the last parts of the path of an endpoint, which Endpoint appends if they are missing.
var verbs = map[API]string{OpenAI: "/chat/completions", Anthropic: "/messages"}

// GuessAPI guesses the API of a server from its address.
func GuessAPI(base string) API {
	u, err := url.Parse(strings.TrimSpace(base))
	if err == nil && (u.Hostname() == "anthropic.com" || strings.HasSuffix(u.Hostname(), ".anthropic.com") ||
		strings.HasSuffix(strings.TrimRight(u.Path, "/"), verbs[Anthropic])) {
		return Anthropic
	}
	return OpenAI
}

// shown is an endpoint without secret parts.
func shown(endpoint string) string {
	u, err := url.Parse(endpoint)
	if err != nil {
		return "the endpoint"
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}
