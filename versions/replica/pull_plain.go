package replica

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/ids"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/redact"
)

// A service may implement the API without keeping versions. Each pull then compares the whole
// store, and a difference becomes a version that this home makes. The answer to a write is all that
// is known about the write. Such a service may also overwrite without a precondition, so memend
// reads it before each write; what somebody writes in between may be lost.

// newsOfDelivery returns what the service did for a caller here, according to its answers.
func (s *replica) newsOfDelivery(ctx context.Context, d *delivery) (*news, error) {
	l := &news{none: true}
	if d == nil {
		return l, nil
	}
	clear(d.made) // its ids may be empty or already known
	for i := range d.answers {
		v, act := &d.answers[i].HostedVersion, d.answers[i].act
		if d.made[v.ID] != nil || !s.newVersionID(ctx, v.ID) {
			v.ID = ids.Format(ids.VersionPrefix, ids.New())
		}
		if v.Time.IsZero() {
			v.Time = s.Trail.Now()
		}
		if !act.gone && act.sha != v.SHA256 { // it changed the text that was sent
			m, err := s.Service.Memory(ctx, versions.MemoryID(v.Memory))
			if err != nil {
				return nil, err
			}
			v.Path, v.SHA256, v.Content = m.Path, m.SHA256, versions.NonNil(m.Content)
		}
		if err := checkIDs(v); err != nil {
			return nil, err
		}
		d.made[answerKey(v)] = act
		l.fresh = append(l.fresh, incoming{HostedVersion: *v})
	}
	return l, nil
}

// newVersionID reports whether an id from a service is valid and not yet used here.
func (s *replica) newVersionID(ctx context.Context, id string) bool {
	uid := ids.Parse(ids.VersionPrefix, id)
	return uid != nil && !ids.Unsent(uid) && !s.knows(ctx, id)
}

// NoHistoryFile returns the name of an empty file that exists when the service keeps no versions.
func NoHistoryFile(t *core.Trail, id versions.StoreID) string {
	return filepath.Join(t.Folder, redact.HostedFolder, string(id)+".nohistory")
}

func (s *replica) lacksHistory() bool {
	_, err := os.Stat(NoHistoryFile(s.Trail, s.Opened.ID))
	return err == nil
}

func (s *replica) noteHistory(none bool) error {
	file := NoHistoryFile(s.Trail, s.Opened.ID)
	if none {
		return os.WriteFile(file, nil, 0o600)
	}
	if err := os.Remove(file); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}
