package web

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"html/template"
	"io/fs"
	"net/http"
	"path"
	"regexp"
	"strings"
	"time"

	"agentleague/league/view"
	"agentleague/web/figures"
)

//go:embed assets/*
var assetFiles embed.FS

//go:embed templates/*
var templateFiles embed.FS

// An assetFile is a static file with its address, which changes with its content, so that clients may cache it
// forever.
type assetFile struct {
	at string
	*document
}

// assets holds the static files by name. Each also has an address with a part of its hash, under which browsers may
// cache it forever: changed content has another address.
var assets = func() map[string]assetFile {
	out := map[string]assetFile{}
	add := func(name string, body []byte) {
		sum, ext := sha256.Sum256(body), path.Ext(name)
		kind := map[string]string{
			".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml",
		}[ext]
		out[name] = assetFile{
			"/assets/" + strings.TrimSuffix(name, ext) + "." + hex.EncodeToString(sum[:5]) + ext, newDocument(kind, body),
		}
	}
	add("figures.css", []byte(figures.Style))
	entries, _ := fs.ReadDir(assetFiles, "assets")
	for _, e := range entries {
		body, _ := fs.ReadFile(assetFiles, "assets/"+e.Name())
		add(e.Name(), body)
	}
	return out
}()

// asset returns the address of a static file.
func asset(name string) string { return assets[name].at }

// serveAsset serves a static file. Under the address with its hash it may be cached for a year; under its plain name
// clients revalidate it each time.
func serveAsset(w http.ResponseWriter, r *http.Request) {
	for name, a := range assets {
		switch r.URL.Path {
		case a.at:
			w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
		case "/assets/" + name:
		default:
			continue
		}
		a.send(w, r, http.StatusOK)
		return
	}
	http.NotFound(w, r)
}

// templates holds the pages' templates by name, each with the layout around it.
type templates map[string]*template.Template

// parseTemplates parses the templates of all pages. Files that begin with _ are parts of others. Links begin with the
// prefix.
func parseTemplates(prefix string) templates {
	shared := template.New("").Funcs(figures.Functions).Funcs(functions).Funcs(links(prefix))
	template.Must(shared.New("figures").Parse(linked([]byte(figures.Templates), prefix)))
	texts := map[string]string{}
	entries, _ := fs.ReadDir(templateFiles, "templates")
	for _, e := range entries {
		text, _ := fs.ReadFile(templateFiles, "templates/"+e.Name())
		if name := strings.TrimSuffix(e.Name(), ".html"); name[0] != '_' {
			texts[name] = linked(text, prefix)
		} else {
			template.Must(shared.New(e.Name()).Parse(linked(text, prefix)))
		}
	}
	out := templates{}
	for name, text := range texts {
		out[name] = template.Must(template.Must(shared.Clone()).New(name + ".html").Parse(text))
	}
	return out
}

// ownLink matches a template's link to a page of this site.
var ownLink = regexp.MustCompile(`\b(href|src|action|data-[a-z]+)="/`)

// linked returns the text of a template with prefix, the site's path, before its links.
func linked(text []byte, prefix string) string {
	if prefix == "" {
		return string(text)
	}
	return ownLink.ReplaceAllString(string(text), `$1="`+prefix+`/`)
}

// links returns the template functions that make links.
func links(prefix string) template.FuncMap {
	return template.FuncMap{
		"asset": func(name string) string { return prefix + asset(name) },
		"link":  func(path string) string { return prefix + path },
	}
}

// functions are the functions that templates may call.
var functions = template.FuncMap{
	"capital": capital,
	"took":    took,
	"minus":   func(n int) int { return -n },
	"lower":   strings.ToLower,
	"marks":   view.Badges,
	"stamp":   func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
	"oclock":  func(t time.Time) string { return t.UTC().Format("15:04 UTC") },
	"when":    func(t time.Time) string { return t.UTC().Format("2 Jan 2006, 15:04:05 UTC") },
}
