package versions

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/memend/memend/versions/diff"
)

// Blame is what a version holds, with who wrote each line of it.
type Blame struct {
	Version Version
	Content []byte
	Runs    []BlameRun // in order; together they are all lines
}

// BlameRun is lines that stand together and came from one version together.
type BlameRun struct {
	Start int      // of its first line in the content, from 1
	Lines int      // how many
	By    *Version // wrote them, under whatever path the memory had; its changed lines are not counted
	At    int      // where the first of them stood in By, from 1

	// Since is the number of the oldest version that may have written them
	// instead: By's own, unless the versions right before it were redacted or are
	// damaged.
	Since int
	// Coarse says that By or a version before it wrote them: the texts were too
	// large to be compared line by line.
	Coarse bool
}

// Blame says who wrote each line of a version: the version that a line first
// stood in and has stood in since, as far as the differences between one version
// and the next tell. Lines keep their ends, so a line that got or lost one was
// written anew. What is not UTF-8 is lines like any other.
//
// A restore or an undo writes nothing: the lines it brought back are those of
// whoever wrote them before, and only what was not in the version it brought
// back is held against the version before it. A deletion that was undone
// leaves the lines to their writers too.
func (s *Store) Blame(ctx context.Context, id VersionID) (*Blame, error) {
	b := &Blame{}
	err := s.t.view(ctx, func(q reader) error {
		row, err := s.findVersion(q, id)
		if err != nil {
			return err
		}
		v, err := scanVersion(q.Row(`SELECT `+versionColumns+versionTables+`WHERE v.id=?`, row))
		switch {
		case err != nil:
			return notFound(err, ErrNoVersion, string(id))
		case !v.Redacted.IsZero():
			return fmt.Errorf("blame: %w", erased(q, id))
		case v.Operation == Deleted:
			return fmt.Errorf("blame version %s: %w", id, ErrDeletion)
		}
		past, err := ancestors(q, v.row)
		if err != nil {
			return err
		}
		w := blamer{q: q, past: past, owed: map[int][]owedLine{}, contents: map[int64][]byte{}}
		b.Version = v.Version
		if b.Content, err = w.content(len(past) - 1); err != nil {
			return err
		}
		origins, err := w.walk(diff.CountLines(b.Content))
		if err != nil {
			return err
		}
		b.Runs, err = blameRuns(q, past, origins)
		return err
	})
	if err != nil {
		return nil, err
	}
	return b, nil
}

// ancestor is a version as far as blame looks at it.
type ancestor struct {
	row      int64
	number   int
	blob     int64 // 0: holds nothing, or nothing any more
	source   int64 // the row of the version that it brought back
	redacted bool
}

// ancestors lists the versions of a memory up to the one at row, oldest first.
func ancestors(q reader, row int64) ([]ancestor, error) {
	var out []ancestor
	for row, err := range q.Each(`SELECT v.id,v.number,coalesce(v.blob,0),coalesce(v.source,0),v.redacted IS NOT NULL AND v.op<>'deleted'
		FROM version v JOIN version w ON w.memory=v.memory WHERE w.id=? AND v.number<=w.number ORDER BY v.number`, row) {
		if err != nil {
			return nil, err
		}
		var a ancestor
		if err := row.Scan(&a.row, &a.number, &a.blob, &a.source, &a.redacted); err != nil {
			return nil, err
		}
		if a.redacted {
			a.blob = 0
		}
		out = append(out, a)
	}
	return out, nil
}

// blamer walks from the newest version to the oldest. It hands every line on to
// the version that had it already, and stops when no line is left to explain.
type blamer struct {
	q        reader
	past     []ancestor
	owed     map[int][]owedLine // by index in past: lines that stand there and are not explained
	contents map[int64][]byte   // by blob
	kept     int                // bytes of contents
}

// owedLine is a line whose writer is looked for.
type owedLine struct {
	line   int // in the blamed version, from 0
	at     int // in the version it was handed to, from 0
	coarse bool
}

// lineOrigin is the answer for one line.
type lineOrigin struct {
	version int // index in past
	at      int // from 0
	since   int
	coarse  bool
}

func (w *blamer) walk(lines int) ([]lineOrigin, error) {
	origins := make([]lineOrigin, lines)
	all := make([]owedLine, lines)
	for i := range all {
		all[i] = owedLine{line: i, at: i}
	}
	w.owed[len(w.past)-1] = all
	for i := len(w.past) - 1; i >= 0; i-- {
		left := w.owed[i]
		delete(w.owed, i)
		if len(left) == 0 {
			continue
		}
		before, since, err := w.readableBefore(i)
		if err != nil {
			return nil, err
		}
		for _, p := range before {
			if left, err = w.handOn(left, i, p); err != nil {
				return nil, err
			}
		}
		for _, l := range left {
			origins[l.line] = lineOrigin{i, l.at, since, l.coarse}
		}
		if len(w.owed) == 0 {
			break
		}
		w.forget()
	}
	return origins, nil
}

