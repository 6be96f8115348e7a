package talk

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/ui/wording"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/diff"
)

// Store is the part of a store that is needed to show what a call changed. Its methods may
// block.
type Store interface {
	// Change returns a change with its versions.
	Change(ctx context.Context, n int64) (versions.Change, []versions.Version, error)
	// History lists versions of a memory, newest first, before the version with the number
	// before.
	History(ctx context.Context, m versions.MemoryID, before int, limit int) ([]versions.Version, error)
	// Content returns the text of a version.
	Content(ctx context.Context, v versions.VersionID) ([]byte, error)
}

// inline is the diff of a call's change in the transcript.
type inline struct {
	rows           []diffRow
	more           int // rows that were dropped
	added, removed int
	line           int              // the first new one, from 1
	version        versions.Version // made by the call; zero if it made several

	wrappedAt int // columns of the pieces
	pieces    []diffPiece
}

// diffRow is a line of a diff, or a note instead of it.
type diffRow struct {
	kind  diff.Kind
	words string // a note instead of a line
	text  string
	spans []diff.Span
}

const (
	briefRows = 8   // of a diff that are shown by default
	maxRows   = 200 // of a diff that are kept; the history shows all
	lineBytes = 2 << 10
	maxLead   = 200 // bytes of a line before its first difference
)

// rest returns how many rows a folded diff hides.
func (d *inline) rest(n int) string {
	return "⋯ " + draw.Plural(len(d.pieces)-n+d.more, "more row", "more rows")
}

// inlineOf returns the diff of a change.
func inlineOf(ctx context.Context, store Store, n int64) *inline {
	_, list, err := store.Change(ctx, n)
	switch {
	case err != nil:
		return words(hidden(err))
	case len(list) != 1:
		d := &inline{}
		for i, v := range list {
			if i == maxRows {
				d.rows = append(d.rows, diffRow{words: "… and " + strconv.Itoa(len(list)-i) + " more"})
				break
			}
			d.added, d.removed = d.added+v.Added, d.removed+v.Removed
			d.rows = append(d.rows, diffRow{words: wording.Did(v) + " " + v.Path.String()})
		}
		return d
	}
	v := list[0]
	old, now, why := Texts(ctx, store, v)
	d := words(why)
	if why == "" {
		d = compare(old, now)
	}
	d.version = v
	return d
}

func words(s string) *inline { return &inline{rows: []diffRow{{words: s}}} }

// Texts returns the texts before and after a version, or why they can't be shown. Of the
// version only its memory, number and id are used.
func Texts(ctx context.Context, store Store, v versions.Version) (before, after []byte, why string) {
	if v.Number > 1 {
		page, err := store.History(ctx, v.Memory, v.Number, 1)
		if err != nil {
			return nil, nil, hidden(err)
		}
		if len(page) > 0 {
			before, why = content(ctx, store, page[0].ID)
		}
	}
	if why == "" {
		after, why = content(ctx, store, v.ID)
	}
	return before, after, why
}

// content returns the text of a version, nothing for a deletion, or why it can't be shown.
func content(ctx context.Context, store Store, id versions.VersionID) (b []byte, why string) {
	b, err := store.Content(ctx, id)
	switch {
	case errors.Is(err, versions.ErrRedacted):
		return nil, "It was redacted: its content is gone for good."
	case errors.Is(err, versions.ErrDeletion):
		return nil, ""
	case err != nil:
		return nil, hidden(err)
	}
	return b, ""
}

// hidden returns why something can't be shown.
func hidden(err error) string { return "Can't be shown: " + err.Error() }

// compare returns the rows of a diff with one line of context.
func compare(old, now []byte) *inline {
	d := diff.Lines(old, now)
	out := &inline{added: d.Added, removed: d.Removed}
	if e := d.Edits(); len(e) > 0 {
		out.line = e[0].New + 1
	}
	at := 0 // rows passed so far
	for _, h := range d.Hunks(1) {
		if h.Row > at && len(out.rows) < maxRows {
			out.rows = append(out.rows, diffRow{words: "⋯ " + draw.Plural(h.Row-at, "line", "lines")})
		}
		at = h.Row + h.Rows
		for i := h.Row; i < at; i++ {
			if len(out.rows) >= maxRows {
				out.more++
				continue
			}
			out.rows = append(out.rows, rowOf(d, d.Row(i)))
		}
	}
	if out.more > 0 {
		out.rows = append(out.rows, diffRow{words: "⋯ " + draw.Plural(out.more, "more row", "more rows") + " in the version"})
		out.more-- // the note replaces one of them
	}
	return out
}

// rowOf returns the row of a line. It begins near the first difference, because only a few rows of a diff are shown.
func rowOf(d *diff.Diff, l diff.Line) diffRow {
	r, from := diffRow{kind: l.Kind}, 0
	if s := d.Differences(l); len(s) > 0 && s[0].Start > maxLead {
		from = runeStart(l.Text, s[0].Start-maxLead/2)
		r.text = "…"
	}
	to := runeStart(l.Text, from+lineBytes)
	shift := len(r.text) - from
	r.text += strings.TrimRight(string(l.Text[from:to]), "\r\n")
	if to < len(l.Text) {
		r.text += "…"
	}
	for _, s := range d.Words(l) {
		if s.Start+shift < len(r.text) {
			r.spans = append(r.spans, diff.Span{Start: s.Start + shift, End: min(s.End+shift, len(r.text))})
		}
	}
	return r
}

// runeStart returns where the character at a byte begins, or the end of the text.
func runeStart[T string | []byte](s T, at int) int {
	for at > 0 && at < len(s) && !utf8.RuneStart(s[at]) {
		at--
	}
	return min(at, len(s))
}

// mergeSpans merges matches into the marks of changed words; where they overlap, the match wins.
func mergeSpans(words, hits []text.Span) []text.Span {
	for _, h := range hits {
		var out []text.Span
		for _, s := range words {
			if s.From < h.From {
				out = append(out, text.Span{From: s.From, To: min(s.To, h.From), On: s.On})
			}
			if s.To > h.To {
				out = append(out, text.Span{From: max(s.From, h.To), To: s.To, On: s.On})
			}
		}
		words = append(out, h)
	}
	slices.SortFunc(words, func(a, b text.Span) int { return a.From - b.From })
	return words
}
