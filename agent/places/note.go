package places

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/diff"
)

// Some tools write their memories anew from what they know, and would lose a person's correction. Such a tool has a
// place for notes that it takes as authoritative (row.notes).

// NoteStore is the part of a store that NoteFor reads.
type NoteStore interface {
	VersionAt(ctx context.Context, p memfs.Path, number int) (versions.Version, error)
	History(ctx context.Context, m versions.MemoryID, before, limit int) ([]versions.Version, error)
	Content(ctx context.Context, v versions.VersionID) ([]byte, error)
}

// NeedsNote reports whether a change by a person is a correction that the tool would lose without a note.
func NeedsNote(store versions.StoreInfo, c versions.Change) bool {
	notes := rowOf(KindOf(store)).notes
	switch {
	case notes == "" || c.Number == 0 || c.Versions != 1 || c.Actor.Kind != versions.Person:
		return false
	case c.Kind != versions.KindCreate && c.Kind != versions.KindEdit:
		return false
	}
	return !strings.HasPrefix(c.Path.Rel(), strings.SplitN(notes, "/", 2)[0]+"/")
}

// NoteFor returns the note about a correction: its path and its text. It is nil if the change changed no line.
func NoteFor(ctx context.Context, s NoteStore, store versions.StoreInfo, c versions.Change, now time.Time) (at memfs.Path, text []byte, err error) {
	v, err := s.VersionAt(ctx, c.Path, 0)
	if err != nil {
		return at, nil, err
	}
	after, err := s.Content(ctx, v.ID)
	if err != nil {
		return at, nil, err
	}
	var before []byte
	if v.Number > 1 {
		earlier, err := s.History(ctx, v.Memory, v.Number, 1)
		if err == nil && len(earlier) == 1 && earlier[0].Operation != versions.Deleted {
			before, err = s.Content(ctx, earlier[0].ID)
		}
		if err != nil {
			return at, nil, err
		}
	}
	name := now.Format("2006-01-02T15-04-05") + "-" + noteSlug(c.Path) + ".md"
	at, err = memfs.ParsePath(rowOf(KindOf(store)).notes + "/" + name)
	return at, noteText(c.Path, before, after), err
}

// noteText says which lines a person removed and added.
func noteText(p memfs.Path, before, after []byte) []byte {
	d := diff.Lines(before, after)
	if d.Identical() {
		return nil
	}
	var removed, added bytes.Buffer
	line := func(b *bytes.Buffer, text []byte) {
		if text = bytes.TrimSpace(text); len(text) > 0 {
			fmt.Fprintf(b, "- %s\n", bytes.TrimPrefix(text, []byte("- ")))
		}
	}
	for _, e := range d.Edits() {
		for i := range e.OldLines {
			line(&removed, d.OldLine(e.Old+i))
		}
		for i := range e.NewLines {
			line(&added, d.NewLine(e.New+i))
		}
	}
	out := fmt.Appendf(nil, "The user corrected the memories by hand, in %s.\n", p.Rel())
	if removed.Len() > 0 {
		out = fmt.Appendf(out, "\nNo longer true, forget it:\n\n%s", removed.Bytes())
	}
	if added.Len() > 0 {
		out = fmt.Appendf(out, "\nTrue, remember it:\n\n%s", added.Bytes())
	}
	return out
}

// noteSlug makes a part of a file's name of a path: lower-case letters, digits and hyphens.
func noteSlug(p memfs.Path) string {
	s := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		case r >= 'A' && r <= 'Z':
			return r - 'A' + 'a'
		}
		return '-'
	}, strings.TrimSuffix(p.Base(), ".md"))
	return "correct-" + strings.Trim(s[:min(len(s), 60)], "-")
}