// before is where the lines of version i may have come from, the likeliest
// first, and the number of the oldest version that can't be asked any more.
func (w *blamer) before(i int) (from []int, since int) {
	v := w.past[i]
	since = v.number
	prev := i - 1
	for ; prev >= 0 && w.past[prev].blob == 0; prev-- {
		if w.past[prev].redacted {
			since = w.past[prev].number
		}
	}
	if prev >= 0 && w.past[prev].blob == v.blob { // renamed
		return []int{prev}, since
	}
	if s := slices.IndexFunc(w.past[:i], func(a ancestor) bool { return a.row == v.source }); s >= 0 {
		switch {
		case w.past[s].blob != 0:
			from = append(from, s)
		case w.past[s].redacted:
			since = min(since, w.past[s].number)
		}
	}
	if prev >= 0 && !slices.Contains(from, prev) {
		from = append(from, prev)
	}
	return from, since
}

// readableBefore is before, of what can be read. A damaged content can't be asked any more
// than a redacted one.
func (w *blamer) readableBefore(i int) (from []int, since int, err error) {
	for {
		from, since = w.before(i)
		damaged := false
		for _, p := range from {
			if w.past[p].blob == w.past[i].blob {
				continue
			}
			_, err := w.content(p)
			if err != nil && !errors.Is(err, ErrDamaged) {
				return nil, 0, err
			}
			if err != nil {
				w.past[p].blob, w.past[p].redacted, damaged = 0, true, true
			}
		}
		if !damaged {
			return from, since, nil
		}
	}
}

// handOn gives those of the lines of version i that stand in version to as well
// to that one. The others are left.
func (w *blamer) handOn(lines []owedLine, i, to int) (left []owedLine, err error) {
	if len(lines) == 0 {
		return nil, nil
	}
	if w.past[i].blob == w.past[to].blob {
		w.owed[to] = append(w.owed[to], lines...)
		return nil, nil
	}
	old, err := w.content(to)
	if err != nil {
		return nil, err
	}
	now, err := w.content(i)
	if err != nil {
		return nil, err
	}
	d := diff.Lines(old, now)
	slices.SortFunc(lines, func(a, b owedLine) int { return a.at - b.at })
	edits, shift := d.Edits(), 0
	for _, l := range lines {
		for len(edits) > 0 && edits[0].NewEnd() <= l.at {
			shift = edits[0].OldEnd() - edits[0].NewEnd()
			edits = edits[1:]
		}
		if len(edits) > 0 && edits[0].New <= l.at {
			l.coarse = l.coarse || d.Coarse
			left = append(left, l)
			continue
		}
		w.owed[to] = append(w.owed[to], owedLine{line: l.line, at: l.at + shift})
	}
	return left, nil
}

// content is what version i holds. Each is read once, as long as there is room.
func (w *blamer) content(i int) ([]byte, error) {
	id := w.past[i].blob
	if b, ok := w.contents[id]; ok {
		return b, nil
	}
	b, err := blobContent(w.q, id)
	if err != nil {
		return nil, err
	}
	w.contents[id] = b
	w.kept += len(b)
	return b, nil
}

// maxBlameKept is how many bytes of contents a walk keeps that it does not need
// for its next step.
const maxBlameKept = 16 << 20

// forget drops the contents that no line waits in, once there are many.
func (w *blamer) forget() {
	if w.kept <= maxBlameKept {
		return
	}
	waiting := map[int64]bool{}
	for i := range w.owed {
		waiting[w.past[i].blob] = true
	}
	for id, b := range w.contents {
		if !waiting[id] {
			w.kept -= len(b)
			delete(w.contents, id)
		}
	}
}

// blameRuns joins lines that came from one place together.
func blameRuns(q reader, past []ancestor, origins []lineOrigin) ([]BlameRun, error) {
	writers := map[int]*Version{}
	var runs []BlameRun
	for i, o := range origins {
		by := writers[o.version]
		if by == nil {
			v, err := scanVersion(q.Row(`SELECT `+versionColumns+versionTables+`WHERE v.id=?`, past[o.version].row))
			if err != nil {
				return nil, err
			}
			by = &v.Version
			writers[o.version] = by
		}
		if n := len(runs); n > 0 {
			r := &runs[n-1]
			if r.By == by && r.At+r.Lines == o.at+1 && r.Since == o.since && r.Coarse == o.coarse {
				r.Lines++
				continue
			}
		}
		runs = append(runs, BlameRun{Start: i + 1, Lines: 1, By: by, At: o.at + 1, Since: o.since, Coarse: o.coarse})
	}
	return runs, nil
}
