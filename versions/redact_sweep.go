package versions

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/memend/memend/versions/calls"
	"github.com/memend/memend/versions/conversations"
	"github.com/memend/memend/versions/disk"
	"github.com/memend/memend/versions/drafts"
	"github.com/memend/memend/versions/scrub"
)

// sweep erases what a redaction targets from the files that the home keeps beside the
// trail: waiting calls, drafts, conversations and editors' copies. It is idempotent.
type sweep struct {
	t       *Trail
	plan    RedactPlan // its target, its versions and its needle
	folders []string   // of the stores concerned
	scanner scrub.Scanner
	dry     bool // only count, into places

	drafts, masked, copies int
	places                 []TextPlace
	unknown                []string // what could not be processed
}

func (t *Trail) newSweep(look *scrub.Pieces, p RedactPlan) *sweep {
	return &sweep{t: t, plan: p, scanner: scrub.Scanner{Pieces: look, Needle: p.needle}}
}

// run does the sweep. It fails only if a named step or the context does; it lists
// unreadable files in unknown.
func (s *sweep) run(ctx context.Context) error {
	for _, part := range []struct {
		step string
		do   func(context.Context)
	}{
		{"before-calls", s.sweepCalls}, {"before-drafts", s.sweepDrafts}, {"before-conversations", s.sweepConversations}, {"before-copies", s.sweepCopies}, {"before-folders", s.sweepFolders},
	} {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !s.dry {
			if err := s.t.step(part.step); err != nil {
				return err
			}
		}
		part.do(ctx)
	}
	return ctx.Err()
}

// holds reports whether a text contains a piece of what is erased, or is all of it.
func (s *sweep) holds(b []byte) bool {
	var found scrub.Finding
	s.scanner.Text(b, &found)
	return found.Matches > 0 || found.Whole || s.scanner.Pieces.CountNamed(found.Hits) > 0
}

func (s *sweep) place(what string, count int) {
	if count > 0 {
		s.places = append(s.places, TextPlace{What: what, Count: count, file: true})
	}
}

func (s *sweep) cannot(what string, err error) {
	s.unknown = append(s.unknown, s.plan.needle.Masked(fmt.Sprintf("%s: %v", what, disk.Bare(err))))
}

// sweepCalls erases all waiting calls, because they contain paths and hashes.
func (s *sweep) sweepCalls(context.Context) {
	if !s.dry {
		s.unknown = append(s.unknown, calls.Erase(s.t.home, "")...)
	}
}

// sweepDrafts erases drafts that contain a piece of what is erased. From drafts that are
// only based on it, or merged with it, it removes the hash.
func (s *sweep) sweepDrafts(ctx context.Context) {
	dir := filepath.Join(s.t.home, drafts.Folder)
	files, err := drafts.Files(dir)
	if err != nil {
		s.cannot("drafts", err)
		return
	}
	if len(files) == 0 {
		return
	}
	stores, err := s.t.Stores(ctx)
	if err != nil {
		s.cannot("drafts", err)
		return
	}
	for _, file := range files {
		name := filepath.Join(dir, file)
		gone, err := s.sweepDraft(name, stores)
		if gone {
			s.drafts++
		}
		if err != nil && !os.IsNotExist(err) {
			s.cannot(name, err)
		}
	}
	s.place("unsaved text", s.drafts)
}

func (s *sweep) sweepDraft(name string, stores []StoreInfo) (gone bool, err error) {
	b, err := os.ReadFile(name)
	if err != nil {
		return false, err
	}
	x, err := drafts.ReadFile(name)
	if err != nil { // an incomplete draft that a killed program left
		gone, err = s.holds(b), nil
	} else {
		gone = s.plan.needle.InEscaped(b) || s.plan.concerns(x, stores) || slices.ContainsFunc(textsOf(x), s.holds)
	}
	switch {
	case s.dry:
	case gone:
		err = disk.Erase(name)
	case s.plan.forget(&x):
		err = rewriteDraft(name, x)
	}
	return gone, err
}

