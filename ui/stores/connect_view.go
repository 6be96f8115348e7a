package stores

import (
	"errors"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/split"
	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/versions"
)

// RowsAbove returns the rows above the list: the service and, if there is a list, the column titles.
func (c *Connect) RowsAbove() int {
	if c.h < 4 || len(c.listed) == 0 {
		return 1
	}
	return 1 + c.titleRows()
}

// note returns the error below the list.
func (c *Connect) note() string {
	if !c.loaded || c.err == nil {
		return ""
	}
	f := c.fault()
	return "! " + join(f.what, f.do)
}

// AppendAbove draws the service, or the column titles.
func (c *Connect) AppendAbove(dst []byte, i, cols int) []byte {
	if i == 0 {
		return line(dst, cols, c.where(), c.env.Theme.Dim)
	}
	return titles(dst, cols, offerTable, c.env.Theme)
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
	if text.Width(text.Field(url+given)) > c.W-2 {
		return url
	}
	return url + given
}

func isUnauthorized(err error) bool {
	var trouble *versions.UpstreamError
	return errors.As(err, &trouble) && trouble.Trouble == versions.Unauthorized
}

// notices returns the text of an empty list.
func (c *Connect) notices() (out facts) {
	th := c.env.Theme
	switch {
	case c.err != nil && !c.loaded:
		f := c.fault()
		out.add("! "+f.what, th.Error)
		out.add(f.do, th.Text)
		if isUnauthorized(c.err) {
			out = append(out, split.Fact{})
			out.add("Credentials come from the environment only: none is typed here, shown or kept.", th.Dim)
		}
	case !c.loaded: // the first row shows it
	case len(c.service.Stores) == 0 && c.readOnly:
		out.add("the service has no stores", th.Dim)
	case len(c.service.Stores) == 0:
		out.add("the service has no stores: "+c.keys.Hint("list.new")+" makes one there", th.Dim)
	default:
		out.add("no store matches: "+c.keys.Hint("screen.back")+" shows all", th.Dim)
	}
	return out
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
	case o.Here.ID != "" && c.W < 60:
		return "connected"
	case o.Here.ID != "":
		return "connected as " + o.Here.Name
	case !o.Archived.IsZero():
		return "archived"
	}
	return ""
}

func (c *Connect) row(r draw.Row, i int) draw.Row {
	return offerTable.Put(r, c, &c.service.Stores[c.listed[i]])
}

// sign marks what is chosen.
func (c *Connect) sign(i int) string { return chosenSign(c.chosen[c.service.Stores[c.listed[i]].ID]) }

// DetailTitle is the name of the store under the cursor.
func (c *Connect) DetailTitle() string {
	if o := c.current(); o != nil {
		return o.Name
	}
	return ""
}

// about returns further facts about the store under the cursor.
func (c *Connect) about() (out facts) {
	o, th := c.current(), c.env.Theme
	if o == nil {
		return nil
	}
	out.add(o.Description, th.Text)
	connects := c.keys.Hint("list.open")
	switch {
	case c.partly[o.ID]:
		out.add("connected as "+o.Here.Name+", but incomplete: "+connects+" continues", th.Warn)
	case o.Here.ID != "":
		out.add("connected as "+o.Here.Name+": "+connects+" opens it", th.Dim)
	default:
		out.add(connects+" brings its whole history here; the service keeps the store", th.Dim)
	}
	out.add(c.archived(o.Archived), th.Warn)
	made := ""
	if !o.Created.IsZero() {
		made = "made " + o.Created.In(c.now.Location()).Format("2006-01-02")
	}
	out.add(join(made, o.ID), th.Dim)
	out.add(metadata(o.Metadata), th.Dim)
	return out
}
