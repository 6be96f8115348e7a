package versions

import (
	"errors"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/ids"
)

// skipError means that a memory can't be stored in a folder here.
type skipError struct{ err error }

func (e *skipError) Error() string { return e.err.Error() }

// checkIDs returns an error for ids that are not valid here or at a service.
func (v *HostedVersion) checkIDs() error {
	uid, muid := ids.Parse(ids.VersionPrefix, v.ID), ids.Parse(ids.MemoryPrefix, v.Memory)
	switch {
	case uid == nil || ids.Unsent(uid):
		return unbelievable("%.80q is not the id of a version", v.ID)
	case muid == nil || ids.Unsent(muid):
		return unbelievable("version %s: %.80q is not the id of a memory", v.ID, v.Memory)
	}
	return nil
}

// arriving validates a version that the service listed.
func (l *incoming) arriving() (v arriving, err error) {
	v = arriving{uid: ids.Parse(ids.VersionPrefix, l.ID), muid: ids.Parse(ids.MemoryPrefix, l.Memory), op: l.Operation,
		redacted: l.Redacted, redactedBy: l.RedactedBy, late: l.late}
	switch {
	case v.op != Created && v.op != Modified && v.op != Deleted:
		return v, unbelievable("version %s: operation %.40q", l.ID, l.Operation)
	case l.Time.Year() < 1970 || l.Time.Year() > 9998:
		return v, unbelievable("version %s: it is of the year %d", l.ID, l.Time.Year())
	case !sane(l.By.Name) || !sane(string(l.Session)) || !sane(l.RedactedBy.Name):
		return v, unbelievable("version %s: the name of who made it is too long or not UTF-8", l.ID)
	}
	if !v.redacted.IsZero() {
		return v, nil
	}
	if v.path, err = memfs.ParsePath(l.Path); err != nil || v.path.IsRoot() {
		if errors.Is(err, memfs.ErrNameTooLong) {
			return v, &skipError{err}
		}
		return v, unbelievable("version %s: path %.80q", l.ID, l.Path)
	}
	if v.path.String() != l.Path {
		return v, unbelievable("version %s: path %.80q", l.ID, l.Path)
	}
	if v.path.Control() {
		return v, &skipError{memfs.ErrControlFile}
	}
	if v.op == Deleted {
		return v, nil
	}
	v.content, v.sha = l.Content, l.SHA256
	switch {
	case int64(len(v.content)) > maxHostedSize:
		return v, unbelievable("version %s: it has %d bytes, over the limit of %d", l.ID, len(v.content), maxHostedSize)
	case sum(v.content) != v.sha:
		return v, unbelievable("version %s: its content has the hash %s, not %s", l.ID, sum(v.content), v.sha)
	}
	return v, nil
}
