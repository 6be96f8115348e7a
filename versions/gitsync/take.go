package gitsync

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/diff"
	"github.com/memend/memend/versions/exchange"
	"github.com/memend/memend/versions/git"
)

// order returns the commits from base to head, but for those that lead to known, in an order in which each state of the
// branch follows from the one before: a trunk, whose trees count, and before each of its merges the commits that it brings.
// Such a commit is compared with its first parent, one of the trunk with the one before. Merges beside the trunk are left
// out: the trunk's tree has what they did.
func order(ctx context.Context, dir, base, head, known string) (steps []place, err error) {
	args := []string{"rev-list", "--topo-order", "--reverse", "--parents", head}
	if known != "" {
		args = append(args, "^"+known)
	}
	out, err := output(ctx, dir, args...)
	if err != nil {
		return nil, err
	}
	parents := map[string][]string{}
	after := map[string]bool{base: base != ""} // that come after base
	lines := bufio.NewScanner(strings.NewReader(out))
	for lines.Scan() {
		words := strings.Fields(lines.Text())
		if len(words) == 0 {
			continue
		}
		parents[words[0]] = words[1:]
		after[words[0]] = slices.ContainsFunc(words[1:], func(p string) bool { return after[p] })
	}
	var trunk []string
	for c := head; ; {
		ps, in := parents[c]
		if !in {
			break
		}
		trunk = append(trunk, c)
		i := 0
		if base != "" {
			i = slices.IndexFunc(ps, func(p string) bool { return after[p] })
		}
		if i < 0 || i >= len(ps) {
			break
		}
		c = ps[i]
	}
	slices.Reverse(trunk)
	done := map[string]bool{}
	for _, c := range trunk {
		done[c] = true
	}
	last := base
	for _, c := range trunk {
		steps = append(steps, beside(c, parents, done)...)
		steps = append(steps, place{git.Pair{Commit: c, Parent: last}, true})
		last = c
	}
	return steps, nil
}

// place is a commit in the order.
type place struct {
	git.Pair
	trunk bool
}

// beside returns the commits that lead to c and are not done, parents first, without merges.
func beside(c string, parents map[string][]string, done map[string]bool) (out []place) {
	type visit struct {
		commit string
		next   int
	}
	stack := []visit{{c, 0}}
	for len(stack) > 0 {
		v := &stack[len(stack)-1]
		ps := parents[v.commit]
		if v.next < len(ps) {
			p := ps[v.next]
			v.next++
			if _, in := parents[p]; in && !done[p] {
				done[p] = true
				stack = append(stack, visit{p, 0})
			}
			continue
		}
		if v.commit != c && len(ps) < 2 {
			out = append(out, place{git.Pair{Commit: v.commit, Parent: strings.Join(ps, "")}, false})
		}
		stack = stack[:len(stack)-1]
	}
	return out
}

// branch is the state of the branch's files while its commits are read.
type branch struct {
	*run
	objects git.Objects
	files   map[string]git.Entry
	do      func(*told) error    // what becomes of a commit that is new
	all     bool                 // all commits are new, and follow each other: nobody asks for the texts before
	trunk   map[string]git.Entry // of the paths that commits beside the trunk touched, what the trunk has
	made    map[string][]byte    // texts of merges that no commit has, by their ids
	erased  map[string]versions.Erased
	again   map[string]int64 // blobs that commits brought whose texts were erased in a change
}

// takeIn takes in the commits after base.
func (r *run) takeIn(ctx context.Context, base string) error {
	if base == "" && r.b.Head == "" {
		if all, err := r.importAll(ctx); all || err != nil {
			return err
		}
	}
	return r.walk(ctx, base, func(b *branch) { b.do = func(t *told) error { return b.change(ctx, t) } })
}

// walk passes what each of the commits after base does to do.
func (r *run) walk(ctx context.Context, base string, prepare func(*branch)) error {
	steps, err := order(ctx, r.dir, base, r.remote, r.b.Head)
	if err != nil {
		return err
	}
	b := &branch{run: r, files: map[string]git.Entry{}, trunk: map[string]git.Entry{}, made: map[string][]byte{}, again: map[string]int64{}}
	prepare(b)
	if !b.all {
		if b.erased, err = Erased(ctx, r.s); err != nil {
			return err
		}
	}
	if base != "" {
		if b.files, err = git.Files(ctx, r.dir, base, ""); err != nil {
			return err
		}
	}
	pairs := make([]git.Pair, len(steps))
	for i, s := range steps {
		pairs[i] = s.Pair
	}
	log, err := git.Compare(ctx, r.dir, pairs)
	if err != nil {
		return err
	}
	defer log.Kill()
	p, err := git.Start(ctx, r.dir, "cat-file", "--batch")
	if err != nil {
		return err
	}
	defer p.Kill()
	b.objects = git.Objects{Process: p}
	done := 0
	for some := range slices.Chunk(steps, atOnce) {
		commits := make([]git.Commit, len(some))
		for i := range some {
			if commits[i], err = log.Next(); err == nil && commits[i].ID != some[i].Commit {
				err = fmt.Errorf("git says %.10s", commits[i].ID)
			}
			if err != nil {
				return fmt.Errorf("commit %.10s: %w", some[i].Commit, err)
			}
		}
		if err := b.ahead(commits); err != nil {
			return err
		}
		for i := range some {
			if err := b.take(ctx, &commits[i], some[i].trunk); err != nil {
				return fmt.Errorf("commit %.10s: %w", some[i].Commit, err)
			}
			done++
			versions.ReportProgress(ctx, versions.Progress{Done: done, Total: len(steps), Of: versions.CommitsRead})
		}
	}
	return nil
}

