package history

import (
	"slices"
	"strings"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/actors"
	"github.com/memend/memend/ui/filter"
	"github.com/memend/memend/ui/units"
	"github.com/memend/memend/ui/wording"
	"github.com/memend/memend/versions"
)

// query is a parsed filter of a list. The zero query matches everything.
type query struct {
	text    string // as typed
	by      []string
	session []string
	op      []string
	path    []string
	letters []string // substrings of any field
	since   time.Time
	until   time.Time
	onlyNew bool    // only what is new
	not     []query // negated terms
	problem string  // a term that can't be parsed, and why; it is ignored

	in       memfs.Path            // a folder, evaluated by the store
	reviewed *versions.ReviewState // what was reviewed, if the query asks for what is new
}

// fields are the prefixes of the filter's terms.
var fields = []string{"by:", "session:", "op:", "since:", "until:", "path:", "is:"}

// parse parses a filter while it is typed: an unfinished term filters by what is typed of it.
func parse(s string, now time.Time) query {
	q := query{text: strings.Join(strings.Fields(s), " ")}
	for _, w := range filter.Split(s, fields) {
		if !w.Not {
			q.add(w, now)
			continue
		}
		var n query
		n.add(w, now)
		n.widen()
		switch {
		case n.problem != "":
			q.problem = n.problem
		case !n.any(): // otherwise the word is unfinished
			q.not = append(q.not, n)
		}
	}
	return q
}

// widen matches a folder by the paths instead, because the store can filter by a folder but
// not exclude one.
func (q *query) widen() {
	if !q.in.IsRoot() {
		q.path, q.in = append(q.path, strings.ToLower(q.in.String())+"/"), memfs.Root
	}
}

func (q *query) add(w filter.Word, now time.Time) {
	switch w.Field {
	case "":
		q.letters = append(q.letters, w.Value)
	case "by":
		q.by = append(q.by, w.Value)
	case "session":
		q.session = append(q.session, w.Value)
	case "op":
		q.op = append(q.op, w.Value)
	case "path":
		if folder, err := memfs.ParsePath(strings.TrimSuffix(w.Typed, "/")); err == nil && strings.HasSuffix(w.Typed, "/") && q.in.IsRoot() && !folder.IsRoot() {
			q.in = folder
			return
		}
		q.path = append(q.path, w.Value)
	case "is":
		if q.onlyNew = w.Value == "new"; !q.onlyNew && !strings.HasPrefix("new", w.Value) {
			q.problem = "is: takes new"
		}
	case "since", "until":
		from, to, ok := units.Span(w.Typed, now)
		switch {
		case !ok:
			q.problem = w.Field + ": " + filter.WrongTime
		case w.Field == "since":
			q.since = from
		default:
			q.until = to
		}
	}
}

// filtersNew reports whether the query depends on what is new.
func (q query) filtersNew() bool {
	return q.onlyNew || slices.ContainsFunc(q.not, query.filtersNew)
}

// any reports whether the query matches everything.
func (q query) any() bool {
	return !q.onlyNew && len(q.not)+len(q.by)+len(q.session)+len(q.op)+len(q.path)+len(q.letters) == 0 && q.since.IsZero() && q.until.IsZero() && q.in.IsRoot()
}

// joins reports whether a bulk edit is shown as one row. A query for single memories or times
// lists its changes separately.
func (q query) joins() bool {
	return len(q.not)+len(q.op)+len(q.path)+len(q.letters) == 0 && q.since.IsZero() && q.until.IsZero() && q.in.IsRoot()
}

// same reports whether two queries match the same items.
func (q query) same(o query) bool {
	return q.onlyNew == o.onlyNew && q.reviewed == o.reviewed && slices.Equal(q.by, o.by) && slices.Equal(q.session, o.session) && slices.Equal(q.op, o.op) && slices.Equal(q.path, o.path) &&
		slices.Equal(q.letters, o.letters) && q.since.Equal(o.since) && q.until.Equal(o.until) && q.in == o.in && slices.EqualFunc(q.not, o.not, query.same)
}

// filter returns the part of the query that the store can evaluate. sessions are the known
// ones.
func (q query) filter(sessions []versions.SessionID) versions.Filter {
	f := versions.Filter{In: q.in, Since: q.since, Until: q.until}
	if len(q.by) == 1 {
		if k := versions.ActorKind(q.by[0]); slices.Contains(actorKinds, k) {
			f.Actor = k
		}
	}
	if len(q.op) == 1 {
		for verb, kind := range onlyKind {
			if named(q.op[0], verb) && changes(q.op[0]) == 1 {
				f.Kind = kind
			}
		}
	}
	if len(q.session) == 1 {
		if i := slices.IndexFunc(sessions, func(s versions.SessionID) bool { return strings.ToLower(string(s)) == q.session[0] }); i >= 0 {
			f.Session = sessions[i]
		}
	}
	return f
}

