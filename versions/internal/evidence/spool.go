package evidence

import (
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
)

// A reporter of a call may have no time to wait for the lock: a hook blocks its caller. The call, and
// what its session took in, is then written to a file in the home (package calls). The next scan of
// the store's folder reads it, and so does the next decision about what a session may write.

// Spooled is Evidence in the format of such a file.
type Spooled struct {
	Op      versions.EvidenceOp `json:"op"`
	Path    string              `json:"path"`
	From    string              `json:"from_path,omitempty"`
	Agent   string              `json:"agent"`
	Session versions.SessionID  `json:"session_id"`
	ToolUse string              `json:"tool_use_id,omitempty"`
	Turn    int                 `json:"turn,omitempty"`
	Began   time.Time           `json:"began,omitzero"`
	Ended   time.Time           `json:"ended,omitzero"`
	SHA256  string              `json:"content_sha256,omitempty"`
	CRLF    string              `json:"crlf_sha256,omitempty"`
	Failed  bool                `json:"failed,omitempty"`
}

// SpooledOf returns a call in the format of the file.
func SpooledOf(e versions.Evidence) Spooled {
	out := Spooled{Op: e.Op, Path: versions.Key(e.Path), From: versions.Key(e.From), Agent: e.By.Actor.Name, Session: e.By.Session,
		ToolUse: e.By.ToolUse, Turn: e.By.Turn, Began: e.Began, Ended: e.Ended, Failed: e.Failed}
	if e.SHA256 != (versions.Hash{}) {
		out.SHA256 = e.SHA256.String()
	}
	if e.CRLF != (versions.Hash{}) {
		out.CRLF = e.CRLF.String()
	}
	return out
}

// Evidence returns the call of the file.
func (x Spooled) Evidence() (e versions.Evidence, err error) {
	e = versions.Evidence{Op: x.Op, By: versions.By{Actor: versions.Actor{Kind: versions.Agent, Name: x.Agent}, Session: x.Session, ToolUse: x.ToolUse, Turn: x.Turn}, Began: x.Began, Ended: x.Ended, Failed: x.Failed}
	if e.Path, err = memfs.ParsePath(x.Path); err != nil {
		return e, err
	}
	if e.From, err = memfs.ParsePath(x.From); err != nil {
		return e, err
	}
	if x.SHA256 != "" {
		if e.SHA256, err = versions.ParseHash(x.SHA256); err != nil {
			return e, err
		}
	}
	if x.CRLF != "" {
		if e.CRLF, err = versions.ParseHash(x.CRLF); err != nil {
			return e, err
		}
	}
	return e, e.Check()
}
