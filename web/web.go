package web

import (
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"agentleague/web/session"
)

// A site serves the pages of one manager, and the actions on them.
type site struct {
	*renderer
	leagues *directory
	actions []action
}

// New returns the site. It serves /, /login, /leagues/…, /api/v1/… and /assets/….
func New(o Options) http.Handler {
	o.setDefaults()
	c := &common{
		Options: &o, directory: newDirectory(&o), viewers: &audience{most: int64(o.Viewers)},
		access: &access{admin: o.Admin, sessions: session.NewAdmins(o.SessionKey), owners: &session.Owners{}},
	}
	checks, glimpses := &checks{}, newGlimpses(o.Live)
	players, agents := &playerPages{c, checks, &ratingCurves{by: map[string]ratedRounds{}}}, &agentPages{c, checks}
	matches, seats := &matchPages{common: c, proofs: &proofs{all: map[[2]string]Proof{}}, glimpses: glimpses, mistakes: newMistakes(&o)}, &seatPages{c, glimpses}
	run, create, class := &runPages{c}, &createPages{c}, &rosterPages{c}
	s := &site{leagues: c.directory, renderer: &renderer{Options: &o, access: c.access, front: front(o.Public)}}
	s.templates = parseTemplates(s.front.prefix())
	walls := newWalls(c, matches)
	s.pages = slices.Concat((&indexPages{c, walls}).pages(), (&leaguePages{c}).pages(), walls.pages(), newRatingsPages(&o).pages(), matches.pages(),
		players.pages(), agents.pages(), seats.pages(), run.pages(), class.pages(), create.pages())
	s.actions = slices.Concat(matches.actions(), players.actions(), agents.actions(), seats.actions(), run.actions(), create.actions())
	return secure(s.routes(c), s.front.origin())
}

// routes registers every page and action at its address.
func (s *site) routes(c *common) http.Handler {
	mux := http.NewServeMux()
	for _, p := range s.pages {
		at := p.path
		if at == "/" {
			at = "/{$}"
		}
		mux.HandleFunc("GET "+at, func(w http.ResponseWriter, r *http.Request) { s.servePage(w, r, p) })
		if p.path != "/" { // the root redirects to /leagues, or to the only league
			mux.HandleFunc("GET "+api+p.path, func(w http.ResponseWriter, r *http.Request) { s.serveView(w, r, p) })
		}
	}
	for _, a := range s.actions {
		mux.HandleFunc("POST "+a.path, func(w http.ResponseWriter, r *http.Request) { s.serveForm(w, r, a) })
		mux.HandleFunc("POST "+api+a.path, func(w http.ResponseWriter, r *http.Request) { s.serveOrder(w, r, a) })
	}
	login := &loginForm{access: c.access, renderer: s.renderer}
	mux.HandleFunc("GET /login", login.ask)
	mux.HandleFunc("POST /login", login.login)
	mux.HandleFunc("POST /logout", login.logout)
	events, exports := &streams{c, make(chan struct{}, maxHistoryReaders)}, &exports{c, make(chan struct{}, maxPacks)}
	mux.HandleFunc("GET "+api+"/leagues/{league}/events", s.of(events.serve, s.failJSON))
	mux.HandleFunc("GET /leagues/{league}/export/{file}", s.of(exports.serve, s.fail))
	description := newJSON(describe(s.pages, s.actions, s.Version))
	mux.HandleFunc("GET "+api+"/openapi.json", func(w http.ResponseWriter, r *http.Request) {
		description.send(w, r, http.StatusOK)
	})
	mux.HandleFunc("GET /assets/{file}", serveAsset)
	mux.HandleFunc("GET /favicon.ico", func(w http.ResponseWriter, r *http.Request) {
		s.front.redirect(w, r, asset("icon.svg"), http.StatusFound)
	})
	mux.HandleFunc(api+"/", func(w http.ResponseWriter, r *http.Request) {
		s.failJSON(w, r, notFound("There is nothing at this address; "+api+"/openapi.json lists all addresses."))
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if page := strings.TrimRight(r.URL.Path, "/"); page != r.URL.Path && r.Method == http.MethodGet {
			s.front.redirect(w, r, withQuery(page, r), http.StatusFound)
			return
		}
		s.fail(w, r, notFound("There is no such page."))
	})
	return mux
}

// of returns a handler of requests about a league. serve returns an error only if it has written nothing.
func (s *site) of(serve func(http.ResponseWriter, *http.Request, Season) error,
	fail func(http.ResponseWriter, *http.Request, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		m, err := s.leagues.of(r, r.Pattern)
		if err == nil {
			err = serve(w, r, m)
		}
		if err != nil {
			fail(w, r, err)
		}
	}
}

