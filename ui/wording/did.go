package wording

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/versions"
)

// Did says in one word what happened to a memory in a version.
func Did(v versions.Version) string {
	switch {
	case v.Found:
		return "found"
	case v.Operation == versions.Modified && v.Renamed():
		return "renamed"
	case v.Operation == versions.Modified:
		return Edited
	case v.Kind == versions.KindForget:
		return Forgot
	}
	return string(v.Operation)
}

// Made says in one word how a version was made: by an undo, a redo or a restore, else what happened.
func Made(v versions.Version) string {
	if verb, ok := verbs[v.Kind]; ok && v.Kind != versions.KindForget {
		return verb
	}
	return Did(v)
}

// Forgot is what happened to a memory whose file is no longer followed and stays as it is.
const Forgot = "forgot"

// Edited is what the screens call a modified memory.
const Edited = "edited"

// verbs names the changes that are more than what they did to each memory.
var verbs = map[versions.ChangeKind]string{
	versions.KindRestore:   "restored",
	versions.KindUndo:      "undid",
	versions.KindRedo:      "redid",
	versions.KindUndoHunks: "undid",
	versions.KindImport:    "imported",
	versions.KindForget:    Forgot,
	versions.KindLost:      "lost",
}

// Verbs lists all words that say what a change did, alone or with others.
var Verbs = []string{"found", "created", Edited, "renamed", "deleted", "restored", "undid", "redid", "imported", Forgot, "lost"}

// Verb says in one word what a change did. It is "changed" if it did several things, which Counts says.
func Verb(c versions.Change) string {
	if verb, ok := verbs[c.Kind]; ok {
		return verb
	}
	if len(c.Links) == 1 && c.Links[0].Was == "" {
		return "created"
	} else if len(c.Links) == 1 && c.Links[0].Now == "" {
		return "deleted"
	}
	switch one, counts := didOf(c.Effect); {
	case one != "":
		return one
	case counts != "":
		return mixed
	}
	return cmp.Or(asked[c.Kind], mixed)
}

// asked names a change by what was asked for, if damage destroyed its versions.
var asked = map[versions.ChangeKind]string{versions.KindCreate: "created", versions.KindEdit: Edited, versions.KindRename: "renamed", versions.KindDelete: "deleted"}

// mixed is what a change did that did several things.
const mixed = "changed"

// VerbsOf returns all words that say what a change did.
func VerbsOf(c versions.Change) (out []string) {
	if verb, ok := verbs[c.Kind]; ok {
		out = append(out, verb)
	}
	for _, did := range operations(c.Effect) {
		out = append(out, did.verb)
		if did.verb == "found" { // it matches as created, too
			out = append(out, "created")
		}
	}
	if len(out) == 0 {
		out = append(out, Verb(c))
	}
	return out
}

// Counts says how many memories were created, edited and so on: "3 created, 1 deleted".
func Counts(e versions.Effect) string {
	_, counts := didOf(e)
	return counts
}

// didOf returns the only thing that was done, if it is only one, and the counts of all.
func didOf(e versions.Effect) (one, counts string) {
	var parts []string
	for _, did := range operations(e) {
		one, parts = did.verb, append(parts, fmt.Sprintf("%d %s", did.n, did.verb))
	}
	if len(parts) != 1 {
		one = ""
	}
	return one, strings.Join(parts, ", ")
}

type operation struct {
	n    int
	verb string
}

// operations lists what was done at least once.
func operations(e versions.Effect) []operation {
	all := []operation{{e.Found, "found"}, {e.Created, "created"}, {e.Edited, Edited}, {e.Renamed, "renamed"}, {e.Deleted, "deleted"}}
	return slices.DeleteFunc(all, func(o operation) bool { return o.n == 0 })
}

// Notation is how a screen or a command writes what a change was made to.
type Notation struct {
	Path    func(memfs.Path) string
	Text    func(string) string // of other programs
	Arrow   string              // between the two paths of a rename, with its blanks
	Change  func(number int64) string
	Session func(versions.SessionID) string
}

// Sentence says what a change did, and to what.
func Sentence(c versions.Change, n Notation) string {
	verb, object := Verb(c), Object(c, n)
	switch {
	case c.Kind == versions.KindRename && c.Effect.Edited > 0 && c.Effect.Renamed > 0:
		return asked[c.Kind] + " " + object + ", with the links to it in " + draw.Plural(c.Effect.Edited, "memory", "memories")
	case verb == mixed && Counts(c.Effect) != "":
		return Counts(c.Effect) + " in " + object
	case c.Versions > 1 && c.Path.IsRoot() && c.Kind != versions.KindUndo && c.Kind != versions.KindRedo:
		return verb + " " + draw.Plural(c.Versions, "memory", "memories")
	case c.Versions > 1:
		return verb + " " + object + " (" + draw.Plural(c.Versions, "memory", "memories") + ")"
	case c.Effect.Both == 1 && verb == "renamed":
		return verb + " " + object + " and edited it"
	}
	return verb + " " + object
}

// Answer says what a change did that was named when it was asked for: that name, or for an undo or a redo of several changes, whose
// name is not certain before, the sentence of the lists.
func Answer(c versions.Change, asked string) string {
	if (c.Kind == versions.KindUndo || c.Kind == versions.KindRedo) && c.Undoes == 0 {
		return Sentence(c, Screen)
	}
	return asked
}

// Screen is how the screens write a change.
var Screen = Notation{
	Path:    memfs.Path.String,
	Text:    text.Field,
	Arrow:   " → ",
	Change:  func(n int64) string { return "#" + strconv.FormatInt(n, 10) },
	Session: func(s versions.SessionID) string { return "session " + draw.ShortID(string(s), sessionCols) },
}

// sessionCols are the columns of a session's id on the screens.
const sessionCols = 8

// OnScreen says what a change was made to, in the notation of the screens. An undo also says where.
func OnScreen(c versions.Change) string {
	what, path := Object(c, Screen), c.Path
	if path.IsRoot() {
		path = c.Effect.Path
	}
	if c.Undoes != 0 && !path.IsRoot() {
		what += " " + path.String()
	}
	return what
}

// Object says what a change was made to. Only a redaction's record makes it a redacted memory.
func Object(c versions.Change, n Notation) string {
	from, to := c.Path, c.To
	switch {
	case c.Kind == versions.KindUndoHunks:
		c.Kind = versions.KindEdit
		return "hunks of " + Object(c, n)
	case c.Kind == versions.KindUndo || c.Kind == versions.KindRedo:
		switch {
		case c.Undoes != 0:
			return n.Change(c.Undoes)
		case c.Of != "":
			return "changes of " + n.Session(c.Of)
		}
		return "changes in " + n.Path(c.Path)
	case len(c.Links) > 1:
		return draw.Plural(len(c.Links), "link", "links") + " in " + n.Path(c.Path)
	case len(c.Links) == 1 && c.Links[0].Now != "":
		return "link " + n.Path(c.Path) + n.Arrow + n.Text(c.Links[0].Now)
	case len(c.Links) == 1:
		return "link " + n.Path(c.Path)
	case c.Versions == 1 && c.Effect.Redacted == 1:
		return "a redacted memory"
	case c.Versions == 1 && (c.Path.IsRoot() || c.Kind == versions.KindAdopt):
		from, to = c.Effect.Path, memfs.Root
		if c.Effect.Renamed == 1 {
			from, to = c.Effect.From, c.Effect.Path
		}
	}
	if !to.IsRoot() {
		return n.Path(from) + n.Arrow + n.Path(to)
	}
	return n.Path(from)
}
