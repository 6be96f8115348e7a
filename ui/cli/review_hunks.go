package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/diff"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/match"
	"github.com/memend/memend/versions/review"
)

// hunkJSON is a hunk of a memory that is to be reviewed. Lines are those of the text that was reviewed and of the one that is
// current, from 1.
type hunkJSON struct {
	ID       string          `json:"id"`
	Kind     review.HunkKind `json:"kind"`
	OldStart int             `json:"old_start,omitempty"`
	OldLines int             `json:"old_lines,omitempty"`
	NewStart int             `json:"new_start,omitempty"`
	NewLines int             `json:"new_lines,omitempty"`
	hunkText
	From string `json:"from_path,omitempty"` // of a rename
}

// hunkText is the lines of a hunk. Those of a text that is not UTF-8 are bytes.
type hunkText struct {
	Removed        []string `json:"old_text,omitempty"`
	Added          []string `json:"new_text,omitempty"`
	RemovedEncoded [][]byte `json:"old_text_base64,omitempty"`
	AddedEncoded   [][]byte `json:"new_text_base64,omitempty"`
}

func hunkOf(p *review.Pending, d *diff.Diff, h review.Hunk) hunkJSON {
	j := hunkJSON{ID: h.ID, Kind: h.Kind}
	if h.Kind == review.Renamed {
		j.From = p.Was.Path.Tool()
	}
	e := h.Part.Edit
	j.OldLines, j.NewLines = e.OldLines, e.NewLines
	if h.Kind == review.Edited || h.Kind == review.Deleted {
		j.OldStart = e.Old + 1
	}
	if h.Kind == review.Edited || h.Kind == review.Created {
		j.NewStart = e.New + 1
	}
	j.Removed, j.RemovedEncoded = hunkLines(d.Old(), e.Old, e.OldLines, d.OldLine)
	j.Added, j.AddedEncoded = hunkLines(d.New(), e.New, e.NewLines, d.NewLine)
	return j
}

func hunkLines(text []byte, first, n int, line func(int) []byte) (lines []string, encoded [][]byte) {
	valid := utf8.Valid(text)
	for i := range n {
		if valid {
			lines = append(lines, string(line(first+i)))
		} else {
			encoded = append(encoded, line(first+i))
		}
	}
	return lines, encoded
}

// shownID is how much of a hunk's id is printed, and minID how much of its beginning names it, if no other hunk has that: one of
// fewer letters would name another hunk with the next change.
const (
	shownID = 7
	minID   = 4
)

// printHunk prints a hunk with the lines around it. A memory that comes or goes is its whole text.
func printHunk(p *console, of *review.Pending, d *diff.Diff, h review.Hunk) {
	id := h.ID[:shownID]
	switch h.Kind {
	case review.Renamed:
		p.println("  %s renamed from %s", id, p.toolPath(of.Was.Path))
		return
	case review.Unknown:
		p.println("  %s unknown: what you had reviewed is redacted; read it, and keep it", id)
		return
	case review.Back:
		if of.Now.Exists {
			p.println("  %s changed back: it is what you reviewed", id)
		} else {
			p.println("  %s created and deleted since", id)
		}
		return
	}
	lines := d.Around(h.Part.Edit, hunkContext)
	what := lines.Header()
	switch h.Kind {
	case review.Created:
		what = "created, " + plural(d.NewLines(), "line")
	case review.Deleted:
		what = "deleted, " + plural(d.OldLines(), "line")
	}
	text := utf8.Valid(d.Old()) && utf8.Valid(d.New())
	about := notText(d.Old(), d.New())
	if text {
		about = changedLines(d, lines).Invisible()
	}
	p.println("%s", strings.TrimRight("  "+id+" "+what+"  "+about, " "))
	if text {
		printUnified(p, d, unifiedLines(d, lines), "  ")
	}
}

// changedLines compares what a hunk removes with what it adds.
func changedLines(d *diff.Diff, h diff.Hunk) *diff.Diff {
	var removed, added []byte
	for i := range h.Rows {
		switch l := d.Row(h.Row + i); l.Kind {
		case diff.Removed:
			removed = append(removed, l.Text...)
		case diff.Added:
			added = append(added, l.Text...)
		}
	}
	return diff.Lines(removed, added)
}

// hunkContext is how many lines are printed before and after a hunk.
const hunkContext = 3

// maxHunkLine is how much of a line of a hunk is printed, in bytes: a paragraph without line ends is whole.
const maxHunkLine = 2000

// unifiedLines returns the lines of a hunk in unified form. One that is too long is cut around where it begins to differ.
func unifiedLines(d *diff.Diff, h diff.Hunk) []byte {
	var b bytes.Buffer
	for i := range h.Rows {
		l := d.Row(h.Row + i)
		text, ended := bytes.CutSuffix(l.Text, []byte("\n"))
		b.WriteByte(" -+"[l.Kind])
		if len(text) > maxHunkLine {
			at := 0
			if spans := d.Differences(l); len(spans) > 0 {
				at = min(spans[0].Start, len(text))
			}
			cut := match.Excerpt{Width: maxHunkLine}.Of(nil, text, []match.Span{{Start: at, End: at}})[0]
			before, after := cutMarks(cut)
			text = []byte(before + cut.Text + after)
		}
		b.Write(text)
		b.WriteByte('\n')
		if !ended {
			b.WriteString("\\ No newline at end of file\n")
		}
	}
	return b.Bytes()
}

// undecided is a memory with the hunks of it that are chosen.
type undecided struct {
	of    review.Pending
	hunks []review.Hunk
}

