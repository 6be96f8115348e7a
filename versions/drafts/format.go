package drafts

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/disk"
	"github.com/memend/memend/versions/ids"
)

// draftHead is the first line of a draft's file, in JSON. Then follow the text, byte for byte, and the
// texts that were typed into a merge. So a redaction finds them as they read. The file's name is
// HASH-RUN.draft: a hash of the store and the path, and the run that keeps it;
// RUN.lock is locked as long as the run lasts.
type draftHead struct {
	Store  ids.Store  `json:"memory_store_id"`
	Memory ids.Memory `json:"memory_id,omitempty"`
	Path   string     `json:"path"`
	Base   string     `json:"base_sha256,omitempty"`
	Lost   bool       `json:"base_redacted,omitempty"`
	Time   time.Time  `json:"kept_at"`
	Bytes  int        `json:"text_bytes,omitempty"` // of the text, where there is a merge
	Merge  *mergeHead `json:"merge,omitempty"`
}

type mergeHead struct {
	Theirs string     `json:"theirs_sha256,omitempty"`
	Parts  int        `json:"parts"`
	Picks  []pickHead `json:"picks"`
}

type pickHead struct {
	Part  int    `json:"part"`
	Pick  string `json:"pick"`
	Typed bool   `json:"typed,omitempty"`
	Bytes int    `json:"text_bytes,omitempty"`
}

func Files(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var out []string
	for _, e := range entries {
		if e.Type().IsRegular() && strings.HasSuffix(e.Name(), draftEnd) {
			out = append(out, e.Name())
		}
	}
	return out, err
}

// WriteFile replaces a file in one step; it is on the disk when it returns.
func WriteFile(file string, x Draft) error {
	head := draftHead{Store: x.Store, Memory: x.Memory, Path: x.Path.String(), Lost: x.Lost, Time: x.Time}
	if x.Base != (ids.Hash{}) {
		head.Base = x.Base.String()
	}
	text := x.Text
	if x.Merge != nil {
		head.Bytes, text = len(text), slices.Clone(text)
		head.Merge, text = x.Merge.head(text)
	}
	b, err := json.Marshal(head)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(file), "new-*"+draftEnd) // mode 0600
	if err != nil {
		return err
	}
	_, err = f.Write(append(append(b, '\n'), text...))
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), file)
	}
	if err != nil {
		_ = os.Remove(f.Name())
		return err
	}
	return disk.SyncFolder(filepath.Dir(file))
}

func ReadFile(file string) (Draft, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return Draft{}, err
	}
	line, text, ok := bytes.Cut(b, []byte("\n"))
	var head draftHead
	if err := json.Unmarshal(line, &head); err != nil || !ok {
		return Draft{}, errors.Join(err, errors.New("half of a draft"))
	}
	x := Draft{Store: head.Store, Memory: head.Memory, Lost: head.Lost, Time: head.Time, Text: text}
	if x.Path, err = memfs.ParsePath(head.Path); err != nil {
		return Draft{}, err
	}
	if head.Base != "" {
		if x.Base, err = ids.ParseHash(head.Base); err != nil {
			return Draft{}, err
		}
	}
	if head.Merge != nil {
		if head.Bytes < 0 || head.Bytes > len(text) {
			return Draft{}, errors.New("half of a draft")
		}
		x.Text = text[:head.Bytes:head.Bytes]
		x.Merge, _ = head.Merge.read(text[head.Bytes:]) // the text counts, whatever became of that
	}
	return x, nil
}

// head is how a merge stands in the first line of a draft; the texts that were typed
// follow text.
func (m *Merge) head(text []byte) (*mergeHead, []byte) {
	h := &mergeHead{Parts: m.Parts}
	if m.Theirs != (ids.Hash{}) {
		h.Theirs = m.Theirs.String()
	}
	for _, p := range m.Picks {
		h.Picks = append(h.Picks, pickHead{p.Part, p.Pick, p.Text != nil, len(p.Text)})
		text = append(text, p.Text...)
	}
	return h, text
}

func (h *mergeHead) read(text []byte) (*Merge, error) {
	m := &Merge{Parts: h.Parts}
	if h.Theirs != "" {
		var err error
		if m.Theirs, err = ids.ParseHash(h.Theirs); err != nil {
			return nil, err
		}
	}
	for _, p := range h.Picks {
		if p.Bytes < 0 || p.Bytes > len(text) {
			return nil, errors.New("half of a draft")
		}
		pick := Pick{Part: p.Part, Pick: p.Pick}
		if p.Typed {
			pick.Text = text[:p.Bytes:p.Bytes]
		}
		text = text[p.Bytes:]
		m.Picks = append(m.Picks, pick)
	}
	return m, nil
}
