package exchange

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
)

// GitWriter writes a history as a stream for git fast-import. Close ends the stream; without that, git treats it as truncated and imports nothing.
type GitWriter struct {
	w       *bufio.Writer
	mark    int
	parent  int // mark of the newest commit
	blobs   map[versions.Hash]int
	at      map[versions.MemoryID]memoryState // the state of each memory in git's tree
	started bool
}

// memoryState is the path and content of a memory; the root path means that it is not in the tree.
type memoryState struct {
	path memfs.Path
	hash versions.Hash
}

// gitBranch is the branch of the exported history.
const gitBranch = "refs/heads/main"

// NewGitWriter returns a GitWriter that writes to w.
func NewGitWriter(w io.Writer) *GitWriter {
	return &GitWriter{w: bufio.NewWriterSize(w, 64<<10), blobs: map[versions.Hash]int{}, at: map[versions.MemoryID]memoryState{}}
}

// Write writes the next item. It fails for a path that git can't store.
func (g *GitWriter) Write(it versions.Item) error {
	g.start()
	if it.Record != nil {
		return g.commit(it.Record)
	}
	g.mark++
	g.blobs[hashOf(it.Content)] = g.mark
	fmt.Fprintf(g.w, "blob\nmark :%d\n", g.mark)
	return g.data(it.Content)
}

// Close ends the stream. It does not close the underlying writer.
func (g *GitWriter) Close() error {
	g.start()
	fmt.Fprint(g.w, "done\n")
	return g.w.Flush()
}

// start writes the beginning of the stream. Because of the reset, the first commit has no parent even if the branch exists; git refuses to drop commits that
// the history does not have.
func (g *GitWriter) start() {
	if !g.started {
		g.started = true
		fmt.Fprintf(g.w, "feature done\nreset %s\n\n", gitBranch)
	}
}

// data writes a data command; the buffered writer keeps an error until it is flushed.
func (g *GitWriter) data(b []byte) error {
	fmt.Fprintf(g.w, "data %d\n", len(b))
	g.w.Write(b)
	return g.w.WriteByte('\n')
}

func (g *GitWriter) commit(r *versions.Record) error {
	ops, err := g.fileOps(r)
	if err != nil {
		return fmt.Errorf("change %d: %w", r.Number, err)
	}
	g.mark++
	who := fmt.Sprintf("%s <%s> %d +0000", gitName(r.By.Actor), gitEmail(r), max(r.Time.Unix(), 0))
	fmt.Fprintf(g.w, "commit %s\nmark :%d\nauthor %s\ncommitter %s\n", gitBranch, g.mark, who, who)
	if err := g.data(gitMessage(r)); err != nil {
		return err
	}
	if g.parent > 0 {
		fmt.Fprintf(g.w, "from :%d\n", g.parent)
	}
	g.parent = g.mark
	for _, op := range ops {
		fmt.Fprintf(g.w, "%s\n", op)
	}
	return g.w.WriteByte('\n')
}

// gitName returns an actor's name as git can store it.
func gitName(a versions.Actor) string {
	return cmp.Or(strings.TrimSpace(gitWord(a.Name)), string(a.Kind))
}

// noEmail is the end of the made-up e-mail address of an author whose address is unknown.
const noEmail = "@memend"

// gitEmail returns the e-mail address of a commit's author. If a message is known, the change was imported from a commit whose author had no address.
func gitEmail(r *versions.Record) string {
	if r.Email == "" && r.Message == "" {
		return string(r.By.Actor.Kind) + noEmail
	}
	return gitWord(r.Email)
}

// gitWord returns a name or an e-mail address without the characters that git can't store in it.
func gitWord(s string) string {
	return strings.Map(func(c rune) rune {
		if NotInEmail(c) {
			return -1
		}
		return c
	}, s)
}

// fileOps returns the commands that update git's tree for a change: removals first, then renames, then contents. Renames are written as such only if none of
// the paths depends on another.
func (g *GitWriter) fileOps(r *versions.Record) (ops []string, err error) {
	olds, news := map[memfs.Path]bool{}, map[memfs.Path]bool{}
	for i := range r.Versions {
		v := &r.Versions[i]
		if old := g.at[v.Memory]; !old.path.IsRoot() {
			olds[old.path] = true
		}
		if inTree(v) {
			if !gitHolds(v.Path) {
				return nil, fmt.Errorf("%s: %w", v.Path.Tool(), ErrGitPath)
			}
			news[v.Path] = true
		}
	}
	renames := apart(olds, news)
	var removed, renamed, put []string
	for i := range r.Versions {
		v := &r.Versions[i]
		old, now := g.at[v.Memory], memoryState{}
		if inTree(v) {
			now = memoryState{v.Path, v.SHA256}
			g.at[v.Memory] = now
		} else {
			delete(g.at, v.Memory)
		}
		moved := !old.path.IsRoot() && old.path != now.path && !news[old.path]
		switch {
		case moved && renames && !now.path.IsRoot():
			renamed = append(renamed, fmt.Sprintf("R %s %s", GitPath(old.path.Rel()), GitPath(now.path.Rel())))
			if old.hash == now.hash {
				continue
			}
		case moved:
			removed = append(removed, "D "+GitPath(old.path.Rel()))
		}
		if !now.path.IsRoot() {
			mark := g.blobs[now.hash]
			if mark == 0 {
				return nil, unsound("the content %s must come before its change", now.hash)
			}
			put = append(put, fmt.Sprintf("M 100644 :%d %s", mark, GitPath(now.path.Rel())))
		}
	}
	return append(append(removed, renamed...), put...), nil
}

// inTree reports whether git's tree has a file for a memory after a version.
func inTree(v *versions.RecordVersion) bool { return v.SHA256 != (versions.Hash{}) && !v.Lost }

// apart reports whether no new path is an old one, nor above or below one.
func apart(olds, news map[memfs.Path]bool) bool {
	both := func(a, b map[memfs.Path]bool) bool {
		for p := range a {
			for q := p; !q.IsRoot(); q = q.Dir() {
				if b[q] {
					return true
				}
			}
		}
		return false
	}
	return !both(olds, news) && !both(news, olds)
}

// gitHolds reports whether git accepts a path. It reserves names, in every spelling that some file system treats as the same name.
func gitHolds(p memfs.Path) bool {
	for seg := range strings.FieldsFuncSeq(p.Rel(), func(r rune) bool { return r == '/' || r == '\\' }) {
		name := strings.ToLower(strings.Map(func(r rune) rune {
			if unicode.Is(unicode.Cf, r) { // HFS+ ignores these
				return -1
			}
			return r
		}, seg))
		name, _, _ = strings.Cut(name, ":") // NTFS treats the rest as the name of a stream
		switch strings.TrimRight(name, " .") {
		case ".git", "git~1":
			return false
		}
	}
	return true
}

// GitPath returns a path in a repository in the syntax of fast-import commands.
func GitPath(path string) string {
	if !strings.ContainsAny(path, " \"\\\n") {
		return path
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(path) + `"`
}
