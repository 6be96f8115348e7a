package versions

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/memend/memend/versions/blobs"
	"github.com/memend/memend/versions/diff"
)

// Blame is the content of a version with the origin of each line.
type Blame struct {
	Version Version
	Content []byte
	Runs    []BlameRun // in order; together they cover all lines
}

// BlameRun is a run of adjacent lines that came from one version, where they were adjacent too.
type BlameRun struct {
	Start int      // number of its first line in the content, from 1
	Lines int      // number of lines
	By    *Version // the version that wrote them, under any path of the memory; its changed lines are not counted
	At    int      // number of its first line in By, from 1

	// Since is the number of the oldest version that may have written the lines instead. It equals
	// By's number, unless the versions right before By were redacted or are damaged.
	Since int
	// Coarse means that By or a version before it wrote the lines: the texts were too large for a
	// comparison line by line.
	Coarse bool
}

// Blame reports which version wrote each line of a version: the one where the line first appeared
// and from which on it stayed, according to the differences between consecutive versions. A line
// includes its line ending, so a line that gained or lost one counts as new. Content that is not
// UTF-8 is split into lines as well.
//
// A restore or an undo writes no lines: the lines that it brought back keep their original writers,
// and only lines that differ from the version it brought back are compared with the version before
// it. Undoing a deletion also leaves the lines to their writers.
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

// ancestor is what blame needs to know of a version.
type ancestor struct {
	row      int64
	number   int
	blob     int64 // 0: it has no content, or no longer has it
	source   int64 // row of the version that it brought back
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

// blamer walks from the newest version to the oldest. It passes each line on to the older version
// that already had it, and stops when all lines are explained.
type blamer struct {
	q        reader
	past     []ancestor
	owed     map[int][]owedLine // by index in past: lines of that version that are not explained yet
	contents map[int64][]byte   // contents by blob
	kept     int                // bytes of contents
}

// owedLine is a line whose writer is not known yet.
type owedLine struct {
	line   int // number in the blamed version, from 0
	at     int // number in the version that it was passed to, from 0
	coarse bool
}

// lineOrigin is the result for one line.
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

// before returns the versions that the lines of version i may have come from, the likeliest first,
// and the number of the oldest version that can't be read any more.
func (w *blamer) before(i int) (from []int, since int) {
	v := w.past[i]
	since = v.number
	prev := i - 1
	for ; prev >= 0 && w.past[prev].blob == 0; prev-- {
		if w.past[prev].redacted {
			since = w.past[prev].number
		}
	}
	if prev >= 0 && w.past[prev].blob == v.blob { // a rename
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

// readableBefore is before, limited to versions that can be read. A damaged content is treated like
// a redacted one.
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

// handOn passes those lines of version i that are also in version to on to that version. It returns
// the others.
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

// content returns the content of version i. It reads each content once, as long as there is room.
func (w *blamer) content(i int) ([]byte, error) {
	id := w.past[i].blob
	if b, ok := w.contents[id]; ok {
		return b, nil
	}
	b, err := blobs.Get(w.q, id)
	if err != nil {
		return nil, err
	}
	w.contents[id] = b
	w.kept += len(b)
	return b, nil
}

// maxBlameKept limits the bytes of contents that a walk keeps without needing them for its next
// step.
const maxBlameKept = 16 << 20

// forget drops the contents of versions without unexplained lines when there are many.
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

// blameRuns joins adjacent lines of the same origin.
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
