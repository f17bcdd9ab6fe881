package chat

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
)

// Ready returns an error if the server does not answer or refuses the key; it costs nothing. If the client has no model
// and the server lists exactly one, that model is selected. A server that does not list its models is accepted.
func (c *Client) Ready(ctx context.Context) error {
	at := strings.TrimSuffix(c.Endpoint, verbs[c.API]) + "/models"
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, at, nil)
	if err != nil {
		return fmt.Errorf("%s: no request can be made of it", shown(c.Endpoint))
	}
	c.identify(request)
	response, err := c.http().Do(request)
	if err != nil {
		return c.unreachable(ctx, err)
	}
	defer func() { _ = response.Body.Close() }()
	switch response.StatusCode {
	case http.StatusOK:
		return c.choose(response.Body)
	case http.StatusUnauthorized, http.StatusForbidden:
		return c.refused(response)
	}
	return c.choose(strings.NewReader("{}"))
}

// choose selects the only model of a list, unless the client has a model.
func (c *Client) choose(body io.Reader) error {
	if c.Model != "" {
		return nil
	}
	var list struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	_ = json.NewDecoder(io.LimitReader(body, maxBody)).Decode(&list) // no list is one without models
	var names []string
	for _, m := range list.Data {
		if m.ID != "" && !slices.Contains(names, m.ID) {
			names = append(names, m.ID)
		}
	}
	switch len(names) {
	case 0:
		return c.fault(0, "it does not say which models it has; name one")
	case 1:
		c.Model = names[0]
		return nil
	}
	more := ""
	if len(names) > mostNamed {
		more = fmt.Sprintf(" and %d more", len(names)-mostNamed)
		names = names[:mostNamed]
	}
	return c.fault(0, "it has several models; name one of "+strings.Join(names, ", ")+more)
}

// mostNamed is how many models an error lists.
const mostNamed = 8