var (
	actorKinds = []versions.ActorKind{versions.Person, versions.Agent, versions.APIKey, versions.Outside}
	// onlyKind has the verbs of which the changes are all of one kind. What was created, edited, renamed
	// or deleted may be of any kind, what was undone of two.
	onlyKind = map[string]versions.ChangeKind{"restored": versions.KindRestore, "redid": versions.KindRedo,
		"imported": versions.KindImport, wording.Forgot: versions.KindForget}
)

const undone = "undone" // an undone change

// changes returns how many verbs match a word.
func changes(word string) (n int) {
	for _, verb := range wording.Verbs {
		if named(word, verb) {
			n++
		}
	}
	if strings.HasPrefix(undone, word) {
		n++
	}
	return n
}

// named reports whether a word, finished or not, names an operation: "del", "delete" and
// "deleted" are the same.
func named(word, op string) bool {
	switch {
	case strings.HasPrefix("modified", word) && len(word) > 1:
		word = wording.Edited
	case word == "undo":
		word = "undid"
	case word == "redo":
		word = "redid"
	}
	if word == undone {
		return op == undone
	}
	return strings.HasPrefix(op, word) || strings.HasPrefix(word, op)
}

// change reports whether a change matches. If its own path does not decide, inside returns its
// versions.
func (q query) change(c versions.Change, inside func() []versions.Version) bool {
	if !q.who(c.Actor, c.Session) || !q.when(c.Time) {
		return false
	}
	if len(q.op) > 0 && !slices.ContainsFunc(q.op, func(w string) bool {
		return slices.ContainsFunc(wording.VerbsOf(c), func(verb string) bool { return named(w, verb) }) || c.UndoneBy != 0 && named(w, undone)
	}) {
		return false
	}
	paths := []string{c.Path.String()}
	if !c.To.IsRoot() {
		paths = append(paths, c.To.String())
	}
	return q.where(paths, c.Actor, c.Session, c.ToolUse, c.Subject) ||
		c.Versions > 1 && slices.ContainsFunc(inside(), func(v versions.Version) bool {
			return q.where(pathsOf(v), c.Actor, c.Session, c.ToolUse, c.Subject)
		})
}

// version reports whether a version matches.
func (q query) version(v versions.Version) bool {
	if !q.who(v.Actor, v.Session) || !q.when(v.Time) {
		return false
	}
	if len(q.op) > 0 && !slices.ContainsFunc(q.op, func(w string) bool {
		return named(w, wording.Made(v)) || named(w, wording.Did(v)) || named(w, string(v.Operation)) || whyNoContent(v) != "" && named(w, whyNoContent(v))
	}) {
		return false
	}
	if !q.in.IsRoot() && !v.Path.In(q.in) && !(v.Renamed() && v.From.In(q.in)) {
		return false
	}
	return q.where(pathsOf(v), v.Actor, v.Session, v.ToolUse, v.Subject)
}

func pathsOf(v versions.Version) []string {
	if !v.Redacted.IsZero() {
		return nil
	}
	out := []string{v.Path.String()}
	if v.Renamed() {
		out = append(out, v.From.String())
	}
	return out
}

func (q query) who(a versions.Actor, s versions.SessionID) bool {
	kind, id := string(a.Kind), strings.ToLower(string(s))
	return (len(q.by) == 0 || slices.ContainsFunc(q.by, func(w string) bool { return actors.Called(a, w) || strings.HasPrefix(kind, w) })) &&
		(len(q.session) == 0 || slices.ContainsFunc(q.session, func(w string) bool { return strings.Contains(id, w) }))
}

func (q query) when(t time.Time) bool {
	return (q.since.IsZero() || !t.Before(q.since)) && (q.until.IsZero() || !t.After(q.until))
}

// where reports whether the paths contain all path terms, and all fields together contain all
// letters.
func (q query) where(paths []string, a versions.Actor, s versions.SessionID, tool, subject string) bool {
	if len(q.path)+len(q.letters) == 0 {
		return true
	}
	all := strings.ToLower(strings.Join(paths, "\n"))
	for _, w := range q.path {
		if !strings.Contains(all, w) {
			return false
		}
	}
	all += "\n" + strings.ToLower(a.Name+"\n"+actors.Short(a)+"\n"+string(a.Kind)+"\n"+string(s)+"\n"+tool+"\n"+subject)
	for _, w := range q.letters {
		if !strings.Contains(all, w) {
			return false
		}
	}
	return true
}
