package gitsync

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/disk"
	"github.com/memend/memend/versions/git"
	"github.com/memend/memend/versions/internal/core"
)

// Options of a Sync.
type Options struct {
	NoPull, NoPush bool
	Rewrite        bool                        // replace the branch there by this home's, whatever it has: a person's decision
	Me             func() (name, email string) // of the person who syncs, in git's settings, asked for when a commit is made

	// Subject says what a change did, as the first line of its commit. undone names the one that an undo or a redo is of.
	Subject func(c versions.Change, undone string) string
	Step    func(name string) error // a named point at which tests stop it; may be nil
}

// Result is what a Sync did.
type Result struct {
	Taken    []versions.Change // made here, oldest first
	Imported int               // changes that were made at once, because the store was empty; Taken has none of them
	Held     []int64           // that wait for a person
	Queue    []int64           // all that wait for a person, also those that earlier ones held
	Known    int               // commits that came back, or whose changes the store had
	Sent     int               // changes that became commits
	Waiting  int               // changes that go out after a decision
	Merged   bool              // a commit joins both sides
	Pushed   bool
	LeftOut  []string // what of the branch can't be memories
}

// RewrittenError says that the branch no longer has commits that were taken in.
type RewrittenError struct {
	Branch string
	Lost   []string // "1234567890 subject"
}

func (e *RewrittenError) Error() string {
	s := fmt.Sprintf("branch %s was rewritten: it no longer has %d of the commits that are known here", e.Branch, len(e.Lost))
	return s + ": " + strings.Join(e.Lost[:min(3, len(e.Lost))], "; ")
}

// UnrelatedError says that a branch has no commit in common with the one that the store was kept in step with.
type UnrelatedError struct{ URL, Branch string }

func (e *UnrelatedError) Error() string {
	return fmt.Sprintf("branch %s of %s has no commit in common with the one that the store is kept in step with", e.Branch, e.URL)
}

// ErasedError says that something was redacted that the branch there still has.
type ErasedError struct{ URL, Branch string }

func (e *ErasedError) Error() string {
	return fmt.Sprintf("a text was erased here since the last sync, and branch %s of %s still has it in its history, as has each clone of it", e.Branch, e.URL)
}

// MovedError says that a branch has commits that are not here, which a push alone does not take in, and which a rewrite
// would drop unseen.
type MovedError struct {
	Branch  string
	Rewrite bool // they came while the branch was rewritten
}

func (e *MovedError) Error() string {
	if e.Rewrite {
		return fmt.Sprintf("branch %s got new commits while it was rewritten", e.Branch)
	}
	return fmt.Sprintf("branch %s has commits that are not here", e.Branch)
}

// maxRounds bounds how often a Sync begins again because the branch moves on.
const maxRounds = 10

// run is one Sync.
type run struct {
	Result
	s      *core.Store
	by     versions.By
	o      Options
	b      versions.Branch
	dir    string
	remote string // the branch's commit there
	lost   bool   // Head is not in the repository here
	seen   bool   // it was fetched
	fresh  bool   // the store has no branch yet
	left   map[string]bool
}

// Sync keeps a store in step with a branch. The store must know what other programs did to its folder. by is the person who
// syncs: the author of merges. Only one Sync of a store runs at a time; others wait. Its progress goes to the function of
// versions.WithProgress.
func Sync(ctx context.Context, s *core.Store, by versions.By, b versions.Branch, o Options) (Result, error) {
	r, done, err := open(ctx, s, by, b, o)
	if err != nil {
		return Result{}, err
	}
	defer done()
	for range maxRounds {
		done, err := r.round(ctx)
		if serr := r.saw(ctx); err == nil {
			err = serr
		}
		if err != nil || done {
			return r.result(ctx, err)
		}
	}
	return r.result(ctx, fmt.Errorf("branch %s of %s moved on %d times while this home wrote to it: sync again later", b.Name, git.Shown(b.URL), maxRounds))
}

// result adds what waits for a person to what was done.
func (r *run) result(ctx context.Context, err error) (Result, error) {
	var qerr error
	if r.Queue, qerr = Held(ctx, r.s); err == nil {
		err = qerr
	}
	return r.Result, err
}

