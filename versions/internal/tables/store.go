package tables

import (
	"encoding/json"
	"fmt"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/ids"
)

// StoreColumns are the columns of a store; StoreRow has their destinations.
const StoreColumns = `id,uid,name,title,description,metadata,upstream,folder,home,files,created,updated,used,agents,archived,
	(SELECT coalesce(sum(` + CountUpstream + `),0) FROM redaction WHERE redaction.store=store.id AND pending<>0),` + LimitColumns

// StoreRow is a store and its row.
type StoreRow struct {
	versions.StoreInfo
	Row int64
}

// To are the destinations of the StoreColumns; folderOf returns the folder of a place.
func (s *StoreRow) To(folderOf func(place string) string) []any {
	damaged := func(what string, err error) error {
		if err != nil {
			err = fmt.Errorf("%w: %s of store %s: %v", versions.ErrDamaged, what, s.Name, err)
		}
		return err
	}
	return append([]any{&s.Row, IDTo(&s.ID), &s.Name, &s.Title, &s.Description,
		ParsedTo(&s.Metadata, func(text string) (m map[string]string, err error) {
			err = damaged("metadata", json.Unmarshal([]byte(text), &m))
			return m, err
		}),
		ParsedTo(&s.Upstream, func(text string) (u versions.Remote, err error) {
			if text != "" {
				err = damaged("upstream", json.Unmarshal([]byte(text), &u))
			}
			return u, err
		}),
		ParsedTo(&s.Folder, func(place string) (string, error) { return folderOf(place), nil }), &s.Home,
		ParsedTo(&s.Files, func(text string) (memfs.Names, error) {
			names, err := FilesOf(text)
			return names, damaged("files", err)
		}),
		TimeTo(&s.Created), TimeTo(&s.Updated), TimeTo(&s.LastUsed), &s.ForAgents, TimeTo(&s.Archived), &s.LeftUpstream}, LimitsTo(&s.Limits)...)
}

// ArchivedAt returns the time as stored in the table.
func ArchivedAt(info versions.StoreInfo) any {
	if info.Archived.IsZero() {
		return nil
	}
	return info.Archived.UnixMicro()
}

// FilesOf parses the files of a store as the trail stores them.
func FilesOf(text string) (memfs.Names, error) {
	if text == "" {
		return memfs.Names{}, nil
	}
	var patterns []string
	if err := json.Unmarshal([]byte(text), &patterns); err != nil {
		return memfs.Names{}, err
	}
	return memfs.ParseNames(patterns)
}

// FilesText returns the files of a store as the trail stores them.
func FilesText(n memfs.Names) string {
	if n.All() {
		return ""
	}
	b, _ := json.Marshal(n.Patterns()) // of strings, which are UTF-8
	return string(b)
}

// The tables store NULL for a default and 0 for no limit.

// LimitValue returns a limit as the tables have it.
func LimitValue(n int64) any {
	switch n {
	case 0:
		return nil
	case versions.NoLimit:
		return 0
	}
	return n
}

func limitOf(n int64) (int64, error) {
	if n == 0 {
		return versions.NoLimit, nil
	}
	return n, nil
}

// LimitColumns are the columns of limits; LimitsTo has their destinations.
const LimitColumns = `max_bytes,max_memories,view_chars`

// LimitsTo are the destinations of the LimitColumns.
func LimitsTo(l *versions.Limits) []any {
	return []any{ParsedTo(&l.Bytes, limitOf), ParsedTo(&l.Memories, limitOf), ParsedTo(&l.ViewChars, limitOf)}
}

// Erased returns the error for a redacted version.
func Erased(q db.Queryer, id versions.VersionID) error {
	e := &versions.RedactedError{Version: id}
	if err := q.Row(`SELECT v.redacted,coalesce(a.kind,''),coalesce(a.name,'') FROM version v LEFT JOIN actor a ON a.id=v.redacted_by WHERE v.uid=?`,
		ids.Parse(ids.VersionPrefix, string(id))).Scan(TimeTo(&e.Time), &e.By.Kind, &e.By.Name); err != nil {
		return err
	}
	return e
}

// LastErased returns the error for the newest redacted version of a memory.
func LastErased(q db.Queryer, memory int64) error {
	var id versions.VersionID
	if err := q.Row(`SELECT uid FROM version WHERE memory=? AND redacted IS NOT NULL ORDER BY number DESC LIMIT 1`, memory).Scan(IDTo(&id)); err != nil {
		return err
	}
	return Erased(q, id)
}

// CountUpstream is an SQL expression for the number of versions that a redaction still lists for its service.
const CountUpstream = `iif(json_valid(receipt),coalesce(json_array_length(receipt,'$.there'),0),0)`
