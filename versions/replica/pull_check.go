package replica

import (
	"errors"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/ids"
)

// skipError means that a memory can't be stored in a folder here.
type skipError struct{ err error }

func (e *skipError) Error() string { return e.err.Error() }

// checkIDs returns an error for ids that are not valid here or at a service.
func checkIDs(v *versions.HostedVersion) error {
	uid, muid := ids.Parse(ids.VersionPrefix, v.ID), ids.Parse(ids.MemoryPrefix, v.Memory)
	switch {
	case uid == nil || ids.Unsent(uid):
		return versions.AsInvalidResponse("%.80q is not the id of a version", v.ID)
	case muid == nil || ids.Unsent(muid):
		return versions.AsInvalidResponse("version %s: %.80q is not the id of a memory", v.ID, v.Memory)
	}
	return nil
}

// parse validates a version with its content, and sets the fields that are parsed.
func (v *incoming) parse() (err error) {
	v.uid, v.muid = ids.Parse(ids.VersionPrefix, v.ID), ids.Parse(ids.MemoryPrefix, v.Memory)
	switch {
	case v.Operation != versions.Created && v.Operation != versions.Modified && v.Operation != versions.Deleted:
		return versions.AsInvalidResponse("version %s: operation %.40q", v.ID, v.Operation)
	case v.Time.Year() < 1970 || v.Time.Year() > 9998:
		return versions.AsInvalidResponse("version %s: it is of the year %d", v.ID, v.Time.Year())
	case !versions.Sane(v.By.Name) || !versions.Sane(string(v.Session)) || !versions.Sane(v.RedactedBy.Name):
		return versions.AsInvalidResponse("version %s: the name of who made it is too long or not UTF-8", v.ID)
	case !v.Redacted.IsZero():
		return nil
	}
	v.path, err = memfs.ParsePath(v.Path)
	switch {
	case errors.Is(err, memfs.ErrNameTooLong):
		return &skipError{err}
	case err != nil || v.path.IsRoot() || v.path.String() != v.Path:
		return versions.AsInvalidResponse("version %s: path %.80q", v.ID, v.Path)
	case v.path.RunsWhenOpened():
		return &skipError{memfs.ErrControlFile}
	case v.Operation == versions.Deleted:
		return nil
	case int64(len(v.Content)) > maxHostedSize:
		return versions.AsInvalidResponse("version %s: it has %d bytes, over the limit of %d", v.ID, len(v.Content), maxHostedSize)
	case versions.Sum(v.Content) != v.SHA256:
		return versions.AsInvalidResponse("version %s: its content has the hash %s, not %s", v.ID, versions.Sum(v.Content), v.SHA256)
	}
	return nil
}