// findHunks returns the memories with the hunks that ids name.
func findHunks(ctx context.Context, p *caller, s *engine.Store, ids []string) (out []undecided, err error) {
	_, made, err := unreviewedOf(ctx, s, "")
	if err != nil {
		return nil, err
	}
	found := map[string]bool{}
	for _, m := range memoriesOf(review.Acts(made, nil)) {
		of, err := review.PendingOf(ctx, s, m, me())
		if err != nil {
			return nil, err
		}
		u := undecided{of: of}
		for _, h := range of.Hunks() {
			for _, id := range ids {
				if !strings.HasPrefix(h.ID, strings.ToLower(id)) {
					continue
				}
				if found[id] {
					return nil, &hinted{fmt.Errorf("review: %s names more than one hunk", id), "`memend review` lists them; give more of the id"}
				}
				found[id] = true
				u.hunks = append(u.hunks, h)
				break
			}
		}
		if len(u.hunks) > 0 {
			out = append(out, u)
		}
	}
	for _, id := range ids {
		if !found[id] {
			return nil, &refusal{&hinted{fmt.Errorf("review: no hunk %s is to be decided", id), "it was decided, or its text changed, since it was listed; `memend review` lists what is to be decided"}}
		}
	}
	return out, nil
}

// memoriesOf lists the memories of acts, in their order.
func memoriesOf(acts []*review.Act) (out []versions.MemoryID) {
	for _, a := range acts {
		for _, m := range a.Memories {
			out = append(out, m.Last().Memory)
		}
	}
	return out
}

// hunkIDs checks ids.
func hunkIDs(cmd *cobra.Command, args []string) error {
	for _, id := range args {
		if len(id) < minID || strings.Trim(id, "0123456789abcdefABCDEF") != "" {
			return misusef(cmd.CommandPath(), "%s: must be the id of a hunk, or at least four letters of its beginning", id)
		}
	}
	return nil
}

func me() versions.Actor { return versions.Actor{Kind: versions.Person, Name: login()} }

func reviewKeepCommand(p *program) *cobra.Command {
	return &cobra.Command{
		Use:         "keep ID...",
		Annotations: map[string]string{changes: always},
		Short:       "Keep hunks of what others changed: they are reviewed",
		RunE: func(cmd *cobra.Command, args []string) error {
			may := func() error { return p.mayDecide("keep " + args[0]) }
			return eachFound(p, cmd, args, may, func(s *engine.Store, u undecided) error {
				return keepHunks(cmd.Context(), &p.console, s, u.of, u.hunks...)
			})
		},
	}
}

// eachFound runs do for the memories of the hunks that ids name, if may allows it.
func eachFound(p *program, cmd *cobra.Command, ids []string, may func() error, do func(*engine.Store, undecided) error) error {
	if err := hunkIDs(cmd, ids); err != nil {
		return err
	}
	if err := may(); err != nil {
		return err
	}
	return p.withStore(cmd.Context(), func(s *engine.Store) error {
		found, err := findHunks(cmd.Context(), &p.caller, s, ids)
		if err != nil {
			return err
		}
		return eachOf(cmd.Context(), &p.console, found, func(u undecided) error { return shownAgain(do(s, u)) })
	})
}

func keepHunks(ctx context.Context, p *console, s *engine.Store, of review.Pending, hunks ...review.Hunk) error {
	if _, err := review.Keep(ctx, s, me(), of, of.With(hunks...)); err != nil {
		return err
	}
	reportKept(p, of, hunks, "")
	return nil
}

func reportKept(p *console, of review.Pending, hunks []review.Hunk, but string) {
	if p.json {
		d := of.Diff()
		for _, h := range hunks {
			p.emit(hunkOf(&of, d, h))
		}
		return
	}
	left := len(of.Hunks()) - len(hunks)
	p.println("kept %s of %s, %d left%s", plural(len(hunks), "hunk"), p.toolPath(of.Path()), left, but)
}

// shownAgain says what to do if a hunk changed since it was read.
func shownAgain(err error) error {
	if errors.Is(err, review.ErrShownBefore) {
		return &refusal{&hinted{err, "this decided nothing; `memend review` shows it as it is now"}}
	}
	return err
}

func reviewUndoCommand(p *program) *cobra.Command {
	return &cobra.Command{
		Use:         "undo ID...",
		Annotations: map[string]string{changes: always},
		Short:       "Undo hunks of what others changed, by new versions",
		RunE: func(cmd *cobra.Command, args []string) error {
			anybody := func() error { return nil } // it is a write like any other
			made := 0
			err := eachFound(p, cmd, args, anybody, func(s *engine.Store, u undecided) error {
				did, err := undoHunks(cmd.Context(), &p.caller, s, u.of, u.hunks...)
				if did {
					made++
				}
				return err
			})
			if made > 1 && p.session == "" && !p.json { // else the session may have made other changes
				p.println("%s undoes these %d changes", p.hintText(fmt.Sprintf("`memend undo --session %s`", p.by.Session)), made)
			}
			return err
		},
	}
}

// undoHunks returns whether it changed something.
func undoHunks(ctx context.Context, p *caller, s *engine.Store, of review.Pending, hunks ...review.Hunk) (bool, error) {
	if of.ChangedBack() { // it is kept
		if err := p.mayDecide("keep " + hunks[0].ID[:shownID]); err != nil {
			return false, err
		}
	}
	c, err := send(ctx, &p.console, s, func(ctx context.Context) (versions.Change, error) {
		c, _, err := review.Undo(ctx, s, p.by, of, of.Without(hunks...))
		return c, err
	})
	switch {
	case err != nil:
		return false, err
	case c.Number > 0:
		reportChange(&p.console, c)
	case of.ChangedBack():
		reportKept(&p.console, of, hunks, "; there was nothing to undo")
	}
	return c.Number > 0, nil
}
