package versions

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/memend/memend/versions/ids"
)

// A service may speak the API and keep no versions. Then its store is compared as a
// whole at each pull, a difference becomes a version of this home's own, and what the
// service answered to a write is all that is known of that. Such a service may also
// overwrite without looking, so it is read before each write; what somebody writes there
// in between may be lost.

// newsOfShare is what the service did for a caller here, as it answered.
func (s *Store) newsOfShare(ctx context.Context, o *share) (*news, error) {
	l := &news{none: true}
	if o == nil {
		return l, nil
	}
	clear(o.made) // whose ids may be none, or not be new
	for i := range o.told {
		v := &o.told[i]
		if o.made[v.ID] != nil || !s.newVersionID(ctx, v.ID) {
			v.ID = ids.Format(ids.VersionPrefix, ids.New())
		}
		if v.Time.IsZero() {
			v.Time = s.t.now()
		}
		if v.Operation != Deleted {
			o.made[v.ID] = v.act
			if v.act.sha != v.SHA256 { // it did not take the text as it was sent
				m, err := s.up.Memory(ctx, MemoryID(v.Memory))
				if err != nil {
					return nil, err
				}
				v.Path, v.SHA256, v.Content = m.Path, m.SHA256, nonNil(m.Content)
			}
		}
		if err := v.checkIDs(); err != nil {
			return nil, err
		}
		l.fresh = append(l.fresh, incoming{HostedVersion: v.HostedVersion})
	}
	return l, nil
}

// newVersionID reports whether an id that a service gave can be that of a version which
// is not here yet.
func (s *Store) newVersionID(ctx context.Context, id string) bool {
	uid := ids.Parse(ids.VersionPrefix, id)
	return uid != nil && !ids.Unsent(uid) && !s.knows(ctx, id)
}

// noHistoryFile is empty; where it is there the service keeps no versions.
func (t *Trail) noHistoryFile(id StoreID) string {
	return filepath.Join(t.home, hostedFolder, string(id)+".nohistory")
}

func (s *Store) lacksHistory() bool {
	_, err := os.Stat(s.t.noHistoryFile(s.info.ID))
	return err == nil
}

func (s *Store) noteHistory(none bool) error {
	file := s.t.noHistoryFile(s.info.ID)
	if none {
		return bare(os.WriteFile(file, nil, 0o600))
	}
	if err := os.Remove(file); !errors.Is(err, os.ErrNotExist) {
		return bare(err)
	}
	return nil
}
