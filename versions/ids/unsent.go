package ids

import "bytes"

// UnsentMark begins the bytes of an id of something that the service which keeps the
// store does not have yet.
const UnsentMark = "unsent-"

// NewUnsent makes the bytes of a new id of something that the service does not have.
func NewUnsent() []byte { return []byte(UnsentMark + Text.EncodeToString(New())) }

// Unsent reports whether these are the bytes of such an id.
func Unsent(uid []byte) bool { return bytes.HasPrefix(uid, []byte(UnsentMark)) }

// Unsent reports whether the service that keeps the store does not have a version.
func (v Version) Unsent() bool { return Unsent(Parse(VersionPrefix, string(v))) }
