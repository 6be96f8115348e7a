package ids

import (
	"bytes"
	"strings"
	"testing"
)

func TestAnIdIsReadAsItIsWritten(t *testing.T) {
	t.Parallel()
	uid := New()
	for _, prefix := range []string{StorePrefix, MemoryPrefix, VersionPrefix, SessionPrefix} {
		if got := Parse(prefix, Format(prefix, uid)); !bytes.Equal(got, uid) {
			t.Errorf("%s%x is read as %x", prefix, uid, got)
		}
	}
	for _, id := range []string{"mem_foreign-1", "other_service-1", "mem_" + strings.Repeat("x", Size), strings.Repeat("y", Size-1)} {
		uid := Parse(MemoryPrefix, id)
		if uid == nil || len(uid) == Size || !Valid(uid) || Format(MemoryPrefix, uid) != id {
			t.Errorf("%s is read as %q and written as %s", id, uid, Format(MemoryPrefix, uid))
		}
	}
	for _, id := range []string{"", "mem_", "mem_a/b", "sesn_1", "mem_" + strings.Repeat("x", maxForeign+1)} {
		if uid := Parse(MemoryPrefix, id); uid != nil {
			t.Errorf("%q is read as %q", id, uid)
		}
	}
}

func TestAHashIsReadAsItIsWritten(t *testing.T) {
	t.Parallel()
	h := Hash{1, 2, 0xff}
	if got, err := ParseHash(h.String()); err != nil || got != h {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := ParseHash("ff"); err == nil {
		t.Error("a short one is read")
	}
}
