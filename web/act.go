package web

import (
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
)

// allowed returns an error if an action is the admin's and the request is not.
func (s *site) allowed(r *http.Request, a action) error {
	switch {
	case a.open || s.isAdmin(r):
		return nil
	case s.Options.Admin == nil:
		return &problem{Status: http.StatusForbidden, What: "This manager has no admin, so nobody can do this here."}
	}
	if m, err := s.manager(r); err == nil && r.Method == http.MethodPost {
		host, _, _ := net.SplitHostPort(r.RemoteAddr)
		m.Suspect("POST "+a.path+" without the admin token was refused", host)
	}
	return &problem{Status: http.StatusUnauthorized, What: "Only the admin of the league can do this.", Do: "Log in with the admin token, or send it as Authorization: Bearer.", login: true}
}

// serveForm runs a form's action and redirects the browser.
func (s *site) serveForm(w http.ResponseWriter, r *http.Request, a action) {
	err := s.allowed(r, a)
	var p *problem
	if errors.As(err, &p) && p.login {
		s.front.redirect(w, r, "/login?next="+url.QueryEscape(within(r.FormValue("next"))), http.StatusSeeOther)
		return
	}
	var next string
	var answer any
	if err == nil {
		next, answer, err = a.do(r)
	}
	if err != nil {
		s.fail(w, r, err)
		return
	}
	s.changed(r)
	s.front.keep(w, r, answer)
	s.front.redirect(w, r, next, http.StatusSeeOther)
}

// serveOrder runs an action for a program. It converts the JSON to form fields, so that an action has one
// implementation.
func (s *site) serveOrder(w http.ResponseWriter, r *http.Request, a action) {
	err := s.allowed(r, a)
	if err == nil {
		err = readJSON(r)
	}
	var answer any
	if err == nil {
		_, answer, err = a.do(r)
	}
	if err != nil {
		s.failJSON(w, r, err)
		return
	}
	s.changed(r)
	s.front.keep(w, r, answer)
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

// A keepsake is an answer with a cookie for the browser.
type keepsake interface {
	cookie(r *http.Request) *http.Cookie
}

// keep sets the cookie of an answer that has one.
func (f front) keep(w http.ResponseWriter, r *http.Request, answer any) {
	if k, ok := answer.(keepsake); ok {
		c := k.cookie(r)
		c.Secure = f.encrypted(r)
		http.SetCookie(w, c)
	}
}
