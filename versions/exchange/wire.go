package exchange

import (
	"encoding/base64"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
)

// The lines of a history in JSON; see the package documentation.

type actorLine struct {
	Type string `json:"type"`
	Name string `json:"name,omitempty"`
}

type changeLine struct {
	Change    *int64          `json:"change,omitempty"`
	Kind      string          `json:"kind,omitempty"`
	Path      string          `json:"path,omitempty"`
	To        string          `json:"to_path,omitempty"`
	By        *actorLine      `json:"created_by,omitempty"`
	Session   string          `json:"session_id,omitempty"`
	ToolUse   string          `json:"tool_use_id,omitempty"`
	Turn      int             `json:"turn,omitempty"`
	Door      versions.Door   `json:"door,omitzero"`
	Inputs    versions.Inputs `json:"taken_in,omitzero"`
	Inferred  bool            `json:"inferred,omitempty"`
	Found     bool            `json:"found,omitempty"`
	CreatedAt *time.Time      `json:"created_at,omitempty"`
	ClockAt   *time.Time      `json:"clock_at,omitempty"`
	Undoes    int64           `json:"undoes,omitempty"`
	Message   string          `json:"message,omitempty"`
	Email     string          `json:"author_email,omitempty"`
	Versions  []versionLine   `json:"memory_versions,omitempty"`
}

type versionLine struct {
	ID         string     `json:"id,omitempty"`
	Memory     string     `json:"memory_id,omitempty"`
	Operation  string     `json:"operation"`
	Path       string     `json:"path,omitempty"`
	From       string     `json:"from_path,omitempty"`
	SHA256     string     `json:"content_sha256,omitempty"`
	Size       int64      `json:"content_size_bytes,omitempty"`
	Source     string     `json:"restored_from,omitempty"`
	RedactedAt *time.Time `json:"redacted_at,omitempty"`
	RedactedBy *actorLine `json:"redacted_by,omitempty"`
	Lost       bool       `json:"content_lost,omitempty"`
}

type contentLine struct {
	SHA256  string  `json:"content_sha256,omitempty"`
	Content *string `json:"content,omitempty"`
	Encoded *string `json:"content_base64,omitempty"`
}

func unsound(format string, args ...any) error {
	return fmt.Errorf("%w: %s", versions.ErrUnsound, fmt.Sprintf(format, args...))
}

func lineOfActor(a versions.Actor) *actorLine {
	if a == (versions.Actor{}) {
		return nil
	}
	return &actorLine{string(a.Kind), a.Name}
}

func (l *actorLine) actor() versions.Actor {
	if l == nil {
		return versions.Actor{}
	}
	return versions.Actor{Kind: versions.ActorKind(l.Type), Name: l.Name}
}

// lineOfRecord leaves out the versions: git stores them elsewhere.
func lineOfRecord(r *versions.Record) changeLine {
	l := changeLine{Change: &r.Number, Kind: string(r.Kind), Path: textOf(r.Path), To: textOf(r.To), By: lineOfActor(r.By.Actor),
		Session: string(r.By.Session), ToolUse: r.By.ToolUse, Turn: r.By.Turn, CreatedAt: &r.Time, Undoes: r.Undoes, Door: r.By.Door, Inputs: r.Inputs, Inferred: r.Inferred, Found: r.Found,
		Message: r.Message, Email: r.Email}
	if !r.Wall.Equal(r.Time) && !r.Wall.IsZero() {
		l.ClockAt = &r.Wall
	}
	return l
}

