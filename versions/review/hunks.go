package review

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/diff"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/plan"
	"github.com/memend/memend/versions/planning"
)

// HunkKind is what a hunk does to a memory.
type HunkKind string

const (
	Edited  HunkKind = "edited" // some of its lines
	Created HunkKind = "created"
	Renamed HunkKind = "renamed"
	Deleted HunkKind = "deleted"
	Unknown HunkKind = "unknown"      // what was reviewed is redacted: it can be kept, as it is now, and not be undone
	Back    HunkKind = "changed back" // somebody changed it, and it is what it was: it came and went, if it does not exist
)

// Hunk is one thing to decide about a memory.
type Hunk struct {
	ID   string // of what it changes: the same in every process, as long as that stays
	Kind HunkKind
	Part diff.Part // of Diff: the lines that it changes, if any
}

// Diff is the difference that the edits are parts of.
func (p *Pending) Diff() *diff.Diff { return diff.Lines(p.Was.Text, p.Now.Text) }

// Hunks returns what is to be decided, a rename before the edits. Parts of edits are decided as hunks of their own.
func (p *Pending) Hunks() (out []Hunk) {
	seen := map[string]int{}
	add := func(k HunkKind, part diff.Part, old, new string) {
		what := strings.Join([]string{string(p.Memory), string(k), old, new}, "\x00")
		sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%d", what, seen[what])) // the same edit may occur more than once
		seen[what]++
		out = append(out, Hunk{hex.EncodeToString(sum[:8]), k, part})
	}
	switch {
	case p.Was.Redacted:
		add(Unknown, diff.Part{}, "", strconv.FormatInt(p.Change, 10))
		return out
	case p.back:
		add(Back, diff.Part{}, "", strconv.FormatInt(p.Change, 10))
		return out
	case !p.Was.Exists && !p.Now.Exists:
		return nil
	case !p.Was.Exists:
		add(Created, p.whole(), "", p.Now.Path.Rel()+"\x00"+string(p.Now.Text))
		return out
	case !p.Now.Exists:
		add(Deleted, p.whole(), p.Was.Path.Rel()+"\x00"+string(p.Was.Text), "")
		return out
	case p.Was.Path != p.Now.Path:
		add(Renamed, diff.Part{}, p.Was.Path.Rel(), p.Now.Path.Rel())
	}
	d := p.Diff()
	for _, e := range d.Edits() {
		var old, new bytes.Buffer
		for i := range e.OldLines {
			old.Write(d.OldLine(e.Old + i))
		}
		for i := range e.NewLines {
			new.Write(d.NewLine(e.New + i))
		}
		add(Edited, e.Whole(), old.String(), new.String())
	}
	return out
}

// whole returns the lines of a memory that comes or goes.
func (p *Pending) whole() diff.Part {
	edits := p.Diff().Edits()
	if len(edits) == 0 {
		return diff.Part{}
	}
	return edits[0].Whole()
}

// With returns what is reviewed of the memory when some hunks are kept, for Keep.
func (p *Pending) With(hunks ...Hunk) Side { return p.decide(p.Was, p.Now, (*diff.Diff).With, hunks) }

// Without returns the memory when some hunks are undone, for Undo.
func (p *Pending) Without(hunks ...Hunk) Side {
	return p.decide(p.Now, p.Was, (*diff.Diff).Without, hunks)
}

func (p *Pending) decide(from, to Side, mix func(*diff.Diff, ...diff.Part) []byte, hunks []Hunk) Side {
	var parts []diff.Part
	for _, h := range hunks {
		switch h.Kind {
		case Created, Deleted, Unknown:
			return to
		case Renamed:
			from.Path = to.Path
		case Edited:
			parts = append(parts, h.Part)
		}
	}
	if len(parts) > 0 {
		from.Text = mix(p.Diff(), parts...)
	}
	return from
}

// WithLines returns what is reviewed of the memory when some lines of its edits are kept, for Keep. It may be created, or deleted.
func (p *Pending) WithLines(parts ...diff.Part) Side {
	return p.Was.withText(p.Now, p.Diff().With(parts...))
}

