package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/diff"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/guard"
	"github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/review"
)

// effect is what a session did to one memory, as a digest says it.
type effect struct {
	did            string // learned, changed or forgot
	memory         versions.MemoryID
	path           memfs.Path // the root if it is redacted
	from           memfs.Path // before a rename; else the root
	added, removed int        // lines, of those that are still there, or still gone
	line           string     // of its text, the one that says most; empty if none does
	gone           bool       // the line was removed
	note           string     // why there is no line
}

// maxLine is how much of a line is quoted, in bytes; the text forms are cut further.
const maxLine = 240

// The words of a digest for what became of a memory.
const (
	learned = "learned"
	changed = "changed"
	forgot  = "forgot"
)

var (
	errReplaced = errors.New("nothing of it is in effect any more")
	errNotText  = errors.New("not UTF-8 text")
)

// effectsOf says what a session did to most memories, first what it learned. Those of which nothing is in effect any more it takes out.
func effectsOf(ctx context.Context, s *engine.Store, d *sessionDigest, live map[versions.MemoryID]versions.Entry, most int) (out []effect, err error) {
	for _, kind := range []struct {
		did  string
		of   *[]*review.Written
		tell func(*teller, *review.Written) error
	}{{learned, &d.learned, (*teller).learned}, {changed, &d.changed, (*teller).changed}, {forgot, &d.forgotten, (*teller).forgot}} {
		for i := 0; i < len(*kind.of) && len(out) < most; {
			m := (*kind.of)[i]
			v := m.Last()
			t := teller{ctx: ctx, s: s, effect: effect{did: kind.did, memory: v.Memory, path: v.Path}}
			if e, ok := live[v.Memory]; ok {
				t.path, t.head = e.Path, e.Version
			}
			switch err := kind.tell(&t, m); {
			case errors.Is(err, errReplaced):
				*kind.of = slices.Delete(*kind.of, i, i+1)
				continue
			case errors.Is(err, versions.ErrRedacted):
				t.note = "redacted"
			case errors.Is(err, errNotText):
				t.note = err.Error()
			case ctx.Err() != nil:
				return nil, ctx.Err()
			case err != nil: // damage in one memory hides no other
				t.note = "can't be read"
			}
			if len(t.line) > maxLine {
				t.line = strings.ToValidUTF8(t.line[:maxLine], "") + "…"
			}
			out = append(out, t.effect)
			i++
		}
	}
	return out, nil
}

// teller finds out what to say of one memory.
type teller struct {
	effect
	ctx   context.Context
	s     *engine.Store
	head  versions.VersionID // if the memory is there
	later bool               // head is later than the version that was read last
	now   []byte             // of head, then
}

func (t *teller) learned(m *review.Written) error {
	text, err := t.text(m.Last().ID)
	if err != nil {
		return err
	}
	lines := t.lines(text, false)
	if t.line = title(lines); t.later && holding(lines) == 0 {
		return errReplaced
	}
	return nil
}

// forgot says what the memory was about.
func (t *teller) forgot(m *review.Written) error {
	was, ok, err := before(t.ctx, t.s, m.Last())
	if err != nil || !ok {
		return err
	}
	text, err := t.content(was.ID)
	if err == nil {
		t.line = title(t.lines(text, false))
	}
	return err
}

// changed compares each run of versions with what was before it: what others changed in between is theirs.
func (t *teller) changed(m *review.Written) error {
	for newest := 0; newest < len(m.Made); {
		oldest := newest
		for oldest+1 < len(m.Made) && m.Made[oldest+1].Number == m.Made[oldest].Number-1 {
			oldest++
		}
		if err := t.compare(m.Made[oldest], m.Made[newest]); err != nil {
			return err
		}
		newest = oldest + 1
	}
	if t.added+t.removed == 0 && t.from.IsRoot() {
		return errReplaced
	}
	return nil
}

// compare adds what the versions from first to last changed and is still in effect.
func (t *teller) compare(first, last versions.Version) error {
	was, ok, err := before(t.ctx, t.s, first)
	if err != nil || !ok || was.Operation == versions.Deleted || last.Operation == versions.Deleted {
		return err
	}
	if was.Redacted.IsZero() && was.Path != last.Path && was.Path != t.path {
		t.from = was.Path
	}
	old, err := t.content(was.ID)
	if err != nil {
		return err
	}
	text, err := t.text(last.ID)
	if err != nil {
		return err
	}
	d := diff.Lines(old, text)
	olds, news := t.lines(old, true), t.lines(text, false)
	var edits []edit
	var removed []quotedLine
	for _, e := range d.Edits() {
		of := edit{olds[e.Old:e.OldEnd()], news[e.New:e.NewEnd()]}
		edits, removed = append(edits, of), append(removed, of.removed...)
		t.added, t.removed = t.added+holding(of.added), t.removed+holding(of.removed)
	}
	if line := reworded(edits); line != "" && (t.gone || len(line) > len(t.line)) {
		t.line, t.gone = line, false
	}
	if line := longest(removed); t.added == 0 && len(line) > len(t.line) {
		t.line, t.gone = line, true
	}
	return nil
}

