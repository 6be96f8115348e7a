package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/diff"
	"github.com/memend/memend/versions/drafts"
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

// patching asks hunk by hunk, with the letters of git add -p.
type patching struct {
	p    *storeOpener
	cmd  *cobra.Command
	s    *engine.Store
	at   int             // the memory that it asks about
	quit bool            // nothing more is asked
	left map[string]bool // hunks that stay to be decided
	past []leftHunk      // these in their order, for k
}

// leftHunk is a hunk that was left to be decided, and its memory.
type leftHunk struct {
	id string
	at int
}

const patchHelp = `y - keep this hunk
u - undo this hunk, by a new version
n - leave this hunk to be decided
q - quit; leave this hunk and all that follow
a - keep this hunk and all that follow in the memory
d - leave this hunk and all that follow in the memory
e - edit the memory at this hunk; what you save is reviewed
j - leave this hunk, go to the next one
k - go back to the hunk that was left last
? - print help`

// reviewPatch asks about each hunk of a store.
func reviewPatch(cmd *cobra.Command, p *storeOpener, s *engine.Store, session versions.SessionID) error {
	r := patching{p: p, cmd: cmd, s: s, left: map[string]bool{}}
	session, err := homeSession(cmd.Context(), s.Trail, session)
	if err != nil {
		return err
	}
	_, made, err := unreviewedOf(cmd.Context(), s, session)
	if err != nil {
		return err
	}
	acts, err := review.Weighed(cmd.Context(), s, me(), made, session)
	if err != nil {
		return err
	}
	all := memoriesOf(acts)
	held, err := review.Held(cmd.Context(), s, versions.HeldFilter{State: versions.HeldWaiting, Session: session})
	if err != nil {
		return err
	}
	switch {
	case len(held) > 0:
		p.println("%s held: `memend review accept`, `edit` and `reject` decide about it", pluralIs(len(held), "change"))
	case len(all) == 0:
		reportEmpty(&p.console, s, "nothing is to be reviewed")
	}
	var failed error
	var before error // why the hunk that was shown last could not be decided
	for shown := -1; r.at < len(all) && !r.quit; {
		of, err := review.PendingOf(cmd.Context(), s, all[r.at], me())
		if err != nil {
			return err
		}
		rest := slices.DeleteFunc(of.Hunks(), func(h review.Hunk) bool { return r.left[h.ID] })
		if before != nil {
			r.refused(before, len(rest) > 0)
			before = nil
		}
		if len(rest) == 0 {
			r.at++
			continue
		}
		if shown != r.at {
			p.println("%s (memory %d of %d)", p.toolPath(of.Path()), r.at+1, len(all))
			shown = r.at
		}
		switch err = r.ask(of, rest); {
		case errors.Is(err, review.ErrShownBefore):
			before = err
		case cmd.Context().Err() != nil:
			return err
		case err != nil: // the hunk is asked about again
			reportError(&p.console, err)
			failed = errReported // and others may be decided
		}
	}
	return failed
}

// refused says why nothing was decided, and whether what is left of the memory is shown again.
func (r *patching) refused(err error, again bool) {
	why := errorText(err)
	if again {
		why += ": shown again"
	}
	r.p.println("%s", r.p.safe(why))
	if h := hint(err); h != "" {
		r.p.println("  hint: %s", r.p.safe(h))
	}
}

// ask asks about the first of some hunks of a memory.
func (r *patching) ask(of review.Pending, rest []review.Hunk) error {
	ctx, h := r.cmd.Context(), rest[0]
	printHunk(&r.p.console, &of, of.Diff(), h)
	answer, line := r.p.askUntilEnd("Keep this hunk [y,u,n,q,a,d,e,j,k,?]? ")
	if !line {
		answer = "q"
	}
	switch answer {
	case "": // asked again
	case "y":
		return keepHunks(ctx, &r.p.console, r.s, of, h)
	case "u":
		_, err := undoHunks(ctx, &r.p.caller, r.s, of, h)
		return err
	case "a":
		return keepHunks(ctx, &r.p.console, r.s, of, rest...)
	case "n", "j":
		r.leave(h)
	case "d":
		r.leave(rest...)
	case "e":
		return r.edit(of, h)
	case "k":
		if len(r.past) == 0 {
			r.p.println("no hunk before this one was left")
			return nil
		}
		last := r.past[len(r.past)-1]
		r.past = r.past[:len(r.past)-1]
		delete(r.left, last.id)
		r.at = last.at
	case "q":
		r.quit = true
	default:
		r.p.println("%s", patchHelp)
	}
	return nil
}

func (r *patching) leave(hunks ...review.Hunk) {
	for _, h := range hunks {
		r.left[h.ID] = true
		r.past = append(r.past, leftHunk{h.ID, r.at})
	}
}

// edit opens the memory at a hunk. What is saved is the person's, and the hunk is reviewed with it.
func (r *patching) edit(of review.Pending, h review.Hunk) error {
	if !of.Now.Exists {
		r.p.println("it is deleted: u brings it back")
		return nil
	}
	editor, err := editorCommand(r.p, r.cmd, "a person edits it, at a terminal")
	if err != nil {
		return err
	}
	ctx := r.cmd.Context()
	d := draft{what: "edit " + of.Now.Path.Tool(), name: drafts.EditName(of.Now.Path), text: of.Now.Text, line: h.Part.Edit.New + 1}
	return d.edit(&r.p.console, r.cmd, r.s, editor, func(text []byte) error {
		if bytes.Equal(text, of.Now.Text) {
			r.p.println("nothing was decided: the text was not edited; y keeps it as it is")
			return nil
		}
		c, _, err := review.Edit(ctx, r.s, r.p.by, of, text, h)
		if err == nil {
			reportChange(&r.p.console, c)
		}
		return err
	})
}
