package cli

import (
	"bytes"
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/drafts"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/review"
)

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
	acts, err := actsToReview(cmd.Context(), s, session)
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
		u, err := undecidedBy(cmd.Context(), s, all[r.at], session)
		if err != nil {
			return err
		}
		rest := slices.DeleteFunc(u.hunks, func(h review.Hunk) bool { return r.left[h.ID] })
		if before != nil {
			r.refused(before, len(rest) > 0)
			before = nil
		}
		if len(rest) == 0 {
			r.at++
			continue
		}
		if shown != r.at {
			p.println("%s (memory %d of %d)", p.toolPath(u.of.Path()), r.at+1, len(all))
			shown = r.at
		}
		switch err = r.ask(u.of, rest); {
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
