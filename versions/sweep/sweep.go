// Package sweep erases a text from the files that a home keeps beside its trail: reports of calls that
// wait, unsaved texts, conversations with agents, and copies of memories for external editors.
//
// A [Sweep] erases files that contain a piece of what is erased, overwriting their bytes, and masks
// strings in conversations in place. It can be repeated. What could not be processed is listed in
// Unknown and stops nothing; the caller must not claim success then. Run fails only if the context
// ends or Step fails. A Sweep is for one goroutine; other processes may use the files meanwhile.
package sweep

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sync"

	"github.com/memend/memend/versions/calls"
	"github.com/memend/memend/versions/conversations"
	"github.com/memend/memend/versions/disk"
	"github.com/memend/memend/versions/drafts"
	"github.com/memend/memend/versions/ids"
	"github.com/memend/memend/versions/scrub"
)

// Sweep is one sweep of a home. Drafts, Masked, Copies and Unknown are results.
type Sweep struct {
	Home          string
	Conversations *conversations.Folder
	Scanner       scrub.Scanner           // finds what is erased; its Needle is nil if no text was named
	Erased        []ids.Hash              // the contents that are erased
	Memory        ids.Memory              // unsaved texts of this memory are erased, whatever they contain
	Stores        []ids.Store             // without a needle, unsaved texts of other stores are erased: nobody can save them
	Folders       []string                // in these, empty folders are removed whose names contain the needle
	Dry           bool                    // only count
	Step          func(name string) error // called before each part, unless Dry

	Drafts  int      // unsaved texts that were erased
	Masked  int      // strings that were masked in conversations
	Copies  int      // copies for editors that were erased
	Unknown []string // what could not be processed, and why
}

// Run does the sweep.
func (s *Sweep) Run(ctx context.Context) error {
	for _, part := range []struct {
		step string
		do   func(context.Context)
	}{
		{"before-calls", s.sweepCalls}, {"before-drafts", s.sweepDrafts}, {"before-conversations", s.sweepConversations}, {"before-copies", s.sweepCopies}, {"before-folders", s.sweepFolders},
	} {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !s.Dry {
			if err := s.Step(part.step); err != nil {
				return err
			}
		}
		part.do(ctx)
	}
	return ctx.Err()
}

// holds reports whether a text contains a piece of what is erased, or is all of it.
func (s *Sweep) holds(b []byte) bool {
	var found scrub.Finding
	s.Scanner.Text(b, &found)
	return found.Matches > 0 || found.Whole || s.Scanner.Pieces.CountNamed(found.Hits) > 0
}

func (s *Sweep) cannot(what string, err error) {
	s.Unknown = append(s.Unknown, s.Scanner.Needle.Masked(fmt.Sprintf("%s: %v", what, disk.Bare(err))))
}

// sweepCalls erases all waiting calls, because they contain paths and hashes.
func (s *Sweep) sweepCalls(context.Context) {
	if !s.Dry {
		s.Unknown = append(s.Unknown, calls.Erase(s.Home, "")...)
	}
}

// sweepDrafts erases drafts that contain a piece of what is erased. From drafts that are
// only based on it, or merged with it, it removes the hash.
func (s *Sweep) sweepDrafts(context.Context) {
	dir := filepath.Join(s.Home, drafts.Folder)
	files, err := drafts.Files(dir)
	if err != nil {
		s.cannot("drafts", err)
		return
	}
	for _, file := range files {
		name := filepath.Join(dir, file)
		gone, err := s.sweepDraft(name)
		if gone {
			s.Drafts++
		}
		if err != nil && !os.IsNotExist(err) {
			s.cannot(name, err)
		}
	}
}

func (s *Sweep) sweepDraft(name string) (gone bool, err error) {
	b, err := os.ReadFile(name)
	if err != nil {
		return false, err
	}
	x, err := drafts.ReadFile(name)
	if err != nil { // an incomplete draft that a killed program left
		gone, err = s.holds(b), nil
	} else {
		gone = s.Scanner.Needle.InEscaped(b) || s.concerns(x) || slices.ContainsFunc(textsOf(x), s.holds)
	}
	switch {
	case s.Dry:
	case gone:
		err = disk.Erase(name)
	case s.forget(&x):
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
func (s *Sweep) concerns(x drafts.Draft) bool {
	return s.Scanner.Needle == nil && !slices.Contains(s.Stores, x.Store) || s.Memory != "" && x.Memory == s.Memory
}

// forget removes the hashes of what is erased from a draft, and reports whether there were
// any. Merge decisions go too, because they apply to those texts only.
func (s *Sweep) forget(x *drafts.Draft) (some bool) {
	erased := func(h ids.Hash) bool { return h != (ids.Hash{}) && slices.Contains(s.Erased, h) }
	if erased(x.Base) {
		x.Base, x.Lost, x.Merge, some = ids.Hash{}, true, nil, true
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
func (s *Sweep) sweepConversations(ctx context.Context) {
	list, err := s.Conversations.List()
	if err != nil {
		s.cannot("conversations", err)
		return
	}
	for _, info := range list {
		if ctx.Err() != nil {
			return
		}
		name := s.Conversations.File(info.Session)
		n, err := conversations.Mask(name, s.masksText, s.Scanner.Needle.Mask(), s.Dry)
		s.Masked += n
		if err != nil {
			s.cannot(name, err)
		}
	}
}

// sweepCopies erases the copies of memories made for editors, and the files that editors
// put beside them.
func (s *Sweep) sweepCopies(context.Context) {
	files, err := drafts.EditFiles(filepath.Join(s.Home, drafts.EditFolder))
	if err != nil {
		s.cannot("copies for editors", err)
		return
	}
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err == nil && s.holds(b) {
			s.Copies++
			if !s.Dry {
				err = disk.Erase(name)
			}
		}
		if err != nil && !os.IsNotExist(err) {
			s.cannot(name, err)
		}
	}
}

// sweepFolders removes empty folders whose names contain the text. They stay when the
// files in them are deleted.
func (s *Sweep) sweepFolders(context.Context) {
	for _, folder := range s.Folders {
		root, err := os.OpenRoot(folder)
		if err != nil {
			continue // the search reports it
		}
		var named []string
		_ = fs.WalkDir(root.FS(), ".", func(rel string, e fs.DirEntry, err error) error {
			if err == nil && e.IsDir() && rel != "." && s.Scanner.Needle.InString(rel) {
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
var lineNumber = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^ *\d+\t`)
})

// masksText reports whether a string of a conversation must be masked.
func (s *Sweep) masksText(text []byte) bool {
	return s.holds(text) || bytes.IndexByte(text, '\t') >= 0 && s.holds(lineNumber().ReplaceAll(text, nil))
}
