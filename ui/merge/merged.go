package merge

import (
	"bytes"

	"github.com/memend/memend/versions/diff"
)

// side is one of the texts that a screen of three or four columns shows.
type side uint8

const (
	theirs side = iota
	mine
	base
	sides  // the number of texts
	result = sides
)

// pick is the user's decision for a change.
type pick uint8

const (
	open pick = iota // undecided
	takeTheirs
	takeMine
	takeBase    // the base
	theirsFirst // both
	mineFirst   // both
	ownText     // the typed text
)

// region is a run of lines of the merge: unchanged lines, or one change.
type region struct {
	kind   diff.MergeKind
	number int // among conflicts, from 1; 0 for other parts
	lines  [sides]run
	diff   [2]*diff.Diff // from the base to theirs and to mine; without a base, the first is from theirs to mine
	decision
}

type decision struct {
	pick  pick
	typed *lines // for ownText
}

// merged is the merge of two texts, as far as it is decided.
type merged struct {
	text      [sides]*lines
	there     [sides]bool // false for a deleted memory, which has no text
	parts     []region
	starts    []int // the line of the result at which each part begins, and at last the number of its lines
	conflicts int
	tooLarge  bool
	hideCR    bool
	proposes  bool // the result's column shows both sides of undecided parts
}

// compare computes the changes of both sides. A nil text means no memory.
func compare(baseText, theirsText, mineText []byte) *merged {
	m := &merged{there: [sides]bool{theirsText != nil, mineText != nil, baseText != nil}}
	var regions []diff.Region
	if theirsText == nil || mineText == nil {
		// A deletion conflicts as a whole: it can't be merged line by line.
		regions = []diff.Region{{Kind: diff.MergeConflict, Base: baseText, Ours: mineText, Theirs: theirsText}}
	} else {
		if baseText == nil {
			baseText = diff.Common(theirsText, mineText)
		}
		found := diff.Merge(baseText, mineText, theirsText)
		regions, m.tooLarge = found.Regions, found.TooLarge
	}
	m.text = [sides]*lines{newLines(theirsText), newLines(mineText), newLines(baseText)}
	m.hideCR = diff.AllCRLF(theirsText) && diff.AllCRLF(mineText) && diff.AllCRLF(baseText)
	m.add(regions)
	m.number()
	return m
}

// number counts the lines of the result.
func (m *merged) number() {
	m.starts = m.starts[:0]
	at := 0
	for i := range m.parts {
		m.starts = append(m.starts, at)
		for _, x := range m.sources(&m.parts[i]) {
			at += x.rows.len()
		}
	}
	m.starts = append(m.starts, at)
}

func (m *merged) add(regions []diff.Region) {
	var at [sides]int
	for _, r := range regions {
		p := region{kind: r.Kind}
		for s, text := range [sides][]byte{r.Theirs, r.Ours, r.Base} {
			p.lines[s] = run{at[s], at[s] + countLines(text)}
			at[s] = p.lines[s].to
		}
		if r.Kind == diff.MergeConflict {
			m.conflicts++
			p.number = m.conflicts
		}
		p.decision = p.first()
		if r.Kind != diff.MergeKept {
			p.diff = differences(r)
		}
		m.parts = append(m.parts, p)
	}
}

func countLines(text []byte) int {
	n := bytes.Count(text, []byte("\n"))
	if len(text) > 0 && text[len(text)-1] != '\n' {
		n++
	}
	return n
}

// differences returns the diffs that mark changes in the two sides of a change.
func differences(r diff.Region) [2]*diff.Diff {
	if len(r.Base) == 0 {
		return [2]*diff.Diff{diff.Lines(r.Theirs, r.Ours), nil}
	}
	return [2]*diff.Diff{diff.Lines(r.Base, r.Theirs), diff.Lines(r.Base, r.Ours)}
}

// left returns how many conflicts are undecided.
func (m *merged) left() (n int) {
	for i := range m.parts {
		if m.parts[i].pick == open {
			n++
		}
	}
	return n
}

// source is some lines of one of the texts, or of a typed text.
type source struct {
	of   side // result for a typed text
	in   *lines
	rows run
}

// sources returns what a part of the result consists of: one or two ranges of lines.
func (m *merged) sources(p *region) [2]source {
	from := func(s side) source { return source{s, m.text[s], p.lines[s]} }
	switch p.pick {
	case takeTheirs:
		return [2]source{from(theirs)}
	case takeMine:
		return [2]source{from(mine)}
	case takeBase:
		return [2]source{from(base)}
	case theirsFirst:
		return [2]source{from(theirs), from(mine)}
	case mineFirst:
		return [2]source{from(mine), from(theirs)}
	case ownText:
		return [2]source{{result, p.typed, run{0, p.typed.count()}}}
	}
	return [2]source{}
}

// shown returns what a part consists of in the result's column.
func (m *merged) shown(p *region) [2]source {
	if m.proposes && p.pick == open {
		return [2]source{{theirs, m.text[theirs], p.lines[theirs]}, {mine, m.text[mine], p.lines[mine]}}
	}
	return m.sources(p)
}

// none reports whether the decision is to delete the memory.
func (m *merged) none() bool {
	if len(m.parts) != 1 {
		return false
	}
	switch m.parts[0].pick {
	case takeTheirs:
		return !m.there[theirs]
	case takeMine:
		return !m.there[mine]
	}
	return false
}

// eol returns the line end that is added between lines that would be joined otherwise.
func (m *merged) eol() string {
	if crlf(m.text[mine].text) || m.text[mine].count() == 0 && crlf(m.text[theirs].text) {
		return "\r\n"
	}
	return "\n"
}

// appendPart appends a part of the result.
func (m *merged) appendPart(dst []byte, p *region) []byte {
	for _, x := range m.sources(p) {
		if x.rows.len() == 0 {
			continue
		}
		if len(dst) > 0 && dst[len(dst)-1] != '\n' {
			dst = append(dst, m.eol()...)
		}
		dst = append(dst, x.in.between(x.rows)...)
	}
	return dst
}

// bytes returns the result, or nil if it is to delete the memory.
func (m *merged) bytes() []byte {
	if m.none() {
		return nil
	}
	dst := make([]byte, 0, max(len(m.text[theirs].text), len(m.text[mine].text)))
	for i := range m.parts {
		dst = m.appendPart(dst, &m.parts[i])
	}
	return dst
}

// count returns how many lines of a part a column has.
func (m *merged) count(p *region, s side) int {
	if s != result {
		return p.lines[s].len()
	}
	x := m.shown(p)
	return x[0].rows.len() + x[1].rows.len()
}

// line returns line i of a part in a column, and the text that it is from.
func (m *merged) line(p *region, s side, i int) (string, side) {
	if s != result {
		return m.text[s].line(p.lines[s].from + i), s
	}
	x := m.shown(p)
	if n := x[0].rows.len(); i >= n {
		return x[1].in.line(x[1].rows.from + i - n), x[1].of
	}
	return x[0].in.line(x[0].rows.from + i), x[0].of
}

// marks reports whether a side changed its line i, and returns the bytes that are new.
func (p *region) marks(s side, i int) (changed bool, words []diff.Span) {
	switch {
	case s != theirs && s != mine || p.diff[theirs] == nil:
		return false, nil
	case p.diff[mine] != nil:
		return marksOf(p.diff[s], diff.Added, i)
	case s == mine: // without a base they are compared with each other
		return marksOf(p.diff[theirs], diff.Added, i)
	}
	return marksOf(p.diff[theirs], diff.Removed, i)
}