// atOnce is how many commits are read together.
const atOnce = 100

// ahead reads the texts that the commits bring.
func (b *branch) ahead(commits []git.Commit) error {
	var ids []string
	for i := range commits {
		for _, f := range commits[i].Files {
			if f.Status == 'D' || !git.Regular(f.Mode) {
				continue
			}
			if p, _ := exchange.MemoryIn(f.Path, b.b.Subdir); !p.IsRoot() {
				ids = append(ids, f.Blob)
			}
		}
	}
	if len(ids) == 0 {
		return nil
	}
	return b.objects.Ahead(ids, versions.DefaultMaxBytes)
}

// take makes what one commit does.
func (b *branch) take(ctx context.Context, c *git.Commit, trunk bool) error {
	moves, err := b.apply(c.Files, trunk)
	if err != nil {
		return err
	}
	t, err := read(c)
	if err != nil {
		return err
	}
	if !b.all {
		b.bringsBack(&t, moves)
		known, err := IsShared(ctx, b.s, t.in.Commit)
		if err != nil || known {
			b.Known++
			return err
		}
		if known, err = b.known(ctx, &t.in, c.Files); err != nil || known {
			return err
		}
	}
	for _, m := range moves {
		if err := b.file(&t.in, m); err != nil {
			return err
		}
	}
	return b.do(&t)
}

// bringsBack holds a commit that brings back what was erased here. It is known by its name or by the id of its change, as
// when somebody merges an old clone; and so is its text in a merge that comes with it. The same text in another commit is
// not known: nothing is kept to compare it with.
func (b *branch) bringsBack(t *told, moves []move) {
	gone, was := b.erased[t.in.ID]
	back := false
	for _, m := range moves {
		path, ok := b.memory(m.path)
		if !ok || !m.after.Regular() {
			continue
		}
		if was && !gone.Kept[path] {
			b.again[m.after.Blob], back = gone.Change, true
		}
		if n := b.again[m.after.Blob]; n > 0 {
			t.in.Hold = fmt.Sprintf("it brings back a text of change %d that was erased here", n)
		}
	}
	if back { // no name of the commit is kept: it is a hash of the text, and of all around it
		t.in.ID += " again"
		t.in.Commit = t.in.ID
	}
}

// change makes the change that a commit is.
func (b *branch) change(ctx context.Context, t *told) error {
	if len(t.in.Files) == 0 {
		return SetShared(ctx, b.s, t.in.Commit)
	}
	change, err := TakeIn(ctx, b.s, t.in)
	var held *versions.HeldError
	switch {
	case errors.As(err, &held):
		b.Held = append(b.Held, held.Number)
	case err != nil:
		return err
	case change.Number > 0:
		b.Taken = append(b.Taken, change)
	}
	return nil
}

// known reports whether a commit is a change that the store has, under another name than before: somebody merged a clone
// from before the branch was rewritten. A commit that has the id of another, because somebody used its message again, and
// does something else is a change of its own.
func (b *branch) known(ctx context.Context, in *versions.Incoming, files []git.File) (known bool, err error) {
	used, err := IsShared(ctx, b.s, in.ID)
	if err != nil || !used {
		return false, err
	}
	does := versions.Incoming{ID: in.ID}
	in.ID = in.Commit
	for _, f := range files {
		m := move{path: f.Path, from: f.From, before: git.Entry{Mode: f.Mode, Blob: f.Old}, after: git.Entry{Mode: f.Mode, Blob: f.Blob}}
		switch f.Status {
		case 'A':
			m.before = git.Entry{}
		case 'D':
			m.before.Mode, m.after = "100644", git.Entry{} // git says no other
		}
		if err := b.file(&does, m); err != nil {
			return false, err
		}
	}
	if known, err = Did(ctx, b.s, does); known {
		b.Known++
	}
	return known, err
}

// move is what a commit does to the branch at one path.
type move struct {
	path, from    string // from: of a renamed file
	before, after git.Entry
}

