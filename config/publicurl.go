package config

import (
	"errors"
	"net/netip"
	"net/url"
	"strings"
)

// CheckPublicURL returns the normalized public address of a manager: https://league.example.org, without a trailing
// slash. "" stays "".
func CheckPublicURL(text string) (string, error) {
	u, err := url.Parse(text)
	switch {
	case text == "":
		return "", nil
	case err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "":
		return "", errors.New("use an https or http address such as https://league.example.org")
	case u.User != nil:
		return "", errors.New("leave out the user: everybody is told this address")
	case u.RawQuery != "" || u.ForceQuery:
		return "", errors.New("leave out the query, which begins with ?")
	case u.Fragment != "" || strings.Contains(text, "#"):
		return "", errors.New("leave out the fragment, which begins with #")
	case u.RawPath != "" || !plainPath(u.Path):
		return "", errors.New("use letters, digits, - and _ in its path, such as https://example.org/league")
	case strings.HasSuffix(strings.TrimSuffix(u.Path, "/"), "/mcp"):
		return "", errors.New("leave out /mcp: give the address of the page")
	}
	return u.Scheme + "://" + strings.ToLower(u.Host) + strings.TrimSuffix(u.Path, "/"), nil
}

// plainPath reports whether a path is empty or consists of unescaped names.
func plainPath(path string) bool {
	path = strings.TrimSuffix(path, "/")
	if path == "" {
		return true
	}
	for _, name := range strings.Split(path[1:], "/") {
		if !plainName.MatchString(name) {
			return false
		}
	}
	return true
}

// CheckAuthServer validates the issuer URL of an authorization server and returns it unchanged, because tokens contain
// it in exactly this form. "" stays "".
func CheckAuthServer(text string) (string, error) {
	u, err := url.Parse(text)
	switch {
	case text == "":
		return "", nil
	case err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "":
		return "", errors.New("use the issuer of an authorization server, such as https://login.example.org")
	case u.Scheme == "http" && !onThisMachine(u.Hostname()):
		return "", errors.New("use https: only an authorization server on this machine may be called without")
	case u.User != nil || u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return "", errors.New("an issuer has no user, query or fragment")
	}
	return text, nil
}

// onThisMachine reports whether a host is a loopback name or address. It resolves no names.
func onThisMachine(host string) bool {
	a, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && a.IsLoopback()
}