// open prepares a run and waits until no other one works on the store.
func open(ctx context.Context, s *core.Store, by versions.By, b versions.Branch, o Options) (r *run, done func(), err error) {
	if err := MayTakeIn(ctx, s, by); err != nil {
		return nil, nil, err
	}
	r = &run{s: s, by: by, o: o, b: b, dir: BranchDir(s), left: map[string]bool{}}
	if err := os.MkdirAll(filepath.Dir(r.dir), 0o700); err != nil {
		return nil, nil, err
	}
	lock, err := disk.OpenLock(strings.TrimSuffix(r.dir, ".git") + ".lock")
	if err != nil {
		return nil, nil, err
	}
	unlock, err := lock.Acquire(ctx)
	if err != nil {
		return nil, nil, errors.Join(err, lock.Close())
	}
	done = func() {
		_ = RemoveErased(ctx, s) // the next act of the home does what is left
		unlock()
		_ = lock.Close()
	}
	now, ok, err := Branch(ctx, s)
	r.fresh = err == nil && !ok
	if err == nil && ok && now.Subdir == b.Subdir { // another Sync may have gone on meanwhile
		if now.URL != b.URL || now.Name != b.Name {
			now.URL, now.Name, now.Remote = b.URL, b.Name, ""
		}
		r.b = now
	}
	if err == nil && r.b.Erased && !o.Rewrite {
		err = &ErasedError{git.Shown(r.b.URL), r.b.Name}
	}
	if err == nil {
		err = RemoveErased(ctx, s)
	}
	if err == nil {
		err = r.prepare(ctx)
	}
	if err != nil {
		done()
		return nil, nil, err
	}
	return r, done, nil
}

// round fetches, takes in, gives out and pushes; false if the branch moved on meanwhile.
func (r *run) round(ctx context.Context) (done bool, err error) {
	if r.remote = r.b.Remote; !r.o.NoPull || !r.has(ctx, r.b.Head) {
		if err := r.fetch(ctx); err != nil {
			return false, err
		}
		if r.fresh { // so that it goes on if it is stopped while it takes in
			if err := SetBranch(ctx, r.s, r.b, nil); err != nil {
				return false, err
			}
			r.fresh = false
		}
		if err := r.step("fetched"); err != nil {
			return false, err
		}
		if err := r.restore(ctx); err != nil {
			return false, err
		}
		if !r.o.NoPull && (!r.o.Rewrite || r.b.Erased) { // what is new there is not lost with what was erased
			if err := r.pull(ctx); err != nil {
				return false, err
			}
		}
		if r.b.Erased {
			if err := r.purge(ctx); err != nil {
				return false, err
			}
		}
	}
	for try := 1; ; try++ {
		if err = r.giveOut(ctx); !errors.Is(err, errGoesOn) || try == maxRounds {
			break
		}
	}
	if err != nil {
		return false, err
	}
	if err := r.step("given out"); err != nil {
		return false, err
	}
	if r.o.NoPush || r.b.Head == "" || r.b.Head == r.remote && !r.b.Erased {
		return true, nil
	}
	if r.b.Head != r.remote { // else a Sync was interrupted after it replaced the branch
		if done, err = r.push(ctx); err != nil || !done {
			if err == nil && r.o.NoPull {
				err = &MovedError{Branch: r.b.Name}
			}
			return false, err
		}
		r.Pushed = true
		if err := r.step("pushed"); err != nil {
			return false, err
		}
	}
	r.b.Remote = r.remote
	if r.b.Erased {
		if err := Rewritten(ctx, r.s); err != nil {
			return false, err
		}
	}
	return true, SetBranch(ctx, r.s, r.b, nil)
}

// pull takes in what is new on the branch.
func (r *run) pull(ctx context.Context) error {
	goesOn, err := r.isAncestor(ctx, r.b.Remote, r.remote)
	if err != nil {
		return err
	}
	if !goesOn {
		if err := r.follow(ctx); err != nil {
			return err
		}
	}
	if known, err := r.isAncestor(ctx, r.remote, r.b.Head); err != nil || known {
		return err
	}
	base, err := r.base(ctx, r.b.Head, r.remote)
	if err != nil {
		return err
	}
	unrelated := &UnrelatedError{git.Shown(r.b.URL), r.b.Name}
	if base == "" && r.b.Head != "" && !r.b.Erased {
		return unrelated
	}
	if err := r.dropPushed(ctx, base); err != nil {
		return err
	}
	if base == "" && r.b.Head != "" { // else Head was a branch with all commits anew, which was not pushed
		return unrelated
	}
	return r.takeIn(ctx, base)
}

