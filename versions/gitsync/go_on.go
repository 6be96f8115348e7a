package gitsync

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/exchange"
	"github.com/memend/memend/versions/internal/core"
)

// GoOn takes in what came into a repository since its history was imported: the commits of its HEAD after the newest whose
// session the store has. It writes nothing there. started is false if the store has none of its commits. Commits that HEAD
// no longer has, nor under another name as after a rebase, are a *[RewrittenError] unless Options.Rewrite is set: then their
// changes stay in the store as they are, and what is new comes in.
func GoOn(ctx context.Context, s *core.Store, by versions.By, dir, subdir string, o Options) (r Result, started bool, err error) {
	if err := MayTakeIn(ctx, s, by); err != nil {
		return r, false, err
	}
	prefix, err := output(ctx, dir, "rev-parse", "--show-prefix")
	if err != nil {
		return r, false, err
	}
	head, err := exchange.Head(ctx, dir)
	if err != nil {
		return r, false, err
	}
	w := &run{s: s, o: o, dir: dir, remote: head, left: map[string]bool{}}
	if w.b.Subdir = path.Join(prefix, filepath.ToSlash(subdir)); w.b.Subdir == "." {
		w.b.Subdir = ""
	}
	list, err := output(ctx, dir, "rev-list", "--first-parent", head)
	if err != nil {
		return r, false, err
	}
	for id := range strings.FieldsSeq(list) {
		known, err := HasSession(ctx, s, versions.SessionID(id))
		if err != nil {
			return r, false, err
		}
		if known {
			w.b.Head = id
			break
		}
	}
	found, err := w.renamed(ctx)
	if started = found || w.b.Head != ""; err != nil || !started {
		return r, started, err
	}
	err = w.takeIn(ctx, w.b.Head)
	return w.Result, true, err
}

// renamed looks for the commits that were imported last and that HEAD no longer has, and records as known what they are now.
// It returns an error if some are nothing any more, and found if HEAD has any.
func (r *run) renamed(ctx context.Context) (found bool, err error) {
	list, err := output(ctx, r.dir, "rev-list", r.remote)
	if err != nil {
		return false, err
	}
	has, elsewhere := words(list), words("")
	if list, err = output(ctx, BranchDir(r.s), "rev-list", "--all"); err == nil { // the store has a branch, too
		elsewhere = words(list)
	}
	var was []versions.TakenCommit
	for c, err := range TakenCommits(ctx, r.s) {
		if err != nil {
			return false, err
		}
		if has[c.ID] {
			break
		}
		if !elsewhere[c.ID] {
			was = append(was, c)
		}
	}
	if len(was) == 0 {
		return false, nil
	}
	now, err := r.commits(ctx, r.b.Head, r.remote)
	if err != nil {
		return false, err
	}
	there := map[string][]string{}
	for _, t := range now {
		k := taken(t.in.By.Actor.Name, t.in.Email, t.in.Time, t.subject)
		there[k] = append(there[k], t.in.Commit)
	}
	var again, lost []string
	for _, c := range was {
		subject, _, _ := strings.Cut(c.Message, "\n")
		k := taken(c.Author, c.Email, c.Time, subject)
		if same := there[k]; len(same) > 0 {
			again, there[k] = append(again, same[len(same)-1]), same[:len(same)-1]
		} else {
			lost = append(lost, fmt.Sprintf("%.10s %s", c.ID, subject))
		}
	}
	if found = len(again) > 0; !found && r.b.Head == "" {
		return false, nil // another repository
	}
	if len(lost) > 0 && !r.o.Rewrite {
		name, err := output(ctx, r.dir, "rev-parse", "--abbrev-ref", "HEAD")
		if err != nil {
			return found, err
		}
		return found, &RewrittenError{name, lost}
	}
	for _, id := range again {
		if err := SetShared(ctx, r.s, id); err != nil {
			return found, err
		}
	}
	return found, nil
}

func words(s string) map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(s) {
		out[w] = true
	}
	return out
}

// taken is what a commit keeps when it is rewritten.
func taken(author, email string, when time.Time, subject string) string {
	return fmt.Sprintf("%s\x00%s\x00%d\x00%s", author, email, when.Unix(), subject)
}
