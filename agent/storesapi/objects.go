package storesapi

import (
	"cmp"
	"time"
	"unicode/utf8"

	"github.com/memend/memend/versions"
)

// stamp is a time in the API's format.
type stamp time.Time

func (t stamp) MarshalJSON() ([]byte, error) {
	return []byte(time.Time(t).UTC().Format(`"2006-01-02T15:04:05.000000Z"`)), nil
}

// stampOrNull returns nil for the zero time.
func stampOrNull(t time.Time) *stamp {
	if t.IsZero() {
		return nil
	}
	s := stamp(t)
	return &s
}

type storeJSON struct {
	Type        string            `json:"type"`
	ID          versions.StoreID  `json:"id"`
	Name        string            `json:"name"`
	Description string            `json:"description"`
	Metadata    map[string]string `json:"metadata"`
	Created     stamp             `json:"created_at"`
	Updated     stamp             `json:"updated_at"`
	Archived    *stamp            `json:"archived_at"`
}

func storeOf(info versions.StoreInfo) storeJSON {
	metadata := info.Metadata
	if metadata == nil {
		metadata = map[string]string{}
	}
	return storeJSON{"memory_store", info.ID, cmp.Or(info.Title, info.Name), info.Description, metadata,
		stamp(info.Created), stamp(info.Updated), stampOrNull(info.Archived)}
}

// deletedJSON is the response to deleting a store or a memory.
type deletedJSON struct {
	Type string `json:"type"`
	ID   string `json:"id"`
}

type memoryJSON struct {
	Type    string             `json:"type"`
	ID      versions.MemoryID  `json:"id"`
	Store   versions.StoreID   `json:"memory_store_id"`
	Path    string             `json:"path"`
	Content *string            `json:"content"`
	Size    int64              `json:"content_size_bytes"`
	SHA256  string             `json:"content_sha256"`
	Version versions.VersionID `json:"memory_version_id"`
	Created stamp              `json:"created_at"`
	Updated stamp              `json:"updated_at"`
}

func memoryOf(store versions.StoreID, m versions.Current, full bool) memoryJSON {
	out := memoryJSON{"memory", m.Memory, store, m.Path.String(), nil, m.Size, m.SHA256.String(), m.Version, stamp(m.Created), stamp(m.Updated)}
	if full && !m.Damaged {
		content := string(m.Content)
		out.Content = &content
	}
	return out
}

// prefixJSON represents all memories below a folder in a list.
type prefixJSON struct {
	Type string `json:"type"`
	Path string `json:"path"`
}

type versionJSON struct {
	Type       string             `json:"type"`
	ID         versions.VersionID `json:"id"`
	Store      versions.StoreID   `json:"memory_store_id"`
	Memory     versions.MemoryID  `json:"memory_id"`
	Operation  versions.Operation `json:"operation"`
	Path       *string            `json:"path"`
	Content    *string            `json:"content"`
	Size       *int64             `json:"content_size_bytes"`
	SHA256     *string            `json:"content_sha256"`
	By         *actorJSON         `json:"created_by"`
	Created    stamp              `json:"created_at"`
	Redacted   *stamp             `json:"redacted_at"`
	RedactedBy *actorJSON         `json:"redacted_by"`
}

func versionOf(store versions.StoreID, v versions.ListedVersion, full bool) versionJSON {
	out := versionJSON{Type: "memory_version", ID: v.ID, Store: store, Memory: v.Memory, Operation: v.Operation,
		By: actorOf(v.Actor, v.Session), Created: stamp(v.Time), Redacted: stampOrNull(v.Redacted)}
	if !v.Redacted.IsZero() {
		out.RedactedBy = actorOf(v.RedactedBy, "")
		return out
	}
	path := v.Path.String()
	out.Path = &path
	if v.Operation == versions.Deleted {
		return out
	}
	out.Size = &v.Size
	if v.SHA256 != (versions.Hash{}) {
		sha := v.SHA256.String()
		out.SHA256 = &sha
	}
	if full && !v.Damaged && utf8.Valid(v.Content) { // JSON can't represent other contents
		content := string(v.Content)
		out.Content = &content
	}
	return out
}

// actorJSON is one of the API's actors; fields of other types are empty.
type actorJSON struct {
	Type    string             `json:"type"`
	Key     string             `json:"api_key_id,omitempty"`
	User    string             `json:"user_id,omitempty"`
	Session versions.SessionID `json:"session_id,omitempty"`
}

const userPrefix = "user_"

// actorOf returns an actor in the API's form; nil if it is unknown.
func actorOf(a versions.Actor, session versions.SessionID) *actorJSON {
	switch a.Kind {
	case versions.APIKey:
		return &actorJSON{Type: "api_actor", Key: a.Name}
	case versions.Person:
		return &actorJSON{Type: "user_actor", User: userPrefix + a.Name}
	case versions.Agent:
		if session != "" {
			return &actorJSON{Type: "session_actor", Session: session}
		}
	}
	return nil
}
