package stores

import (
	"errors"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/versions"
)

// heads returns the rows above the list: the service and, if there is a list, the column
// titles.
func (c *Connect) heads() int {
	if c.h < 4 || len(c.listed) == 0 {
		return 1
	}
	return 2
}

// note returns the error below the list. It takes more rows if the list leaves room.
func (c *Connect) note() []styled {
	if c.h < 5 || !c.loaded || c.err == nil {
		return nil
	}
	f := c.fault()
	free := c.h - c.heads() - c.filterRows() - c.detailRows() - max(len(c.listed), 1)
	return broken(c.w, "! "+join(f.what, f.do), c.env.Theme.Warn, max(c.h/8, min(free, 5), 1))
}

// head draws the service, or the column titles.
func (c *Connect) head(dst []byte, i int) []byte {
	if i == 0 {
		return line(dst, c.w, c.where(), c.env.Theme.Dim)
	}
	return titles(dst, c.w, offerTable, c.env.Theme)
}

// where returns which service it is and, if there is room, which credentials are used.
func (c *Connect) where() string {
	url, s := c.service.URL, c.service
	switch {
	case c.ask.Waiting() && url == "":
		return "asking the service…"
	case c.ask.Waiting():
		return "asking " + url + "…"
	case url == "":
		return "no service"
	}
	given := " · no credentials"
	switch {
	case s.Key != "":
		given = " · credentials from " + s.Key
	case s.Own && (c.loaded || !isUnauthorized(c.err)):
		given = " · credentials as the SDK finds them"
	}
	if text.Width(text.Field(url+given)) > c.w-2 {
		return url
	}
	return url + given
}

func isUnauthorized(err error) bool {
	var trouble *versions.UpstreamError
	return errors.As(err, &trouble) && trouble.Trouble == versions.Unauthorized
}

// notice returns the text of an empty list.
func (c *Connect) notice() []styled {
	th := c.env.Theme
	switch {
	case len(c.listed) > 0:
		return nil
	case c.err != nil && !c.loaded:
		f := c.fault()
		out := append([]styled{{"", th.Text}}, wrapped(c.w, "! "+f.what, th.Error)...)
		out = append(out, broken(c.w, f.do, th.Text, 6)...)
		if isUnauthorized(c.err) {
			out = append(out, styled{"", th.Text})
			out = append(out, wrapped(c.w, "Credentials come from the environment only: none is typed here, shown or kept.", th.Dim)...)
		}
		return out
	case !c.loaded:
		return nil // the first row shows it
	case len(c.service.Stores) == 0 && c.readOnly:
		return wrapped(c.w, "the service has no stores", th.Dim)
	case len(c.service.Stores) == 0:
		return wrapped(c.w, "the service has no stores: "+c.keys.Hint("list.new")+" makes one there", th.Dim)
	}
	return []styled{{"no store is called that: " + c.keys.Hint("screen.back") + " shows all", th.Dim}}
}

var offerTable = draw.Table[*Connect, *versions.Offer]{
	{Title: "store", Share: 1, Put: func(c *Connect, o *versions.Offer, r draw.Row) draw.Row {
		st := c.env.Theme.Text
		if !worthConnecting(o) {
			st = c.env.Theme.Dim
		}
		return putName(r, o.Name, c.state(o), st, c.env.Theme.Dim)
	}},
	{Title: "id", W: 35, From: 100, Cell: func(c *Connect, o *versions.Offer, _ int) (string, theme.Style) { return o.ID, c.env.Theme.Dim }},
	{Title: "made", W: 8, Right: true, Cell: func(c *Connect, o *versions.Offer, _ int) (string, theme.Style) {
		return draw.Age(c.now, o.Created), c.env.Theme.Dim
	}},
}

// state returns the state of a store for its row.
func (c *Connect) state(o *versions.Offer) string {
	switch {
	case len(c.queue) > 0 && c.queue[0].ID == o.ID:
		return "connecting"
	case c.partly[o.ID]:
		return "partly here"
	case o.Here.ID != "" && c.w < 60:
		return "connected"
	case o.Here.ID != "":
		return "connected as " + o.Here.Name
	case !o.Archived.IsZero():
		return "archived"
	}
	return ""
}

func (c *Connect) row(dst []byte, i int) []byte {
	o := &c.service.Stores[c.listed[i]]
	r := offerTable.Put(c.beginRow(dst, i, "✓", c.chosen[o.ID]), c, o)
	return r.End()
}

// details returns further facts about the store under the cursor.
func (c *Connect) details() []styled {
	o := c.current()
	rows := c.detailRows()
	if o == nil || rows == 0 {
		return nil
	}
	out := []styled{{"", c.env.Theme.Text}, {o.Name, c.env.Theme.Title}}
	if o.Description != "" {
		out = append(out, wrapped(c.w, o.Description, c.env.Theme.Text)...)
	}
	connects := c.keys.Hint("list.open")
	switch {
	case c.partly[o.ID]:
		out = append(out, styled{"connected as " + o.Here.Name + ", but incomplete: " + connects + " continues", c.env.Theme.Warn})
	case o.Here.ID != "":
		out = append(out, styled{"connected as " + o.Here.Name + ": " + connects + " opens it", c.env.Theme.Dim})
	default:
		out = append(out, styled{connects + " brings its whole history here; the service keeps the store", c.env.Theme.Dim})
	}
	out = append(out, c.archived(o.Archived)...)
	made := ""
	if !o.Created.IsZero() {
		made = "made " + o.Created.In(c.now.Location()).Format("2006-01-02")
	}
	out = append(out, styled{join(made, o.ID), c.env.Theme.Dim})
	out = append(out, c.metadata(o.Metadata)...)
	return out[:min(len(out), rows)]
}