// An away view redirects a browser to another page.
type away interface{ Away() string }

// view makes the view of a page.
func (s *site) view(r *http.Request, p page) (any, error) {
	m, err := s.leagues.of(r, p.path)
	if err != nil {
		return nil, err
	}
	return p.view(r, m)
}

// servePage serves a view as HTML, or redirects the browser if the view requires it.
func (s *site) servePage(w http.ResponseWriter, r *http.Request, p page) {
	view, err := s.view(r, p)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	if a, ok := view.(away); ok && a.Away() != "" {
		s.front.redirect(w, r, withQuery(a.Away(), r), http.StatusFound)
		return
	}
	s.render(w, r, http.StatusOK, p, view)
}

// withQuery returns a path of this site with the query of the request, such as the projector's.
func withQuery(path string, r *http.Request) string {
	if r.URL.RawQuery == "" {
		return path
	}
	return path + "?" + r.URL.RawQuery
}

// serveView serves the same view as JSON.
func (s *site) serveView(w http.ResponseWriter, r *http.Request, p page) {
	view, err := s.view(r, p)
	if err != nil {
		s.failJSON(w, r, err)
		return
	}
	if shared, ok := view.(interface{ document() *document }); ok {
		shared.document().send(w, r, http.StatusOK)
		return
	}
	sendJSON(w, r, http.StatusOK, view)
}

// perform runs an action for a client that may do it. It expires the view of the league, so that the client sees the
// effect, and sets the cookie of an answer that has one.
func (s *site) perform(w http.ResponseWriter, r *http.Request, a action, read func(*http.Request) error) (
	next string, answer any, err error) {
	m, missing := s.leagues.of(r, a.path)
	if err := s.access.allowed(r, m, a); err != nil {
		return "", nil, err
	}
	if err := read(r); err != nil {
		return "", nil, err
	}
	if missing != nil && !a.closed {
		return "", nil, missing
	}
	if next, answer, err = a.do(r, m); err != nil {
		return "", nil, err
	}
	if m != nil {
		m.View().Expire()
	}
	if k, ok := answer.(keepsake); ok {
		c := k.cookie(r)
		c.Secure = s.front.encrypted(r)
		http.SetCookie(w, c)
	}
	return next, answer, nil
}

// serveForm runs a form's action and redirects the browser, or shows an answer that is printed.
func (s *site) serveForm(w http.ResponseWriter, r *http.Request, a action) {
	next, answer, err := s.perform(w, r, a, func(*http.Request) error { return nil })
	printed, ok := answer.(interface{ Printed() page })
	switch {
	case err == nil && ok:
		w.Header().Set("Cache-Control", "no-store")
		s.render(w, r, http.StatusOK, printed.Printed(), answer)
	case err != nil:
		s.fail(w, r, err)
	default:
		s.front.redirect(w, r, next, http.StatusSeeOther)
	}
}

// serveOrder runs an action for a program. It converts the JSON to form fields, so that an action has one
// implementation.
func (s *site) serveOrder(w http.ResponseWriter, r *http.Request, a action) {
	_, answer, err := s.perform(w, r, a, readJSON)
	if err != nil {
		s.failJSON(w, r, err)
		return
	}
	sendJSON(w, r, http.StatusOK, answer)
}

// readJSON converts the members of a JSON object to form fields. A list becomes a repeated field.
func readJSON(r *http.Request) error {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return badRequest("The request is too large or was cut off.", "Send a JSON object.")
	}
	r.PostForm, r.Form = url.Values{}, r.URL.Query()
	if len(body) == 0 {
		return nil
	}
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind != "application/json" {
		return &problem{
			Status: http.StatusUnsupportedMediaType, What: "The API takes JSON.",
			Do: "Send it with Content-Type: application/json.",
		}
	}
	var members map[string]any
	if err := json.Unmarshal(body, &members); err != nil {
		return badRequest("The body is not a JSON object: "+said(err.Error(), 200), "Send an object such as "+
			"{\"player_id\": \"P01\"}.")
	}
	for name, value := range members {
		list, ok := value.([]any)
		if !ok {
			list = []any{value}
		}
		for _, v := range list {
			text, ok := v.(string)
			if !ok {
				raw, _ := json.Marshal(v)
				text = string(raw)
			}
			r.PostForm.Add(name, text)
			r.Form.Add(name, text)
		}
	}
	return nil
}

// A keepsake is an answer that sets a cookie in the browser.
type keepsake interface {
	cookie(r *http.Request) *http.Cookie
}
