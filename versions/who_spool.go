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

// Who tells of a call may have no time to wait for the lock: a hook that holds its
// caller up. Then the call is put down as a file of its own in the home, STORE-*.call
// in the folder calls, and the next look at the store's folder takes it in.
const (
	spoolFolder = "calls"
	spoolEnd    = ".call"
	spoolMost   = 1000 // files, notes of sessions too: beyond it nobody looks at any
)

// spooled is Evidence as such a file has it.
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

// Spool keeps a call for the next look at the store's folder. It waits for nothing
// but the disk.
func (t *Trail) Spool(store StoreID, e Evidence) error {
	if err := e.check(); err != nil {
		return err
	}
	dir, err := callsFolder(t.home)
	if err != nil {
		return fmt.Errorf("put a call down: %w", bare(err))
	}
	files, err := spoolFiles(dir, "")
	if err != nil {
		return fmt.Errorf("put a call down: %w", bare(err))
	}
	if len(files) >= spoolMost {
		return fmt.Errorf("put a call down: %d wait already", len(files))
	}
	b, err := json.Marshal(e.spooled())
	if err != nil {
		return err
	}
	if err := writeCall(dir, string(store)+"-"+rand.Text()+spoolEnd, b); err != nil {
		return fmt.Errorf("put a call down: %w", bare(err))
	}
	return nil
}

// callsFolder makes the folder calls in a home. It does not make the home: who removed
// that wants no call.
func callsFolder(home string) (dir string, err error) {
	dir = filepath.Join(home, spoolFolder)
	if err = os.Mkdir(dir, 0o700); errors.Is(err, fs.ErrExist) {
		err = nil
	}
	return dir, err
}

// writeCall writes a file in one step: who reads it finds all of it, or none.
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

// spoolFiles lists the calls that were put down, of one store where one is named.
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

// takeSpooled takes in the calls that were put down for this store. What can't be taken in
// now waits for the next look; a file that is none of ours goes.
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

// eraseSpool erases the calls that wait, of one store where one is named: they tell
// paths and hashes. It gives what could not be seen to.
func (t *Trail) eraseSpool(of StoreID) (unknown []string) {
	files, err := spoolFiles(filepath.Join(t.home, spoolFolder), of)
	if err != nil {
		return []string{fmt.Sprintf("calls: %v", bare(err))}
	}
	for _, file := range files {
		if err := disk.Erase(file); err != nil {
			unknown = append(unknown, fmt.Sprintf("%s: %v", file, bare(err)))
		}
	}
	return unknown
}
