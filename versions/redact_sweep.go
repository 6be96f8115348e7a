package versions

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/memend/memend/versions/disk"
	"github.com/memend/memend/versions/drafts"
	"github.com/memend/memend/versions/scrub"
)

// sweep erases what a redaction is about from the files that the home keeps beside the
// trail: calls that wait, drafts, conversations, editors' copies. Doing it again
// changes nothing.
type sweep struct {
	t       *Trail
	plan    RedactPlan // its target, its versions and its needle
	folders []string   // of the stores concerned
	scanner scrub.Scanner
	dry     bool // only count, into places

	drafts, masked, copies int
	places                 []TextPlace
	unknown                []string // what could not be seen to
}

func (t *Trail) newSweep(look *scrub.Pieces, p RedactPlan) *sweep {
	return &sweep{t: t, plan: p, scanner: scrub.Scanner{Pieces: look, Needle: p.needle}}
}

// run ends with an error only when a named step or the context says so; what can't be
// read is in unknown.
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

// holds reports whether a text holds a piece of what is erased, or is all of it.
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
	s.unknown = append(s.unknown, s.plan.needle.Masked(fmt.Sprintf("%s: %v", what, bare(err))))
}

// sweepCalls erases all calls that wait: they tell paths and hashes.
func (s *sweep) sweepCalls(context.Context) {
	if !s.dry {
		s.unknown = append(s.unknown, s.t.eraseSpool("")...)
	}
}

// sweepDrafts erases a draft that holds a piece, and of one that was only made of what
// is erased, or is put together with it, the hash.
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
	if err != nil { // half of a draft, which a killed program left
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

// textsOf are all texts in a draft.
func textsOf(x drafts.Draft) [][]byte {
	out := [][]byte{x.Text, []byte(x.Path.String())}
	if x.Merge != nil {
		for _, pick := range x.Merge.Picks {
			out = append(out, pick.Text)
		}
	}
	return out
}

// concerns reports whether a draft must go for what is known of it, whatever it holds.
func (p RedactPlan) concerns(x drafts.Draft, stores []StoreInfo) bool {
	if p.needle == nil && (slices.Contains(p.dropped, x.Store) || !slices.ContainsFunc(stores, func(s StoreInfo) bool { return s.ID == x.Store })) {
		return true // nobody can save it any more
	}
	return p.Target.Memory != "" && x.Memory == p.Target.Memory
}

// forget takes the hashes of what is erased out of a draft, and reports whether there
// were any. What was decided of a merge holds for these very texts only.
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

// rewriteDraft replaces a draft, and what the file held before.
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

// sweepConversations masks in the conversations of the home each string of an object
// that holds a piece, as it reads or as the memory tool showed it with line numbers.
// Masks are as long as what they stand for and are written in its place, so that who
// adds to the conversation need not be asked.
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
		n, err := s.maskFile(name)
		s.masked += n
		if err != nil {
			s.cannot(name, err)
		}
	}
	s.place("text in a conversation with an agent", s.masked)
}

// sweepCopies erases the copies of memories that editors were given, and what editors
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

// sweepFolders removes empty folders whose name holds the text: deleting what was in
// them leaves them.
func (s *sweep) sweepFolders(context.Context) {
	for _, folder := range s.folders {
		root, err := os.OpenRoot(folder)
		if err != nil {
			continue // the search says so
		}
		var named []string
		_ = fs.WalkDir(root.FS(), ".", func(rel string, e fs.DirEntry, err error) error {
			if err == nil && e.IsDir() && rel != "." && s.plan.needle.InString(rel) {
				named = append(named, rel)
			}
			return nil
		})
		for _, rel := range slices.Backward(named) { // what is inside comes first
			_ = root.Remove(rel) // one that is not empty stays, and is found
		}
		_ = root.Close()
	}
}

// masksText reports whether a string of a conversation is to be masked.
func (s *sweep) masksText(text []byte) bool {
	return s.holds(text) || bytes.IndexByte(text, '\t') >= 0 && s.holds(lineNumber.ReplaceAll(text, nil))
}