// textsOf returns all texts in a draft.
func textsOf(x drafts.Draft) [][]byte {
	out := [][]byte{x.Text, []byte(x.Path.String())}
	if x.Merge != nil {
		for _, pick := range x.Merge.Picks {
			out = append(out, pick.Text)
		}
	}
	return out
}

// concerns reports whether a draft must be erased because of its store or memory, whatever
// it contains.
func (p RedactPlan) concerns(x drafts.Draft, stores []StoreInfo) bool {
	if p.needle == nil && (slices.Contains(p.dropped, x.Store) || !slices.ContainsFunc(stores, func(s StoreInfo) bool { return s.ID == x.Store })) {
		return true // nobody can save it any more
	}
	return p.Target.Memory != "" && x.Memory == p.Target.Memory
}

// forget removes the hashes of what is erased from a draft, and reports whether there were
// any. Merge decisions go too, because they apply to those texts only.
func (p RedactPlan) forget(x *drafts.Draft) (some bool) {
	erased := func(h Hash) bool {
		return h != (Hash{}) && slices.ContainsFunc(p.Erase, func(v PlannedVersion) bool { return v.SHA256 == h })
	}
	if erased(x.Base) {
		x.Base, x.Lost, x.Merge, some = Hash{}, true, nil, true
	}
	if x.Merge != nil && erased(x.Merge.Theirs) {
		x.Merge, some = nil, true
	}
	return some
}

// rewriteDraft overwrites a draft, including the old bytes of its file.
func rewriteDraft(name string, x drafts.Draft) error {
	old, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	if err := drafts.WriteFile(name, x); err != nil {
		_ = old.Close()
		return err
	}
	return disk.Zero(old)
}

// sweepConversations masks every string in the home's conversations that contains a piece
// of what is erased, as plain text or with the memory tool's line numbers. A mask has the
// length of the string and overwrites it in place, so a program that appends to the
// conversation needs no coordination.
func (s *sweep) sweepConversations(ctx context.Context) {
	c := s.t.Conversations()
	list, err := c.List()
	if err != nil {
		s.cannot("conversations", err)
		return
	}
	for _, info := range list {
		if ctx.Err() != nil {
			return
		}
		name := c.File(info.Session)
		n, err := conversations.Mask(name, s.masksText, s.plan.needle.Mask(), s.dry)
		s.masked += n
		if err != nil {
			s.cannot(name, err)
		}
	}
	s.place("text in a conversation with an agent", s.masked)
}

// sweepCopies erases the copies of memories made for editors, and the files that editors
// put beside them.
func (s *sweep) sweepCopies(context.Context) {
	files, err := drafts.EditFiles(filepath.Join(s.t.home, drafts.EditFolder))
	if err != nil {
		s.cannot("copies for editors", err)
		return
	}
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err == nil && s.holds(b) {
			s.copies++
			if !s.dry {
				err = disk.Erase(name)
			}
		}
		if err != nil && !os.IsNotExist(err) {
			s.cannot(name, err)
		}
	}
	s.place("copy for an editor", s.copies)
}

// sweepFolders removes empty folders whose names contain the text. They stay when the
// files in them are deleted.
func (s *sweep) sweepFolders(context.Context) {
	for _, folder := range s.folders {
		root, err := os.OpenRoot(folder)
		if err != nil {
			continue // the search reports it
		}
		var named []string
		_ = fs.WalkDir(root.FS(), ".", func(rel string, e fs.DirEntry, err error) error {
			if err == nil && e.IsDir() && rel != "." && s.plan.needle.InString(rel) {
				named = append(named, rel)
			}
			return nil
		})
		for _, rel := range slices.Backward(named) { // subfolders first
			_ = root.Remove(rel) // a folder that isn't empty stays, and the search reports it
		}
		_ = root.Close()
	}
}

// lineNumber matches the number that the memory tool writes before each line of a file.
var lineNumber = regexp.MustCompile(`(?m)^ *\d+\t`)

// masksText reports whether a string of a conversation must be masked.
func (s *sweep) masksText(text []byte) bool {
	return s.holds(text) || bytes.IndexByte(text, '\t') >= 0 && s.holds(lineNumber.ReplaceAll(text, nil))
}
