package storesapi

import (
	"net/url"
	"strconv"
	"strings"
	"time"
)

// query reads the parameters of a request and records the first invalid one. It ignores unknown
// parameters.
type query struct {
	url.Values
	err error
}

func (c *call) query() *query {
	q := &query{}
	var err error
	if q.Values, err = url.ParseQuery(c.URL.RawQuery); err != nil {
		q.err = invalid("the query can't be read: %v", err)
	}
	return q
}

func (q *query) wrong(format string, args ...any) {
	if q.err == nil {
		q.err = invalid(format, args...)
	}
}

const (
	defaultLimit = 20
	maxLimit     = 100
	maxFull      = 20 // with contents
)

// limit returns the maximum number of rows of a page.
func (q *query) limit() int {
	s, ok := q.one("limit")
	if !ok {
		return defaultLimit
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 || n > maxLimit {
		q.wrong("limit: must be a number from 1 to %d", maxLimit)
	}
	return n
}

// one returns a parameter and whether it was given.
func (q *query) one(name string) (string, bool) {
	values, ok := q.Values[name]
	if !ok || len(values) == 0 {
		return "", false
	}
	return values[0], true
}

// full reports whether the client requests contents.
func (q *query) full(byDefault bool) bool {
	s, ok := q.one("view")
	switch {
	case !ok:
		return byDefault
	case s != "full" && s != "basic":
		q.wrong("view: must be basic or full")
	}
	return s == "full"
}

// yes returns a boolean parameter; false if it is absent.
func (q *query) yes(name string) bool {
	s, ok := q.one(name)
	if ok && s != "true" && s != "false" {
		q.wrong("%s: must be true or false", name)
	}
	return s == "true"
}

// since and until return the bounds of created_at, both inclusive, in the precision of the API's times
// (microseconds). The preview called the parameter created_at_gte.

func (q *query) since() time.Time {
	t := q.time("created_at[gte]", "created_at_gte")
	if cut := t.Truncate(time.Microsecond); cut.Before(t) {
		return cut.Add(time.Microsecond)
	}
	return t
}

func (q *query) until() time.Time {
	return q.time("created_at[lte]", "created_at_lte").Truncate(time.Microsecond)
}

func (q *query) time(names ...string) time.Time {
	for _, name := range names {
		s, ok := q.one(name)
		if !ok {
			continue
		}
		t, err := time.Parse(time.RFC3339Nano, strings.ReplaceAll(s, " ", "+")) // an unescaped plus
		if err != nil || t.IsZero() {
			q.wrong("%s: must be an RFC 3339 time, such as 2026-11-20T10:00:00Z", name)
			return time.Time{}
		}
		return t
	}
	return time.Time{}
}