// apply applies the files of a commit to the branch, and returns what that changed.
func (b *branch) apply(files []git.File, trunk bool) (moves []move, err error) {
	seen := map[string]bool{}
	for _, f := range files {
		from := f.Path
		if f.Status == 'R' {
			from = f.From
		}
		now := git.Entry{}
		if f.Status != 'D' {
			now = git.Entry{Mode: f.Mode, Blob: f.Blob}
		}
		m := move{path: f.Path, before: b.files[from], after: now}
		if from != f.Path {
			m.from = from
		}
		if trunk {
			seen[f.Path], seen[from] = true, true
		} else {
			b.keepTrunk(from)
			b.keepTrunk(f.Path)
			if m.after, err = b.merged(f.Old, m.before, now); err != nil {
				return nil, err
			}
		}
		moves = append(moves, m)
	}
	if trunk { // its tree counts: what commits beside it did and it doesn't have goes
		for path, there := range b.trunk {
			if !seen[path] && b.files[path] != there {
				moves = append(moves, move{path: path, before: b.files[path], after: there})
			}
		}
		clear(b.trunk)
	}
	for _, m := range moves {
		delete(b.files, m.path)
		if m.from != "" {
			delete(b.files, m.from)
		}
	}
	for _, m := range moves {
		if m.after != (git.Entry{}) {
			b.files[m.path] = m.after
		}
	}
	slices.SortStableFunc(moves, func(x, y move) int { return strings.Compare(x.path, y.path) })
	return moves, nil
}

func (b *branch) keepTrunk(path string) {
	if _, kept := b.trunk[path]; !kept {
		b.trunk[path] = b.files[path]
	}
}

// merged returns what a file of the branch becomes by a commit that was made on top of another state. Where both changed
// the same lines, the commit's count: the merge that follows says what came of them.
func (b *branch) merged(old string, mine, now git.Entry) (git.Entry, error) {
	if mine.Blob == old || mine.Blob == now.Blob || now == (git.Entry{}) || mine == (git.Entry{}) || strings.Trim(old, "0") == "" {
		return now, nil
	}
	var texts [3][]byte
	for i, id := range []string{old, mine.Blob, now.Blob} {
		text, ok, err := b.text(id)
		if err != nil || !ok {
			return now, err
		}
		texts[i] = text
	}
	text := diff.Merge(texts[0], texts[1], texts[2]).Favor(diff.MergeTheirs)
	e := git.Entry{Mode: now.Mode, Blob: git.BlobID(text, now.Blob)}
	b.made[e.Blob] = text
	return e, nil
}

// text returns the content of a blob; false if it is too large for a memory.
func (b *branch) text(id string) ([]byte, bool, error) {
	if text, ok := b.made[id]; ok {
		return text, true, nil
	}
	return b.objects.Blob(id, versions.DefaultMaxBytes)
}

// file adds what a move does to a memory.
func (b *branch) file(in *versions.Incoming, m move) error {
	path, ok := b.memory(m.path)
	if !ok {
		return nil
	}
	f := versions.IncomingFile{Path: path}
	if m.from != "" {
		from, ok := b.memory(m.from)
		if ok {
			f.From = from
		} else {
			m.before = git.Entry{} // it comes from where no memory is
		}
	}
	for _, side := range []struct {
		entry git.Entry
		text  *[]byte
	}{{m.before, &f.Before}, {m.after, &f.After}} {
		if !side.entry.Regular() {
			if side.entry != (git.Entry{}) {
				b.leave(m.path, "a link or a submodule")
			}
			continue
		}
		if b.all && side.text == &f.Before {
			f.Before = []byte{}
			continue
		}
		text, ok, err := b.text(side.entry.Blob)
		if err != nil {
			return err
		}
		if !ok && side.text == &f.Before { // it was left out, and is small enough now
			continue
		}
		if !ok {
			b.leave(m.path, tooLarge)
			return nil
		}
		*side.text = versions.NonNil(text)
	}
	if f.Before == nil && f.After == nil || f.From == memfs.Root && m.before.Regular() && m.before.Blob == m.after.Blob {
		return nil
	}
	if f.From != memfs.Root && f.After == nil { // a link took the place of what was renamed
		f.Path, f.From = f.From, memfs.Root
	}
	in.Files = append(in.Files, f)
	return nil
}

// memory returns the memory at a path of the repository; false if there can be none.
func (r *run) memory(path string) (memfs.Path, bool) {
	p, why := exchange.MemoryIn(path, r.b.Subdir)
	if files := r.s.Info().Files; why == "" && !p.IsRoot() && !files.All() && !files.Shows(p) {
		p, why = memfs.Root, "not one of the files of this store, which are "+files.String()
	}
	if why != "" {
		r.leave(path, why)
	}
	return p, !p.IsRoot()
}

// tooLarge is why a file is left out.
var tooLarge = fmt.Sprintf("over %d MiB", versions.DefaultMaxBytes>>20)

// leave notes why a path of the repository is no memory, once.
func (r *run) leave(path, why string) {
	if r.left[path] {
		return
	}
	r.left[path] = true
	r.LeftOut = append(r.LeftOut, fmt.Sprintf("%q is left out: %s", path, why))
}

func output(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := git.Command(ctx, dir, args...)
	out, err := cmd.Output()
	if err != nil {
		return "", git.Error(dir, err, nil)
	}
	return strings.TrimSuffix(string(out), "\n"), nil
}
