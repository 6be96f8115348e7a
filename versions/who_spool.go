package versions

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/disk"
)

// A reporter of a call may have no time to wait for the lock: a hook blocks its caller. The call is
// then written to its own file in the home, STORE-*.call in the folder calls, and the next scan of
// the store's folder reads it.
const (
	spoolFolder = "calls"
	spoolEnd    = ".call"
	spoolMost   = 1000 // files, including notes of sessions: this many mean that no scan is running
)

// spooled is Evidence in the format of such a file.
type spooled struct {
	Op      EvidenceOp `json:"op"`
	Path    string     `json:"path"`
	From    string     `json:"from_path,omitempty"`
	Agent   string     `json:"agent"`
	Session SessionID  `json:"session_id"`
	ToolUse string     `json:"tool_use_id,omitempty"`
	Turn    int        `json:"turn,omitempty"`
	Began   time.Time  `json:"began,omitzero"`
	Ended   time.Time  `json:"ended,omitzero"`
	SHA256  string     `json:"content_sha256,omitempty"`
	CRLF    string     `json:"crlf_sha256,omitempty"`
	Failed  bool       `json:"failed,omitempty"`
}

// Spool stores a call for the next scan of the store's folder. It waits only for the disk.
func (t *Trail) Spool(store StoreID, e Evidence) error {
	if err := e.check(); err != nil {
		return err
	}
	dir, err := callsFolder(t.home)
	if err != nil {
		return fmt.Errorf("store the call: %w", disk.Bare(err))
	}
	files, err := spoolFiles(dir, "")
	if err != nil {
		return fmt.Errorf("store the call: %w", disk.Bare(err))
	}
	if len(files) >= spoolMost {
		return fmt.Errorf("store the call: %d calls are waiting already", len(files))
	}
	b, err := json.Marshal(e.spooled())
	if err != nil {
		return err
	}
	if err := writeCall(dir, string(store)+"-"+rand.Text()+spoolEnd, b); err != nil {
		return fmt.Errorf("store the call: %w", disk.Bare(err))
	}
	return nil
}

// callsFolder creates the folder calls in a home. It does not create the home: after somebody
// removed the home, calls are not wanted.
func callsFolder(home string) (dir string, err error) {
	dir = filepath.Join(home, spoolFolder)
	if err = os.Mkdir(dir, 0o700); errors.Is(err, fs.ErrExist) {
		err = nil
	}
	return dir, err
}

// writeCall writes a file atomically: a reader finds all of it or nothing.
func writeCall(dir, name string, b []byte) error {
	f, err := os.CreateTemp(dir, "new-*") // mode 0600
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), filepath.Join(dir, name))
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}

func (e Evidence) spooled() spooled {
	out := spooled{Op: e.Op, Path: key(e.Path), From: key(e.From), Agent: e.By.Actor.Name, Session: e.By.Session,
		ToolUse: e.By.ToolUse, Turn: e.By.Turn, Began: e.Began, Ended: e.Ended, Failed: e.Failed}
	if e.SHA256 != (Hash{}) {
		out.SHA256 = e.SHA256.String()
	}
	if e.CRLF != (Hash{}) {
		out.CRLF = e.CRLF.String()
	}
	return out
}

func (x spooled) evidence() (e Evidence, err error) {
	e = Evidence{Op: x.Op, By: By{Actor: Actor{Kind: Agent, Name: x.Agent}, Session: x.Session, ToolUse: x.ToolUse, Turn: x.Turn}, Began: x.Began, Ended: x.Ended, Failed: x.Failed}
	if e.Path, err = memfs.ParsePath(x.Path); err != nil {
		return e, err
	}
	if e.From, err = memfs.ParsePath(x.From); err != nil {
		return e, err
	}
	if x.SHA256 != "" {
		if e.SHA256, err = ParseHash(x.SHA256); err != nil {
			return e, err
		}
	}
	if x.CRLF != "" {
		if e.CRLF, err = ParseHash(x.CRLF); err != nil {
			return e, err
		}
	}
	return e, e.check()
}

// spoolFiles lists the spooled calls, only of one store if of is set.
func spoolFiles(dir string, of StoreID) (out []string, err error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries {
		if name := e.Name(); of == "" || strings.HasPrefix(name, string(of)+"-") && strings.HasSuffix(name, spoolEnd) {
			out = append(out, filepath.Join(dir, name))
		}
	}
	return out, err
}

// takeSpooled stores the spooled calls of this store. A call that can't be stored now waits for the
// next scan. An invalid file is deleted.
func (s *Store) takeSpooled(ctx context.Context) {
	files, err := spoolFiles(filepath.Join(s.t.home, spoolFolder), s.info.ID)
	if err != nil {
		return
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		var x spooled
		if err = json.Unmarshal(b, &x); err == nil {
			var e Evidence
			if e, err = x.evidence(); err == nil && s.Report(ctx, e) != nil {
				return
			}
		}
		_ = os.Remove(file)
	}
}

// eraseSpool erases the spooled calls, only of one store if of is set: they contain paths and
// hashes. It returns the files that could not be erased.
func (t *Trail) eraseSpool(of StoreID) (unknown []string) {
	files, err := spoolFiles(filepath.Join(t.home, spoolFolder), of)
	if err != nil {
		return []string{fmt.Sprintf("calls: %v", disk.Bare(err))}
	}
	for _, file := range files {
		if err := disk.Erase(file); err != nil {
			unknown = append(unknown, fmt.Sprintf("%s: %v", file, disk.Bare(err)))
		}
	}
	return unknown
}
