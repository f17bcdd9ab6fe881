package webtest

import (
	"fmt"
	"regexp"
)

// Laws returns the layout errors of the present page: every page must satisfy these laws on every screen.
func (tab *Tab) Laws() []string {
	tab.t.Helper()
	return Get[[]string](tab, laws)
}

// laws finds broken layout: a page that scrolls sideways, controls that overlap, space below the footer, a champion's
// name that is cut, a podium with a gap, a paragraph in a column as narrow as a word.
const laws = `(() => {
  const wrong = [], root = document.documentElement;
  if (root.scrollWidth > root.clientWidth + 1) wrong.push("it is " + (root.scrollWidth - root.clientWidth) + " px too wide");
  const foot = document.querySelector("footer");
  if (foot && getComputedStyle(foot).display !== "none") {
    const below = Math.max(root.scrollHeight, root.clientHeight) - (foot.getBoundingClientRect().bottom + scrollY);
    if (below > 48) wrong.push(Math.round(below) + " px are empty below the footer");
  }
  for (const name of document.querySelectorAll(".champion .name, .podium .name")) {
    if ((name.scrollWidth > name.clientWidth + 1 || name.scrollHeight > name.clientHeight + 1) && getComputedStyle(name).overflow !== "visible")
      wrong.push("a champion's name is cut: " + name.textContent.slice(0, 40));
  }
  for (const podium of document.querySelectorAll(".podium")) {
    const box = podium.getBoundingClientRect(), steps = [...podium.children].map((e) => e.getBoundingClientRect());
    const gap = Math.max(Math.min(...steps.map((s) => s.left)) - box.left, box.right - Math.max(...steps.map((s) => s.right)));
    if (box.width > 0 && gap > 2) wrong.push("the podium has a gap of " + Math.round(gap) + " px");
  }
  for (const p of document.querySelectorAll("main p")) {
    if (p.checkVisibility() && !p.closest(".unseen") && p.clientWidth < 64 && p.clientHeight > 100)
      wrong.push("a paragraph is " + p.clientWidth + " px wide and " + p.clientHeight + " px high: " + p.textContent.trim().slice(0, 30));
  }
  const seen = (e) => {
    for (let at = e; at && at !== root; at = at.parentElement) {
      const style = getComputedStyle(at);
      if (style.position === "fixed" || style.position === "sticky") return false; // it lies on others as they scroll by
    }
    return e.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  };
  // What is scrolled out of a box is not there to be hit.
  const shown = (e, box) => {
    let { left, top, right, bottom } = box;
    for (let at = e.parentElement; at && at !== root; at = at.parentElement) {
      if (getComputedStyle(at).overflow === "visible") continue;
      const b = at.getBoundingClientRect();
      left = Math.max(left, b.left); top = Math.max(top, b.top); right = Math.min(right, b.right); bottom = Math.min(bottom, b.bottom);
    }
    return { left, top, right, bottom };
  };
  const controls = [];
  for (const e of document.querySelectorAll("a[href], button, input:not([type=hidden]), select, textarea, summary, label")) {
    if (!seen(e) || e.closest("svg")) continue;
    for (const box of e.getClientRects()) {
      const b = shown(e, box);
      if (b.right - b.left > 1 && b.bottom - b.top > 1) controls.push({ e, b });
    }
  }
  const called = (e) => (e.textContent.trim() || e.name || e.getAttribute("aria-label") || e.tagName).slice(0, 30);
  for (let i = 0; i < controls.length; i++) {
    for (let j = i + 1; j < controls.length; j++) {
      const a = controls[i], b = controls[j];
      if (a.e === b.e || a.e.contains(b.e) || b.e.contains(a.e)) continue;
      const wide = Math.min(a.b.right, b.b.right) - Math.max(a.b.left, b.b.left);
      const high = Math.min(a.b.bottom, b.b.bottom) - Math.max(a.b.top, b.b.top);
      if (wide > 3 && high > 3) wrong.push("“" + called(a.e) + "” and “" + called(b.e) + "” overlap by " + Math.round(wide) + " × " + Math.round(high) + " px");
    }
  }
  return wrong.slice(0, 12);
})()`

// Links lists the targets of the present page's links within its site, without fragments.
func (tab *Tab) Links() []string {
	tab.t.Helper()
	return Get[[]string](tab, `[...new Set([...document.querySelectorAll("a[href]")].map((a) => new URL(a.getAttribute("href"), location.href))
		.filter((u) => u.origin === location.origin).map((u) => u.pathname + u.search))]`)
}

// A Walk visits all pages of a site that can be reached from the first.
type Walk struct {
	Site    string
	Screens []Screen
	Each    int // the number of pages of a kind that are opened in a browser; links of all are followed

	Pages, Links, Looks int // the totals
}

// Go walks the site from path, and reports every dead link and every broken law.
func (w *Walk) Go(tab *Tab, path string, skip func(path string) bool) {
	tab.t.Helper()
	todo, known, kinds := []string{path}, map[string]bool{path: true}, map[string]int{}
	tab.Open(w.Site + path) // pages are fetched from there
	for len(todo) > 0 {
		at := todo[0]
		todo = todo[1:]
		if status, kind := w.fetch(tab, at); status >= 400 {
			tab.t.Errorf("%s: a link to it leads to status %d", at, status)
			continue
		} else if kind != "text/html" {
			continue
		}
		if pattern := patternOf(at); kinds[pattern] < w.Each {
			kinds[pattern]++
			tab.Show(w.Screens[0])
			tab.Open(w.Site + at)
			w.Pages++
			for _, next := range tab.Links() {
				if w.Links++; !known[next] && !skip(next) {
					known[next] = true
					todo = append(todo, next)
				}
			}
			for _, screen := range w.Screens {
				tab.Show(screen)
				w.Looks++
				for _, wrong := range tab.Laws() {
					tab.t.Errorf("%s on %s: %s", at, screen.Name, wrong)
				}
			}
		}
	}
}

// fetch requests a page with the tab's session, and returns the status and the content type, which is no page if the
// browser saves it.
func (w *Walk) fetch(tab *Tab, path string) (status int, kind string) {
	tab.t.Helper()
	got := Get[struct {
		Status int
		Kind   string
	}](tab, fmt.Sprintf(`fetch(%q).then((r) => { r.body?.cancel(); return {Status: r.status, Kind: (r.headers.get("content-disposition") || "").startsWith("attachment") ? "a file" : (r.headers.get("content-type") || "").split(";")[0]}; })`, path))
	return got.Status, got.Kind
}

// patternOf returns the same pattern for pages that differ only in their ids.
func patternOf(path string) string { return ids.ReplaceAllString(path, "/*") }

// ids are parts of paths that name a league, a player, a match or a round.
var ids = regexp.MustCompile(`/(?:P|REF|R)\d+(?:M\d+)?|/\d+`)
