// Package blame finds out which version of a text wrote each of its lines: the one where the line
// first appeared and from which on it stayed, according to the differences between consecutive
// versions. A line includes its line ending. The package is pure: it reads texts through a function.
//
// A version that brought an earlier one back, such as a restore, writes only the lines that differ
// from it. One into which another text was merged writes only the lines that are in neither. Lines
// that may come from a version that can't be read any more are marked.
package blame

import (
	"slices"

	"github.com/memend/memend/versions/diff"
)

// Version is what blame needs to know of a version.
type Version struct {
	Number int
	Text   int64 // the id of its text; versions with equal texts have the same; 0: it has none
	Prev   int   // the index of the version before it; -1: none
	Source int   // the index of the version that it brought back; -1: none
	Merged int   // the index of the version of another text that was merged into it; -1: none
	Erased bool  // it had a text that can't be read any more
}

// Run is a run of adjacent lines that came from one version, where they were adjacent too.
type Run struct {
	Start   int // number of its first line in the text, from 1
	Lines   int
	Version int // the index of the version that wrote them
	At      int // number of its first line in that version, from 1

	// Since is the number of the oldest version that may have written the lines instead. It is the
	// number of Version, unless the versions right before that one can't be read any more.
	Since int
	// Coarse means that Version or one before it wrote the lines: the texts were too large for a
	// comparison line by line.
	Coarse bool
}

// Texts returns the text with an id. readable is false if it can't be read, which is treated as
// erased.
type Texts func(id int64) (text []byte, readable bool, err error)

// Runs explains the lines of the newest of some versions, which are ordered from the oldest: each comes after those
// that it names. It changes past where a text can't be read.
func Runs(past []Version, newest []byte, texts Texts) ([]Run, error) {
	last := len(past) - 1
	w := walker{past: past, texts: texts, owed: map[int][]owedLine{}, read: map[int64][]byte{past[last].Text: newest}, kept: len(newest)}
	origins, err := w.walk(diff.CountLines(newest))
	if err != nil {
		return nil, err
	}
	var runs []Run
	for i, o := range origins {
		if n := len(runs); n > 0 {
			r := &runs[n-1]
			if r.Version == o.version && r.At+r.Lines == o.at+1 && r.Since == o.since && r.Coarse == o.coarse {
				r.Lines++
				continue
			}
		}
		runs = append(runs, Run{i + 1, 1, o.version, o.at + 1, o.since, o.coarse})
	}
	return runs, nil
}

// walker walks from the newest version to the oldest. It passes each line on to the older version
// that already had it, and stops when all lines are explained.
type walker struct {
	past  []Version
	texts Texts
	owed  map[int][]owedLine // by index in past: lines of that version that are not explained yet
	read  map[int64][]byte   // texts by id
	kept  int                // bytes of them
}

// owedLine is a line whose writer is not known yet.
type owedLine struct {
	line   int // number in the newest version, from 0
	at     int // number in the version that it was passed to, from 0
	coarse bool
}

// origin is the result for one line.
type origin struct {
	version int
	at      int // from 0
	since   int
	coarse  bool
}

func (w *walker) walk(lines int) ([]origin, error) {
	origins := make([]origin, lines)
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
			if left, err = w.passOn(left, i, p); err != nil {
				return nil, err
			}
		}
		for _, l := range left {
			origins[l.line] = origin{i, l.at, since, l.coarse}
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
func (w *walker) before(i int) (from []int, since int) {
	v := w.past[i]
	since = v.Number
	prev := v.Prev
	for ; prev >= 0 && w.past[prev].Text == 0; prev = w.past[prev].Prev {
		if w.past[prev].Erased {
			since = w.past[prev].Number
		}
	}
	if prev >= 0 && w.past[prev].Text == v.Text { // a rename
		return []int{prev}, since
	}
	if s := v.Source; s >= 0 {
		switch {
		case w.past[s].Text != 0:
			from = append(from, s)
		case w.past[s].Erased:
			since = min(since, w.past[s].Number)
		}
	}
	if prev >= 0 && !slices.Contains(from, prev) {
		from = append(from, prev)
	}
	if m := v.Merged; m >= 0 && w.past[m].Text != 0 {
		from = append(from, m)
	}
	return from, since
}

// readableBefore is before, limited to versions that can be read.
func (w *walker) readableBefore(i int) (from []int, since int, err error) {
	for {
		from, since = w.before(i)
		again := false
		for _, p := range from {
			if w.past[p].Text == w.past[i].Text {
				continue
			}
			_, readable, err := w.text(p)
			if err != nil {
				return nil, 0, err
			}
			if !readable {
				w.past[p].Text, w.past[p].Erased, again = 0, true, true
			}
		}
		if !again {
			return from, since, nil
		}
	}
}

// passOn passes those lines of version i that are also in version to on to that version. It returns
// the others.
func (w *walker) passOn(lines []owedLine, i, to int) (left []owedLine, err error) {
	if len(lines) == 0 {
		return nil, nil
	}
	if w.past[i].Text == w.past[to].Text {
		w.owed[to] = append(w.owed[to], lines...)
		return nil, nil
	}
	old, _, err := w.text(to)
	if err != nil {
		return nil, err
	}
	now, _, err := w.text(i)
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

// text returns the text of version i. It reads each text once, as long as there is room.
func (w *walker) text(i int) (b []byte, readable bool, err error) {
	id := w.past[i].Text
	if b, ok := w.read[id]; ok {
		return b, true, nil
	}
	if b, readable, err = w.texts(id); err != nil || !readable {
		return nil, false, err
	}
	w.read[id] = b
	w.kept += len(b)
	return b, true, nil
}

// maxKept limits the bytes of texts that a walk keeps without needing them for its next step.
const maxKept = 16 << 20

// forget drops the texts of versions without unexplained lines when there are many.
func (w *walker) forget() {
	if w.kept <= maxKept {
		return
	}
	waiting := map[int64]bool{}
	for i := range w.owed {
		waiting[w.past[i].Text] = true
	}
	for id, b := range w.read {
		if !waiting[id] {
			w.kept -= len(b)
			delete(w.read, id)
		}
	}
}
