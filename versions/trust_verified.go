package versions

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/chain"
	"github.com/memend/memend/versions/ids"
)

// Verification records that a person found a version to be true.
type Verification struct {
	Version VersionID
	By      Actor
	Time    time.Time
}

// Verify marks versions of current memories as verified. The mark belongs to the text: it is gone
// when the memory changes, and back when the text is. It stays with a memory that is moved.
// ErrNotCurrent means that a version is not current any more. Only a person may verify. It changes no
// memory and is not part of an export.
func (s *Store) Verify(ctx context.Context, by By, versions ...VersionID) error {
	return s.verify(ctx, by, false, versions)
}

// Unverify withdraws the marks of current memories.
func (s *Store) Unverify(ctx context.Context, by By, versions ...VersionID) error {
	return s.verify(ctx, by, true, versions)
}

func (s *Store) verify(ctx context.Context, by By, withdraw bool, versions []VersionID) error {
	what := "verify"
	if withdraw {
		what = "withdraw the verification"
	}
	return s.asPerson(ctx, by, what, func(x *txn) error {
		actor, err := x.actor(by.Actor)
		if err != nil {
			return err
		}
		for _, v := range versions {
			var row int64
			if err := x.Row(`SELECT version FROM head WHERE store=? AND vuid=?`, s.id, ids.Parse(ids.VersionPrefix, string(v))).Scan(&row); err != nil {
				return notFound(err, ErrNotCurrent, fmt.Sprintf("%s %s", what, v))
			}
			id, err := x.Insert(`INSERT INTO verified(version,withdrawn,actor,ts) VALUES(?,?,?,?)`, row, withdraw, actor, x.ts)
			if err != nil {
				return err
			}
			x.acts.Add(chain.Verified, id)
		}
		return nil
	})
}

// Verified returns the memories whose current text is verified, by path.
func (s *Store) Verified(ctx context.Context) (map[memfs.Path]Verification, error) {
	out := map[memfs.Path]Verification{}
	for row, err := range s.t.db.Each(ctx, `SELECT h.path,v.uid,a.kind,a.name,w.ts
		FROM verified w JOIN version v ON v.id=w.version JOIN actor a ON a.id=w.actor JOIN head h ON h.memory=v.memory JOIN version now ON now.id=h.version
		WHERE h.store=? AND now.blob=v.blob AND w.withdrawn=0
		AND NOT EXISTS(SELECT 1 FROM version other JOIN verified later ON later.version=other.id WHERE other.memory=v.memory AND later.id>w.id)`, s.id) {
		if err != nil {
			return nil, err
		}
		var path string
		var uid []byte
		var ts int64
		var v Verification
		if err := row.Scan(&path, &uid, &v.By.Kind, &v.By.Name, &ts); err != nil {
			return nil, err
		}
		p, err := pathOf(path)
		if err != nil {
			return nil, err
		}
		v.Version, v.Time = VersionID(ids.Format(ids.VersionPrefix, uid)), fromMicros(ts)
		out[p] = v
	}
	return out, nil
}

// verificationOf parses a verifiedColumn. It returns nil for a verification that was withdrawn.
func verificationOf(v VersionID, column string) (*Verification, error) {
	var withdrawn, ts int64
	out := &Verification{Version: v}
	if err := json.Unmarshal([]byte(column), &[]any{&withdrawn, &out.By.Kind, &out.By.Name, &ts}); err != nil {
		return nil, errors.Join(ErrDamaged, err)
	}
	if withdrawn != 0 {
		return nil, nil
	}
	out.Time = fromMicros(ts)
	return out, nil
}
