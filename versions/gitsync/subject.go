package gitsync

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/git"
	"github.com/memend/memend/versions/internal/tables"
	"github.com/memend/memend/versions/review"
)

// author is who made a change, as git writes it. The person who syncs is named as git's settings say.
func (w *writer) author(r *versions.Record) string {
	a, email := r.By.Actor, r.Email
	if email == "" && a == w.by.Actor {
		var name string
		name, email = w.o.Me()
		a.Name = cmp.Or(strings.TrimSpace(word(name)), a.Name)
	}
	return author(a, email, r.Time)
}

// told says what a change did. An undo by which a person rejected a change also says why: that is the change's message.
func (w *writer) told(ctx context.Context, r *versions.Record) (string, error) {
	c := r.Change()
	subject, err := w.subject(ctx, c)
	if err != nil || c.Kind != versions.KindUndo || r.Message != "" {
		return subject, err
	}
	rejected, err := w.rejected(ctx)
	for _, h := range rejected {
		if h.Change == c.Number {
			because(r, subject, h.Reason)
		}
	}
	return subject, err
}

// subject says what a change did, in words that hold on every machine: what an undo or a redo is of, only the trail says in
// full, and it has another number in each home. The undo of an undo is a redo, as git reapplies what it reverted twice.
func (w *writer) subject(ctx context.Context, c versions.Change) (string, error) {
	if c.Kind != versions.KindUndo && c.Kind != versions.KindRedo {
		return w.o.Subject(c, ""), nil
	}
	by := c.Actor
	c, err := w.numbered(ctx, c.Number)
	for err == nil && c.Undoes != 0 {
		undone, failed := w.numbered(ctx, c.Undoes)
		switch {
		case failed != nil:
			return "", failed
		case undone.Kind != versions.KindUndo && undone.Kind != versions.KindRedo:
			return w.o.Subject(c, named(w.o.Subject(undone, ""), undone.Actor, by)), nil
		case c.Kind == versions.KindUndo && undone.Kind == versions.KindUndo:
			undone.Kind = versions.KindRedo
		case c.Kind == versions.KindUndo:
			undone.Kind = versions.KindUndo
		}
		c = undone
	}
	return w.o.Subject(c, ""), err
}

func (w *writer) numbered(ctx context.Context, n int64) (versions.Change, error) {
	return tables.ScanChange(w.s.Trail.DB.Row(ctx, tables.ChangeNumbered, w.s.Row, n))
}

// named names a change by its subject, and by its author unless by is the same.
func named(subject string, author, by versions.Actor) string {
	s := strconv.Quote(subject)
	if author != by {
		s += " of " + cmp.Or(author.Name, string(author.Kind))
	}
	return s
}

// rejected are the changes that persons rejected, the oldest first.
func (w *writer) rejected(ctx context.Context) (_ []versions.Held, err error) {
	if w.rejects == nil {
		w.rejects, err = review.Held(ctx, w.s, versions.HeldFilter{State: versions.HeldRejected})
	}
	return w.rejects, err
}

// effects lists what a commit does, which no change of the store did.
func (w *writer) effects(gone map[string]bool, put map[string]git.Entry) (out []versions.RecordVersion) {
	add := func(at string, o versions.Operation) {
		if p, ok := w.memory(at); ok {
			out = append(out, versions.RecordVersion{Operation: o, Path: p})
		}
	}
	for _, at := range slices.Sorted(maps.Keys(put)) {
		if w.files[at].Regular() {
			add(at, versions.Modified)
		} else {
			add(at, versions.Created)
		}
	}
	for _, at := range slices.Sorted(maps.Keys(gone)) {
		add(at, versions.Deleted)
	}
	return out
}

// decided says what a commit did that no change of the store did, unless subject says it: what persons rejected since the
// last commit, and why; else what became of the memories.
func (w *writer) decided(ctx context.Context, r *versions.Record, subject string) (string, error) {
	var at []memfs.Path
	for _, v := range r.Versions {
		at = append(at, v.Path)
	}
	r.Path = versions.Common(at)
	rejected, err := w.rejected(ctx)
	if err != nil {
		return "", err
	}
	var since time.Time
	if len(rejected) > 0 && w.b.Head != "" {
		seconds, err := output(ctx, w.dir, "show", "-s", "--format=%ct", w.b.Head)
		if err != nil {
			return "", err
		}
		n, err := strconv.ParseInt(seconds, 10, 64)
		if err != nil {
			return "", err
		}
		since = time.Unix(n, 0)
	}
	var each, why []string
	for _, h := range rejected {
		if h.By.Door != versions.DoorGit || h.Decided.Before(since) || !slices.ContainsFunc(at, func(p memfs.Path) bool { return h.Items > 1 || p == h.Path || p == h.To }) {
			continue
		}
		of := w.o.Subject(versions.Change{Kind: h.Kind, Path: h.Path, To: h.To, Versions: h.Items}, "")
		each, why = append(each, "rejected "+named(of, h.By.Actor, r.By.Actor)), append(why, h.Reason)
	}
	switch {
	case subject == "" && len(each) == 0:
		return w.o.Subject(r.Change(), ""), nil
	case subject == "" && len(each) == 1:
		return because(r, each[0], why[0]), nil
	case subject == "":
		subject = fmt.Sprintf("rejected %d changes", len(each))
	}
	for i := range each {
		if why[i] != "" {
			each[i] += ": " + why[i]
		}
	}
	return because(r, subject, strings.Join(each, "\n")), nil
}

// because gives a change a message that also says why it was made, if there is a reason. It returns its subject.
func because(r *versions.Record, subject, why string) string {
	if why != "" {
		r.Message = subject + "\n\n" + why
	}
	return subject
}