// text returns the text of a version. If the memory was changed again since, it also reads what it is now.
func (t *teller) text(id versions.VersionID) ([]byte, error) {
	if t.later = t.head != "" && t.head != id; t.later && t.now == nil {
		now, err := t.content(t.head)
		if err != nil {
			return nil, err
		}
		t.now = lineEndsTrimmed(now)
	}
	return t.content(id)
}

func (t *teller) content(id versions.VersionID) ([]byte, error) {
	text, err := history.Content(t.ctx, t.s, id)
	if err == nil && !utf8.Valid(text) {
		err = errNotText
	}
	return text, err
}

// masked returns a text with its secrets masked: a digest is mailed.
func masked(path string, text []byte) []byte {
	out := bytes.Clone(text)
	for _, f := range guard.Check(path, text) {
		for i := f.Start; i < f.End && f.Kind == guard.Secret; i++ {
			if out[i] != '\n' {
				out[i] = '*'
			}
		}
	}
	return out
}

// quotedLine is a line of a memory as a digest may quote it.
type quotedLine struct {
	text  string
	holds bool // it is still there, or still gone: what somebody has undone or rewritten since is not what was learned
}

// lines splits a text. Of a text that lines were removed from, those hold that are still gone.
func (t *teller) lines(text []byte, removed bool) (out []quotedLine) {
	shown, at := masked(t.path.String(), text), 0
	for line := range bytes.Lines(text) {
		out = append(out, quotedLine{string(shown[at : at+len(line)]), !t.later || !removed})
		at += len(line)
	}
	if t.later {
		for _, e := range diff.Lines(lineEndsTrimmed(text), t.now).Edits() {
			for i := e.Old; i < e.OldEnd(); i++ {
				out[i].holds = removed
			}
		}
	}
	return out
}

// lineEndsTrimmed returns a text without blanks at the ends of its lines, each of which ends: a line stays the same when another
// one comes after it.
func lineEndsTrimmed(text []byte) []byte {
	out := make([]byte, 0, len(text)+1)
	for line := range bytes.Lines(text) {
		out = append(append(out, bytes.TrimRightFunc(line, unicode.IsSpace)...), '\n')
	}
	return out
}

// holding counts lines that hold.
func holding(lines []quotedLine) (n int) {
	for _, l := range lines {
		if l.holds {
			n++
		}
	}
	return n
}

// says returns the words of a line without the signs of a heading or a list before them. It is empty if the line has no letter and no digit.
func (q quotedLine) says() string {
	words := strings.TrimSpace(strings.TrimLeft(q.text, "#>*-+ \t"))
	if !q.holds || !strings.ContainsFunc(words, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
		return ""
	}
	return words
}

// title returns the first heading of a text, or else its first line.
func title(lines []quotedLine) (first string) {
	for _, l := range lines {
		words := l.says()
		if words != "" && strings.HasPrefix(l.text, "#") {
			return words
		}
		first = cmp.Or(first, words)
	}
	return first
}

// edit is lines in place of others.
type edit struct{ removed, added []quotedLine }

// reworded returns the longest line that says something else than the lines that it replaced, or else the longest that says something
// new: not one that was moved, or has another line end.
func reworded(edits []edit) string {
	all := map[string]bool{}
	for _, e := range edits {
		maps.Copy(all, wordsOf(e.removed...))
	}
	var changed, added string
	for _, e := range edits {
		here := wordsOf(e.removed...)
		for _, l := range e.added {
			says, isNew, replaces := l.says(), false, false
			for w := range wordsOf(l) {
				isNew, replaces = isNew || !all[w], replaces || here[w]
			}
			if isNew && replaces && len(says) > len(changed) {
				changed = says
			}
			if isNew && len(says) > len(added) {
				added = says
			}
		}
	}
	return cmp.Or(changed, added)
}

func wordsOf(lines ...quotedLine) map[string]bool {
	words := map[string]bool{}
	for _, l := range lines {
		for _, w := range strings.FieldsFunc(l.text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
			words[w] = true
		}
	}
	return words
}

// longest returns the longest of some lines.
func longest(lines []quotedLine) (most string) {
	for _, l := range lines {
		if words := l.says(); len(words) > len(most) {
			most = words
		}
	}
	return most
}