// WithoutLines returns the memory when some lines of its edits are undone, for Undo.
func (p *Pending) WithoutLines(parts ...diff.Part) Side {
	return p.Now.withText(p.Was, p.Diff().Without(parts...))
}

// withText returns the side with a text between its own and that of the other.
func (s Side) withText(other Side, text []byte) Side {
	switch {
	case !(s.Exists && other.Exists) && string(text) == string(other.Text):
		return other
	case !s.Exists:
		s.Exists, s.Path = true, other.Path
	}
	s.Text = text
	return s
}

// Undo makes a memory what it is without some hunks, by a change; its number is 0 if nothing had to be done. A
// deletion that is undone brings the text back as it was before it: hunks of it may be left. There is nothing to undo in what
// was changed back: it is kept, as only a person may; Unmark takes that back. There is nothing to go back to where what was
// reviewed is redacted. It fails with ErrShownBefore if the memory changed since.
func Undo(ctx context.Context, s *core.Store, by versions.By, p Pending, without Side) (c versions.Change, before Marks, err error) {
	if p.back {
		before, err = Keep(ctx, s, by.Actor, p, p.Now)
		return c, before, err
	}
	if err := p.checkNow(ctx, s); err != nil {
		return c, before, err
	}
	if p.Was.Redacted {
		return c, before, fmt.Errorf("undo hunks of %s: what was reviewed before: %w", p.Path().Tool(), versions.ErrRedacted)
	}
	g := plan.UndoHunks{Memory: p.Memory, Since: p.Since, Shown: p.Now.state(), Then: without.state()}
	if !p.Now.Exists && without.Exists {
		g.Then = p.last
	}
	c, err = plan.Do(ctx, s, by, g)
	switch conflict := (*versions.ConflictError)(nil); {
	case errors.Is(err, versions.ErrNothing):
		err = nil
	case errors.As(err, &conflict):
		err = fmt.Errorf("%s: %w", p.Path().Tool(), ErrShownBefore)
	}
	return c, before, err
}

func (s Side) state() planning.State {
	if !s.Exists {
		return planning.State{}
	}
	return planning.WithText(s.Path, versions.NonNil(s.Text))
}

// Edit writes a text of the person's own in place of a hunk, and marks the hunk as kept with it. If the process dies in between, the
// hunk is still to be decided, with what they wrote. An undo brings back the text, and what was to be decided of it; Unmark brings back
// also what was kept of it before. Only a person may edit a hunk.
func Edit(ctx context.Context, s *core.Store, by versions.By, p Pending, text []byte, h Hunk) (c versions.Change, before Marks, err error) {
	if !by.Person() {
		return c, before, fmt.Errorf("edit %s in a review: %w", p.Now.Path.Tool(), versions.ErrPersonsOnly)
	}
	if err := p.checkNow(ctx, s); err != nil {
		return c, before, err
	}
	c, err = s.Write(ctx, by, p.Now.Path, text, versions.Pre{SHA256: sha256.Sum256(p.Now.Text)})
	if conflict := (*versions.ConflictError)(nil); errors.As(err, &conflict) {
		return c, before, fmt.Errorf("%s: %w", p.Path().Tool(), ErrShownBefore)
	}
	if err != nil {
		return c, before, err
	}
	err = changeReview(ctx, s, func(x *core.Txn) error {
		k, err := markOf(s, x, p.Memory)
		before.of = []mark{k}
		if err != nil || k.upTo >= p.Change { // all of it was reviewed meanwhile
			return err
		}
		k.kept, k.at = p.With(h), p.Number
		if err := putMark(s, x, k); err != nil {
			return err
		}
		now, err := pendingIn(s, x, p.Memory, 0, by.Actor)
		switch {
		case err != nil:
			return err
		case c.Number > 0: // what is reviewed belongs to the edit, whose undo brings the hunk back
			k.kept, k.at = now.Was, now.Number
		case now.Decided():
			k.own, k.kept, k.at = now.Change, Side{}, 0
		}
		return putMark(s, x, k)
	})
	return c, before, err
}