// dropPushed leaves the commits that were made here after base, if the branch has their changes in commits of other names: a
// Sync pushed them and was stopped before it noted that, and then the branch was rewritten. What the branch does not have goes
// out again.
func (r *run) dropPushed(ctx context.Context, base string) error {
	mine, err := r.commits(ctx, base, r.b.Head)
	if err != nil || len(mine) == 0 {
		return err
	}
	there, err := r.commits(ctx, base, r.remote)
	if err != nil {
		return err
	}
	named := map[string]string{}
	for _, t := range there {
		for _, id := range t.ids {
			named[id] = t.in.Commit
		}
	}
	var again []versions.Shared
	var gone []string
	for _, t := range mine {
		if now := named[t.in.ID]; now != "" {
			again = append(again, versions.Shared{ID: now})
		} else {
			gone = append(gone, t.ids...)
		}
	}
	if len(again) == 0 {
		return nil
	}
	if err := Unshare(ctx, r.s, gone); err != nil {
		return err
	}
	r.b.Head, r.b.Remote, r.b.Sent = base, base, 0
	return SetBranch(ctx, r.s, r.b, again)
}

// follow follows a branch that was rewritten, if it still has each change that is known here.
func (r *run) follow(ctx context.Context) error {
	base, again, err := r.rewritten(ctx)
	if err != nil {
		return err
	}
	mine, err := r.commits(ctx, r.b.Remote, r.b.Head) // that were never pushed go out again, on top of the new ones
	if err != nil {
		return err
	}
	var ids []string
	for _, t := range mine {
		ids = append(ids, t.ids...)
	}
	if err := Unshare(ctx, r.s, ids); err != nil {
		return err
	}
	r.b.Head, r.b.Remote, r.b.Sent = base, base, 0
	return SetBranch(ctx, r.s, r.b, again)
}

// rewritten finds the changes that are known here in a branch that was rewritten: under their ids, or as commits of the same
// author, time and message. It returns where the branch parts from the known one, and the commits that they are now.
func (r *run) rewritten(ctx context.Context) (base string, again []versions.Shared, err error) {
	if base, err = r.base(ctx, r.b.Remote, r.remote); err != nil {
		return base, nil, err
	}
	now, err := r.commits(ctx, base, r.remote)
	if err != nil {
		return base, nil, err
	}
	there := map[string][]*told{}
	for i := range now {
		for _, k := range now[i].keys() {
			there[k] = append(there[k], &now[i])
		}
	}
	found := map[*told]bool{}
	was, err := r.commits(ctx, base, r.b.Remote)
	if err != nil {
		return base, nil, err
	}
	var lost []string
	for i := range was {
		var same *told
		for _, k := range was[i].keys() {
			for _, t := range there[k] {
				if same == nil && (!found[t] || len(t.ids) > 1) {
					same = t
				}
			}
		}
		if same == nil {
			lost = append(lost, fmt.Sprintf("%.10s %s", was[i].in.Commit, was[i].subject))
			continue
		}
		found[same] = true
		again = append(again, versions.Shared{ID: same.in.Commit})
	}
	if len(lost) > 0 {
		return base, nil, &RewrittenError{r.b.Name, lost}
	}
	return base, again, nil
}

// commits reads what the commits between two say, without merges.
func (r *run) commits(ctx context.Context, from, to string) (out []told, err error) {
	if to == "" {
		return nil, nil
	}
	args := []string{"rev-list", "--topo-order", "--reverse", "--no-merges", to}
	if from != "" {
		args = append(args, "^"+from)
	}
	list, err := output(ctx, r.dir, args...)
	if err != nil || list == "" {
		return nil, err
	}
	var pairs []git.Pair
	for id := range strings.FieldsSeq(list) {
		pairs = append(pairs, git.Pair{Commit: id})
	}
	err = r.each(ctx, pairs, func(_ *git.Commit, t *told) { out = append(out, *t) })
	return out, err
}

// each passes what commits do and what they say.
func (r *run) each(ctx context.Context, pairs []git.Pair, do func(*git.Commit, *told)) error {
	log, err := git.Compare(ctx, r.dir, pairs)
	if err != nil {
		return err
	}
	defer log.Kill()
	for range pairs {
		c, err := log.Next()
		if err != nil {
			return err
		}
		t, err := read(&c)
		if err != nil {
			return err
		}
		do(&c, &t)
	}
	return nil
}

func (r *run) step(name string) error {
	if r.o.Step == nil {
		return nil
	}
	return r.o.Step(name)
}

// errGoesOn means that the store changed while its state was read.
var errGoesOn = errors.New("the store changed meanwhile")
