package agents

import (
	"slices"
	"strings"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/actors"
	"github.com/memend/memend/ui/filter"
	"github.com/memend/memend/ui/units"
	"github.com/memend/memend/versions"
)

// query is a parsed filter of the stream. The zero query matches everything.
type query struct {
	text    string // as typed
	by      []string
	session []string
	letters []string                // substrings of any field
	store   versions.ActivityFilter // the part that the store filters by
	not     []query                 // negated terms
	problem string                  // a term that can't be parsed, and why; it is ignored
}

// fields are the prefixes of the filter's terms, besides the words that need no value.
var fields = []string{"by:", "kind:", "session:", "in:", "since:", "until:"}

// The words that are terms by themselves and not substrings.
const onlyReads, onlyWrites = "reads", "writes"

var kinds = []versions.ActorKind{versions.Agent, versions.Person, versions.Outside, versions.APIKey}

// parse parses a filter while it is typed: an unfinished term filters by what is typed of it.
func parse(s string, now time.Time) query {
	q := query{text: strings.Join(strings.Fields(s), " ")}
	for _, w := range filter.Split(s, fields) {
		if !w.Not {
			q.add(w, now)
			continue
		}
		var n query
		if n.add(w, now); n.problem != "" {
			q.problem = n.problem
			continue
		}
		q.not = append(q.not, n)
	}
	return q
}

func (q *query) add(w filter.Word, now time.Time) {
	switch w.Field {
	case "":
		switch w.Value {
		case onlyReads:
			q.store.NoWrites, q.store.NoReads = true, false
		case onlyWrites:
			q.store.NoReads, q.store.NoWrites = true, false
		default:
			q.letters = append(q.letters, w.Value)
		}
	case "by":
		q.by = append(q.by, w.Value)
	case "session":
		q.session = append(q.session, w.Value)
	case "kind":
		for _, k := range kinds {
			if strings.HasPrefix(string(k), w.Value) {
				q.store.Actor = k
				return
			}
		}
		q.problem = "kind: is agent, person, outside or api_key"
	case "in":
		in, err := memfs.ParsePath(strings.TrimSuffix(w.Typed, "/"))
		if err != nil {
			q.problem = "in: takes a folder or a memory"
			return
		}
		q.store.In = in
	default:
		from, to, ok := units.Span(w.Typed, now)
		switch {
		case !ok:
			q.problem = w.Field + ": " + filter.WrongTime
		case w.Field == "since":
			q.store.Since = from
		default:
			q.store.Until = to
		}
	}
}

// picks reports whether the query drops some of the store's results.
func (q query) picks() bool { return len(q.not)+len(q.by)+len(q.session)+len(q.letters) > 0 }

// same reports whether two queries match the same activity.
func (q query) same(o query) bool {
	return slices.Equal(q.by, o.by) && slices.Equal(q.session, o.session) && slices.Equal(q.letters, o.letters) && q.store == o.store && slices.EqualFunc(q.not, o.not, query.same)
}

// stored reports whether a matches the store's part of the query. It is for negated queries,
// which the store can't evaluate.
func (q query) stored(a *versions.Activity) bool {
	f := q.store
	return !(a.Read && f.NoReads) && !(!a.Read && f.NoWrites) &&
		(f.Actor == "" || a.Actor.Kind == f.Actor) &&
		(f.In.IsRoot() || a.Path.In(f.In) || a.Change.To.In(f.In)) &&
		!a.Time.Before(f.Since) && (f.Until.IsZero() || !a.Time.After(f.Until))
}

// through reports whether a result of the store matches the rest of the query.
func (q query) through(a *versions.Activity) bool {
	if !q.picks() {
		return true
	}
	if slices.ContainsFunc(q.not, func(n query) bool { return n.stored(a) && n.through(a) }) {
		return false
	}
	id := strings.ToLower(string(a.Session))
	if len(q.by) > 0 && !slices.ContainsFunc(q.by, func(w string) bool { return actors.Called(a.Actor, w) }) {
		return false
	}
	if len(q.session) > 0 && !slices.ContainsFunc(q.session, func(w string) bool { return strings.Contains(id, w) }) {
		return false
	}
	if len(q.letters) == 0 {
		return true
	}
	all := strings.ToLower(a.Path.String() + "\n" + a.Change.To.String() + "\n" + a.Actor.Name + "\n" + actors.Short(a.Actor) + "\n" + string(a.Session) + "\n" + a.ToolUse)
	for _, w := range q.letters {
		if !strings.Contains(all, w) {
			return false
		}
	}
	return true
}
