package sweep

import (
	"crypto/sha256"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memend/memend/versions/conversations"
	"github.com/memend/memend/versions/drafts"
	"github.com/memend/memend/versions/ids"
	"github.com/memend/memend/versions/scrub"
)

const (
	store  = ids.Store("memstore_a")
	secret = "sk-012345678901234567890123456789"
)

// home is a home with a draft and a copy for an editor that hold the secret, others that do not, and a
// conversation in which it was read.
type home struct {
	*testing.T
	dir           string
	with, without string // drafts
	copied        string
	conversation  string
}

func newHome(t *testing.T) *home {
	t.Helper()
	h := &home{T: t, dir: t.TempDir()}
	h.with, h.without = h.draft("with", drafts.Draft{Store: store, Text: []byte("token " + secret)}), h.draft("without", drafts.Draft{Store: store, Text: []byte("other")})
	h.copied = filepath.Join(h.dir, drafts.EditFolder, "1", "notes.md")
	h.write(h.copied, "the token is "+secret+"\n")
	h.write(filepath.Join(h.dir, drafts.EditFolder, "2", "notes.md"), "nothing\n")
	c, err := conversations.New(h.dir, func(f func()) { f() }).Begin(ids.Session(ids.Format(ids.SessionPrefix, ids.New())))
	h.must(err)
	h.must(c.Append([]byte(`{"view":"     1\ttoken\n     2\t` + secret + `","other":"text"}`)))
	h.must(c.Close())
	list, err := h.conversations().List()
	h.must(err)
	h.conversation = h.conversations().File(list[0].Session)
	return h
}

func (h *home) must(err error) {
	h.Helper()
	if err != nil {
		h.Fatal(err)
	}
}

func (h *home) conversations() *conversations.Folder {
	return conversations.New(h.dir, func(f func()) { f() })
}

func (h *home) write(file, text string) {
	h.Helper()
	h.must(os.MkdirAll(filepath.Dir(file), 0o700))
	h.must(os.WriteFile(file, []byte(text), 0o600))
}

func (h *home) draft(name string, x drafts.Draft) (file string) {
	h.Helper()
	file = filepath.Join(h.dir, drafts.Folder, name+".draft")
	h.must(os.MkdirAll(filepath.Dir(file), 0o700))
	h.must(drafts.WriteFile(file, x))
	return file
}

// sweep is a sweep for a text, or for nothing.
func (h *home) sweep(text string) *Sweep {
	h.Helper()
	s := &Sweep{Home: h.dir, Conversations: h.conversations(), Stores: []ids.Store{store}, Step: func(string) error { return nil }}
	s.Scanner.Pieces = scrub.NewPieces(0)
	if text != "" {
		n, err := scrub.Compile([]byte(text), false, false)
		h.must(err)
		s.Scanner = scrub.Scanner{Needle: n, Pieces: n.Pieces()}
	}
	return s
}

func there(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

func TestRun_ErasesWhatHoldsTheText(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	before, err := os.ReadFile(h.conversation)
	h.must(err)
	s := h.sweep(secret)
	h.must(s.Run(t.Context()))
	if s.Drafts != 1 || s.Copies != 1 || s.Masked != 1 || len(s.Unknown) > 0 {
		t.Errorf("erased %d drafts and %d copies, masked %d strings, unknown %q", s.Drafts, s.Copies, s.Masked, s.Unknown)
	}
	if there(h.with) || !there(h.without) || there(h.copied) {
		t.Errorf("there are: draft with it %v, draft without it %v, copy %v", there(h.with), there(h.without), there(h.copied))
	}
	after, err := os.ReadFile(h.conversation)
	h.must(err)
	if strings.Contains(string(after), secret) || len(after) != len(before) || !strings.Contains(string(after), `"other":"text"`) {
		t.Errorf("the conversation is %s", after)
	}
	again := h.sweep(secret)
	if h.must(again.Run(t.Context())); again.Drafts+again.Copies+again.Masked > 0 {
		t.Errorf("a second sweep erases %d drafts and %d copies, and masks %d strings", again.Drafts, again.Copies, again.Masked)
	}
}

func TestRun_OnlyCountsIfDry(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	s := h.sweep(secret)
	s.Dry, s.Step = true, nil
	h.must(s.Run(t.Context()))
	after, err := os.ReadFile(h.conversation)
	h.must(err)
	if s.Drafts != 1 || s.Copies != 1 || s.Masked != 1 || !there(h.with) || !there(h.copied) || !strings.Contains(string(after), secret) {
		t.Errorf("counted %d drafts, %d copies, %d strings; %v %v %s", s.Drafts, s.Copies, s.Masked, there(h.with), there(h.copied), after)
	}
}

func TestRun_ErasesDraftsThatNobodyCanSave(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	lost, memory := h.draft("lost", drafts.Draft{Store: "memstore_b"}), h.draft("memory", drafts.Draft{Store: store, Memory: "mem_x"})
	s := h.sweep("nowhere")
	h.must(s.Run(t.Context()))
	if !there(lost) || !there(memory) || s.Drafts > 0 {
		t.Error("a sweep for a text erased a draft without it")
	}
	s = h.sweep("")
	s.Memory = "mem_x"
	h.must(s.Run(t.Context()))
	if there(lost) || there(memory) || !there(h.with) || s.Drafts != 2 {
		t.Errorf("erased %d drafts; there are: of a lost store %v, of the memory %v, another %v", s.Drafts, there(lost), there(memory), there(h.with))
	}
}

func TestRun_RemovesTheHashesOfErasedContentsFromDrafts(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	erased := ids.Hash(sha256.Sum256([]byte("erased")))
	base, other := h.draft("base", drafts.Draft{Store: store, Base: erased, Text: []byte("mine")}), h.draft("other", drafts.Draft{Store: store, Base: ids.Hash{1}})
	s := h.sweep("")
	s.Erased = []ids.Hash{erased}
	h.must(s.Run(t.Context()))
	x, err := drafts.ReadFile(base)
	h.must(err)
	if x.Base != (ids.Hash{}) || !x.Lost || string(x.Text) != "mine" {
		t.Errorf("the draft is %+v", x)
	}
	if x, err = drafts.ReadFile(other); err != nil || x.Base == (ids.Hash{}) || x.Lost {
		t.Errorf("the other draft is %+v, %v", x, err)
	}
}

func TestRun_RemovesEmptyFoldersThatAreNamedLikeTheText(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	folder := t.TempDir()
	for _, dir := range []string{"a/" + secret, "b", secret + "/full"} {
		h.must(os.MkdirAll(filepath.Join(folder, dir), 0o700))
	}
	h.write(filepath.Join(folder, secret, "full", "file"), "text")
	s := h.sweep(secret)
	s.Folders = []string{folder}
	h.must(s.Run(t.Context()))
	for dir, want := range map[string]bool{"a/" + secret: false, "a": true, "b": true, secret + "/full": true} {
		if there(filepath.Join(folder, dir)) != want {
			t.Errorf("%s is there: %v, want %v", dir, !want, want)
		}
	}
}

func TestRun_StopsWhereAStepFails(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	stop := errors.New("stop")
	s := h.sweep(secret)
	s.Step = func(name string) error {
		if name == "before-conversations" {
			return stop
		}
		return nil
	}
	if err := s.Run(t.Context()); !errors.Is(err, stop) || there(h.with) || !there(h.copied) {
		t.Errorf("Run = %v; draft %v, copy %v", err, there(h.with), there(h.copied))
	}
}
