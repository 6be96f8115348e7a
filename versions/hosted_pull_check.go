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
		return invalidResponse("%.80q is not the id of a version", v.ID)
	case muid == nil || ids.Unsent(muid):
		return invalidResponse("version %s: %.80q is not the id of a memory", v.ID, v.Memory)
	}
	return nil
}

// parse validates a version with its content, and sets the fields that are parsed.
func (v *incoming) parse() (err error) {
	v.uid, v.muid = ids.Parse(ids.VersionPrefix, v.ID), ids.Parse(ids.MemoryPrefix, v.Memory)
	switch {
	case v.Operation != Created && v.Operation != Modified && v.Operation != Deleted:
		return invalidResponse("version %s: operation %.40q", v.ID, v.Operation)
	case v.Time.Year() < 1970 || v.Time.Year() > 9998:
		return invalidResponse("version %s: it is of the year %d", v.ID, v.Time.Year())
	case !sane(v.By.Name) || !sane(string(v.Session)) || !sane(v.RedactedBy.Name):
		return invalidResponse("version %s: the name of who made it is too long or not UTF-8", v.ID)
	case !v.Redacted.IsZero():
		return nil
	}
	v.path, err = memfs.ParsePath(v.Path)
	switch {
	case errors.Is(err, memfs.ErrNameTooLong):
		return &skipError{err}
	case err != nil || v.path.IsRoot() || v.path.String() != v.Path:
		return invalidResponse("version %s: path %.80q", v.ID, v.Path)
	case v.path.RunsWhenOpened():
		return &skipError{memfs.ErrControlFile}
	case v.Operation == Deleted:
		return nil
	case int64(len(v.Content)) > maxHostedSize:
		return invalidResponse("version %s: it has %d bytes, over the limit of %d", v.ID, len(v.Content), maxHostedSize)
	case sum(v.Content) != v.SHA256:
		return invalidResponse("version %s: its content has the hash %s, not %s", v.ID, sum(v.Content), v.SHA256)
	}
	return nil
}