func (l *changeLine) record() (*versions.Record, error) {
	if l.CreatedAt == nil {
		return nil, unsound("a change without created_at")
	}
	r := &versions.Record{Number: *l.Change, Kind: versions.ChangeKind(l.Kind), Time: *l.CreatedAt, Undoes: l.Undoes, Inputs: l.Inputs, Inferred: l.Inferred, Found: l.Found,
		Message: l.Message, Email: l.Email,
		By: versions.By{Door: l.Door, Actor: l.By.actor(), Session: versions.SessionID(l.Session), ToolUse: l.ToolUse, Turn: l.Turn}}
	if l.ClockAt != nil {
		r.Wall = *l.ClockAt
	}
	var err error
	if r.Path, err = memfs.ParsePath(l.Path); err != nil {
		return nil, unsound("%v", err)
	}
	if r.To, err = memfs.ParsePath(l.To); err != nil {
		return nil, unsound("%v", err)
	}
	r.Versions = make([]versions.RecordVersion, len(l.Versions))
	for i := range l.Versions {
		if r.Versions[i], err = l.Versions[i].version(); err != nil {
			return nil, err
		}
	}
	return r, nil
}

func lineOfVersion(v *versions.RecordVersion) versionLine {
	l := versionLine{ID: string(v.ID), Memory: string(v.Memory), Operation: string(v.Operation), Path: textOf(v.Path), From: textOf(v.From),
		Size: v.Size, Source: string(v.Source), RedactedBy: lineOfActor(v.RedactedBy), Lost: v.Lost}
	if v.SHA256 != (versions.Hash{}) {
		l.SHA256 = v.SHA256.String()
	}
	if !v.Redacted.IsZero() {
		l.RedactedAt = &v.Redacted
	}
	return l
}

func (l *versionLine) version() (v versions.RecordVersion, err error) {
	v = versions.RecordVersion{ID: versions.VersionID(l.ID), Memory: versions.MemoryID(l.Memory), Operation: versions.Operation(l.Operation),
		Size: l.Size, Source: versions.VersionID(l.Source), RedactedBy: l.RedactedBy.actor(), Lost: l.Lost}
	if l.RedactedAt != nil {
		v.Redacted = *l.RedactedAt
	}
	if l.SHA256 != "" {
		if v.SHA256, err = versions.ParseHash(l.SHA256); err != nil {
			return v, unsound("%v", err)
		}
	}
	if v.Path, err = memfs.ParsePath(l.Path); err != nil {
		return v, unsound("%v", err)
	}
	if v.From, err = memfs.ParsePath(l.From); err != nil {
		return v, unsound("%v", err)
	}
	return v, nil
}

// textOf returns a path as these lines contain it; "" for the root.
func textOf(p memfs.Path) string {
	if p.IsRoot() {
		return ""
	}
	return p.String()
}

// maxTextBytes is the size of the largest content that is written as text: escaped it may take six times as much.
const maxTextBytes = 64 << 20

func lineOfContent(b []byte) contentLine {
	l := contentLine{SHA256: hashOf(b).String()}
	if utf8.Valid(b) && len(b) <= maxTextBytes {
		s := string(b)
		l.Content = &s
	} else {
		s := base64.StdEncoding.EncodeToString(b)
		l.Encoded = &s
	}
	return l
}

// bytes returns the content of a line, checked against its hash.
func (l *contentLine) bytes() ([]byte, error) {
	b, err := decodeContent(l.Content, l.Encoded)
	if err != nil {
		return nil, err
	}
	return b, sameHash(b, l.SHA256)
}

func decodeContent(text, encoded *string) ([]byte, error) {
	switch {
	case text != nil && encoded != nil:
		return nil, unsound("a content both as text and in base64")
	case text != nil:
		return []byte(*text), nil
	case encoded != nil:
		b, err := base64.StdEncoding.DecodeString(*encoded)
		if err != nil {
			return nil, unsound("a content: %v", err)
		}
		return b, nil
	}
	return nil, unsound("the content is missing")
}

func sameHash(b []byte, want string) error {
	h, err := versions.ParseHash(want)
	if err != nil {
		return unsound("%v", err)
	}
	if now := hashOf(b); now != h {
		return unsound("a content does not match its hash (%s, not %s)", now, h)
	}
	return nil
}
